/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of n times is the earliest: a tournament in groups of four. Each time has a leaf of its own; each inner node names the leaf that
 * wins below it.
 *
 *                  0                      setting a time plays the matches between its leaf and the root again: one for each four-fold
 *       1      2      3      4            of times, and fewer where the outcome is as it was. Nothing moves, so a time is found by
 *    5 6 7 8  9 ..          .. 20         its number
 *
 * Of equal times the lower number wins, or with `last` the higher one. A heap (heap.h) serves where most things have no time at all.
 */
#ifndef WT_STACK_BASE_WINNER_H
#define WT_STACK_BASE_WINNER_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

struct wt_match {
	wt_time due;   /* of the winner */
	uint32_t leaf; /* the winner */
};

struct wt_winner {
	struct wt_match *match; /* inner nodes from 0, the children of n from 4 n + 1; then the leaves, WT_NEVER where nothing was set */
	uint32_t leaves;        /* a power of four, or 0 */
	uint32_t first;         /* the leaves begin there */
	uint32_t flip;          /* 0; or leaves - 1, and they stand in descending order */
	bool last;
};

/* Room for leaves 0 to count - 1; what was set stays. 0 or -ENOMEM. Finish accepts a zeroed one. */
int wt_winner_grow(struct wt_winner *winner, uint32_t count);
void wt_winner_finish(struct wt_winner *winner);
void wt_winner_reverse(struct wt_winner *winner); /* of equal times the higher number wins from now on; before any is set */

/* The time of a leaf there is room for. */
static inline void wt_winner_set(struct wt_winner *winner, uint32_t leaf, wt_time due)
{
	struct wt_match *match = winner->match;
	uint32_t node = winner->first + (leaf ^ winner->flip);

	match[node] = (struct wt_match){due, leaf};
	while (node) {
		uint32_t above = (node - 1) / 4;
		const struct wt_match *four = &match[4 * above + 1], *best = four;

		best = four[1].due < best->due ? &four[1] : best;
		best = four[2].due < best->due ? &four[2] : best;
		best = four[3].due < best->due ? &four[3] : best;
		if (match[above].due == best->due && match[above].leaf == best->leaf)
			return;
		match[above] = *best;
		node = above;
	}
}

/* The earliest, and when it is due; where there is room for none, neither may be asked. */
static inline uint32_t wt_winner_leaf(const struct wt_winner *winner)
{
	return winner->match[0].leaf;
}

static inline wt_time wt_winner_due(const struct wt_winner *winner)
{
	return winner->match[0].due;
}

#endif

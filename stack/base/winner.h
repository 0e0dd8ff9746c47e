/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of n times is the earliest: a tournament. Each time has a leaf of its own; each inner node names the leaf that wins below it.
 *
 *            1            the winner of all
 *        2       3        setting a time plays the matches between its leaf and the root again: log2(n) of them, and
 *      4   5   6   7      fewer where the outcome is as it was. Nothing moves, so a time is found by its number
 *
 * Of equal times the lower number wins, or with `last` the higher one. A heap (heap.h) serves where most things have no time at all.
 */
#ifndef WT_STACK_BASE_WINNER_H
#define WT_STACK_BASE_WINNER_H

#include <stdint.h>

#include "stack/base/time.h"

struct wt_match {
	wt_time due;   /* of the winner */
	uint32_t leaf; /* the winner */
};

struct wt_winner {
	struct wt_match *match; /* inner nodes from 1; behind them the leaves themselves, WT_NEVER where nothing was set */
	uint32_t leaves;        /* a power of two, or 0 */
	uint32_t last;          /* 0 or 1 */
};

/* Room for leaves 0 to count - 1; what was set stays. 0 or -ENOMEM. Finish accepts a zeroed one. */
int wt_winner_grow(struct wt_winner *winner, uint32_t count);
void wt_winner_finish(struct wt_winner *winner);

/* The time of a leaf there is room for; at least 0. */
static inline void wt_winner_set(struct wt_winner *winner, uint32_t leaf, wt_time due)
{
	struct wt_match *match = winner->match;
	uint32_t node = leaf + winner->leaves, last = winner->last;

	match[node] = (struct wt_match){due, leaf};
	for (; node > 1; node /= 2) {
		const struct wt_match *other = &match[node ^ 1];

		/* one to the left has a lower number, and wins if the times are equal; to the right it does with `last` */
		if (other->due - ((node ^ last) & 1) < due) {
			due = other->due;
			leaf = other->leaf;
			if (match[node / 2].leaf == leaf) /* it won before, and further up nothing has changed */
				return;
		}
		match[node / 2] = (struct wt_match){due, leaf};
	}
}

/* The earliest, and when it is due; where there is room for none, neither may be asked. */
static inline uint32_t wt_winner_leaf(const struct wt_winner *winner)
{
	return winner->match[1].leaf;
}

static inline wt_time wt_winner_due(const struct wt_winner *winner)
{
	return winner->match[1].due;
}

#endif

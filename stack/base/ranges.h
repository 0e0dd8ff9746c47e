/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sorted set of disjoint half-open intervals of sequence space, all within 2^31 of each other, at most `max` of them.
 * The receiver keeps what arrived out of order in one, the sender what was SACKed. Searching is by halves; adding and trimming move what lies
 * behind, at most 8 bytes an interval.
 */
#ifndef WT_STACK_BASE_RANGES_H
#define WT_STACK_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/seq.h"

struct wt_range {
	wt_seq start, end; /* [start, end) */
};

/* Zero-initialised is empty and has room for none. */
struct wt_ranges {
	uint32_t count, max;
	uint32_t bytes;      /* in all intervals */
	struct wt_range *at; /* ascending, never touching */
};

/* Room for `max` intervals: 0 or -ENOMEM. Finish accepts a zeroed set. */
int wt_ranges_init(struct wt_ranges *set, uint32_t max);
void wt_ranges_finish(struct wt_ranges *set);
void wt_ranges_clear(struct wt_ranges *set);

/* Adds [start, end), merging what it touches; the resulting interval in *merged if given. False, and nothing
 * changed, if it needs a slot and all are in use. */
bool wt_ranges_add(struct wt_ranges *set, wt_seq start, wt_seq end, struct wt_range *merged);
/* Removes everything below `seq`. */
void wt_ranges_trim(struct wt_ranges *set, wt_seq seq);
/* Is [start, end) wholly inside one interval? */
bool wt_ranges_contain(const struct wt_ranges *set, wt_seq start, wt_seq end);
/* The interval that adding [start, end) would make. */
struct wt_range wt_ranges_merged(const struct wt_ranges *set, wt_seq start, wt_seq end);
/* Index of the first interval that ends after `seq`; count if there is none. */
uint32_t wt_ranges_find(const struct wt_ranges *set, wt_seq seq);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small sorted set of disjoint half-open intervals of sequence space, all within 2^31 of each other.
 * The receive side keeps what arrived out of order in one; the caller's memory, a fixed number of intervals.
 */
#ifndef WT_STACK_BASE_RANGES_H
#define WT_STACK_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/seq.h"

#define WT_RANGES_MAX 64

struct wt_range {
	wt_seq start, end; /* [start, end) */
};

/* Zero-initialised is empty. */
struct wt_ranges {
	uint32_t count;
	struct wt_range at[WT_RANGES_MAX]; /* ascending, never touching */
};

/* Adds [start, end), merging what it touches; the resulting interval in *merged if given. False, and nothing
 * changed, if it needs a slot and all WT_RANGES_MAX are in use. */
bool wt_ranges_add(struct wt_ranges *set, wt_seq start, wt_seq end, struct wt_range *merged);
/* Removes everything below `seq`. */
void wt_ranges_trim(struct wt_ranges *set, wt_seq seq);
/* Is [start, end) wholly inside one interval? */
bool wt_ranges_contain(const struct wt_ranges *set, wt_seq start, wt_seq end);
/* Bytes in all intervals. */
uint32_t wt_ranges_bytes(const struct wt_ranges *set);

#endif

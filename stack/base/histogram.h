/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations by size, to one part in sixteen: quantiles of millions of them in a few hundred bytes. It has buckets only around what came. */
#ifndef WT_STACK_BASE_HISTOGRAM_H
#define WT_STACK_BASE_HISTOGRAM_H

#include <stdint.h>

#include "stack/base/time.h"

#define WT_HISTOGRAM_BUCKETS 640 /* below 16 ns one each, then sixteen to each power of two */

/* Zero-initialised is empty and takes nothing. */
struct wt_histogram {
	uint64_t count;
	wt_time worst;
	uint32_t *bucket; /* number first and so many from there on; NULL: none yet */
	uint16_t first, room;
};

/* Counts a duration; one below 0 counts as 0. Without memory for its bucket it counts as long as the worst. */
void wt_histogram_add(struct wt_histogram *histogram, wt_time duration);
/* An upper bound, never above the worst, that at least this share of the durations did not exceed. 0 if there are none. */
wt_time wt_histogram_below(const struct wt_histogram *histogram, double share);
/* The same for all durations but `most` of them. */
wt_time wt_histogram_but(const struct wt_histogram *histogram, uint64_t most);
/* Adds the counts of `more`. */
void wt_histogram_merge(struct wt_histogram *histogram, const struct wt_histogram *more);
/* Gives the memory back: empty again. */
void wt_histogram_finish(struct wt_histogram *histogram);

#endif

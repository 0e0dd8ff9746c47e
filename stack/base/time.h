/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time is an argument. Nothing below stack/drive ever asks for it: every function that can wait, measure or
 * expire takes `now`. Nanoseconds since the start of the scenario, signed, so that differences are plain
 * subtraction; 2^63 ns are 292 years.
 */
#ifndef WT_STACK_BASE_TIME_H
#define WT_STACK_BASE_TIME_H

#include <stdint.h>

typedef int64_t wt_time;

#define WT_NEVER INT64_MAX /* a deadline that will not come */
#define WT_US ((wt_time)1000)
#define WT_MS ((wt_time)1000000)
#define WT_S ((wt_time)1000000000)

static inline wt_time wt_time_min(wt_time a, wt_time b)
{
	return a < b ? a : b;
}

static inline wt_time wt_time_max(wt_time a, wt_time b)
{
	return a > b ? a : b;
}

/* a + b for a deadline: WT_NEVER absorbs, overflow saturates */
static inline wt_time wt_time_add(wt_time a, wt_time b)
{
	wt_time sum;

	return a == WT_NEVER || b == WT_NEVER || __builtin_add_overflow(a, b, &sum) ? WT_NEVER : sum;
}

/* The same for a time that is not negative. */
static inline wt_time wt_time_after(wt_time a, wt_time b)
{
	wt_time sum;

	return __builtin_add_overflow(a, b, &sum) ? WT_NEVER : sum;
}

#endif

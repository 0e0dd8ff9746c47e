/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of a sweep in real time: the same world as in virtual time, run by `wavetank lab run` as a child, which ends with this process. While
 * the host is too busy for the result to mean anything, the run is repeated.
 */
#ifndef WT_TOOLS_SWEEP_LAB_H
#define WT_TOOLS_SWEEP_LAB_H

#include <jansson.h>

#include "tools/sweep/point.h"
#include "tools/sweep/work.h"

#define WT_LAB_RUNS 8     /* real-time runs are idle most of the time: labs side by side */
#define WT_LAB_ATTEMPTS 3
/* What a person can do about runs that stayed invalid. */
#define WT_LAB_HINT "fewer runs at a time (--jobs), real-time priority (as root: chrt -f 10 wavetank ...), or other bounds"

/* Tries up to sweep->attempts times while the host is too busy. */
void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, struct wt_sweep_result *result,
		       const volatile int *stop);

/*
 * What one attempt came to, by the result of lab run (NULL: none) and by what it said on standard error, which goes on in `why`. One that
 * failed while the host was too busy says as little as one that came to its end: INVALID, and `why` says that.
 */
enum wt_sweep_outcome wt_sweep_lab_judge(const json_t *result, char *why, size_t why_len);

#endif

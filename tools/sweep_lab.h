/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of a sweep in real time: a lab of its own, in it a transfer by our stack or by the kernel's, and the emulator's word on the host. */
#ifndef WT_TOOLS_SWEEP_LAB_H
#define WT_TOOLS_SWEEP_LAB_H

#include "tools/sweep_point.h"
#include "tools/sweep_work.h"

/* Tries up to sweep->attempts times while the host is too busy. `name` is the lab's. */
void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, const char *name,
		       struct wt_sweep_result *result, const volatile int *stop);
/*
 * Was the host too busy? From the last record of the emulator (lab down --json): its own verdict, or, with a bound of lateness of our own,
 * everything in that verdict but lateness, and the lateness of 99 % of the frames. `why` gets the reason.
 */
bool wt_sweep_lab_valid(const char *record, wt_time late, char *why, size_t why_len);

#endif

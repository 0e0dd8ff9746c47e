/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of a sweep in real time: a lab of its own, in it a transfer by our stack or by the kernel's. */
#ifndef WT_TOOLS_SWEEP_LAB_H
#define WT_TOOLS_SWEEP_LAB_H

#include "tools/sweep/point.h"
#include "tools/sweep/work.h"

/* Tries up to sweep->attempts times while the host is too busy. */
void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, struct wt_sweep_result *result,
		       const volatile int *stop);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of a published table in real time: a lab of its own for each, over TAP or veth, through the emulator daemon. */
#ifndef WT_TOOLS_PAPER_LAB_H
#define WT_TOOLS_PAPER_LAB_H

#include "tools/paper/run.h"

/* One run (tools/lab/run.h); plan->backend is "tap" or "packet". Repeated while the host is too busy, up to plan->attempts times in all. */
void wt_paper_run_lab(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record, const volatile int *stop);

/*
 * Says cell by cell whether the real-time mean agrees with virtual time: whether the two 95 % intervals overlap. The number of cells
 * that do; *cells, of how many.
 */
unsigned wt_paper_agreement(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *real,
			    const struct wt_paper_report *virtual_time, unsigned virtual_repeats, unsigned *cells);

#endif

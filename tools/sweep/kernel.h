/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of the kernel's stack: which kernel they are of, and whether this one can do them. */
#ifndef WT_TOOLS_SWEEP_KERNEL_H
#define WT_TOOLS_SWEEP_KERNEL_H

#include "tools/sweep/run.h"

/*
 * Where runs are read and not done: sets sweep->kernel to the release of this host if the store has runs begun under it, else to the first
 * that it has, else to that of this host. How many releases the store has; 2 or more are listed in `found`.
 */
unsigned wt_sweep_kernel_choose(struct wt_sweep *sweep, const struct wt_sweep_store *store, char *found, size_t len);
/* Of the runs that are ours and not done. 0, or -EINVAL with "FILE:LINE: ..." in err: this kernel has no such congestion control. */
int wt_sweep_kernel_check(const struct wt_sweep_state *state, char *err, size_t err_len);

#endif

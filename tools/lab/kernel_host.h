/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One host of a world in real time whose stack is the kernel's: the interface has the host's addresses, and `wavetank kernel send` and
 * `kernel recv` run its flows, as a person would type them.
 */
#ifndef WT_TOOLS_LAB_KERNEL_HOST_H
#define WT_TOOLS_LAB_KERNEL_HOST_H

#include "tools/app/flow.h"

/* Gives the interface the host's hardware address; before it is up. 0 or negative errno. */
int wt_kernel_host_mac(const struct wt_world *world, unsigned host);
/* As wt_world_host_run() (world_host.h). */
int wt_kernel_host_run(struct wt_world *world, const struct wt_app_flow *flow, unsigned host, int talk, int out);

#endif

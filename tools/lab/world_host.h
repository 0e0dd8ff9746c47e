/* SPDX-License-Identifier: BSD-2-Clause */
/* One host of a world in real time: an engine on the interface of its namespace, and the flows that begin or end there. */
#ifndef WT_TOOLS_LAB_WORLD_HOST_H
#define WT_TOOLS_LAB_WORLD_HOST_H

#include "tools/app/flow.h"

/*
 * Runs the flows of a host from `at` on, which is scenario time 0 (CLOCK_REALTIME, ns since 1970), until the world's time is over or all
 * are done. Writes a line of JSON for each flow that it sends to `out`, then the line "done", and goes on answering until it is ended from
 * outside. Changes the world. An exit code, with a sentence on standard error.
 */
int wt_world_host_run(struct wt_world *world, const struct wt_app_flow *flow, unsigned host, int64_t at, int out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* One host of a world in real time: an engine on the interface of its namespace, and the flows that begin or end there. */
#ifndef WT_TOOLS_LAB_WORLD_HOST_H
#define WT_TOOLS_LAB_WORLD_HOST_H

#include "tools/app/flow.h"

/* Who is at the other end of a host's link: its address and hardware address. True: it is the host's gateway. */
bool wt_world_host_peer(const struct wt_world *world, unsigned host, struct wt_addr *addr, struct wt_mac *mac);

/* Writes a byte, for ready, and reads scenario time 0 (CLOCK_REALTIME, ns since 1970). 0, or -ETIMEDOUT: nobody says when. */
int wt_world_host_await(int talk, int64_t *at);

/*
 * Runs the flows of a host from the time that `talk` says on, until the world's time is over, all are done, or SIGUSR1 ends it.
 * Writes a line of JSON for each flow that it sends to `out`, then the line "done", and goes on answering until it is ended from outside. Changes the world. An exit
 * code, with a sentence on standard error.
 */
int wt_world_host_run(struct wt_world *world, const struct wt_app_flow *flow, unsigned host, int talk, int out);

#endif

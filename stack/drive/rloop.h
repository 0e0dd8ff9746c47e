/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real time: a graph on libev with ONE timerfd armed at the graph's deadline (libev's own timers are up to a millisecond
 * late). Scenario time starts at 0 when the loop is created; CLOCK_MONOTONIC underneath.
 */
#ifndef WT_STACK_DRIVE_RLOOP_H
#define WT_STACK_DRIVE_RLOOP_H

#include <ev.h>

#include "stack/drive/graph.h"

struct wt_rloop;

/* Runs `graph` on `ev`. NULL with errno. Destroy does not destroy graph or ev; accepts NULL. */
struct wt_rloop *wt_rloop_create(struct wt_graph *graph, struct ev_loop *ev);
void wt_rloop_destroy(struct wt_rloop *rloop);
/* Scenario time of this moment (reads the clock). */
wt_time wt_rloop_clock(const struct wt_rloop *rloop);
/* A port node (TAP, packet socket) whose descriptor the loop watches and drains into the graph. See port.h. */
struct wt_port;
int wt_rloop_add_port(struct wt_rloop *rloop, struct wt_port *port);
/* Runs what is due and rearms the timer; call after touching nodes from outside a callback. */
void wt_rloop_kick(struct wt_rloop *rloop);
/* CLOCK_REALTIME, in ns since 1970, of scenario time 0: for captures. */
int64_t wt_rloop_epoch(const struct wt_rloop *rloop);
/* Lateness of timer wake-ups: count, and worst, in ns; buckets by power of two of microseconds. */
struct wt_lateness {
	uint64_t count;
	wt_time worst;
	uint64_t bucket[24]; /* [i]: lateness below 2^i us (and not below 2^(i-1)) */
};
const struct wt_lateness *wt_rloop_lateness(const struct wt_rloop *rloop);

#endif

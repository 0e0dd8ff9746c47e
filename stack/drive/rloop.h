/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real time: a graph on libev with ONE timerfd armed at the graph's deadline (libev's own timers are up to a millisecond
 * late). Scenario time starts at 0 when the loop is created; CLOCK_MONOTONIC underneath.
 *
 * Calling a node from outside (an application that sends, a control command):
 *
 *     wt_time now = wt_rloop_catch_up(rloop);      the graph stands at this moment
 *     wt_host_...(host, now, ...);
 *     wt_graph_touch(graph, node);
 *     wt_rloop_kick(rloop);                        rearms the timer
 *
 * A call without the first step is done at this moment too (wt_graph_touch() looks at the clock), but events of the node that were due a
 * little earlier and are run then may meet what the call has changed.
 *
 * From inside a node's verb (an application called back by a host) both are harmless and do nothing: the time is the verb's
 * `now`, and the loop rearms when the graph has come to rest.
 */
#ifndef WT_STACK_DRIVE_RLOOP_H
#define WT_STACK_DRIVE_RLOOP_H

#include <ev.h>

#include "stack/drive/graph.h"

struct wt_port;
struct wt_rloop;

/* Runs `graph` on `ev`. Sets the thread's timer slack to 1 ns. NULL with errno. Destroy comes before the graph's and before the ports
 * are closed; it does not destroy graph or ev; accepts NULL. */
struct wt_rloop *wt_rloop_create(struct wt_graph *graph, struct ev_loop *ev);
void wt_rloop_destroy(struct wt_rloop *rloop);
/* Scenario time of this moment (reads the clock). */
wt_time wt_rloop_clock(const struct wt_rloop *rloop);
/* Runs what was due and brings the graph to this moment, which it returns. */
wt_time wt_rloop_catch_up(struct wt_rloop *rloop);
/* A port node (TAP, packet socket), added to the graph before, whose descriptor the loop watches and drains into the
 * graph. 0 or -ENOMEM. See port.h. A device that goes away is no longer watched and told to port->gone(). */
int wt_rloop_add_port(struct wt_rloop *rloop, struct wt_port *port);
/* Stops watching it. */
void wt_rloop_remove_port(struct wt_rloop *rloop, struct wt_port *port);
/* Runs what is due and rearms the timer; call after touching nodes from outside a callback, and once before ev_run(). */
void wt_rloop_kick(struct wt_rloop *rloop);
/*
 * How the loop waits for a deadline. A sleeping thread is woken 50 us late on an idle machine, and by a different lateness each
 * time; a spinning one is not, and costs a core.
 */
enum wt_release {
	WT_RELEASE_SLEEP, /* the timer at the deadline: the default */
	WT_RELEASE_GUARD, /* the timer a little earlier, then spin. How much earlier follows the lateness it meets, so that one
			   * wake-up in fifty is too late; all spinning together takes at most WT_RELEASE_SHARE of the time, but for
			   * waits that are shorter than going to sleep */
	WT_RELEASE_SPIN,  /* never sleep */
};

#define WT_RELEASE_SHARE 0.08

void wt_rloop_set_release(struct wt_rloop *rloop, enum wt_release release);
/* How much earlier the timer fires at present, and how long the loop has spun under WT_RELEASE_GUARD, in waits worth a
 * sleep. */
wt_time wt_rloop_guard(const struct wt_rloop *rloop, wt_time *spun);
/* The timer's descriptor, readable when something is due: for who polls beside libev. */
int wt_rloop_timer(const struct wt_rloop *rloop);
/* CLOCK_REALTIME, in ns since 1970, of scenario time 0: for captures. */
int64_t wt_rloop_epoch(const struct wt_rloop *rloop);
/* Lateness of timer wake-ups: count, and worst, in ns; buckets by power of two of microseconds. */
struct wt_lateness {
	uint64_t count;
	wt_time worst;
	uint64_t bucket[24]; /* [i]: lateness below 2^i us (and not below 2^(i-1)); the last takes all above, too */
};
const struct wt_lateness *wt_rloop_lateness(const struct wt_rloop *rloop);

#endif

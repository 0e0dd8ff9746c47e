/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A graph joins nodes port to port and runs them in order of logical time. It is the whole of the simulator, and the
 * whole of the real-time daemon too: the two drivers differ only in where `now` comes from (vloop.h, rloop.h).
 *
 * An event due at t is run with now = t even if a real-time driver is late; frames read from a wire enter with the time
 * they came. So lateness never adds up, and a recorded run replays exactly.
 *
 * An event is one frame that leaves a node. What it sets off without delay (a chain of nodes that pass it on, the answer of a host, what
 * that sets off in turn) is finished before the next event of the same instant, also if that is the next frame of the same node. The one
 * exception: a frame that comes back without delay to a node that still has frames to give waits in that node. Of other ties those nodes
 * come last that yield (a host: its timers run behind the frames that reach it at that instant), the rest go by node index.
 *
 * A deadline in the past means now: time never goes back. frame->time is set to the instant at which each node gets it.
 * A node that keeps asking for now and has nothing to give, or frames that circle without delay, abort with a name
 * (but see wt_graph_may_circle()).
 */
#ifndef WT_STACK_DRIVE_GRAPH_H
#define WT_STACK_DRIVE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/node.h"

struct wt_graph;

/* An empty graph, or NULL (ENOMEM). Destroy destroys its nodes (those with ops->destroy; it does not touch
 * the others, which may be gone by then). Accepts NULL. */
struct wt_graph *wt_graph_create(void);
void wt_graph_destroy(struct wt_graph *graph);

/* Adds a node; its index is the count before. 0 or -ENOMEM. The graph sets node->drops and node->states to its sinks. Also from
 * inside a verb, and joints may be made anew there, too: what is handed on from then on goes the new way. */
int wt_graph_add(struct wt_graph *graph, struct wt_node *node);
/* What leaves `from` by from_port enters `to` by to_port. One direction; an unjoined port drops (UNROUTED, and the node's
 * `out` is taken back by one). Both nodes were added before. */
void wt_graph_join(struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to, unsigned to_port);
/* Both directions. */
void wt_graph_join_both(struct wt_graph *graph, struct wt_node *a, unsigned a_port, struct wt_node *b, unsigned b_port);
void wt_graph_set_drop_sink(struct wt_graph *graph, struct wt_drop_sink *sink);
/* Who is told of the nodes' states. */
void wt_graph_set_state_sink(struct wt_graph *graph, struct wt_state_sink *sink);
/* Has them tell all up to wt_graph_now(): nodes follow their history only when a frame asks. At the end of a run, and at the start. */
void wt_graph_tell_states(struct wt_graph *graph);
/* Check the law after every call of a node, and that input() and output() count each frame exactly once (tests, and sims
 * on request): aborts with the node's name and its books. */
void wt_graph_set_checked(struct wt_graph *graph, bool checked);
/* In virtual time, where legal words may have frames circle without delay: more than `most` of them handed on at one instant set *stop
 * instead of aborting, and nothing is run from then on; the graph is to be destroyed. */
void wt_graph_may_circle(struct wt_graph *graph, uint64_t most, bool *stop);
/* With wt_graph_may_circle(): a nonzero *interrupt, looked at every 16384 frames, ends the run in the same way, also within an instant. */
void wt_graph_interrupt(struct wt_graph *graph, const volatile int *interrupt);
/*
 * Virtual time: nodes may give frames on ahead of time (struct wt_ahead_ops), which changes nothing but the cost. After each run all is as
 * without it. Who looks into nodes during a run, or changes them, calls wt_graph_recall() first, and gets it so until the run is over; joints
 * do it themselves. It is off where the law is checked after every call.
 */
void wt_graph_may_ahead(struct wt_graph *graph, bool may);
void wt_graph_recall(struct wt_graph *graph);
bool wt_graph_circles(const struct wt_graph *graph);
/* Ties that go by node index go by descending index instead, as if the nodes had been added in the opposite order: a test that gets another
 * result has found one that rests on that order. Before the first node is added. */
void wt_graph_reverse_ties(struct wt_graph *graph);

/* Runs everything due at or before `until`, in order. Afterwards wt_graph_now() is `until` (with WT_NEVER: the last event). */
void wt_graph_run(struct wt_graph *graph, wt_time until);
/* The same instant by instant while *stop is false, and time does not pass beyond the last event. True: what is due next is due after `until`. */
bool wt_graph_run_while(struct wt_graph *graph, wt_time until, const bool *stop);
/* Runs only the earliest instant. Returns false if nothing is due at all (deadline WT_NEVER). */
bool wt_graph_step(struct wt_graph *graph);
/* Gives a frame to a node from outside (a packet socket that read it), at `now` >= wt_graph_now(). Due events are run first. */
void wt_graph_input(struct wt_graph *graph, struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame);
/* The node was called from outside: ask it for output and deadline again, at once: at wt_graph_now(), or with a clock at
 * this moment, after running what was due. From inside a node's verb (an application called back by a host) it is only
 * noted, and done before the next frame moves. */
void wt_graph_touch(struct wt_graph *graph, struct wt_node *node);
/* The real-time driver's: where this moment comes from. Without one (virtual time, clock NULL) it is the last event. */
void wt_graph_set_clock(struct wt_graph *graph, wt_time (*clock)(const void *arg), const void *arg);
wt_time wt_graph_deadline(const struct wt_graph *graph); /* of the earliest node; WT_NEVER */
wt_time wt_graph_now(const struct wt_graph *graph);

unsigned wt_graph_count(const struct wt_graph *graph);
struct wt_node *wt_graph_node(const struct wt_graph *graph, unsigned index);
/* True if the law of conservation holds in every node. */
bool wt_graph_audit(const struct wt_graph *graph, const struct wt_node **broken);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The graph keeps two orders: the deadlines (winner.h; by time, hosts last, then node index) for what is to come, and a stack of the nodes
 * that have something for this very instant. Of the node on top one frame is taken, and handed on; the node that has got it, if that makes it
 * due, is put on top of the one that gave it.
 *
 *     earliest node -> one frame -> its receiver, and all that it sets off -> the next frame of the first -> ... -> next minimum
 *
 * So one frame goes as far as it goes at this instant, and is answered, before another moves: a host answers a burst frame by frame,
 * as one does whose frames come off a wire (wt_graph_input() is the same step from outside). The order depends on times alone; on
 * indices only where two nodes are due at one instant and neither has set off the other. A node is on the stack at most once: what
 * comes round to one further down waits in it for its turn. Per frame and node that is three indirect calls and one round of matches among a
 * handful of entries; a node that decides at once (pass()) costs one call, and a row of them is a plain loop.
 *
 * Where a node knows at input when a frame will leave, and the next one only holds it (wt_ahead_ops), the frame is there at once, dated, and
 * the departure is no event: half of them on a path of rates and delays. Who looks calls it back (wt_graph_recall()), or comes after the run.
 *
 * An instant ends: each step hands one frame on, or takes a node off the stack.
 *
 * Two guards turn a broken node into an abort that names it, where it would otherwise be an endless loop at one
 * instant: a deadline in the past from a node that has nothing to give, and frames that circle without delay. In virtual time
 * paths that take no time are legal, and frames circle there as long as somebody sends: then who runs the graph is told.
 */
#include "stack/drive/graph.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stack/drive/inside.h"

#define STALL_LIMIT 1000000u     /* empty runs of one node at one instant */
#define FRAMES_BETWEEN_LOOKS 16384u
#define MOVES_LIMIT (1u << 26)   /* frames handed on at one instant, unless another is given */

static _Noreturn void broken(const struct wt_graph *graph, const struct wt_node *node, const char *what)
{
	const struct wt_audit *audit = &node->audit;

	fprintf(stderr,
		"wavetank: internal error: node %s at %" PRId64 " ns: %s (in %" PRIu64 " made %" PRIu64
		" out %" PRIu64 " taken %" PRIu64 " dropped %" PRIu64 " queued %" PRIu64 ")\n",
		node->name, graph->now, what, audit->in, audit->made, audit->out, audit->taken,
		wt_audit_dropped(audit), audit->queued);
	abort();
}

/* At set-up, and when a change adds nodes. */
static int grow(struct wt_graph *graph)
{
	uint32_t room = graph->room ? graph->room * 2 : 16;
	struct slot **slots = malloc(room * sizeof(*slots));

	if (!slots || wt_winner_grow(&graph->deadlines, room)) {
		free(slots);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < graph->count; i++)
		slots[i] = graph->slots[i];
	free(graph->slots);
	graph->slots = slots;
	graph->room = room;
	return 0;
}

struct wt_graph *wt_graph_create(void)
{
	struct wt_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->most = MOVES_LIMIT;
	if (!grow(graph))
		return graph;
	free(graph);
	return NULL;
}

void wt_graph_destroy(struct wt_graph *graph)
{
	if (!graph)
		return;
	wt_winner_finish(&graph->deadlines);
	for (uint32_t i = 0; i < graph->count; i++) {
		struct slot *slot = graph->slots[i];

		free(slot->joints);
		if (slot->destroy)
			slot->destroy(slot->node);
		free(slot);
	}
	free(graph->slots);
	free(graph);
}

/* Set off: before all that waits, the node included that did it. `due`: its deadline() is known to be now. */
static inline void push(struct wt_graph *graph, struct slot *slot, bool due)
{
	if (slot->dirty)
		return;
	slot->dirty = true;
	slot->now = due;
	slot->next_dirty = graph->dirty_head;
	graph->dirty_head = slot;
}

int wt_graph_add(struct wt_graph *graph, struct wt_node *node)
{
	struct slot *slot;
	struct joint *joints;

	if (graph->count == graph->room && grow(graph))
		return -ENOMEM;
	slot = malloc(sizeof(*slot));
	joints = calloc(node->ports + 1, sizeof(*joints));
	if (!slot || !joints) {
		free(slot);
		free(joints);
		return -ENOMEM;
	}
	*slot = (struct slot){.index = graph->count, .node = node, .destroy = node->ops->destroy, .joints = joints, .due = graph->now};
	graph->slots[graph->count] = slot;
	node->index = graph->count++;
	node->drops = graph->drops;
	node->states = graph->states;
	wt_winner_set(&graph->deadlines, slot->index, wt_slot_leaf(slot, graph->now)); /* asked in its turn when it is due */
	return 0;
}

static struct slot *slot_of(const struct wt_graph *graph, const struct wt_node *node)
{
	assert(node->index < graph->count && graph->slots[node->index]->node == node);
	return graph->slots[node->index];
}

void wt_graph_join(struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		   unsigned to_port)
{
	struct slot *slot = slot_of(graph, from);

	assert(from_port < from->ports && to_port < slot_of(graph, to)->node->ports);
	wt_graph_recall(graph);
	slot->joints[from_port] = (struct joint){slot_of(graph, to), to_port};
}

void wt_graph_join_both(struct wt_graph *graph, struct wt_node *a, unsigned a_port, struct wt_node *b,
			unsigned b_port)
{
	wt_graph_join(graph, a, a_port, b, b_port);
	wt_graph_join(graph, b, b_port, a, a_port);
}

void wt_graph_set_drop_sink(struct wt_graph *graph, struct wt_drop_sink *sink)
{
	graph->drops = sink;
	for (uint32_t i = 0; i < graph->count; i++)
		graph->slots[i]->node->drops = sink;
}

void wt_graph_set_state_sink(struct wt_graph *graph, struct wt_state_sink *sink)
{
	graph->states = sink;
	for (uint32_t i = 0; i < graph->count; i++)
		graph->slots[i]->node->states = sink;
}

void wt_graph_tell_states(struct wt_graph *graph)
{
	struct wt_state state;

	for (uint32_t i = 0; i < graph->count; i++) {
		struct wt_node *node = graph->slots[i]->node;

		if (node->states && node->ops->state)
			node->ops->state(node, graph->now, &state);
	}
}

void wt_graph_set_checked(struct wt_graph *graph, bool checked)
{
	graph->checked = checked;
}

void wt_graph_may_circle(struct wt_graph *graph, uint64_t most, bool *stop)
{
	graph->most = most;
	graph->look_at = 0;
	graph->stop = stop;
}

void wt_graph_interrupt(struct wt_graph *graph, const volatile int *interrupt)
{
	graph->interrupt = interrupt;
}

void wt_graph_reverse_ties(struct wt_graph *graph)
{
	assert(!graph->count);
	wt_winner_reverse(&graph->deadlines);
}

bool wt_graph_circles(const struct wt_graph *graph)
{
	return graph->circles;
}

/* ---- running ------------------------------------------------------------------------------------------- */

/* What its deadline() says. */
static inline wt_time due_of(const struct slot *slot)
{
	if (slot->held)
		return slot->held->head ? slot->held->head->time : WT_NEVER;
	return slot->node->ops->deadline(slot->node);
}

/* What its output() gives. */
static inline struct wt_frame *take_out(const struct wt_graph *graph, struct slot *slot, unsigned *port)
{
	if (!slot->held)
		return slot->node->ops->output(slot->node, graph->now, port);
	*port = 1;
	return slot->held->head && slot->held->head->time <= graph->now ? wt_node_leave(slot->node, slot->held) : NULL;
}

/* After input: is there anything to do at this instant? */
static inline void look(struct wt_graph *graph, struct slot *slot)
{
	wt_time due;

	if (slot->dirty)
		return;
	due = slot->node->ops->answers ? graph->now : due_of(slot);
	if (due > graph->now)
		wt_slot_schedule(graph, slot, due);
	else
		push(graph, slot, true);
}

__attribute__((cold)) static void check_law(const struct wt_graph *graph, const struct wt_node *node, const char *what)
{
	if (!wt_audit_holds(&node->audit))
		broken(graph, node, what);
}

/* The node knows when the frame will leave: the next one has it from now on. */
static inline void put_ahead(struct wt_graph *graph, struct slot *slot, struct wt_frame *frame)
{
	struct slot *to = NULL;
	wt_time leaves;

	if (wt_slot_take(slot, graph->now, graph->now, frame, true, &leaves))
		to = wt_slot_pass_on(slot, graph->now, leaves, frame);
	if (to && to->hold.frames->head == frame) /* else that one is due when it was */
		look(graph, to);
}

static inline void put_in(struct wt_graph *graph, struct slot *slot, unsigned port, struct wt_frame *frame)
{
	struct wt_node *node = slot->node;
	uint64_t in = node->audit.in;

	if (slot->early) {
		put_ahead(graph, slot, frame);
		return;
	}
	node->ops->input(node, port, graph->now, frame);
	if (graph->checked) {
		if (node->audit.in != in + 1)
			broken(graph, node, "input() did not count its frame once");
		check_law(graph, node, "the law of conservation does not hold after input()");
	}
	look(graph, slot);
}

/* Asks a node in which nothing waits to leave at this instant. The port by which the frame leaves, or WT_KEPT. */
static inline int ask(struct wt_graph *graph, struct slot *slot, unsigned port, struct wt_frame *frame)
{
	struct wt_node *node = slot->node;
	int out;

	node->audit.in++;
	out = node->ops->pass(node, port, graph->now, frame);
	if (out == WT_KEPT)
		look(graph, slot);
	else
		node->audit.out++;
	if (graph->checked)
		check_law(graph, node, "the law of conservation does not hold after pass()");
	return out;
}

/* Nothing is run from then on: what moves comes to rest in the next node. */
__attribute__((cold)) static void circle(struct wt_graph *graph, const struct wt_node *node)
{
	if (!graph->stop)
		broken(graph, node, "frames circle without delay");
	*graph->stop = graph->circles = true;
}

/* So many frames were handed on that it is time to look. When next is reckoned from this instant, and may be earlier than it need be. */
__attribute__((cold)) static void look_around(struct wt_graph *graph, const struct wt_node *node)
{
	uint64_t next = graph->handed - graph->handed % FRAMES_BETWEEN_LOOKS + FRAMES_BETWEEN_LOOKS;

	if (!(graph->handed % FRAMES_BETWEEN_LOOKS) && graph->interrupt && *graph->interrupt)
		graph->most = 0;
	if (graph->handed - graph->before > graph->most)
		circle(graph, node);
	graph->look_at = graph->most < next - graph->before ? graph->before + graph->most + 1 : next;
	if (graph->look_at <= graph->handed)
		graph->look_at = graph->handed + 1;
}

/* Where a frame goes that leaves by `port`; NULL: nowhere, and it is dropped. */
static inline const struct joint *way(struct wt_graph *graph, struct slot *slot, unsigned port, struct wt_frame *frame)
{
	struct wt_node *node = slot->node;

	if (port >= node->ports)
		broken(graph, node, "a frame leaves by a port it does not have");
	if (++graph->handed >= graph->look_at)
		look_around(graph, node);
	if (slot->joints[port].to)
		return &slot->joints[port];
	node->audit.out--; /* it did not leave after all */
	wt_node_drop(node, graph->now, frame, WT_DROP_UNROUTED);
	return NULL;
}

static inline bool decides(const struct wt_graph *graph, const struct slot *slot)
{
	return slot->node->ops->pass && !slot->dirty && slot->due > graph->now && !wt_graph_circles(graph);
}

/* Through a row of nodes that decide at once. */
static void give_on(struct wt_graph *graph, struct slot *slot, unsigned port, struct wt_frame *frame)
{
	while (decides(graph, slot)) {
		int out = ask(graph, slot, port, frame);
		const struct joint *joint = out == WT_KEPT ? NULL : way(graph, slot, (unsigned)out, frame);

		if (!joint)
			return;
		slot = joint->to;
		port = joint->port;
	}
	put_in(graph, slot, port, frame);
}

/* As far as it goes at this instant without waiting behind others. */
static inline void give(struct wt_graph *graph, struct slot *slot, unsigned port, struct wt_frame *frame)
{
	frame->time = graph->now;
	if (slot->early)
		put_ahead(graph, slot, frame);
	else if (decides(graph, slot))
		give_on(graph, slot, port, frame);
	else
		put_in(graph, slot, port, frame);
}

/* It asked for now and had nothing; when it wants to be asked again. */
__attribute__((cold)) static wt_time stalled(struct wt_graph *graph, struct slot *slot)
{
	wt_time due = slot->node->ops->deadline(slot->node);

	if (due > graph->now) {
		slot->stalled = 0;
		return due;
	}
	if (++slot->stalled >= STALL_LIMIT)
		broken(graph, slot->node, "deadline() says now, and output() has nothing");
	return graph->now;
}

/* The first of the stack has nothing left for this instant. */
static inline void done(struct wt_graph *graph, struct slot *slot, wt_time due)
{
	graph->dirty_head = slot->next_dirty;
	slot->dirty = false;
	wt_slot_schedule(graph, slot, due);
}

/* One frame of the first of the stack, which is due: true while nothing else was set off by it and the node has more. */
__attribute__((always_inline)) static inline bool one_frame(struct wt_graph *graph, struct slot *slot)
{
	struct wt_node *node = slot->node;
	uint64_t out = node->audit.out;
	const struct joint *joint;
	struct wt_frame *frame;
	unsigned port = 0;
	wt_time due;

	slot->now = false;
	frame = take_out(graph, slot, &port);
	if (graph->checked && node->audit.out != out + (frame != NULL))
		broken(graph, node, "output() did not count its frame once");
	if (!frame) {
		due = stalled(graph, slot);
		if (graph->dirty_head == slot) /* else it has touched another, and is asked again behind that */
			done(graph, slot, due);
		return false;
	}
	slot->stalled = 0;
	joint = way(graph, slot, port, frame);
	if (joint)
		give(graph, joint->to, joint->port, frame);
	if (graph->dirty_head != slot)
		return false; /* all that the frame has set off comes first; then this node is asked again */
	due = due_of(slot);
	if (due > graph->now)
		done(graph, slot, due);
	return due <= graph->now && !wt_graph_circles(graph);
}

/* The top of the stack, until something else is on top of it or it has nothing left for this instant. */
__attribute__((always_inline)) static inline void settle_top(struct wt_graph *graph, struct slot *slot)
{
	wt_time due = slot->now ? graph->now : due_of(slot);

	if (due > graph->now)
		done(graph, slot, due);
	else
		while (one_frame(graph, slot))
			;
	if (graph->checked)
		check_law(graph, slot->node, "the law of conservation does not hold after output()");
}

static void settle(struct wt_graph *graph)
{
	struct slot *slot;

	while ((slot = graph->dirty_head) && !wt_graph_circles(graph))
		settle_top(graph, slot);
}

static void advance(struct wt_graph *graph, wt_time to)
{
	if (to > graph->now) {
		graph->now = to;
		graph->before = graph->handed;
	}
}

/* The turn of the earliest node begins. */
static inline void begin_turn(struct wt_graph *graph)
{
	struct slot *slot = graph->slots[wt_winner_leaf(&graph->deadlines)];

	graph->root = slot;
	push(graph, slot, slot->asked);
	slot->asked = true;
}

/* All that is due by `until`, one turn after the other, each with all that it sets off. *stop is looked at between two instants. When the next one is due. */
static wt_time run(struct wt_graph *graph, wt_time until, const bool *stop)
{
	wt_time due;

	graph->running = true;
	for (;;) {
		settle(graph);
		due = wt_graph_due(graph);
		if (due > until || due == WT_NEVER || wt_graph_circles(graph))
			break;
		if (due > graph->now) {
			if (*stop)
				break;
			advance(graph, due);
		}
		begin_turn(graph);
	}
	graph->running = false;
	return due;
}

static const bool never = false;

/* Everything due at or before now. */
static void run_instant(struct wt_graph *graph)
{
	run(graph, graph->now, &never);
}

bool wt_graph_run_while(struct wt_graph *graph, wt_time until, const bool *stop)
{
	wt_time due;

	assert(!graph->running);
	wt_graph_begin_ahead(graph);
	due = run(graph, until, stop);
	graph->root = NULL;
	wt_graph_recall(graph);
	return !*stop && !wt_graph_circles(graph) && due > until && due != WT_NEVER;
}

void wt_graph_run(struct wt_graph *graph, wt_time until)
{
	wt_graph_run_while(graph, until, &never);
	if (until != WT_NEVER && !wt_graph_circles(graph))
		advance(graph, until);
}

bool wt_graph_step(struct wt_graph *graph)
{
	wt_time due = wt_graph_deadline(graph);

	assert(!graph->running);
	if (due == WT_NEVER)
		return false;
	advance(graph, due);
	run_instant(graph);
	return true;
}

void wt_graph_input(struct wt_graph *graph, struct wt_node *node, unsigned port, wt_time now,
		    struct wt_frame *frame)
{
	struct slot *slot = slot_of(graph, node);

	assert(port < node->ports);
	wt_graph_run(graph, now);
	give(graph, slot, port, frame);
	run_instant(graph);
}

void wt_graph_touch(struct wt_graph *graph, struct wt_node *node)
{
	/* The last event may be long ago: what the node now sends would carry its time, and round trips seem as long. */
	if (!graph->running && graph->clock)
		wt_graph_run(graph, graph->clock(graph->clock_arg));
	push(graph, slot_of(graph, node), false);
	if (!graph->running)
		run_instant(graph);
}

void wt_graph_set_clock(struct wt_graph *graph, wt_time (*clock)(const void *arg), const void *arg)
{
	graph->clock = clock;
	graph->clock_arg = arg;
}

wt_time wt_graph_deadline(const struct wt_graph *graph)
{
	return graph->dirty_head ? graph->now : wt_graph_due(graph);
}

wt_time wt_graph_now(const struct wt_graph *graph)
{
	return graph->now;
}

unsigned wt_graph_count(const struct wt_graph *graph)
{
	return graph->count;
}

struct wt_node *wt_graph_node(const struct wt_graph *graph, unsigned index)
{
	return index < graph->count ? graph->slots[index]->node : NULL;
}

bool wt_graph_audit(const struct wt_graph *graph, const struct wt_node **first_broken)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		if (wt_audit_holds(&graph->slots[i]->node->audit))
			continue;
		if (first_broken)
			*first_broken = graph->slots[i]->node;
		return false;
	}
	return true;
}

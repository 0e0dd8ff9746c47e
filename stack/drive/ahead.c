/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Departures ahead of time (wt_ahead_ops). A run begins by asking which pairs of nodes can; from then on what comes into the first of a pair
 * is in the second at once, dated. When the run is over, or somebody wants to look or to change something, all is called back: the first
 * has again what has not left it, the second has never had it.
 */
#include "stack/drive/inside.h"

void wt_graph_may_ahead(struct wt_graph *graph, bool may)
{
	wt_graph_recall(graph);
	graph->may_ahead = may;
}

static void count_feeders(struct wt_graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++)
		graph->slots[i]->feeders = 0;
	for (uint32_t i = 0; i < graph->count; i++)
		for (unsigned port = 0; port < graph->slots[i]->node->ports; port++)
			if (graph->slots[i]->joints[port].to)
				graph->slots[i]->joints[port].to->feeders++;
}

/* The one whom a node gives what leaves by port 1, if nobody else gives it anything; NULL. */
static const struct joint *only(const struct slot *slot)
{
	enum { OUT = 1 };
	const struct joint *joint = slot->node->ports > OUT ? &slot->joints[OUT] : NULL;

	return joint && joint->to && joint->to->feeders == 1 ? joint : NULL;
}

/* One that decides may give on to one that holds. */
static void pair(struct slot *slot)
{
	const struct wt_ahead_ops *gives = slot->node->ops->ahead, *takes;
	const struct joint *joint = gives && gives->begin ? only(slot) : NULL;

	slot->early = NULL;
	slot->row = NULL;
	slot->held = NULL;
	slot->behind = slot->handed = false;
	takes = joint ? joint->to->node->ops->ahead : NULL;
	if (takes && takes->holds && takes->holds(joint->to->node, &joint->to->hold) && (slot->lane = gives->begin(slot->node))) {
		slot->early = joint;
		slot->row = joint->to;
	}
}

/* And that one to another that decides. */
static void chain(struct slot *slot)
{
	struct slot *holder = slot->early && slot->node->ops->ahead->begin ? slot->early->to : NULL;
	const struct joint *joint = holder ? only(holder) : NULL;

	if (joint && joint->to->early) {
		holder->early = joint;
		holder->row = joint->to;
		joint->to->behind = true;
	}
}

static void reschedule(struct wt_graph *graph, struct slot *slot)
{
	if (!slot->dirty)
		wt_slot_schedule(graph, slot, slot->node->ops->deadline(slot->node));
}

/* A frame goes through a node that holds. */
static inline void pass(struct slot *holder, const struct wt_frame *frame)
{
	holder->passed++;
	if (holder->hold.tells)
		holder->node->ops->ahead->passes(holder->node, frame);
}

/* A frame comes, at `at`, to one that holds it: to its input(), or where that would put it. */
static inline void come_to_rest(const struct slot *slot, struct slot *holder, wt_time at, struct wt_frame *frame)
{
	struct wt_node *node = holder->node;
	struct wt_frame_queue *frames = holder->hold.frames;
	wt_time leaves = wt_time_after(at, holder->hold.time);

	if (holder->hold.tells || leaves >= WT_NEVER / 2 || (frames->tail && frames->tail->time > leaves)) {
		frame->time = at;
		node->ops->input(node, slot->early->port, at, frame);
		return;
	}
	frame->time = leaves;
	node->audit.in++;
	node->audit.queued++;
	wt_frame_queue_push(frames, frame);
}

struct slot *wt_slot_pass_on(struct slot *slot, wt_time now, wt_time leaves, struct wt_frame *frame)
{
	for (;;) {
		struct slot *holder = slot->row, *next = holder->row;

		if (!next || holder->hold.frames->head ||
		    !wt_slot_take(next, now, wt_time_after(leaves, holder->hold.time), frame, false, &leaves)) {
			come_to_rest(slot, holder, leaves, frame);
			return holder;
		}
		pass(holder, frame);
		slot = next;
	}
}

/* What they hold is given on at once, by the last one of a row first. */
static void hand_out(struct wt_graph *graph, struct slot *slot)
{
	struct slot *holder = slot->row, *next = holder->row;
	struct wt_frame *frame;
	wt_time leaves, at;

	if (slot->handed)
		return;
	slot->handed = true;
	if (next) {
		hand_out(graph, next);
		while ((frame = holder->node->ops->ahead->first(holder->node, &at)) &&
		       wt_slot_take(next, graph->now, at, frame, false, &leaves)) {
			holder->node->ops->ahead->give(holder->node, &at);
			wt_slot_pass_on(next, graph->now, leaves, frame);
		}
	}
	while ((frame = slot->node->ops->ahead->give(slot->node, &leaves)))
		wt_slot_pass_on(slot, graph->now, leaves, frame);
}

void wt_graph_begin_ahead(struct wt_graph *graph)
{
	if (!graph->may_ahead || graph->checked || graph->ahead)
		return;
	count_feeders(graph);
	for (uint32_t i = 0; i < graph->count; i++)
		pair(graph->slots[i]);
	for (uint32_t i = 0; i < graph->count; i++)
		chain(graph->slots[i]);
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->slots[i]->early && graph->slots[i]->node->ops->ahead->begin)
			hand_out(graph, graph->slots[i]);
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->slots[i]->early) {
			struct wt_hold *hold = &graph->slots[i]->row->hold;

			if (graph->slots[i]->node->ops->ahead->begin && !hold->tells)
				graph->slots[i]->row->held = hold->frames;
			reschedule(graph, graph->slots[i]);
			reschedule(graph, graph->slots[i]->early->to);
		}
	graph->ahead = true;
}

/* Until when events of a node have been: at this very instant too, unless its turn comes after that of the one who asks. */
static wt_time until(const struct wt_graph *graph, const struct slot *slot)
{
	bool had = !graph->root || graph->root->node->ops->yields || (slot->index < graph->root->index) != graph->deadlines.last;

	return had ? graph->now : graph->now - 1;
}

/* Puts in the list those that have not come at `come`. */
static void recall(struct wt_graph *graph, struct slot *slot, wt_time come, struct wt_frame_queue *list)
{
	const struct wt_ahead_ops *ahead = slot->node->ops->ahead;
	struct slot *holder = slot->early->to;
	uint32_t count = ahead->under_way(slot->node, come, until(graph, slot));

	holder->node->audit.in += holder->passed;
	holder->node->audit.out += holder->passed;
	holder->passed = 0;
	if (holder->early)
		recall(graph, holder->early->to, until(graph, holder), list);
	holder->node->ops->ahead->give_back(holder->node, count, list);
	ahead->recall(slot->node, come, list);
	slot->early = holder->early = NULL;
	slot->row = holder->row = NULL;
	holder->held = NULL;
	reschedule(graph, slot);
	reschedule(graph, holder);
}

void wt_graph_recall(struct wt_graph *graph)
{
	for (uint32_t i = 0; graph->ahead && i < graph->count; i++) {
		struct slot *slot = graph->slots[i];
		struct wt_frame_queue none = {0};

		if (slot->early && slot->node->ops->ahead->begin && !slot->behind)
			recall(graph, slot, graph->now, &none);
	}
	for (uint32_t i = 0; graph->ahead && i < graph->count; i++) /* a ring of them, where no frame can be */
		graph->slots[i]->early = NULL, graph->slots[i]->row = NULL, graph->slots[i]->held = NULL;
	graph->ahead = false;
}

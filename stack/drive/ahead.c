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

/* To whom a node may give on ahead of time, if it wants to: one whom nobody else gives anything. */
static const struct joint *early(const struct slot *slot)
{
	enum { OUT = 1 };
	const struct wt_ahead_ops *gives = slot->node->ops->ahead, *takes;
	const struct joint *joint;

	if (!gives || !gives->take || slot->node->ports <= OUT)
		return NULL;
	joint = &slot->joints[OUT];
	takes = joint->to ? joint->to->node->ops->ahead : NULL;
	return takes && takes->holds && joint->to->feeders == 1 && takes->holds(joint->to->node) && gives->begin(slot->node) ? joint : NULL;
}

static void reschedule(struct wt_graph *graph, struct slot *slot)
{
	if (!slot->dirty)
		wt_slot_schedule(graph, slot, slot->node->ops->deadline(slot->node));
}

/* What such nodes hold is given on at once. */
void wt_graph_begin_ahead(struct wt_graph *graph)
{
	if (!graph->may_ahead || graph->checked || graph->ahead)
		return;
	count_feeders(graph);
	for (uint32_t i = 0; i < graph->count; i++) {
		struct slot *slot = graph->slots[i];
		struct wt_frame *frame;
		wt_time leaves;

		slot->early = early(slot);
		while (slot->early && (frame = slot->node->ops->ahead->give(slot->node, &leaves))) {
			frame->time = leaves;
			slot->early->to->node->ops->input(slot->early->to->node, slot->early->port, leaves, frame);
		}
		if (slot->early) {
			reschedule(graph, slot);
			reschedule(graph, slot->early->to);
		}
	}
	graph->ahead = true;
}

/* What leaves at this very instant has left, unless its node's turn comes after that of the one who asks. */
static bool had_its_turn(const struct wt_graph *graph, const struct slot *slot)
{
	return !graph->root || (slot->index < graph->root->index) != graph->deadlines.last;
}

void wt_graph_recall(struct wt_graph *graph)
{
	for (uint32_t i = 0; graph->ahead && i < graph->count; i++) {
		struct slot *slot = graph->slots[i], *to = slot->early ? slot->early->to : NULL;
		struct wt_frame_queue list = {0};
		uint32_t count;

		if (!to)
			continue;
		count = slot->node->ops->ahead->under_way(slot->node, graph->now, !had_its_turn(graph, slot));
		if (count)
			to->node->ops->ahead->give_back(to->node, count, &list);
		slot->node->ops->ahead->recall(slot->node, &list);
		slot->early = NULL;
		reschedule(graph, slot);
		reschedule(graph, to);
	}
	graph->ahead = false;
}

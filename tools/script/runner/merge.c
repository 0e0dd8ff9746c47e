/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --merge-instants: the packets of one instant reach the host as a burst through a graph, instead of one by one with a rest in between.
 * By the rule of graph.h each is answered before the next one comes, so nothing that a script expects may change.
 *
 *     source (the packets of this instant) ─► host ─► sink (what the script expects)
 */
#include <stdlib.h>

#include "stack/drive/graph.h"
#include "tools/script/runner/world.h"

struct wt_script_burst {
	struct wt_graph *graph;
	struct wt_script_world *world;
	struct burst_node {
		struct wt_node node; /* first */
		struct wt_script_burst *burst;
	} source, sink;
	unsigned next, left; /* event; inbound packets from there on */
};

static void source_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	wt_node_drop(node, now, frame, WT_DROP_UNROUTED);
}

static struct wt_frame *source_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_script_burst *burst = ((struct burst_node *)node)->burst;
	const struct wt_script_event *events = burst->world->script->events;
	struct wt_frame *frame;

	if (!burst->left)
		return NULL;
	while (events[burst->next].kind != WT_SE_INBOUND)
		burst->next++;
	burst->left--;
	frame = wt_script_make_frame(burst->world, &events[burst->next++]); /* now: its numbers may depend on what has just left */
	if (!frame) {
		burst->left = 0;
		return NULL;
	}
	node->audit.made++;
	node->audit.out++;
	*port = 0;
	return frame;
}

static wt_time source_deadline(const struct wt_node *node)
{
	const struct wt_script_burst *burst = ((const struct burst_node *)node)->burst;

	return burst->left ? burst->world->base + burst->world->now : WT_NEVER;
}

static void sink_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	node->audit.taken++;
	wt_script_sent(((struct burst_node *)node)->burst->world, frame);
}

static struct wt_frame *sink_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return NULL;
}

static wt_time sink_deadline(const struct wt_node *node)
{
	return WT_NEVER;
}

bool wt_script_burst_open(struct wt_script_world *world)
{
	static const struct wt_node_ops source_ops = {.input = source_input, .output = source_output, .deadline = source_deadline};
	static const struct wt_node_ops sink_ops = {.input = sink_input, .output = sink_output, .deadline = sink_deadline};
	struct wt_script_burst *burst = calloc(1, sizeof(*burst));

	world->burst = burst;
	if (!burst)
		return false;
	burst->world = world;
	burst->graph = wt_graph_create();
	burst->source = (struct burst_node){{.ops = &source_ops, .ports = 1, .name = "script"}, burst};
	burst->sink = (struct burst_node){{.ops = &sink_ops, .ports = 1, .name = "expected"}, burst};
	if (!burst->graph || wt_graph_add(burst->graph, &burst->source.node) || wt_graph_add(burst->graph, world->node) ||
	    wt_graph_add(burst->graph, &burst->sink.node))
		return false;
	wt_graph_set_checked(burst->graph, true);
	wt_graph_set_drop_sink(burst->graph, &world->drops);
	wt_graph_join(burst->graph, &burst->source.node, 0, world->node, 0);
	wt_graph_join(burst->graph, world->node, 0, &burst->sink.node, 0);
	return true;
}

void wt_script_burst_close(struct wt_script_world *world)
{
	if (!world->burst)
		return;
	if (world->host && world->burst->graph && wt_graph_count(world->burst->graph) > 1 && world->node->ops->destroy)
		world->host = NULL; /* goes with the graph */
	wt_graph_destroy(world->burst->graph);
	free(world->burst);
	world->burst = NULL;
}

void wt_script_burst_settle(struct wt_script_world *world)
{
	wt_graph_run(world->burst->graph, world->base + world->now);
	wt_graph_touch(world->burst->graph, world->node);
}

static bool has_timestamp(const struct wt_script_packet *packet)
{
	for (unsigned i = 0; i < packet->option_count; i++)
		if (packet->options[i].kind == WT_SO_TIMESTAMP)
			return true;
	return false;
}

/* Does this event, after others of the same burst, belong to it? */
static bool belongs(const struct wt_script_world *world, const struct wt_script_event *event)
{
	bool now = event->when == WT_AT_RELATIVE ? !event->from : event->when == WT_AT_ABSOLUTE && event->from == world->now;

	if (!now || event->range)
		return false;
	if (event->kind == WT_SE_INBOUND) /* what it echoes is learned when the packet that brought it is expected */
		return !has_timestamp(&event->packet) || world->flows[world->current_flow].has_ts;
	return event->kind == WT_SE_OUTBOUND;
}

void wt_script_burst_give(struct wt_script_world *world, const struct wt_script_event *first)
{
	struct wt_script_burst *burst = world->burst;
	unsigned at = (unsigned)(first - world->script->events), count = 1;

	burst->next = at;
	world->given = at + 1;
	for (unsigned i = at + 1; !world->blocked.event && i < world->script->event_count; i++) {
		if (!belongs(world, &world->script->events[i]))
			break;
		if (world->script->events[i].kind != WT_SE_INBOUND)
			continue;
		count++;
		world->given = i + 1;
	}
	if (count > 1)
		world->report->together += count;
	burst->left = count;
	wt_graph_run(burst->graph, world->base + world->now);
	wt_graph_touch(burst->graph, &burst->source.node);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/change.h"

#include <stdio.h>

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	wt_node_drop(node, now, frame, WT_DROP_UNROUTED);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_script *script = (struct wt_script *)node;
	const struct wt_world *world = script->world;
	char err[300];

	if (script->next < world->events && world->event[script->next].at <= now)
		wt_graph_recall(script->graph);
	for (; script->next < world->events && world->event[script->next].at <= now; script->next++) {
		const struct wt_world_event *event = &world->event[script->next];
		const char *words[2] = {event->words[0], event->words[1]};

		/* wt_world_check() has made this change before: it fails only where a live one came between, and then it is told */
		int error = wt_link_change(&script->link[event->link], words, now, event->flush, err, sizeof(err));

		if (script->changed)
			script->changed(script->arg, now, event, error ? err : NULL);
	}
	return NULL;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_script *script = (const struct wt_script *)node;

	return script->next < script->world->events ? script->world->event[script->next].at : WT_NEVER;
}

void wt_script_init(struct wt_script *script, const struct wt_world *world, struct wt_link *link, struct wt_graph *graph, wt_time from)
{
	static const struct wt_node_ops ops = {input, output, deadline, NULL, NULL};

	*script = (struct wt_script){.world = world, .link = link, .graph = graph};
	script->node.ops = &ops;
	snprintf(script->node.name, sizeof(script->node.name), "script");
	while (script->next < world->events && world->event[script->next].at < from)
		script->next++;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/observer.h"

#include <stdio.h>
#include <stdlib.h>

static int pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_observer *observer = (struct wt_observer *)node;

	observer->see(observer, port, now, frame);
	return (int)(port ^ 1);
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_observer *observer = (struct wt_observer *)node;

	node->audit.in++;
	node->audit.queued++;
	frame->mark = (uint8_t)pass(node, port, now, frame);
	wt_frame_queue_push(&observer->passing, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = wt_node_leave(node, &((struct wt_observer *)node)->passing);

	if (frame)
		*port = frame->mark;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	return ((const struct wt_observer *)node)->passing.head ? 0 : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	wt_frame_queue_clear(&((struct wt_observer *)node)->passing);
	free(node);
}

void wt_observer_init(struct wt_observer *observer, const char *name,
		     void (*see)(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame))
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, .pass = pass};

	*observer = (struct wt_observer){.node = {.ops = &ops, .ports = 2}, .see = see};
	snprintf(observer->node.name, sizeof(observer->node.name), "%s", name);
}

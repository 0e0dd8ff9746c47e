/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stage.h"

#include <stdio.h>
#include <stdlib.h>

void *wt_stage_new(size_t size, const struct wt_node_ops *ops, const char *name)
{
	struct wt_stage *stage = calloc(1, size);

	if (!stage)
		return NULL;
	stage->node.ops = ops;
	stage->node.ports = 2;
	snprintf(stage->node.name, sizeof(stage->node.name), "%s", name);
	return stage;
}

void wt_stage_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	if (node->ops->pass(node, port, now, frame) == WT_KEPT)
		return;
	frame->time = now;
	wt_stage_ready((struct wt_stage *)node, frame);
}

struct wt_frame *wt_stage_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_stage *stage = (struct wt_stage *)node;
	struct wt_frame *frame = stage->ready.head;

	if (!frame || frame->time > now)
		return NULL;
	wt_node_leave(node, &stage->ready);
	*port = 1;
	return frame;
}

wt_time wt_stage_deadline(const struct wt_node *node)
{
	const struct wt_stage *stage = (const struct wt_stage *)node;

	return stage->ready.head ? stage->ready.head->time : WT_NEVER;
}

void wt_stage_destroy(struct wt_node *node)
{
	struct wt_stage *stage = (struct wt_stage *)node;

	if (!stage)
		return;
	wt_frame_queue_clear(&stage->ready);
	wt_packets_finish(&stage->packets);
	free(stage);
}

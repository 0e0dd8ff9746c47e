/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drain stands in the place of a stage that a change took away, with what was in it: each frame leaves at the time it was going to, and
 * what comes meanwhile behind it, in order. Empty, it lets everything pass.
 */
#include "emu/stage.h"

static int drain_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_stage *drain = (struct wt_stage *)node;

	if (!drain->ready.tail)
		return WT_ON;
	frame->time = wt_time_max(now, drain->ready.tail->time);
	wt_stage_ready(drain, frame);
	return WT_KEPT;
}

static const struct wt_node_ops drain_ops = {
	.pass = drain_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_drain_create(const char *name)
{
	return wt_stage_new(sizeof(struct wt_stage), &drain_ops, name);
}

void wt_drain_take(struct wt_node *node, struct wt_frame_queue *list)
{
	struct wt_stage *drain = (struct wt_stage *)node;
	struct wt_frame *frame;

	while ((frame = wt_frame_queue_pop(list))) {
		node->audit.in++;
		if (drain->ready.tail)
			frame->time = wt_time_max(frame->time, drain->ready.tail->time);
		wt_stage_ready(drain, frame);
	}
}

void wt_drain_let_go(struct wt_node *node, struct wt_frame_queue *list)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = wt_stage_output(node, WT_NEVER, &port)))
		wt_frame_queue_push(list, frame);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reordering: a share of the IP packets is held back by a constant time while the others pass. How many packets overtake
 * a held one is the traffic's business: those that come within that time.
 */
#include "emu/stage.h"

struct reorder {
	struct wt_stage stage;
	struct wt_frame_queue held; /* frame->time: when it is let go, never before the one in front */
	struct wt_stream stream;
	double share;
	wt_time delay;
};

static int reorder_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct reorder *reorder = (struct reorder *)node;
	uint64_t number;

	if (wt_packets_draw(&reorder->stage.packets, frame, &number) &&
	    wt_stream_strikes(&reorder->stream, number, reorder->share)) {
		frame->time = wt_time_add(now, reorder->delay);
		if (reorder->held.tail) /* after a change to less: held frames keep their order among themselves */
			frame->time = wt_time_max(frame->time, reorder->held.tail->time);
		node->audit.queued++;
		wt_frame_queue_push(&reorder->held, frame);
		return WT_KEPT;
	}
	return WT_ON;
}

static struct wt_frame *reorder_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct reorder *reorder = (struct reorder *)node;
	struct wt_frame *held = reorder->held.head, *ready = reorder->stage.ready.head;

	/* of two that leave at the same instant, the one that came first */
	if (!held || held->time > now || (ready && ready->time < held->time))
		return wt_stage_output(node, now, port);
	wt_node_leave(node, &reorder->held);
	*port = 1;
	return held;
}

static wt_time reorder_deadline(const struct wt_node *node)
{
	const struct reorder *reorder = (const struct reorder *)node;
	wt_time ready = wt_stage_deadline(node);

	return reorder->held.head ? wt_time_min(ready, reorder->held.head->time) : ready;
}

static void reorder_destroy(struct wt_node *node)
{
	struct reorder *reorder = (struct reorder *)node;

	if (!reorder)
		return;
	wt_frame_queue_clear(&reorder->held);
	wt_stage_destroy(node);
}

static const struct wt_node_ops reorder_ops = {
	.pass = reorder_pass,
	.input = wt_stage_input,
	.output = reorder_output,
	.deadline = reorder_deadline,
	.destroy = reorder_destroy,
};

struct wt_node *wt_reorder_create(const char *name, const struct wt_key *key, double share, wt_time delay)
{
	struct reorder *reorder = wt_stage_new(sizeof(*reorder), &reorder_ops, name);

	if (!reorder)
		return NULL;
	wt_stream_init(&reorder->stream, key);
	reorder->share = share;
	reorder->delay = delay;
	return &reorder->stage.node;
}

void wt_reorder_let_go(struct wt_node *node, wt_time now, struct wt_frame_queue *list)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = reorder_output(node, WT_NEVER, &port))) {
		frame->time = wt_time_min(frame->time, now);
		wt_frame_queue_push(list, frame);
	}
}

void wt_reorder_change(struct wt_node *node, wt_time now, double share, wt_time delay)
{
	struct reorder *reorder = (struct reorder *)node;

	reorder->share = share;
	reorder->delay = delay;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Independent duplication: the copy follows its original at the same instant. IP packets only, as with loss. */
#include "emu/stage.h"

struct duplicate {
	struct wt_stage stage;
	struct wt_stream stream;
	double share;
};

static int duplicate_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct duplicate *duplicate = (struct duplicate *)node;
	struct wt_frame *copy;
	uint64_t number;

	if (!wt_packets_draw(&duplicate->stage.packets, frame, &number) ||
	    !wt_stream_strikes(&duplicate->stream, number, duplicate->share))
		return WT_ON;
	frame->time = now;
	wt_stage_ready(&duplicate->stage, frame);
	node->audit.made++;
	copy = wt_frame_copy(frame);
	if (copy)
		wt_stage_ready(&duplicate->stage, copy);
	else /* the copy that could not be made: there is no frame to show to the drop sink */
		node->audit.dropped[WT_DROP_POOL]++;
	return WT_KEPT;
}

static const struct wt_node_ops duplicate_ops = {
	.pass = duplicate_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_duplicate_create(const char *name, const struct wt_key *key, double share)
{
	struct duplicate *duplicate = wt_stage_new(sizeof(*duplicate), &duplicate_ops, name);

	if (!duplicate)
		return NULL;
	wt_stream_init(&duplicate->stream, key);
	duplicate->share = share;
	return &duplicate->stage.node;
}

void wt_duplicate_change(struct wt_node *node, wt_time now, double share)
{
	((struct duplicate *)node)->share = share;
}

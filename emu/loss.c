/* SPDX-License-Identifier: BSD-2-Clause */
/* Independent loss: the n-th packet of its class is lost if the n-th number of the stream is below `share`. */
#include "emu/stage.h"

struct loss {
	struct wt_stage stage;
	struct wt_packets packets;
	struct wt_key key;
	double share;
};

static void loss_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct loss *loss = (struct loss *)node;
	uint64_t number;

	node->audit.in++;
	if (wt_packets_next(&loss->packets, frame, &number) && wt_random_unit(&loss->key, number) < loss->share) {
		wt_node_drop(node, now, frame, WT_DROP_LOSS);
		return;
	}
	frame->time = now;
	wt_stage_ready(&loss->stage, frame);
}

static const struct wt_node_ops loss_ops = {
	.input = loss_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_loss_create(const char *name, const struct wt_key *key, double share)
{
	struct loss *loss = wt_stage_new(sizeof(*loss), &loss_ops, name);

	if (!loss)
		return NULL;
	loss->key = *key;
	loss->share = share;
	return &loss->stage.node;
}

void wt_loss_change(struct wt_node *node, wt_time now, double share)
{
	((struct loss *)node)->share = share;
}

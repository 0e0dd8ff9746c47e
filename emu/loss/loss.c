/* SPDX-License-Identifier: BSD-2-Clause */
/* Independent loss: the n-th packet of its class is lost if the n-th number of the stream is below `share`. */
#include "emu/stages/handoff.h"

struct loss {
	struct wt_stage stage;
	struct wt_stream stream;
	struct wt_loss_config config;
	struct wt_handoff_config handoff; /* every > 0: follow it */
	struct wt_handoff_clock clock;
};

static double share_at(struct loss *loss, wt_time now)
{
	const struct wt_loss_config *config = &loss->config;
	const struct wt_cell *cell = loss->handoff.every ? wt_handoff_cell(&loss->clock, now) : NULL;
	double share = config->trace ? wt_samples_share_at(config->trace, now, config->every) : config->share;

	if (cell && cell->has_loss)
		return cell->loss;
	return config->twice ? share * (2 - share) : share;
}

static int loss_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct loss *loss = (struct loss *)node;
	uint64_t number;

	if (wt_packets_draw(&loss->stage.packets, frame, &number) && wt_stream_strikes(&loss->stream, number, share_at(loss, now))) {
		wt_node_drop(node, now, frame, WT_DROP_LOSS);
		return WT_KEPT;
	}
	return WT_ON;
}

static void loss_destroy(struct wt_node *node)
{
	if (node)
		wt_samples_release(((struct loss *)node)->config.trace);
	wt_stage_destroy(node);
}

static const struct wt_node_ops loss_ops = {
	.pass = loss_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = loss_destroy,
};

struct wt_node *wt_loss_create(const char *name, const struct wt_key *key, const struct wt_loss_config *config)
{
	struct loss *loss = wt_stage_new(sizeof(*loss), &loss_ops, name);

	if (!loss)
		return NULL;
	wt_stream_init(&loss->stream, key);
	loss->config = *config;
	wt_samples_hold(config->trace);
	return &loss->stage.node;
}

void wt_loss_change(struct wt_node *node, wt_time now, const struct wt_loss_config *config)
{
	struct loss *loss = (struct loss *)node;
	struct wt_samples *old = loss->config.trace;

	wt_samples_hold(config->trace);
	loss->config = *config;
	wt_samples_release(old);
}

struct wt_samples *wt_loss_trace(const struct wt_node *node)
{
	return ((const struct loss *)node)->config.trace;
}

void wt_loss_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock)
{
	struct loss *loss = (struct loss *)node;

	wt_handoff_copy(&loss->clock, &loss->handoff, clock);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss by the state of a continuous-time Markov chain of several states (chain.h): in state s with share drop[s]. */
#include "emu/chain.h"

struct markov_loss {
	struct wt_stage stage;
	struct wt_chain chain;
	struct wt_chain_config config;
	struct wt_stream stream;
};

static int markov_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct markov_loss *loss = (struct markov_loss *)node;
	unsigned state = wt_chain_at(&loss->chain, now);
	uint64_t number;

	if (wt_packets_draw(&loss->stage.packets, frame, &number) && wt_stream_strikes(&loss->stream, number, loss->config.drop[state])) {
		wt_node_drop(node, now, frame, WT_DROP_MARKOV);
		return WT_KEPT;
	}
	return WT_ON;
}

static void markov_state(struct wt_node *node, wt_time now, struct wt_state *state)
{
	wt_chain_state(&((struct markov_loss *)node)->chain, now, state);
}

static const struct wt_node_ops markov_ops = {
	.state = markov_state,
	.pass = markov_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_markov_loss_create(const char *name, const struct wt_key *key, const struct wt_key *timeline,
				      const struct wt_chain_config *config)
{
	struct markov_loss *loss = wt_stage_new(sizeof(*loss), &markov_ops, name);

	if (!loss)
		return NULL;
	wt_stream_init(&loss->stream, key);
	loss->config = *config;
	wt_chain_init(&loss->chain, timeline, &loss->config);
	loss->chain.node = &loss->stage.node;
	return &loss->stage.node;
}

void wt_markov_loss_change(struct wt_node *node, wt_time now, const struct wt_chain_config *config)
{
	struct markov_loss *loss = (struct markov_loss *)node;
	bool anew = config->states != loss->config.states;

	wt_chain_at(&loss->chain, now);
	loss->config = *config;
	if (anew)
		wt_chain_restart(&loss->chain, now);
}

void wt_markov_loss_renew(struct wt_node *node, wt_time now, const struct wt_key *timeline, const struct wt_chain_config *config)
{
	struct markov_loss *loss = (struct markov_loss *)node;

	loss->config = *config;
	wt_chain_renew(&loss->chain, now, timeline);
}

void wt_markov_loss_begin(struct wt_node *node, wt_time now)
{
	struct markov_loss *loss = (struct markov_loss *)node;

	loss->chain.since = now;
	loss->chain.until = wt_time_add(loss->chain.until, now);
}

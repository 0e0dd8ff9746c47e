/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loss with a memory of time: a two-state chain runs on scenario time (markov.h), and a packet that comes while it is in
 * state s is dropped with share drop[s]. This is the "virtual protocol" of the TCP-Real paper (Zhang and Tsaoussidis,
 * 2001, section 3): mean sojourns of 1 s, a share of 0 in one state.
 *
 * Unlike Gilbert's channel as netem has it (a step of the chain per packet), a burst here lasts so many seconds, not so
 * many packets: a sender that falls silent does not freeze the channel in its bad state.
 */
#include "emu/loss/markov.h"
#include "emu/stage.h"

struct gilbert {
	struct wt_stage stage;
	struct wt_markov chain;
	struct wt_stream stream;
	double drop[2];
};

static int gilbert_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct gilbert *gilbert = (struct gilbert *)node;
	unsigned state = wt_markov_at(&gilbert->chain, now);
	uint64_t number;

	if (wt_packets_draw(&gilbert->stage.packets, frame, &number) &&
	    wt_stream_strikes(&gilbert->stream, number, gilbert->drop[state])) {
		wt_node_drop(node, now, frame, WT_DROP_MARKOV);
		return WT_KEPT;
	}
	return WT_ON;
}

static void gilbert_state(struct wt_node *node, wt_time now, struct wt_state *state)
{
	wt_markov_state(&((struct gilbert *)node)->chain, now, state);
}

static const struct wt_node_ops gilbert_ops = {
	.state = gilbert_state,
	.pass = gilbert_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_gilbert_create(const char *name, const struct wt_key *key, const struct wt_key *timeline,
				  const struct wt_gilbert_config *config)
{
	struct gilbert *gilbert = wt_stage_new(sizeof(*gilbert), &gilbert_ops, name);

	if (!gilbert)
		return NULL;
	wt_markov_init(&gilbert->chain, timeline, config->mean, config->start);
	gilbert->chain.node = &gilbert->stage.node;
	wt_stream_init(&gilbert->stream, key);
	gilbert->drop[0] = config->drop[0];
	gilbert->drop[1] = config->drop[1];
	return &gilbert->stage.node;
}

void wt_gilbert_change(struct wt_node *node, wt_time now, const struct wt_gilbert_config *config)
{
	struct gilbert *gilbert = (struct gilbert *)node;

	/* first: two directions that share a history may have followed it to different points */
	wt_markov_at(&gilbert->chain, now);
	for (unsigned i = 0; i < 2; i++) {
		gilbert->chain.mean[i] = config->mean[i];
		gilbert->drop[i] = config->drop[i];
	}
}

void wt_gilbert_renew(struct wt_node *node, wt_time now, const struct wt_key *timeline, const struct wt_gilbert_config *config)
{
	wt_markov_renew(&((struct gilbert *)node)->chain, now, timeline, config->mean, config->start);
}

void wt_gilbert_begin(struct wt_node *node, wt_time now)
{
	wt_markov_shift(&((struct gilbert *)node)->chain, now);
}

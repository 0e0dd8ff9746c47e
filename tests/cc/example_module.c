/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole sender module, as docs/adding-a-congestion-module.md explains it: "steps" multiplies its window by a
 * factor after each loss and adds a fixed number of segments per round trip. In the tree it would be
 * cc/sender/steps.c, and 'steps' a word in cc/meson.build. [example begins]
 */
#include "cc/cc.h"

struct steps_params {
	double keep;  /* what is left of the window after a loss */
	uint64_t add; /* segments per round trip */
};

struct steps {
	struct steps_params params;
	uint32_t mss;
	uint64_t counted; /* bytes acknowledged since the last step */
};

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

/* The engine gives zeroed state, the parsed parameters and its own facts; we write the window. */
static void steps_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct steps *s = state;

	s->params = *(const struct steps_params *)params;
	s->mss = env->mss;
	out->cwnd = at_least(env->initial_window, env->mss);
	out->ssthresh = WT_SSTHRESH_INFINITE;
}

/* Counts bytes, not ACKs: a receiver that acknowledges every byte alone must not gain by it. */
static void steps_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct steps *s = state;

	if (ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE) || !(ack->flags & WT_ACK_CWND_LIMITED))
		return;
	s->counted += ack->acked;
	if (s->counted < out->cwnd)
		return;
	s->counted = 0;
	if (out->cwnd < WT_SSTHRESH_INFINITE / 2)
		out->cwnd += (uint32_t)s->params.add * s->mss;
}

static void steps_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct steps *s = state;
	uint32_t kept = (uint32_t)(s->params.keep * (double)out->cwnd);

	s->counted = 0;
	out->ssthresh = at_least(kept, 2 * s->mss);
	out->cwnd = loss->why == WT_LOSS_RTO ? s->mss : at_least(kept, s->mss);
}

/* With WT_CC_ESTABLISHED the handshake is over and the segment size known. */
static void steps_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			   struct wt_sender_out *out)
{
	struct steps *s = state;

	if (event != WT_CC_ESTABLISHED)
		return;
	s->mss = env->mss;
	out->cwnd = at_least(env->initial_window, env->mss);
}

static const struct wt_param steps_params[] = {
	{"keep", WT_PARAM_SHARE, offsetof(struct steps_params, keep), "share of the window kept after a loss", 0, 1,
	 NULL},
	{"add", WT_PARAM_COUNT, offsetof(struct steps_params, add), "segments added per round trip", 1, 100, NULL},
};

static const struct steps_params steps_default = {.keep = 0.5, .add = 1};

const struct wt_sender_ops wt_sender_steps = {
	.name = "steps",
	.text = "adds segments per round trip, keeps a share after a loss (example)",
	.default_recovery = "newreno",
	.params = steps_params,
	.param_count = sizeof(steps_params) / sizeof(steps_params[0]),
	.params_size = sizeof(struct steps_params),
	.state_size = sizeof(struct steps),
	.params_default = &steps_default,
	.init = steps_init,
	.on_ack = steps_on_ack,
	.on_loss = steps_on_loss,
	.on_event = steps_on_event,
};

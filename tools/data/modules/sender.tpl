/*
 * @NAME@: a sender module. It adds `gain` segments to the window per round trip and keeps the share `keep` after a loss. Put the
 * paper or RFC here, its equations in its words, and where you deviate.
 */
#include "cc/module.h"

struct @NAME@_params {
	double gain; /* segments per round trip */
	double keep; /* share of the window kept after a loss */
};

struct @NAME@ {
	struct @NAME@_params params;
	uint32_t mss;
	uint64_t acked; /* bytes since the last step */
};

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

/* The state is zeroed; the parameters are parsed and constant; the output stays as it is until the next hook changes it. */
static void @NAME@_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct @NAME@ *s = state;

	s->params = *(const struct @NAME@_params *)params;
	s->mss = env->mss;
	out->cwnd = at_least(env->initial_window, env->mss);
	out->ssthresh = WT_SSTHRESH_INFINITE;
}

/* Bytes count, not ACKs. No growth in recovery, for a mark, or by a window that was not used. */
static void @NAME@_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct @NAME@ *s = state;

	if (ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE) || !(ack->flags & WT_ACK_CWND_LIMITED))
		return;
	s->acked += ack->acked;
	if (s->acked < out->cwnd)
		return;
	s->acked = 0;
	if (out->cwnd < WT_SSTHRESH_INFINITE / 2)
		out->cwnd += (uint32_t)(s->params.gain * (double)s->mss);
}

static void @NAME@_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct @NAME@ *s = state;
	uint32_t kept = (uint32_t)(s->params.keep * (double)out->cwnd);

	s->acked = 0;
	out->ssthresh = at_least(kept, 2 * s->mss);
	out->cwnd = loss->why == WT_LOSS_RTO ? s->mss : at_least(kept, s->mss);
}

/* With WT_CC_ESTABLISHED the handshake is over and the segment size known; WT_CC_MSS: the path takes less. */
static void @NAME@_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct @NAME@ *s = state;

	if (event == WT_CC_ESTABLISHED || event == WT_CC_MSS)
		s->mss = env->mss;
	if (event == WT_CC_ESTABLISHED)
		out->cwnd = at_least(env->initial_window, env->mss);
	out->cwnd = at_least(out->cwnd, s->mss);
}

/* Name, type, place, a line of help with its source, least and most, words. */
static const struct wt_param params[] = {
	{"gain", WT_PARAM_NUMBER, offsetof(struct @NAME@_params, gain), "segments added per round trip", 0.01, 100, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct @NAME@_params, keep), "share of the window kept after a loss", 0, 0.95, NULL},
};

static const struct @NAME@_params defaults = {.gain = 1, .keep = 0.5};

static const struct wt_sender_ops @NAME@ = {
	.name = "@NAME@",
	.text = "adds segments per round trip, keeps a share after a loss",
	.default_recovery = "sack",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct @NAME@_params),
	.state_size = sizeof(struct @NAME@),
	.params_default = &defaults,
	.init = @NAME@_init,
	.on_ack = @NAME@_on_ack,
	.on_loss = @NAME@_on_loss,
	.on_event = @NAME@_on_event,
};

WT_CC_LOADABLE(&@NAME@, NULL, NULL);

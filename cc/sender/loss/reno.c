/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reno (RFC 5681; Jacobson 1990). The dup-ACK inflation of fast recovery is the recovery module's `inflate`, so
 * cwnd is the deflated window all along; but for deflate=off, where it is the sender's own.
 */
#include "cc/shared/aimd.h"

/* dupthresh: of the stack, for deflate=off. */
struct reno {
	struct wt_aimd reno;
	uint32_t dupthresh;
};

static void reno_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct reno *r = state;

	r->dupthresh = env->dupthresh ? env->dupthresh : 3;
	wt_aimd_init(&r->reno, params, env, out);
}

/* Without deflation the window itself takes the duplicate ACKs, and nobody takes them out again (x-kernel). */
static void reno_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct reno *r = state;

	wt_aimd_grow(&r->reno, ack, out);
	if (!r->reno.params.deflate && ack->flags & WT_ACK_DUP && !ack->acked && ack->dupacks > r->dupthresh)
		wt_aimd_widen(&r->reno, r->reno.mss, out);
}

static void reno_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct reno *r = state;

	wt_aimd_loss(&r->reno, loss, out);
	if (!r->reno.params.deflate && loss->why == WT_LOSS_DUPTHRESH) {
		out->cwnd = out->ssthresh;
		wt_aimd_widen(&r->reno, r->dupthresh * r->reno.mss, out);
	}
}

static void reno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			  struct wt_sender_out *out)
{
	struct reno *r = state;

	if (event == WT_CC_ESTABLISHED)
		r->dupthresh = env->dupthresh ? env->dupthresh : 3;
	wt_aimd_event(&r->reno, event, env, out);
}

static const struct wt_param reno_params[] = {
	WT_AIMD_PARAM_ROWS(0),
	WT_AIMD_PROFILE_ROW(0),
	{"deflate", WT_PARAM_BOOL, offsetof(struct wt_aimd_params, deflate),
	 "the window forgets duplicate ACKs after fast recovery; off: it keeps them (x-kernel; with recovery reno:inflation=off)", 0, 1,
	 NULL},
};

const struct wt_sender_ops wt_sender_reno = {
	.name = "reno",
	.text = "slow start, congestion avoidance, window halved on duplicate ACKs (RFC 5681; Jacobson 1990)",
	.default_recovery = "reno",
	.params = reno_params,
	.param_count = sizeof(reno_params) / sizeof(reno_params[0]),
	.params_size = sizeof(struct wt_aimd_params),
	.state_size = sizeof(struct reno),
	.params_default = &wt_aimd_default,
	.presets = wt_aimd_presets,
	.init = reno_init,
	.on_ack = reno_on_ack,
	.on_loss = reno_on_loss,
	.on_event = reno_on_event,
};

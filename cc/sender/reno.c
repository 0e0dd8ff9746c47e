/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reno (RFC 5681; Jacobson 1990). The dup-ACK inflation of fast recovery is the recovery module's `inflate`, so
 * cwnd is the deflated window all along.
 */
#include "cc/shared/aimd.h"

static void reno_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	wt_reno_init(state, params, env, out);
}

static void reno_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_reno_grow(state, ack, out);
}

static void reno_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	wt_reno_loss(state, loss, out);
}

static void reno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			  struct wt_sender_out *out)
{
	wt_reno_event(state, event, env, out);
}

static const struct wt_param reno_params[] = {
	WT_RENO_PARAM_ROWS(0),
};

const struct wt_sender_ops wt_sender_reno = {
	.name = "reno",
	.text = "slow start, congestion avoidance, window halved on duplicate ACKs (RFC 5681; Jacobson 1990)",
	.default_recovery = "reno",
	.params = reno_params,
	.param_count = sizeof(reno_params) / sizeof(reno_params[0]),
	.params_size = sizeof(struct wt_reno_params),
	.state_size = sizeof(struct wt_reno),
	.params_default = &wt_reno_default,
	.init = reno_init,
	.on_ack = reno_on_ack,
	.on_loss = reno_on_loss,
	.on_event = reno_on_event,
};

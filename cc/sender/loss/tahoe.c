/* SPDX-License-Identifier: BSD-2-Clause */
/* Tahoe (Jacobson 1988): every loss, however noticed, sends the window back to one segment and slow start. */
#include "cc/shared/aimd.h"

static void tahoe_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	wt_aimd_init(state, params, env, out);
}

static void tahoe_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_aimd_grow(state, ack, out);
}

static void tahoe_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct wt_aimd *reno = state;

	wt_aimd_loss(reno, loss, out);
	if (loss->why == WT_LOSS_DUPTHRESH)
		out->cwnd = reno->mss;
}

static void tahoe_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			   struct wt_sender_out *out)
{
	wt_aimd_event(state, event, env, out);
}

static const struct wt_param tahoe_params[] = {
	WT_AIMD_PARAM_ROWS(0),
	WT_AIMD_PROFILE_ROW(0),
};

const struct wt_sender_ops wt_sender_tahoe = {
	.name = "tahoe",
	.text = "slow start, congestion avoidance, one segment after every loss (Jacobson 1988)",
	.default_recovery = "tahoe",
	.params = tahoe_params,
	.param_count = sizeof(tahoe_params) / sizeof(tahoe_params[0]),
	.params_size = sizeof(struct wt_aimd_params),
	.state_size = sizeof(struct wt_aimd),
	.params_default = &wt_aimd_default,
	.presets = wt_tahoe_presets,
	.init = tahoe_init,
	.on_ack = tahoe_on_ack,
	.on_loss = tahoe_on_loss,
	.on_event = tahoe_on_event,
};

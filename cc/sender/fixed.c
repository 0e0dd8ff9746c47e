/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fixed window, for tests and measurements: as many segments as `window` says, whatever is lost. It answers no mark either, so it
 * says that its data is not ECN-capable. Not for a network that others use.
 */
#include "cc/cc.h"

struct fixed_params {
	uint64_t window;
};

struct fixed {
	struct fixed_params params;
};

static void set(const struct fixed *s, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	uint64_t bytes = s->params.window * (env->mss ? env->mss : 1);

	out->cwnd = bytes < WT_SSTHRESH_INFINITE ? (uint32_t)bytes : WT_SSTHRESH_INFINITE;
}

static void fixed_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct fixed *s = state;

	s->params = *(const struct fixed_params *)params;
	out->ssthresh = WT_SSTHRESH_INFINITE;
	out->codepoint = WT_CC_NOT_ECT;
	set(s, env, out);
}

static void fixed_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	out->gauge[0]++;
}

static void fixed_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	if (event == WT_CC_ESTABLISHED || event == WT_CC_MSS)
		set(state, env, out);
}

static const struct wt_param fixed_params[] = {
	{"window", WT_PARAM_COUNT, offsetof(struct fixed_params, window), "segments in flight", 1, 1000000, NULL},
};

static const struct fixed_params fixed_default = {.window = 20};

const struct wt_sender_ops wt_sender_fixed = {
	.name = "fixed",
	.text = "a fixed window that no loss changes, for tests",
	.default_recovery = "rack",
	.params = fixed_params,
	.param_count = sizeof(fixed_params) / sizeof(fixed_params[0]),
	.params_size = sizeof(struct fixed_params),
	.state_size = sizeof(struct fixed),
	.params_default = &fixed_default,
	.gauges = (const char *const[]){"losses", NULL},
	.own_window = true,
	.init = fixed_init,
	.on_loss = fixed_on_loss,
	.on_event = fixed_on_event,
};

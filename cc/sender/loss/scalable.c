/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", CCR 33(2), 2003): each acknowledged segment adds
 * the same hundredth of a segment, each loss takes an eighth, so the time to come back after a loss is a number of round trips that
 * does not depend on the window: ln(1/0.875) / ln(1.01) = 13.4.
 *
 *   per segment acknowledged cwnd += 0.01,   after a loss cwnd *= 0.875,   below 16 segments as Reno
 */
#include "cc/shared/aimd.h"

struct scalable_params {
	double a, keep, low_window;
};

struct scalable {
	struct scalable_params params;
	struct wt_aimd window;
};

static void scalable_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct scalable *s = state;

	*s = (struct scalable){.params = *(const struct scalable_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void scalable_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct scalable *s = state;
	double segs = wt_aimd_segs(&s->window, out);

	if (!wt_aimd_may_grow(ack) || wt_aimd_slow_start(&s->window, ack, out))
		return;
	wt_aimd_climb(&s->window, ack, segs < s->params.low_window ? 1 : s->params.a * segs, out);
}

static void scalable_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct scalable *s = state;

	wt_aimd_keep(&s->window, loss, wt_aimd_segs(&s->window, out) < s->params.low_window ? 0.5 : s->params.keep, out);
}

static void scalable_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct scalable *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param scalable_params[] = {
	{"a", WT_PARAM_NUMBER, offsetof(struct scalable_params, a), "segments added per segment acknowledged", 0.0001, 1, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct scalable_params, keep), "share of the data in flight kept after a loss", 0, 1, NULL},
	{"low_window", WT_PARAM_NUMBER, offsetof(struct scalable_params, low_window),
	 "segments below which it is Reno (the paper: legacy window)", 0, 100000, NULL},
};

static const struct scalable_params scalable_default = {.a = 0.01, .keep = 0.875, .low_window = 16};

const struct wt_sender_ops wt_sender_scalable = {
	.name = "scalable",
	.text = "grows by a share of the window (Kelly 2003)",
	.params = scalable_params,
	.param_count = sizeof(scalable_params) / sizeof(scalable_params[0]),
	.params_size = sizeof(struct scalable_params),
	.state_size = sizeof(struct scalable),
	.params_default = &scalable_default,
	.init = scalable_init,
	.on_ack = scalable_on_ack,
	.on_loss = scalable_on_loss,
	.on_event = scalable_on_event,
};

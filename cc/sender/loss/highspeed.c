/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HighSpeed TCP (RFC 3649): above Low_Window = 38 segments the window grows by more than a segment per round trip and gives up less than
 * half, so that the mean window under a loss rate p is w = 0.12 / p^0.835 instead of 1.2 / sqrt(p).
 *
 *   b(w) = 1/2 + (High_Decrease - 1/2) (ln w - ln W) / (ln W1 - ln W)        W = Low_Window, W1 = High_Window
 *   p(w) = P (w / W)^(1/S)       S = (ln W1 - ln W) / (ln P1 - ln P)         P = Low_P, the loss rate at which Reno's mean window is W
 *   a(w) = w^2 p(w) 2 b(w) / (2 - b(w))
 *   per ACK cwnd += a(cwnd) / cwnd, after a loss cwnd = (1 - b(cwnd)) cwnd
 *
 * a(w) is at least 1, as for Reno: the rounded P leaves it at 0.96 beside W. a and b are worked out again when the window has changed by a
 * whole segment. Limited slow start (RFC 3742), which RFC 3649 recommends beside it, is `max_ssthresh`.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/power.h"

struct highspeed_params {
	double low_window, low_p, high_window, high_p, high_decrease;
	uint64_t max_ssthresh;
};

struct highspeed {
	struct highspeed_params params;
	struct wt_aimd window;
	double ln_low, ln_ratio, slope; /* of the equations: ln W, ln W1 - ln W, 1/S */
	uint32_t worked_out;            /* whole segments for which a and b hold */
	double a, b;
};

static void work_out(struct highspeed *s, uint32_t segs, struct wt_sender_out *out)
{
	double w = segs, ln_w, p;

	if (segs == s->worked_out)
		return;
	s->worked_out = segs;
	s->a = 1;
	s->b = 0.5;
	if (w > s->params.low_window) {
		ln_w = wt_ln(w) - s->ln_low;
		s->b = 0.5 + (s->params.high_decrease - 0.5) * ln_w / s->ln_ratio;
		s->b = s->b < s->params.high_decrease ? s->params.high_decrease : s->b; /* above High_Window */
		p = s->params.low_p * wt_exp(s->slope * ln_w);
		s->a = w * w * p * 2 * s->b / (2 - s->b);
		s->a = s->a < 1 ? 1 : s->a;
	}
	out->gauge[0] = s->a;
	out->gauge[1] = s->b;
}

static void highspeed_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct highspeed *s = state;

	*s = (struct highspeed){.params = *(const struct highspeed_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
	s->ln_low = wt_ln(s->params.low_window);
	s->ln_ratio = wt_ln(s->params.high_window) - s->ln_low;
	s->slope = (wt_ln(s->params.high_p) - wt_ln(s->params.low_p)) / s->ln_ratio;
	s->a = 1;
	s->b = 0.5;
}

/* RFC 3742: beyond max_ssthresh the window grows by at most half of it per round trip. */
static bool limited_slow_start(struct highspeed *s, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double most = (double)s->params.max_ssthresh;

	if (out->cwnd >= out->ssthresh || !s->params.max_ssthresh || wt_aimd_segs(&s->window, out) <= most)
		return wt_aimd_slow_start(&s->window, ack, out);
	wt_aimd_climb(&s->window, ack, most / 2, out);
	return true;
}

static void highspeed_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct highspeed *s = state;

	if (!wt_aimd_may_grow(ack) || limited_slow_start(s, ack, out))
		return;
	work_out(s, out->cwnd / s->window.mss, out);
	wt_aimd_climb(&s->window, ack, s->a, out);
}

static void highspeed_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct highspeed *s = state;

	work_out(s, wt_aimd_base(&s->window, loss, out) / s->window.mss, out);
	wt_aimd_keep(&s->window, loss, 1 - s->b, out);
}

static void highspeed_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct highspeed *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param highspeed_params[] = {
	{"low_window", WT_PARAM_NUMBER, offsetof(struct highspeed_params, low_window),
	 "segments up to which it is Reno (RFC 3649 5)", 2, 10000, NULL},
	{"low_p", WT_PARAM_NUMBER, offsetof(struct highspeed_params, low_p),
	 "loss rate at which the mean window is low_window (RFC 3649 5)", 0.001, 1, NULL},
	{"high_window", WT_PARAM_NUMBER, offsetof(struct highspeed_params, high_window),
	 "segments of mean window at a loss rate of high_p (RFC 3649 5)", 10001, 10000000, NULL},
	{"high_p", WT_PARAM_NUMBER, offsetof(struct highspeed_params, high_p),
	 "loss rate at which the mean window is high_window (RFC 3649 5)", 1e-12, 0.0005, NULL},
	{"high_decrease", WT_PARAM_NUMBER, offsetof(struct highspeed_params, high_decrease),
	 "share of the window given up at high_window (RFC 3649 5)", 0.01, 0.5, NULL},
	{"max_ssthresh", WT_PARAM_COUNT, offsetof(struct highspeed_params, max_ssthresh),
	 "segments beyond which slow start adds half of them per round trip (RFC 3742: 100); 0: never", 0, 1000000, NULL},
};

static const struct highspeed_params highspeed_default = {
	.low_window = 38, .low_p = 1e-3, .high_window = 83000, .high_p = 1e-7, .high_decrease = 0.1};

const struct wt_sender_ops wt_sender_highspeed = {
	.name = "highspeed",
	.text = "the larger the window, the faster it grows and the less it gives up (RFC 3649)",
	.params = highspeed_params,
	.param_count = sizeof(highspeed_params) / sizeof(highspeed_params[0]),
	.params_size = sizeof(struct highspeed_params),
	.state_size = sizeof(struct highspeed),
	.params_default = &highspeed_default,
	.gauges = (const char *const[]){"a_segs", "b", NULL},
	.init = highspeed_init,
	.on_ack = highspeed_on_ack,
	.on_loss = highspeed_on_loss,
	.on_event = highspeed_on_event,
};

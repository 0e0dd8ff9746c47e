/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP-Illinois (Liu, Basar and Srikant, "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed networks",
 * Performance Evaluation 65, 2008; VALUETOOLS 2006): losses say when the window falls, the queueing delay says how fast it grows and how far
 * it falls.
 *
 *   d  = mean RTT of a round trip - BaseRTT,   dm = largest RTT - BaseRTT,   d1 = 0.01 dm, d2 = 0.1 dm, d3 = 0.8 dm
 *   alpha(d) = alpha_max up to d1, from there on k1 / (k2 + d), which is alpha_min at dm:
 *              k1 = (dm - d1) alpha_min alpha_max / (alpha_max - alpha_min),   k2 = (dm - d1) alpha_min / (alpha_max - alpha_min) - d1
 *   beta(d)  = beta_min up to d2, beta_max from d3 on, linear between
 *   per round trip cwnd += alpha, after a loss cwnd *= 1 - beta
 *   below W = 15 segments: 1 and 1/2. Once d was above d1, alpha returns to alpha_max when theta = 5 round trips in a row are below.
 *
 * alpha and beta are taken anew once per round trip, after a timeout they are 1 and 1/2 until the next one.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

struct illinois_params {
	double alpha_max, alpha_min, beta_min, beta_max, window;
	uint64_t theta;
};

/* What a timeout changes beside the window, and an undo brings back. */
struct pace {
	double alpha, beta;
	bool above;     /* d was above d1, and theta round trips below it have not passed */
	uint32_t below; /* round trips below it since */
};

struct illinois {
	struct illinois_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	wt_time rtt_max;
	struct pace pace, undo;
};

static void illinois_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct illinois *s = state;

	*s = (struct illinois){.params = *(const struct illinois_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
	s->pace.alpha = out->gauge[0] = 1;
	s->pace.beta = out->gauge[1] = 0.5;
}

static double increase(struct illinois *s, double d, double dm)
{
	double high = s->params.alpha_max, low = s->params.alpha_min, d1 = 0.01 * dm, share;

	if (d <= d1) {
		if (s->pace.above && ++s->pace.below < s->params.theta)
			return s->pace.alpha;
		s->pace.above = false;
		return high;
	}
	s->pace.above = true;
	s->pace.below = 0;
	share = (dm - d1) * low / (high - low);
	return share * high / (share - d1 + d);
}

static double decrease(const struct illinois *s, double d, double dm)
{
	double low = s->params.beta_min, high = s->params.beta_max, d2 = 0.1 * dm, d3 = 0.8 * dm;

	if (d <= d2)
		return low;
	return d >= d3 ? high : low + (high - low) * (d - d2) / (d3 - d2);
}

static void judge(struct illinois *s, double segs, struct wt_sender_out *out)
{
	double d = (double)(s->delay.mean - s->delay.base), dm;

	s->rtt_max = wt_time_max(s->rtt_max, s->delay.most);
	dm = (double)(s->rtt_max - s->delay.base);
	if (segs < s->params.window) {
		s->pace.alpha = 1;
		s->pace.beta = 0.5;
	} else {
		s->pace.alpha = increase(s, d, dm);
		s->pace.beta = decrease(s, d, dm);
	}
	out->gauge[0] = s->pace.alpha;
	out->gauge[1] = s->pace.beta;
	out->gauge[2] = wt_delay_ms((wt_time)d);
}

static void illinois_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct illinois *s = state;

	if (wt_delay_round(&s->delay, ack) && s->delay.samples)
		judge(s, wt_aimd_segs(&s->window, out), out);
	if (wt_aimd_may_grow(ack) && !wt_aimd_slow_start(&s->window, ack, out))
		wt_aimd_climb(&s->window, ack, s->pace.alpha, out);
}

static void illinois_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct illinois *s = state;

	if (!loss->same)
		s->undo = s->pace;
	if (loss->why == WT_LOSS_RTO) {
		s->pace.alpha = out->gauge[0] = 1;
		s->pace.beta = out->gauge[1] = 0.5;
		s->pace.above = false;
	}
	wt_aimd_keep(&s->window, loss, 1 - s->pace.beta, out);
}

static void illinois_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct illinois *s = state;

	if (event == WT_CC_UNDO && s->window.prior_cwnd) {
		s->pace = s->undo;
		out->gauge[0] = s->pace.alpha;
		out->gauge[1] = s->pace.beta;
	}
	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param illinois_params[] = {
	{"alpha_max", WT_PARAM_NUMBER, offsetof(struct illinois_params, alpha_max),
	 "segments per round trip while nothing waits in queues", 1, 1000, NULL},
	{"alpha_min", WT_PARAM_NUMBER, offsetof(struct illinois_params, alpha_min),
	 "segments per round trip at the largest delay seen", 0.01, 0.99, NULL},
	{"beta_min", WT_PARAM_SHARE, offsetof(struct illinois_params, beta_min),
	 "share given up after a loss at little delay", 0, 1, NULL},
	{"beta_max", WT_PARAM_SHARE, offsetof(struct illinois_params, beta_max),
	 "share given up at four fifths of the largest delay", 0, 1, NULL},
	{"window", WT_PARAM_NUMBER, offsetof(struct illinois_params, window), "segments below which it is Reno", 0, 100000, NULL},
	{"theta", WT_PARAM_COUNT, offsetof(struct illinois_params, theta),
	 "round trips without delay until alpha_max again", 1, 1000, NULL},
};

static const struct illinois_params illinois_default = {
	.alpha_max = 10, .alpha_min = 0.1, .beta_min = 0.125, .beta_max = 0.5, .window = 15, .theta = 5};

const struct wt_sender_ops wt_sender_illinois = {
	.name = "illinois",
	.text = "pace and back-off by queueing delay (Liu, Basar and Srikant 2006)",
	.params = illinois_params,
	.param_count = sizeof(illinois_params) / sizeof(illinois_params[0]),
	.params_size = sizeof(struct illinois_params),
	.state_size = sizeof(struct illinois),
	.params_default = &illinois_default,
	.gauges = (const char *const[]){"alpha_segs", "beta", "queueing_ms", NULL},
	.init = illinois_init,
	.on_ack = illinois_on_ack,
	.on_loss = illinois_on_loss,
	.on_event = illinois_on_event,
};

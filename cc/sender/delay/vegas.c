/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC 13(8), 1995): the window is held
 * where the connection keeps `alpha` to `beta` segments of its own in queues.
 *
 *   Expected = cwnd / BaseRTT,  Actual = cwnd / RTT,  Diff = (Expected - Actual) BaseRTT = cwnd (RTT - BaseRTT) / RTT      segments
 *   once per round trip: one segment more if Diff < alpha, one less if Diff > beta
 *   slow start doubles every other round trip and ends when Diff > gamma: the window becomes what fills the path, cwnd BaseRTT / RTT, plus one
 *
 * RTT is the least of the round, so that a delayed ACK is no queue (`rtt=mean`: the mean, as ns-2's agent has it, which also rounds Diff to
 * whole segments, `whole`); a round with one sample tells nothing and Reno's rule holds for it. Losses are answered as by Reno. Vegas' earlier retransmission by a fine clock is recovery's part and not here.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

enum { RTT_LEAST, RTT_MEAN };

static const char *const rtt_words[] = {"least", "mean", NULL};

struct vegas_params {
	double alpha, beta, gamma, keep, step;
	uint64_t rtt, whole;
};

struct vegas {
	struct vegas_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	bool still; /* slow start: a round trip in which the window stands, to be measured */
};

static void vegas_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct vegas *s = state;

	*s = (struct vegas){.params = *(const struct vegas_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

/* A round is over: what it measured decides. */
static void judge(struct vegas *s, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double segs = out->cwnd / s->window.mss; /* whole ones: they are what flies */
	wt_time rtt = s->params.rtt == RTT_MEAN ? s->delay.mean : s->delay.least;
	double diff = wt_delay_backlog(&s->delay, rtt, segs);

	if (s->params.whole)
		diff = (double)(uint32_t)(diff + 0.5);
	out->gauge[0] = diff;
	out->gauge[1] = wt_delay_ms(s->delay.base);
	out->gauge[2] = wt_delay_ms(rtt);
	if (ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE))
		return;
	if (out->cwnd < out->ssthresh) {
		if (diff > s->params.gamma)
			wt_aimd_set(&s->window, segs - diff + 1, out);
	} else if (diff > s->params.beta) {
		wt_aimd_set(&s->window, segs - 1, out);
	} else if (diff < s->params.alpha && s->delay.limited) {
		wt_aimd_widen(&s->window, (uint32_t)(s->params.step * s->window.mss), out);
	}
}

static void vegas_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct vegas *s = state;
	bool over = wt_delay_round(&s->delay, ack);

	if (over) /* a round that measures nothing is not waited for */
		s->still = s->delay.samples > 1 && !s->still;
	if (over && s->delay.samples > 1)
		judge(s, ack, out);
	else if (over && out->cwnd >= out->ssthresh && wt_aimd_may_grow(ack) && s->delay.limited)
		wt_aimd_widen(&s->window, s->window.mss, out);
	if (wt_aimd_may_grow(ack) && !s->still)
		wt_aimd_slow_start(&s->window, ack, out);
}

static void vegas_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct vegas *s = state;

	wt_aimd_keep(&s->window, loss, s->params.keep, out);
}

static void vegas_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct vegas *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param vegas_params[] = {
	{"alpha", WT_PARAM_NUMBER, offsetof(struct vegas_params, alpha),
	 "segments in queues below which the window grows", 0, 1000, NULL},
	{"beta", WT_PARAM_NUMBER, offsetof(struct vegas_params, beta), "segments in queues above which it shrinks", 0, 1000, NULL},
	{"gamma", WT_PARAM_NUMBER, offsetof(struct vegas_params, gamma), "segments in queues that end slow start", 0, 1000, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct vegas_params, keep), "share of the data in flight kept after a loss", 0, 1, NULL},
	{"step", WT_PARAM_NUMBER, offsetof(struct vegas_params, step),
	 "segments by which a round trip widens the window (ns-2: one per window of ACKs, so 0.5 where every second segment is acknowledged)", 0.01, 1, NULL},
	{"rtt", WT_PARAM_WORD, offsetof(struct vegas_params, rtt), "round-trip time of a round: the least, or the mean (ns-2)", 0, 0, rtt_words},
	{"whole", WT_PARAM_BOOL, offsetof(struct vegas_params, whole), "rounds the backlog to whole segments (ns-2)", 0, 0, NULL},
};

static const struct vegas_params vegas_default = {.alpha = 2, .beta = 4, .gamma = 1, .keep = 0.5, .step = 1};

const struct wt_sender_ops wt_sender_vegas = {
	.name = "vegas",
	.text = "keeps two to four segments in queues (Brakmo and Peterson 1995)",
	.params = vegas_params,
	.param_count = sizeof(vegas_params) / sizeof(vegas_params[0]),
	.params_size = sizeof(struct vegas_params),
	.state_size = sizeof(struct vegas),
	.params_default = &vegas_default,
	.gauges = (const char *const[]){"diff_segs", "base_rtt_ms", "rtt_ms", NULL},
	.init = vegas_init,
	.on_ack = vegas_on_ack,
	.on_loss = vegas_on_loss,
	.on_event = vegas_on_event,
};

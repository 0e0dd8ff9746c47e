/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; draft-leith-tcp-htcp-06): the longer the
 * last loss is ago, the faster the window grows.
 *
 *   alpha(D) = 2 (1 - beta) f(D),   f = 1 for D <= 1 s, else 1 + 10 (D - 1) + ((D - 1) / 2)^2      D: seconds since the last loss
 *   beta = RTTmin / RTTmax within 0.5 ... 0.8, of the window kept after a loss, so that the queue just empties;
 *          0.5 where the throughput before the loss was another than before the one before by more than a fifth
 *
 * RTTmax is of the time since the last loss, so that one late segment does not rule for ever. The throughput is the best of a round trip in
 * that time. `rtt_scaling` multiplies alpha by RTT / 100 ms, for fairness between round trips (an option of the draft).
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

#define LEAST_ALPHA 0.01 /* with a share of 1 kept it would never grow */

struct htcp_params {
	double beta_min, beta_max, change;
	wt_time low_time;
	uint64_t adaptive, rtt_scaling;
};

/* What is known of the time since the last loss, and of the one before. */
struct htcp_epoch {
	wt_time begin;       /* of this time; 0: with the next ACK */
	double beta;         /* after the last loss */
	double best, before; /* bytes per second: the best round trip of this time, of the one before; 0: unknown */
	wt_time rtt_max;
};

struct htcp {
	struct htcp_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	struct htcp_epoch epoch, undo;
	uint64_t delivered; /* when the round began */
	wt_time round_begin;
};

static void htcp_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct htcp *s = state;

	*s = (struct htcp){.params = *(const struct htcp_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
	s->epoch.beta = s->params.beta_min;
	out->gauge[0] = 1;
	out->gauge[1] = s->epoch.beta;
}

/* A round is over: its throughput and its longest round trip. */
static void measure(struct htcp *s, const struct wt_ack *ack)
{
	double rate;

	if (s->round_begin && ack->now > s->round_begin) {
		rate = (double)(ack->delivered - s->delivered) * WT_S / (double)(ack->now - s->round_begin);
		s->epoch.best = rate > s->epoch.best ? rate : s->epoch.best;
	}
	s->round_begin = ack->now;
	s->delivered = ack->delivered;
	s->epoch.rtt_max = wt_time_max(s->epoch.rtt_max, s->delay.most);
}

static double alpha(const struct htcp *s, wt_time now)
{
	wt_time since = now - s->epoch.begin - s->params.low_time;
	double t = (double)since / WT_S, a = since > 0 ? 1 + t * (10 + t / 4) : 1;

	if (s->params.rtt_scaling && s->delay.base) {
		a *= (double)s->delay.base / (100 * WT_MS);
		a = a > 1 ? a : 1;
	}
	a *= 2 * (1 - s->epoch.beta);
	return a > LEAST_ALPHA ? a : LEAST_ALPHA;
}

static void htcp_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct htcp *s = state;

	if (!s->epoch.begin)
		s->epoch.begin = ack->now;
	if (wt_delay_round(&s->delay, ack))
		measure(s, ack);
	if (!wt_aimd_may_grow(ack) || wt_aimd_slow_start(&s->window, ack, out))
		return;
	out->gauge[0] = alpha(s, ack->now);
	wt_aimd_climb(&s->window, ack, out->gauge[0], out);
}

static double backoff(const struct htcp *s)
{
	double change = s->epoch.best - s->epoch.before, beta;

	if (!s->params.adaptive || !s->epoch.rtt_max || !s->epoch.before)
		return s->params.beta_min;
	if (change > s->params.change * s->epoch.before || -change > s->params.change * s->epoch.before)
		return s->params.beta_min;
	beta = (double)s->delay.base / (double)s->epoch.rtt_max;
	return beta < s->params.beta_min ? s->params.beta_min : beta > s->params.beta_max ? s->params.beta_max : beta;
}

static void htcp_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct htcp *s = state;

	if (loss->why != WT_LOSS_RTO || loss->rto_count <= 1) {
		if (!loss->same)
			s->undo = s->epoch;
		s->epoch.beta = loss->why == WT_LOSS_RTO ? s->params.beta_min : backoff(s);
		s->epoch.before = s->epoch.best;
		s->epoch.best = 0;
		s->epoch.rtt_max = 0;
	}
	s->epoch.begin = loss->now;
	s->round_begin = 0; /* a round trip that began before is of neither time */
	out->gauge[1] = s->epoch.beta;
	wt_aimd_keep(&s->window, loss, s->epoch.beta, out);
}

static void htcp_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct htcp *s = state;

	if (event == WT_CC_UNDO && s->window.prior_cwnd)
		s->epoch = s->undo;
	if (event == WT_CC_IDLE) { /* silence is no time without loss, and no throughput */
		s->epoch.begin = 0;
		s->round_begin = 0;
	}
	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param htcp_params[] = {
	{"beta_min", WT_PARAM_SHARE, offsetof(struct htcp_params, beta_min),
	 "least share of the data in flight kept after a loss", 0, 1, NULL},
	{"beta_max", WT_PARAM_SHARE, offsetof(struct htcp_params, beta_max), "largest share kept", 0, 1, NULL},
	{"change", WT_PARAM_SHARE, offsetof(struct htcp_params, change),
	 "change of throughput from loss to loss beyond which beta_min is kept", 0, 1, NULL},
	{"low_time", WT_PARAM_TIME, offsetof(struct htcp_params, low_time),
	 "time since a loss in which it grows as Reno", 0, 10 * WT_S, NULL},
	{"adaptive", WT_PARAM_BOOL, offsetof(struct htcp_params, adaptive),
	 "keep RTTmin / RTTmax after a loss; off: beta_min", 0, 0, NULL},
	{"rtt_scaling", WT_PARAM_BOOL, offsetof(struct htcp_params, rtt_scaling),
	 "grow in proportion to the round-trip time", 0, 0, NULL},
};

static const struct htcp_params htcp_default = {.beta_min = 0.5, .beta_max = 0.8, .change = 0.2, .low_time = WT_S, .adaptive = 1};

const struct wt_sender_ops wt_sender_htcp = {
	.name = "htcp",
	.text = "grows faster the longer no loss was (Leith and Shorten 2004)",
	.params = htcp_params,
	.param_count = sizeof(htcp_params) / sizeof(htcp_params[0]),
	.params_size = sizeof(struct htcp_params),
	.state_size = sizeof(struct htcp),
	.params_default = &htcp_default,
	.gauges = (const char *const[]){"alpha_segs", "beta", NULL},
	.init = htcp_init,
	.on_ack = htcp_on_ack,
	.on_loss = htcp_on_loss,
	.on_event = htcp_on_event,
};

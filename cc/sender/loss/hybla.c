/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Hybla (Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", Int. J. Satellite Communications and Networking
 * 22, 2004): a connection with a long round trip gets the rate over time that Reno gets with a reference round trip.
 *
 *   rho = RTT / RTT0, at least 1      RTT0 = 25 ms
 *   slow start:           cwnd += 2^rho - 1   per segment acknowledged
 *   congestion avoidance: cwnd += rho^2 / cwnd
 *
 * RTT is the least of the connection, so that its own queue makes it no faster. Not here: the first ssthresh from a bandwidth estimate, and the
 * initial window of rho segments, for no round trip is known when it is chosen. One segment acknowledged never more than doubles the
 * window: 2^rho alone would be 10^12 segments at one second. `pacing` spreads a window over its round trip, as the paper advises.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"
#include "cc/shared/power.h"

struct hybla_params {
	wt_time rtt0;
	uint64_t pacing;
};

struct hybla {
	struct hybla_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	wt_time known; /* BaseRTT for which the rest holds */
	double rho, slow_start; /* slow_start: 2^rho - 1 */
};

static void hybla_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct hybla *s = state;

	*s = (struct hybla){.params = *(const struct hybla_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
	s->rho = s->slow_start = 1;
}

static void learn(struct hybla *s, struct wt_sender_out *out)
{
	if (s->delay.base == s->known)
		return;
	s->known = s->delay.base;
	s->rho = (double)s->known / (double)s->params.rtt0;
	s->rho = s->rho < 1 ? 1 : s->rho;
	s->slow_start = wt_exp(0.69314718055994531 * (s->rho < 40 ? s->rho : 40)) - 1;
	out->gauge[0] = s->rho;
	out->gauge[1] = wt_delay_ms(s->known);
}

static void hybla_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct hybla *s = state;
	double segs = wt_aimd_segs(&s->window, out), step;

	wt_delay_round(&s->delay, ack);
	learn(s, out);
	if (s->params.pacing && ack->srtt) /* twice the window's pace in slow start, a fifth more later: never below what the window grows to */
		out->pacing_rate = (uint64_t)((out->cwnd < out->ssthresh ? 2 : 1.2) * out->cwnd * WT_S / (double)ack->srtt);
	if (!wt_aimd_may_grow(ack))
		return;
	if (out->cwnd < out->ssthresh && ack->flags & WT_ACK_AFTER_RTO) {
		wt_aimd_slow_start(&s->window, ack, out); /* RFC 3465 2.3 */
	} else if (out->cwnd < out->ssthresh) {
		step = (s->slow_start < segs ? s->slow_start : segs) * ack->acked;
		if (step > out->ssthresh - out->cwnd)
			step = out->ssthresh - out->cwnd;
		wt_aimd_add(&s->window, step, out);
	} else {
		step = s->rho * s->rho / segs;
		wt_aimd_add(&s->window, (step < segs ? step : segs) * ack->acked, out);
	}
}

static void hybla_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct hybla *s = state;

	wt_aimd_loss(&s->window, loss, out);
}

static void hybla_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct hybla *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param hybla_params[] = {
	{"rtt0", WT_PARAM_TIME, offsetof(struct hybla_params, rtt0),
	 "reference round trip, whose pace every connection gets", WT_MS, 10 * WT_S, NULL},
	{"pacing", WT_PARAM_BOOL, offsetof(struct hybla_params, pacing), "spread each window over its round trip", 0, 0, NULL},
};

static const struct hybla_params hybla_default = {.rtt0 = 25 * WT_MS, .pacing = 0};

const struct wt_sender_ops wt_sender_hybla = {
	.name = "hybla",
	.text = "the pace of a 25 ms round trip at any round trip (Caini and Firrincieli 2004)",
	.params = hybla_params,
	.param_count = sizeof(hybla_params) / sizeof(hybla_params[0]),
	.params_size = sizeof(struct hybla_params),
	.state_size = sizeof(struct hybla),
	.params_default = &hybla_default,
	.gauges = (const char *const[]){"rho", "base_rtt_ms", NULL},
	.init = hybla_init,
	.on_ack = hybla_on_ack,
	.on_loss = hybla_on_loss,
	.on_event = hybla_on_event,
};

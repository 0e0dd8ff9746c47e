/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LeoCC (Lai et al., LeoCC: Making Internet Congestion Control Robust to LEO Satellite Dynamics, SIGCOMM 2025; the mechanism below is read from
 * the authors' description and program, github.com/SpaceNetLab/LeoCC, and told and written in our own words). A low-orbit constellation
 * gives its terminals another satellite at fixed times (Starlink: every 15 s). Round trip and bandwidth jump then, packets are lost, and what
 * was measured before says nothing of the path after it. LeoCC is BBR (cc/shared/bbr.h) that knows of these reconfigurations:
 *
 *   detect      answers that come every few milliseconds stay away for 45 ms: the path was reconfigured
 *   learn anew  as soon as bandwidth is probed and no sooner: ProbeRTT with half of the product for 200 ms and a round trip. Its last round
 *               trip is the new least one, also if it is longer. Then the bandwidth filter is emptied (or begins with the rate of a moment in
 *               which a queue stood), and Startup and Drain find the new rate. Without reconfiguration ProbeRTT comes every 20 s
 *   bandwidth   two estimates: the greatest of ten round trips, as in BBR, and a Kalman filter of the greatest of each (Q = R = 4, first
 *               variance 25), which follows the path down at once. Where the filtered round trip lies `fluctuation` above the least one, a
 *               queue stands: the second is used, and probing takes 21/20. Else the first, and 5/4
 *   margin      pacing stays 1 % below
 *
 * What is our own choice: LeoCC watches echoes of ping, sent every 10 ms; we watch the ACKs of the connection itself, where half of the
 * product was in flight and the time would have brought sixteen segments. A schedule (`period`, `offset`) may say the times instead; the authors'
 * simulation has that too, within 100 ms. `fluctuation` is 10 ms, of the 5 to 20 ms that they advise for it; their program for live networks
 * measures it by those echoes. The ProbeRTT of every 20 s takes the least sample, theirs the last. The allowance for aggregated ACKs is not there.
 */
#include "cc/shared/bbr.h"

#define LOW_PROBE_GAIN 1.05
#define PROBE_GAIN 1.25
#define NOISE 4.0        /* variance of a measurement, and of what the path does between two */
#define VARIANCE 25.0    /* at the start */
#define ANSWERS 16u      /* segments that a gap must be missing */

struct leo_params {
	wt_time gap, period, offset, fluctuation;
};

struct kalman {
	double value, variance;
};

struct leo {
	struct wt_bbr bbr;
	struct leo_params params;
	struct kalman bw, rtt;
	double round_bw;       /* greatest rate of the round that runs */
	double rate;           /* of the ACK before */
	wt_time last, next;    /* the ACK before; the next time of the schedule, 0: none */
	uint32_t inflight;     /* after it */
	unsigned seen;         /* reconfigurations */
	bool pending;          /* one that was not acted on */
};

static void take(struct kalman *k, double sample)
{
	double gain;

	k->variance += NOISE;
	gain = k->variance / (k->variance + NOISE);
	k->value += gain * (sample - k->value);
	k->variance *= 1 - gain;
}

static bool on_schedule(struct leo *l, wt_time now)
{
	const struct leo_params *p = &l->params;

	if (!p->period || now < l->next)
		return false;
	l->next += ((now - l->next) / p->period + 1) * p->period;
	return true;
}

/* No answer for long, though many were on their way. */
static bool silent(const struct leo *l, wt_time now)
{
	double bw = wt_bbr_bandwidth(&l->bbr);
	wt_time gap = now - l->last;

	if (!l->params.gap || gap <= l->params.gap || l->bbr.state != WT_BBR_PROBE_BW)
		return false;
	return 2.0 * l->inflight >= bw * (double)l->bbr.min_rtt / WT_S && bw * (double)gap / WT_S >= (double)ANSWERS * l->bbr.mss;
}

static void detect(struct leo *l, const struct wt_ack *ack)
{
	if (on_schedule(l, ack->now) || silent(l, ack->now)) {
		l->seen++;
		l->pending = true;
	}
	if (l->pending && l->bbr.state == WT_BBR_PROBE_BW) {
		l->pending = false;
		l->bbr.renew = true;
		l->bbr.renew_bw = 0;
	}
	l->last = ack->now;
	l->inflight = ack->inflight > ack->lost ? ack->inflight - ack->lost : 0;
}

/* What the filters hold after this ACK, `before` it the state that it found. */
static void filter(struct leo *l, enum wt_bbr_state before)
{
	struct wt_bbr *b = &l->bbr;

	if (b->round_start) {
		if (before == WT_BBR_PROBE_BW)
			take(&l->bw, l->round_bw);
		l->round_bw = 0;
	}
	l->round_bw = b->rate > l->round_bw ? b->rate : l->round_bw;
	/* a queue drains in ProbeRTT: what was delivered just before is the link's rate */
	if (before == WT_BBR_PROBE_RTT && b->renew && b->rtt && l->rtt.value > (double)(b->rtt + l->params.gap))
		b->renew_bw = l->rate;
	if (b->rate > 0)
		l->rate = b->rate;
	if (b->rtt)
		take(&l->rtt, (double)b->rtt);
}

static bool queued(const struct leo *l)
{
	return l->params.fluctuation && l->bbr.state == WT_BBR_PROBE_BW && !l->pending && l->bw.value > 0 &&
	       l->rtt.value >= (double)(l->bbr.min_rtt + l->params.fluctuation);
}

static void show(const struct leo *l, double bw, struct wt_sender_out *out)
{
	out->gauge[0] = bw;
	out->gauge[1] = (double)l->bbr.min_rtt / WT_MS;
	out->gauge[2] = l->bbr.state;
	out->gauge[3] = l->seen;
}

static void leo_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct leo *l = state;
	enum wt_bbr_state before = l->bbr.state;
	double bw;
	bool slow;

	detect(l, ack);
	wt_bbr_measure(&l->bbr, ack, out);
	filter(l, before);
	slow = queued(l);
	bw = slow ? l->bw.value : wt_bbr_bandwidth(&l->bbr);
	wt_bbr_probe_gain(&l->bbr, slow ? LOW_PROBE_GAIN : PROBE_GAIN);
	wt_bbr_control(&l->bbr, ack, bw, out);
	show(l, bw, out);
}

static const struct wt_bbr_params model = {.cwnd_gain = 2, .probe_gain = PROBE_GAIN, .margin = 0.01, .bw_rounds = 10, .rtt_window = 20 * WT_S,
					   .probe_rtt = 200 * WT_MS, .probe_rtt_share = 0.5};

static void leo_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct leo *l = state;

	*l = (struct leo){.params = *(const struct leo_params *)params, .bw.variance = VARIANCE, .rtt.variance = VARIANCE};
	l->next = l->params.offset;
	wt_bbr_init(&l->bbr, &model, env, out);
	on_schedule(l, env->now);
	show(l, 0, out);
}

static void leo_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct leo *l = state;

	wt_bbr_loss(&l->bbr, loss, out);
}

static void leo_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct leo *l = state;

	wt_bbr_event(&l->bbr, event, env, out);
}

static void leo_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	struct leo *l = state;

	wt_bbr_sent(&l->bbr, sent, out);
}

#define ROW(field) offsetof(struct leo_params, field)

static const struct wt_param leo_params[] = {
	{"gap", WT_PARAM_TIMER, ROW(gap), "so long without an answer, the path was reconfigured (LeoCC: 45 ms); 0s: not found so", 1e6, 10e9, NULL},
	{"period", WT_PARAM_TIMER, ROW(period), "time between two reconfigurations that are known (Starlink: 15 s); 0s: not known", 1e9, 1e12, NULL},
	{"offset", WT_PARAM_TIME, ROW(offset), "with period: one of them, by the host's clock", 0, 1e12, NULL},
	{"fluctuation", WT_PARAM_TIMER, ROW(fluctuation), "so far above the least round trip a queue stands (LeoCC: 5 to 20 ms); 0s: BBR's filter alone",
	 1e6, 1e9, NULL},
};

static const struct leo_params leo_default = {.gap = 45 * WT_MS, .fluctuation = 10 * WT_MS};

const struct wt_sender_ops wt_sender_leo = {
	.name = "leo",
	.text = "LeoCC: BBR that finds when a low-orbit path is reconfigured, and learns it anew (Lai et al. 2025)",
	.default_recovery = "rack",
	.params = leo_params,
	.param_count = sizeof(leo_params) / sizeof(leo_params[0]),
	.params_size = sizeof(struct leo_params),
	.state_size = sizeof(struct leo),
	.params_default = &leo_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "min_rtt_ms", "state", "reconfigurations", NULL},
	.own_window = true,
	.init = leo_init,
	.on_ack = leo_on_ack,
	.on_loss = leo_on_loss,
	.on_event = leo_on_event,
	.on_sent = leo_on_sent,
};

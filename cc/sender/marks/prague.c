/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Prague (draft-briscoe-iccrg-prague-congestion-control; the requirements are those of RFC 9331 4): a scalable sender for
 * the queue of low latency. New data is ECT(1).
 *
 *   alpha    share of marked bytes, smoothed by 1/16 per round trip            (DCTCP, RFC 8257); 1 until the first mark, which so halves
 *   marks    cwnd = cwnd (1 - alpha/2), at most once per round trip
 *   growth   one segment per round trip, times (R / max(R, 25 ms))^2           a short path takes no more than one of 25 ms
 *   losses   half of the window; a timeout: one segment
 *   pacing   2 cwnd / R in slow start, cwnd / R after it
 *
 * Round trips of alpha and of reductions are no shorter than 25 ms either. The first mark ends slow start.
 *
 * Where we differ: there is no AccECN (RFC 9768), so the feedback is the ECE flag. From a receiver `dctcp`, which goes with it,
 * each ACK tells of its own bytes. One of RFC 3168 repeats ECE until it sees CWR, so a mark counts as a round trip of marks, and the
 * window falls as Reno's does. Queues that mark as for Reno are not searched for, a window of less than two segments is
 * not held, and retransmissions are not ECT.
 */
#include "cc/round.h"
#include "cc/shared/aimd.h"

struct prague_params {
	double gain, alpha;
	wt_time virtual_rtt;
};

struct prague {
	struct wt_aimd reno;
	struct prague_params params;
	struct wt_round round;
	double alpha, fraction, undo_fraction; /* fraction: bytes of growth not yet whole */
	double known; /* alpha before the present ACK */
	uint64_t acked, marked; /* bytes of the present observation */
	wt_time began, reduced; /* of the observation; of the last reduction for marks */
	bool has_reduced, has_seen; /* has_seen: a mark came */
};

static wt_time virtual_rtt(const struct prague *p, wt_time srtt)
{
	return srtt > p->params.virtual_rtt ? srtt : p->params.virtual_rtt;
}

static void set_pacing(wt_time srtt, struct wt_sender_out *out)
{
	double rate = srtt > 0 ? (out->cwnd < out->ssthresh ? 2.0 : 1.0) * out->cwnd * WT_S / (double)srtt : 0;

	out->pacing_rate = rate < 1e12 ? (uint64_t)rate : (uint64_t)1e12;
}

static void prague_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct prague *p = state;

	*p = (struct prague){.params = *(const struct prague_params *)params};
	p->alpha = p->known = p->params.alpha;
	wt_aimd_init(&p->reno, &wt_aimd_default, env, out);
	out->codepoint = WT_CC_ECT1;
	out->gauge[0] = p->alpha;
}

static void observe(struct prague *p, const struct wt_ack *ack)
{
	p->known = p->alpha;
	p->acked += ack->acked;
	p->marked += ack->marked;
	p->has_seen |= ack->marked != 0;
	if ((p->round.running && ack->now - p->began < p->params.virtual_rtt) || !wt_round_over(&p->round, ack) || !p->acked)
		return;
	if (p->has_seen)
		p->alpha += p->params.gain * ((double)p->marked / (double)p->acked - p->alpha);
	p->acked = p->marked = 0;
	p->began = ack->now;
}

/* Congestion avoidance; the share of a segment that this ACK stands for. */
static void avoid(struct prague *p, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double share = ack->srtt > 0 ? (double)ack->srtt / (double)virtual_rtt(p, ack->srtt) : 1;
	double step = share * share * (double)ack->acked / out->cwnd * p->reno.mss + p->fraction;

	if (!(ack->flags & WT_ACK_CWND_LIMITED))
		return;
	step = step < (double)ack->acked ? step : (double)ack->acked;
	p->fraction = step - (double)(uint32_t)step;
	wt_aimd_widen(&p->reno, (uint32_t)step, out);
}

static void prague_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct prague *p = state;

	observe(p, ack);
	if (ack->acked && !(ack->flags & (WT_ACK_ECE | WT_ACK_RECOVERY))) {
		if (out->cwnd < out->ssthresh)
			wt_aimd_grow(&p->reno, ack, out);
		else
			avoid(p, ack, out);
	}
	set_pacing(ack->srtt, out);
	out->gauge[0] = p->alpha;
}

static void prague_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct prague *p = state;
	/* not by what this very ACK completes, as in the authors' code; DCTCP has the other order */
	uint32_t window = (uint32_t)(out->cwnd * (1 - p->known / 2));

	if (!loss->same)
		p->undo_fraction = p->fraction;
	p->fraction = 0;
	if (loss->why != WT_LOSS_ECN) {
		wt_aimd_loss(&p->reno, loss, out);
	} else if (!p->has_reduced || loss->srtt >= p->params.virtual_rtt || loss->now - p->reduced >= p->params.virtual_rtt) {
		p->has_reduced = true;
		p->reduced = loss->now;
		window = window > 2 * p->reno.mss ? window : 2 * p->reno.mss;
		out->ssthresh = window;
		out->cwnd = out->cwnd < window ? out->cwnd : window;
	}
	set_pacing(loss->srtt, out);
}

static void prague_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct prague *p = state;

	if (event == WT_CC_ESTABLISHED)
		p->began = env->now;
	if (event == WT_CC_UNDO)
		p->fraction = p->undo_fraction;
	wt_aimd_event(&p->reno, event, env, out);
}

static const struct wt_param prague_params[] = {
	{"gain", WT_PARAM_NUMBER, offsetof(struct prague_params, gain), "weight of the newest round trip in the share of marked bytes (draft 2.4.2)",
	 0.001, 1, NULL},
	{"alpha", WT_PARAM_NUMBER, offsetof(struct prague_params, alpha), "that share before the first round trip", 0, 1, NULL},
	{"virtual_rtt", WT_PARAM_TIME, offsetof(struct prague_params, virtual_rtt), "paths shorter than this grow as one of this length (draft 2.4.4)", 0,
	 1e9, NULL},
};

static const struct prague_params prague_default = {.gain = 0.0625, .alpha = 1, .virtual_rtt = 25 * WT_MS};

const struct wt_sender_ops wt_sender_prague = {
	.name = "prague",
	.text = "TCP Prague: ECT(1), paced, reduces by the share of marks; with ecn=on (draft-briscoe-iccrg-prague-congestion-control)",
	.default_recovery = "rack",
	.params = prague_params,
	.param_count = sizeof(prague_params) / sizeof(prague_params[0]),
	.params_size = sizeof(struct prague_params),
	.state_size = sizeof(struct prague),
	.params_default = &prague_default,
	.gauges = (const char *const[]){"alpha", NULL},
	.default_receiver = "dctcp",
	.answers_both = true,
	.init = prague_init,
	.on_ack = prague_on_ack,
	.on_loss = prague_on_loss,
	.on_event = prague_on_event,
};

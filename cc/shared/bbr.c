/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/bbr.h"

#define STARTUP_GAIN 2.88539008 /* 2/ln 2 */
#define MIN_SEGS 4u
#define RATE_MAX 1e12 /* bytes per second: no link is faster */
#define PHASES 8u

static uint32_t bounded(double bytes)
{
	return bytes < WT_SSTHRESH_INFINITE ? (uint32_t)bytes : WT_SSTHRESH_INFINITE;
}

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

static uint32_t at_most(uint32_t value, uint32_t ceiling)
{
	return value < ceiling ? value : ceiling;
}

double wt_bbr_bandwidth(const struct wt_bbr *b)
{
	return (double)wt_window_value(&b->bw);
}

/* Draft 4.2.2: what is handed over at once; here segments go one by one, so it only widens the window. */
static double quantum(const struct wt_bbr *b, uint64_t rate)
{
	double ms = (double)rate / 1000;

	if (rate < 150000) /* 1.2 Mbit/s */
		return b->mss;
	if (rate < 3000000) /* 24 Mbit/s */
		return 2.0 * b->mss;
	return ms < 65536 ? ms : 65536;
}

static uint32_t volume(const struct wt_bbr *b, double bw, double gain, uint64_t rate)
{
	if (!b->min_rtt || !b->bw.any)
		return b->initial;
	return bounded(gain * bw * (double)b->min_rtt / WT_S + 3 * quantum(b, rate));
}

static uint32_t inflight_at(const struct wt_bbr *b, double gain, uint64_t rate)
{
	return volume(b, wt_bbr_bandwidth(b), gain, rate);
}

static void set_pacing(struct wt_bbr *b, double bw, double gain, struct wt_sender_out *out)
{
	double rate = gain * bw * (1 - b->params.margin);

	rate = rate < RATE_MAX ? rate : RATE_MAX;
	if (rate >= 1 && (b->filled || rate > (double)out->pacing_rate))
		out->pacing_rate = (uint64_t)rate;
}

static void first_pacing(const struct wt_bbr *b, wt_time rtt, struct wt_sender_out *out)
{
	out->pacing_rate = (uint64_t)(STARTUP_GAIN * b->initial * (double)WT_S / (double)rtt) + 1;
}

static void enter_startup(struct wt_bbr *b)
{
	b->state = WT_BBR_STARTUP;
	b->pacing_gain = b->cwnd_gain = STARTUP_GAIN;
}

/* The first phase probes, the second drains what that has queued. */
static double phase_gain(const struct wt_bbr *b)
{
	if (b->phase == 0)
		return b->params.probe_gain;
	return b->phase == 1 ? 0.75 : 1;
}

void wt_bbr_probe_gain(struct wt_bbr *b, double gain)
{
	b->params.probe_gain = gain;
	if (b->state == WT_BBR_PROBE_BW && b->phase == 0)
		b->pacing_gain = gain;
}

static void begin_phase(struct wt_bbr *b, unsigned phase, wt_time now)
{
	b->phase = phase % PHASES;
	b->cycle_stamp = now;
	b->pacing_gain = phase_gain(b);
}

static void enter_probe_bw(struct wt_bbr *b, wt_time now)
{
	unsigned back = wt_random_below(&b->key, b->draws++, 7);

	b->state = WT_BBR_PROBE_BW;
	b->cwnd_gain = b->params.cwnd_gain;
	begin_phase(b, back ? back + 1 : 0, now); /* any but number 1, the one that drains */
}

static void start(struct wt_bbr *b, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	b->mss = at_least(env->mss, 1);
	b->key = env->key;
	b->initial = at_most(at_least(env->initial_window, b->mss), WT_SSTHRESH_INFINITE);
	out->cwnd = b->initial;
	b->min_rtt_stamp = env->now;
	first_pacing(b, WT_MS, out);
}

void wt_bbr_init(struct wt_bbr *b, const struct wt_bbr_params *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	*b = (struct wt_bbr){.params = *params};
	out->ssthresh = WT_SSTHRESH_INFINITE;
	out->codepoint = WT_CC_NOT_ECT;
	enter_startup(b);
	start(b, env, out);
}

/* ---- the model ---------------------------------------------------------------------------------------------- */

static bool sample_limited(const struct wt_bbr *b, const struct wt_ack *ack)
{
	wt_time sent = ack->newest.sent;

	return ack->flags & WT_ACK_APP_LIMITED || (b->probe_begin && sent >= b->probe_begin && sent <= b->probe_end);
}

static void update_bandwidth(struct wt_bbr *b, const struct wt_ack *ack)
{
	b->round_start = false;
	b->rate = 0;
	if (b->conserve)
		b->conserve_end = ack->now;
	if (!ack->newest.len)
		return;
	if (ack->prior_delivered >= b->next_round) {
		b->next_round = ack->delivered;
		b->rounds++;
		b->round_start = true;
		b->conserve = false;
	}
	if (!ack->rate_interval)
		return;
	b->rate = (double)(ack->delivered - ack->prior_delivered) * WT_S / (double)ack->rate_interval;
	b->rate = b->rate < RATE_MAX ? b->rate : RATE_MAX;
	if (b->rate >= wt_bbr_bandwidth(b) || !sample_limited(b, ack))
		wt_window_max(&b->bw, b->params.bw_rounds, b->rounds, (uint64_t)b->rate);
}

static void update_min_rtt(struct wt_bbr *b, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_time rtt = ack->newest.len && !ack->newest.retransmitted ? ack->now - ack->newest.sent : 0;

	b->rtt = rtt > 0 ? rtt : 0;
	b->expired = ack->now > b->min_rtt_stamp + b->params.rtt_window;
	if (rtt <= 0)
		return;
	if (!b->seen_rtt)
		first_pacing(b, rtt, out);
	b->seen_rtt = true;
	if (!b->min_rtt || rtt <= b->min_rtt || b->expired) {
		b->min_rtt = rtt;
		b->min_rtt_stamp = ack->now;
	}
}

/* ---- the states --------------------------------------------------------------------------------------------- */

static bool phase_over(const struct wt_bbr *b, const struct wt_ack *ack, uint64_t rate)
{
	bool full = ack->now - b->cycle_stamp > b->min_rtt;

	if (b->pacing_gain > 1)
		return full && (ack->lost || ack->inflight_before >= inflight_at(b, b->pacing_gain, rate));
	if (b->pacing_gain < 1)
		return full || ack->inflight_before <= inflight_at(b, 1, rate);
	return full;
}

/*
 * The newest segment left while packet conservation held the window: it flew at the pace at which others arrived, so a rate that does not
 * grow says nothing of the path. Where every other round trip is the first of a recovery, Startup would end far below the link.
 */
static bool conserved(const struct wt_bbr *b, const struct wt_ack *ack)
{
	return b->conserve_begin && ack->newest.sent >= b->conserve_begin && ack->newest.sent <= b->conserve_end;
}

static void check_full(struct wt_bbr *b, const struct wt_ack *ack)
{
	if (b->filled || !b->round_start || sample_limited(b, ack) || conserved(b, ack))
		return;
	if (wt_bbr_bandwidth(b) >= 1.25 * (double)b->full_bw) {
		b->full_bw = wt_window_value(&b->bw);
		b->full_count = 0;
		return;
	}
	b->filled = ++b->full_count >= 3;
}

static void check_drain(struct wt_bbr *b, const struct wt_ack *ack, uint32_t inflight, uint64_t rate)
{
	if (b->state == WT_BBR_STARTUP && b->filled) {
		b->state = WT_BBR_DRAIN;
		b->pacing_gain = 1 / STARTUP_GAIN;
		b->cwnd_gain = STARTUP_GAIN;
	}
	if (b->state == WT_BBR_DRAIN && inflight <= inflight_at(b, 1, rate))
		enter_probe_bw(b, ack->now);
}

static uint32_t probe_rtt_window(const struct wt_bbr *b)
{
	double product = b->params.probe_rtt_share * wt_bbr_bandwidth(b) * (double)b->min_rtt / WT_S;

	return at_least(bounded(product), MIN_SEGS * b->mss);
}

/* The path is another one: its round trip is what was seen in ProbeRTT, its bandwidth has to be found. */
static void begin_anew(struct wt_bbr *b)
{
	b->renew = b->filled = false;
	b->min_rtt = b->probe_rtt;
	b->full_bw = 0;
	b->full_count = 0;
	b->bw.any = false;
	if (b->renew_bw > 0)
		wt_window_reset(&b->bw, b->rounds, (uint64_t)b->renew_bw);
	enter_startup(b);
}

static void leave_probe_rtt(struct wt_bbr *b, const struct wt_ack *ack, struct wt_sender_out *out)
{
	b->min_rtt_stamp = ack->now;
	out->cwnd = at_least(out->cwnd, b->prior_cwnd);
	if (b->renew)
		begin_anew(b);
	else if (b->filled)
		enter_probe_bw(b, ack->now);
	else
		enter_startup(b);
}

static void check_probe_rtt(struct wt_bbr *b, const struct wt_ack *ack, uint32_t inflight, struct wt_sender_out *out)
{
	if (b->state != WT_BBR_PROBE_RTT && (b->expired || b->renew) && !b->idle_restart) {
		b->state = WT_BBR_PROBE_RTT;
		b->pacing_gain = b->cwnd_gain = 1;
		b->prior_cwnd = b->recovering ? at_least(b->prior_cwnd, out->cwnd) : out->cwnd;
		b->probe_done = b->probe_rtt = 0;
		b->probe_begin = ack->now;
	}
	if (b->state == WT_BBR_PROBE_RTT) {
		b->probe_end = ack->now;
		if (b->rtt && ack->newest.sent >= b->probe_begin)
			b->probe_rtt = b->rtt;
		if (!b->probe_done && inflight <= probe_rtt_window(b)) {
			b->probe_done = ack->now + b->params.probe_rtt;
			b->round_done = false;
			b->next_round = ack->delivered;
		} else if (b->probe_done) {
			b->round_done |= b->round_start;
			if (b->round_done && ack->now > b->probe_done && (b->probe_rtt || !b->renew))
				leave_probe_rtt(b, ack, out);
		}
	}
	if (ack->newly_delivered)
		b->idle_restart = false;
}

/* ---- the controls -------------------------------------------------------------------------------------------- */

static void set_cwnd(struct wt_bbr *b, const struct wt_ack *ack, double bw, struct wt_sender_out *out)
{
	uint32_t news = at_most(ack->newly_delivered, WT_SSTHRESH_INFINITE / 2);
	uint32_t target = volume(b, bw, b->cwnd_gain, out->pacing_rate), cwnd = at_most(out->cwnd, WT_SSTHRESH_INFINITE / 2);
	uint32_t inflight = ack->inflight > ack->lost ? ack->inflight - ack->lost : 0;

	if (ack->lost)
		cwnd = cwnd > ack->lost ? cwnd - ack->lost : 1;
	if (b->entering)
		cwnd = at_most(inflight, WT_SSTHRESH_INFINITE / 2) + news;
	else if (b->conserve)
		cwnd = at_least(cwnd, at_most(inflight, WT_SSTHRESH_INFINITE / 2) + news);
	else if (b->filled)
		cwnd = at_most(cwnd + news, target);
	else if (cwnd < target || ack->delivered < b->initial)
		cwnd += news;
	cwnd = at_least(cwnd, MIN_SEGS * b->mss);
	if (b->state == WT_BBR_PROBE_RTT)
		cwnd = at_most(cwnd, probe_rtt_window(b));
	b->entering = false;
	out->cwnd = cwnd;
}

void wt_bbr_measure(struct wt_bbr *b, const struct wt_ack *ack, struct wt_sender_out *out)
{
	uint32_t inflight = ack->inflight > ack->lost ? ack->inflight - ack->lost : 0;

	if (b->after_rto && !(ack->flags & WT_ACK_AFTER_RTO)) {
		b->after_rto = b->recovering = false;
		out->cwnd = at_least(out->cwnd, b->prior_cwnd);
	}
	update_bandwidth(b, ack);
	if (b->state == WT_BBR_PROBE_BW && phase_over(b, ack, out->pacing_rate))
		begin_phase(b, b->phase + 1, ack->now);
	check_full(b, ack);
	check_drain(b, ack, inflight, out->pacing_rate);
	update_min_rtt(b, ack, out);
	check_probe_rtt(b, ack, inflight, out);
	b->delivered = ack->delivered;
	b->flight = inflight;
}

void wt_bbr_control(struct wt_bbr *b, const struct wt_ack *ack, double bw, struct wt_sender_out *out)
{
	set_pacing(b, bw, b->pacing_gain, out);
	if (ack->newly_delivered || ack->lost)
		set_cwnd(b, ack, bw, out);
}

void wt_bbr_loss(struct wt_bbr *b, const struct wt_loss *loss, struct wt_sender_out *out)
{
	if (loss->why == WT_LOSS_ECN)
		return;
	b->prior_cwnd = b->recovering || b->state == WT_BBR_PROBE_RTT ? at_least(b->prior_cwnd, out->cwnd) : out->cwnd;
	b->recovering = true;
	if (loss->why == WT_LOSS_RTO) {
		out->cwnd = b->mss;
		b->conserve = b->entering = false;
		b->after_rto = true;
		b->full_bw = 0; /* the rounds of a timeout say nothing of the path's limit */
		b->full_count = 0;
		return;
	}
	b->entering = b->params.conserve == WT_BBR_CONSERVE_PIPE;
	/* until the next ACK, which may be the one that told of this loss */
	out->cwnd = at_least(at_most(out->cwnd, b->entering ? b->flight + b->mss : loss->inflight), b->mss);
	b->conserve = true;
	b->conserve_begin = b->conserve_end = loss->now;
	b->next_round = b->delivered;
}

void wt_bbr_event(struct wt_bbr *b, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	if (event == WT_CC_ESTABLISHED)
		start(b, env, out);
	if (event == WT_CC_MSS)
		b->mss = at_least(env->mss, 1);
	if (event == WT_CC_RECOVERED || event == WT_CC_UNDO) {
		out->cwnd = at_least(out->cwnd, b->prior_cwnd);
		if (b->state == WT_BBR_PROBE_RTT)
			out->cwnd = at_most(out->cwnd, probe_rtt_window(b));
		b->conserve = b->entering = b->recovering = b->after_rto = false;
	}
	out->cwnd = at_least(out->cwnd, b->mss);
}

void wt_bbr_sent(struct wt_bbr *b, const struct wt_sent *sent, struct wt_sender_out *out)
{
	b->flight = sent->inflight;
	if (sent->retransmission || sent->inflight > sent->len || !b->seen_rtt)
		return;
	b->idle_restart = true; /* nothing was in flight: 4.3.4.4, no ProbeRTT is needed, and no burst above the model */
	if (b->state == WT_BBR_PROBE_BW)
		set_pacing(b, wt_bbr_bandwidth(b), 1, out);
}

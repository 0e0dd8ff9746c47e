/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016): a model of
 * the path instead of losses.
 *
 *   BtlBw   greatest delivery rate of the last ten round trips      RTprop   least round trip of the last ten seconds
 *   pacing rate = pacing_gain * BtlBw                               cwnd     = cwnd_gain * BtlBw * RTprop + 3 send quanta
 *
 *   Startup    gain 2/ln 2 until three round trips in a row bring less than a quarter more bandwidth
 *   Drain      the inverse gain until no more is in flight than BtlBw * RTprop
 *   ProbeBW    eight phases of about RTprop each: gain 5/4, 3/4, then six times 1; begins at a random one, but not at 3/4
 *   ProbeRTT   four segments for 200 ms and a round trip, when RTprop was not seen again for ten seconds
 *
 * In the first round trip of a recovery as much goes as was delivered; when recovery is over the window is as before (4.2.3.4).
 * Marks (ECN) are ignored, so data is sent as not ECN-capable.
 *
 * Where we differ: rates measured on what was sent in ProbeRTT are taken as application-limited by the module, because a module
 * cannot mark the connection; the first round trip sets the first pacing rate anew, as in Linux. Linux also paces 1 % below the model
 * (`margin`), the draft does not. Policer detection and the allowance for aggregated ACKs are in Linux alone, and not here.
 */
#include "cc/cc.h"
#include "cc/shared/window.h"

#define STARTUP_GAIN 2.88539008 /* 2/ln 2 */
#define MIN_SEGS 4u
#define RATE_MAX 1e12 /* bytes per second: no link is faster */

enum state { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct bbr_params {
	double cwnd_gain, margin;
	uint64_t bw_rounds;
	wt_time rtt_window, probe_rtt;
};

struct bbr {
	struct bbr_params params;
	enum state state;
	uint32_t mss, initial, prior_cwnd;
	struct wt_key key;
	uint64_t draws;
	double pacing_gain, cwnd_gain;
	struct wt_window bw; /* bytes per second, by rounds */
	uint64_t rounds, next_round, delivered; /* next_round: a round is over when what was sent at so much delivered is */
	bool round_start, expired, idle_restart, filled, conserve, recovering, after_rto, round_done, seen_rtt;
	wt_time min_rtt, min_rtt_stamp, cycle_stamp, probe_done, probe_begin, probe_end;
	uint64_t full_bw;
	unsigned full_count, phase;
};

static const double phase_gain[] = {1.25, 0.75, 1, 1, 1, 1, 1, 1};

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

static double bandwidth(const struct bbr *b)
{
	return (double)wt_window_value(&b->bw);
}

/* Draft 4.2.2: what is handed over at once; here segments go one by one, so it only widens the window. */
static double quantum(const struct bbr *b, uint64_t rate)
{
	double ms = (double)rate / 1000;

	if (rate < 150000) /* 1.2 Mbit/s */
		return b->mss;
	if (rate < 3000000) /* 24 Mbit/s */
		return 2.0 * b->mss;
	return ms < 65536 ? ms : 65536;
}

static uint32_t inflight_at(const struct bbr *b, double gain, uint64_t rate)
{
	if (!b->min_rtt || !b->bw.any)
		return b->initial;
	return bounded(gain * bandwidth(b) * (double)b->min_rtt / WT_S + 3 * quantum(b, rate));
}

static void set_pacing(struct bbr *b, double gain, struct wt_sender_out *out)
{
	double rate = gain * bandwidth(b) * (1 - b->params.margin);

	rate = rate < RATE_MAX ? rate : RATE_MAX;
	if (rate >= 1 && (b->filled || rate > (double)out->pacing_rate))
		out->pacing_rate = (uint64_t)rate;
}

static void first_pacing(const struct bbr *b, wt_time rtt, struct wt_sender_out *out)
{
	out->pacing_rate = (uint64_t)(STARTUP_GAIN * b->initial * (double)WT_S / (double)rtt) + 1;
}

static void show(const struct bbr *b, struct wt_sender_out *out)
{
	out->gauge[0] = bandwidth(b);
	out->gauge[1] = (double)b->min_rtt / WT_MS;
	out->gauge[2] = b->state;
	out->gauge[3] = b->pacing_gain;
}

static void enter_startup(struct bbr *b)
{
	b->state = STARTUP;
	b->pacing_gain = b->cwnd_gain = STARTUP_GAIN;
}

static void begin_phase(struct bbr *b, unsigned phase, wt_time now)
{
	b->phase = phase % 8;
	b->cycle_stamp = now;
	b->pacing_gain = phase_gain[b->phase];
}

static void enter_probe_bw(struct bbr *b, wt_time now)
{
	unsigned back = wt_random_below(&b->key, b->draws++, 7);

	b->state = PROBE_BW;
	b->cwnd_gain = b->params.cwnd_gain;
	begin_phase(b, back ? back + 1 : 0, now); /* any but number 1, the one that drains */
}

static void start(struct bbr *b, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	b->mss = at_least(env->mss, 1);
	b->key = env->key;
	b->initial = at_most(at_least(env->initial_window, b->mss), WT_SSTHRESH_INFINITE);
	out->cwnd = b->initial;
	b->min_rtt_stamp = env->now;
	first_pacing(b, WT_MS, out);
}

static void bbr_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct bbr *b = state;

	*b = (struct bbr){.params = *(const struct bbr_params *)params};
	out->ssthresh = WT_SSTHRESH_INFINITE;
	out->codepoint = WT_CC_NOT_ECT;
	enter_startup(b);
	start(b, env, out);
	show(b, out);
}

/* ---- the model ---------------------------------------------------------------------------------------------- */

static bool sample_limited(const struct bbr *b, const struct wt_ack *ack)
{
	wt_time sent = ack->newest.sent;

	return ack->flags & WT_ACK_APP_LIMITED || (b->probe_begin && sent >= b->probe_begin && sent <= b->probe_end);
}

static void update_bandwidth(struct bbr *b, const struct wt_ack *ack)
{
	double rate;

	b->round_start = false;
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
	rate = (double)(ack->delivered - ack->prior_delivered) * WT_S / (double)ack->rate_interval;
	rate = rate < RATE_MAX ? rate : RATE_MAX;
	if (rate >= bandwidth(b) || !sample_limited(b, ack))
		wt_window_max(&b->bw, b->params.bw_rounds, b->rounds, (uint64_t)rate);
}

static void update_min_rtt(struct bbr *b, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_time rtt = ack->newest.len && !ack->newest.retransmitted ? ack->now - ack->newest.sent : 0;

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

static bool phase_over(const struct bbr *b, const struct wt_ack *ack, uint64_t rate)
{
	bool full = ack->now - b->cycle_stamp > b->min_rtt;

	if (b->pacing_gain > 1)
		return full && (ack->lost || ack->inflight_before >= inflight_at(b, b->pacing_gain, rate));
	if (b->pacing_gain < 1)
		return full || ack->inflight_before <= inflight_at(b, 1, rate);
	return full;
}

static void check_full(struct bbr *b, const struct wt_ack *ack)
{
	if (b->filled || !b->round_start || sample_limited(b, ack))
		return;
	if (bandwidth(b) >= 1.25 * (double)b->full_bw) {
		b->full_bw = wt_window_value(&b->bw);
		b->full_count = 0;
		return;
	}
	b->filled = ++b->full_count >= 3;
}

static void check_drain(struct bbr *b, const struct wt_ack *ack, uint32_t inflight, uint64_t rate)
{
	if (b->state == STARTUP && b->filled) {
		b->state = DRAIN;
		b->pacing_gain = 1 / STARTUP_GAIN;
		b->cwnd_gain = STARTUP_GAIN;
	}
	if (b->state == DRAIN && inflight <= inflight_at(b, 1, rate))
		enter_probe_bw(b, ack->now);
}

static void check_probe_rtt(struct bbr *b, const struct wt_ack *ack, uint32_t inflight, struct wt_sender_out *out)
{
	if (b->state != PROBE_RTT && b->expired && !b->idle_restart) {
		b->state = PROBE_RTT;
		b->pacing_gain = b->cwnd_gain = 1;
		b->prior_cwnd = b->recovering ? at_least(b->prior_cwnd, out->cwnd) : out->cwnd;
		b->probe_done = 0;
		b->probe_begin = ack->now;
	}
	if (b->state == PROBE_RTT) {
		b->probe_end = ack->now;
		if (!b->probe_done && inflight <= MIN_SEGS * b->mss) {
			b->probe_done = ack->now + b->params.probe_rtt;
			b->round_done = false;
			b->next_round = ack->delivered;
		} else if (b->probe_done) {
			b->round_done |= b->round_start;
			if (b->round_done && ack->now > b->probe_done) {
				b->min_rtt_stamp = ack->now;
				out->cwnd = at_least(out->cwnd, b->prior_cwnd);
				if (b->filled)
					enter_probe_bw(b, ack->now);
				else
					enter_startup(b);
			}
		}
	}
	if (ack->newly_delivered)
		b->idle_restart = false;
}

/* ---- the controls -------------------------------------------------------------------------------------------- */

static void set_cwnd(struct bbr *b, const struct wt_ack *ack, uint32_t inflight, struct wt_sender_out *out)
{
	uint32_t news = at_most(ack->newly_delivered, WT_SSTHRESH_INFINITE / 2);
	uint32_t target = inflight_at(b, b->cwnd_gain, out->pacing_rate), cwnd = at_most(out->cwnd, WT_SSTHRESH_INFINITE / 2);

	if (ack->lost)
		cwnd = cwnd > ack->lost ? cwnd - ack->lost : 1;
	if (b->conserve)
		cwnd = at_least(cwnd, at_most(inflight, WT_SSTHRESH_INFINITE / 2) + news);
	else if (b->filled)
		cwnd = at_most(cwnd + news, target);
	else if (cwnd < target || ack->delivered < b->initial)
		cwnd += news;
	cwnd = at_least(cwnd, MIN_SEGS * b->mss);
	if (b->state == PROBE_RTT)
		cwnd = at_most(cwnd, MIN_SEGS * b->mss);
	out->cwnd = cwnd;
}

static void bbr_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct bbr *b = state;
	uint32_t inflight = ack->inflight > ack->lost ? ack->inflight - ack->lost : 0;

	if (b->after_rto && !(ack->flags & WT_ACK_AFTER_RTO)) {
		b->after_rto = b->recovering = false;
		out->cwnd = at_least(out->cwnd, b->prior_cwnd);
	}
	update_bandwidth(b, ack);
	if (b->state == PROBE_BW && phase_over(b, ack, out->pacing_rate))
		begin_phase(b, b->phase + 1, ack->now);
	check_full(b, ack);
	check_drain(b, ack, inflight, out->pacing_rate);
	update_min_rtt(b, ack, out);
	check_probe_rtt(b, ack, inflight, out);
	set_pacing(b, b->pacing_gain, out);
	if (ack->newly_delivered || ack->lost)
		set_cwnd(b, ack, inflight, out);
	b->delivered = ack->delivered;
	show(b, out);
}

static void bbr_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct bbr *b = state;

	if (loss->why == WT_LOSS_ECN)
		return;
	b->prior_cwnd = b->recovering || b->state == PROBE_RTT ? at_least(b->prior_cwnd, out->cwnd) : out->cwnd;
	b->recovering = true;
	if (loss->why == WT_LOSS_RTO) {
		out->cwnd = b->mss;
		b->conserve = false;
		b->after_rto = true;
		b->full_bw = 0; /* the rounds of a timeout say nothing of the path's limit */
		b->full_count = 0;
		return;
	}
	out->cwnd = at_least(at_most(out->cwnd, loss->inflight), b->mss);
	b->conserve = true;
	b->next_round = b->delivered;
}

static void bbr_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct bbr *b = state;

	if (event == WT_CC_ESTABLISHED)
		start(b, env, out);
	if (event == WT_CC_MSS)
		b->mss = at_least(env->mss, 1);
	if (event == WT_CC_RECOVERED || event == WT_CC_UNDO) {
		out->cwnd = at_least(out->cwnd, b->prior_cwnd);
		if (b->state == PROBE_RTT)
			out->cwnd = at_most(out->cwnd, MIN_SEGS * b->mss);
		b->conserve = b->recovering = b->after_rto = false;
	}
	out->cwnd = at_least(out->cwnd, b->mss);
}

static void bbr_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	struct bbr *b = state;

	if (sent->retransmission || sent->inflight > sent->len || !b->seen_rtt)
		return;
	b->idle_restart = true; /* nothing was in flight: 4.3.4.4, no ProbeRTT is needed, and no burst above the model */
	if (b->state == PROBE_BW)
		set_pacing(b, 1, out);
}

static const struct wt_param bbr_params[] = {
	{"cwnd_gain", WT_PARAM_NUMBER, offsetof(struct bbr_params, cwnd_gain), "window in BtlBw * RTprop while probing bandwidth (4.2.3.2)", 1,
	 10, NULL},
	{"margin", WT_PARAM_NUMBER, offsetof(struct bbr_params, margin), "share by which pacing stays below the model (Linux: 0.01; the draft: 0)", 0,
	 0.1, NULL},
	{"bw_rounds", WT_PARAM_COUNT, offsetof(struct bbr_params, bw_rounds), "round trips that the bandwidth filter covers (4.1.1.5)", 1, 100,
	 NULL},
	{"rtt_window", WT_PARAM_TIME, offsetof(struct bbr_params, rtt_window), "time after which the least round trip is probed again (4.1.2.3)",
	 1e9, 100e9, NULL},
	{"probe_rtt", WT_PARAM_TIME, offsetof(struct bbr_params, probe_rtt), "how long ProbeRTT holds four segments in flight (4.3.5)", 1e6, 1e9,
	 NULL},
};

static const struct bbr_params bbr_default = {
	.cwnd_gain = 2, .margin = 0, .bw_rounds = 10, .rtt_window = 10 * WT_S, .probe_rtt = 200 * WT_MS};

const struct wt_sender_ops wt_sender_bbr = {
	.name = "bbr",
	.text = "BBR version 1: paced by a model of bandwidth and round trip (draft-cardwell-iccrg-bbr-congestion-control-00)",
	.default_recovery = "rack",
	.params = bbr_params,
	.param_count = sizeof(bbr_params) / sizeof(bbr_params[0]),
	.params_size = sizeof(struct bbr_params),
	.state_size = sizeof(struct bbr),
	.params_default = &bbr_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "min_rtt_ms", "state", "pacing_gain", NULL},
	.own_window = true,
	.init = bbr_init,
	.on_ack = bbr_on_ack,
	.on_loss = bbr_on_loss,
	.on_event = bbr_on_event,
	.on_sent = bbr_on_sent,
};

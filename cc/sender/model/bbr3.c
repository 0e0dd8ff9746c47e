/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BBR, version 3 (draft-ietf-ccwg-bbr, the working group's revision 4ce5e87d of 2026-08-03): the model of version 1 with bounds on
 * what may be in flight, which losses teach.
 *
 *   max_bw              greatest delivery rate of the last two probing cycles
 *   min_rtt             least round trip of ten seconds, probed every five
 *   inflight_longterm   most that was in flight without more than 2 % of it lost; probing raises it, too much loss lowers it
 *   bw_shortterm, inflight_shortterm    after a round trip with losses 0.7 of before, or what was delivered; forgotten when probing
 *   extra_acked         what came in a lump beyond the rate: it may be in flight too
 *
 *   Startup 2.77 -> Drain 0.5 -> [ WT_BBR3_DOWN 0.9 -> WT_BBR3_CRUISE 1 -> WT_BBR3_REFILL 1 -> WT_BBR3_UP 1.25 ]... and ProbeRTT: half the window for 200 ms
 *
 * A cycle lasts 2 to 3 seconds, or as many round trips as Reno would take to grow by that window, 63 at most.
 *
 * Where we differ: losses are judged with each ACK, by the newest segment that it reports, where the draft judges each lost segment
 * by what was in flight when that left; so inflight_longterm is that segment's flight, not interpolated. A run of losses that
 * Startup counts is an ACK that shows any. Samples of what was sent in ProbeRTT are taken as application-limited by the module. The
 * rules for offload do not apply. Marks (ECN) are ignored as in the draft, so data is sent as not ECN-capable.
 */
#include "cc/shared/bbr3.h"

#define STARTUP_GAIN 2.77
#define DRAIN_GAIN 0.5
#define DOWN_GAIN 0.9
#define UP_GAIN 1.25
#define CWND_GAIN 2.0
#define UP_CWND_GAIN 2.25
#define PROBE_RTT_GAIN 0.5
#define STARTUP_LOSSES 6u

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static void show(const struct wt_bbr3 *b, struct wt_sender_out *out)
{
	out->gauge[0] = wt_bbr3_max_bw(b);
	out->gauge[1] = (double)b->min_rtt / WT_MS;
	out->gauge[2] = b->state;
	out->gauge[3] = b->inflight_long < WT_BBR3_NONE ? b->inflight_long : 0;
}

/* ---- small steps of the state machine ------------------------------------------------------------------------ */

static void start_down(struct wt_bbr3 *b, wt_time now)
{
	b->loss_in_round = false;
	b->bw_latest = b->inflight_latest = 0;
	b->up_per_step = WT_BBR3_NONE;
	b->since_up = wt_random_below(&b->key, b->draws++, 2);
	b->wait = 2 * WT_S + (wt_time)wt_random_below(&b->key, b->draws++, 1000000000);
	b->cycle_at = now;
	b->acks = WT_BBR3_ACKS_STOPPING;
	wt_bbr3_start_round(b);
	b->state = WT_BBR3_DOWN;
}

static void start_refill(struct wt_bbr3 *b)
{
	wt_bbr3_forget_short_term(b);
	b->up_rounds = 0;
	b->up_acked = 0;
	b->precautionary = false;
	b->acks = WT_BBR3_ACKS_REFILLING;
	wt_bbr3_start_round(b);
	b->state = WT_BBR3_REFILL;
}

static void raise_slope(struct wt_bbr3 *b, uint32_t cwnd)
{
	b->up_per_step = most((double)cwnd / (double)(1u << b->up_rounds), b->mss);
	b->up_rounds = b->up_rounds < 30 ? b->up_rounds + 1 : 30;
}

static void start_up(struct wt_bbr3 *b, uint32_t cwnd)
{
	b->acks = WT_BBR3_ACKS_STARTING;
	wt_bbr3_start_round(b);
	wt_bbr3_reset_full(b, b->rate);
	b->state = WT_BBR3_UP;
	raise_slope(b, cwnd);
}

static void save_cwnd(struct wt_bbr3 *b, uint32_t cwnd)
{
	b->prior_cwnd = (b->recovering || b->state == WT_BBR3_PROBE_RTT) && b->prior_cwnd > cwnd ? b->prior_cwnd : cwnd;
}

static void save_on_loss(struct wt_bbr3 *b, uint32_t cwnd)
{
	save_cwnd(b, cwnd);
	b->undoable = false;
	b->undo_bw = b->bw_short;
	b->undo_short = b->inflight_short;
	b->undo_long = b->inflight_long;
}

static void restore_cwnd(const struct wt_bbr3 *b, struct wt_sender_out *out)
{
	out->cwnd = out->cwnd > b->prior_cwnd ? out->cwnd : b->prior_cwnd;
}

/* ---- the model ----------------------------------------------------------------------------------------------- */

static void note_losses(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t cwnd)
{
	if (!ack->lost)
		return;
	b->loss_events++;
	if (!b->loss_in_round) {
		b->loss_round = ack->delivered;
		save_on_loss(b, cwnd);
	}
	b->loss_in_round = true;
	if (!b->probe_sample || !wt_bbr3_too_much_lost(b, ack))
		return;
	b->too_high = true;
	b->probe_sample = false;
	if (!b->limited)
		b->inflight_long = most(ack->newest.inflight, b->params.beta * least(wt_bbr3_bdp(b, b->bw, 1), cwnd));
	if (b->state == WT_BBR3_UP) {
		b->undoable = true;
		b->undo_state = WT_BBR3_UP;
		start_down(b, ack->now);
	}
}

/* A round trip of recovery in which more than the threshold was lost, in six places at least. */
static void check_startup_loss(struct wt_bbr3 *b, const struct wt_ack *ack)
{
	if (b->state == WT_BBR3_STARTUP && b->recovering && b->loss_round_start && b->loss_events >= STARTUP_LOSSES && wt_bbr3_too_much_lost(b, ack)) {
		b->undoable = true;
		b->undo_state = WT_BBR3_STARTUP;
		b->filled = true;
		b->inflight_long = most(wt_bbr3_bdp(b, wt_bbr3_max_bw(b), 1), b->inflight_latest);
	}
	if (b->loss_round_start)
		b->loss_events = 0;
}

/* ---- probing for bandwidth ----------------------------------------------------------------------------------- */

static void probe_upward(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t cwnd)
{
	if (!(ack->flags & WT_ACK_CWND_LIMITED) || cwnd < b->inflight_long)
		return;
	b->up_acked += ack->newly_delivered;
	if (b->up_acked >= b->up_per_step) {
		double steps = (double)(uint64_t)(b->up_acked / b->up_per_step);

		b->up_acked -= steps * b->up_per_step;
		b->inflight_long += steps * b->mss;
	}
	if (b->round_start)
		raise_slope(b, cwnd);
}

/* True: the state was changed. */
static bool adapt_long_term(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t cwnd)
{
	if (b->acks == WT_BBR3_ACKS_STARTING && b->round_start)
		b->acks = WT_BBR3_ACKS_FEEDBACK;
	if (b->acks == WT_BBR3_ACKS_STOPPING && b->round_start) {
		b->probe_sample = false;
		b->acks = WT_BBR3_ACKS_INIT;
		if (wt_bbr3_probing_bw_cycle(b) && !b->limited)
			b->cycles++;
		if (wt_bbr3_probing_bw_cycle(b) && b->precautionary && !b->too_high) {
			start_refill(b);
			return true;
		}
	}
	if (wt_bbr3_too_much_lost(b, ack) || b->inflight_long >= WT_BBR3_NONE)
		return false;
	b->inflight_long = most(b->inflight_long, ack->newest.inflight);
	if (b->state == WT_BBR3_UP)
		probe_upward(b, ack, cwnd);
	return false;
}

static bool time_to_probe(struct wt_bbr3 *b, wt_time now, uint32_t cwnd)
{
	double rounds = least(least(wt_bbr3_bdp(b, b->bw, 1), cwnd) / b->mss, 63);

	if (now <= b->cycle_at + b->wait && b->since_up < rounds)
		return false;
	start_refill(b);
	return true;
}

static bool time_to_go_down(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t inflight, uint32_t cwnd)
{
	if (b->too_high && inflight >= b->inflight_long) {
		b->precautionary = true;
		return true;
	}
	if (ack->flags & WT_ACK_CWND_LIMITED && cwnd >= b->inflight_long) {
		wt_bbr3_reset_full(b, b->rate); /* inflight_longterm holds the rate, not the path */
		return false;
	}
	return b->full_now;
}

static void cycle(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t inflight, const struct wt_sender_out *out)
{
	if (!b->filled || adapt_long_term(b, ack, out->cwnd))
		return;
	switch (b->state) {
	case WT_BBR3_DOWN:
		if (!time_to_probe(b, ack->now, out->cwnd) && inflight <= wt_bbr3_with_headroom(b) &&
		    inflight <= wt_bbr3_quantized(b, wt_bbr3_bdp(b, wt_bbr3_max_bw(b), 1), out->pacing_rate))
			b->state = WT_BBR3_CRUISE;
		break;
	case WT_BBR3_CRUISE:
		time_to_probe(b, ack->now, out->cwnd);
		break;
	case WT_BBR3_REFILL:
		if (b->round_start) {
			b->probe_sample = true;
			start_up(b, out->cwnd);
		}
		break;
	case WT_BBR3_UP:
		if (time_to_go_down(b, ack, inflight, out->cwnd)) {
			b->too_high = false;
			start_down(b, ack->now);
		}
		break;
	default:
		break;
	}
}

static void leave_startup(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t inflight, uint64_t pacing)
{
	if (b->state == WT_BBR3_STARTUP && b->filled) {
		b->state = WT_BBR3_DRAIN;
		b->drain_round = b->rounds;
	}
	if (b->state == WT_BBR3_DRAIN && (inflight <= wt_bbr3_quantized(b, wt_bbr3_bdp(b, b->bw, 1), pacing) || b->rounds > b->drain_round + 3))
		start_down(b, ack->now);
}

/* ---- the least round trip ------------------------------------------------------------------------------------- */

static double probe_rtt_window(const struct wt_bbr3 *b)
{
	return most(wt_bbr3_bdp(b, b->bw, PROBE_RTT_GAIN), wt_bbr3_pipe_min(b));
}

static void end_probe_rtt(struct wt_bbr3 *b, wt_time now, struct wt_sender_out *out)
{
	if (!b->probe_done || now <= b->probe_done)
		return;
	b->probe_min_at = now;
	restore_cwnd(b, out);
	wt_bbr3_forget_short_term(b);
	b->state = WT_BBR3_STARTUP;
	if (b->filled) {
		start_down(b, now);
		b->state = WT_BBR3_CRUISE;
	}
}

static void check_probe_rtt(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t inflight, struct wt_sender_out *out)
{
	if (b->state != WT_BBR3_PROBE_RTT && b->expired && !b->idle_restart) {
		save_cwnd(b, out->cwnd);
		b->state = WT_BBR3_PROBE_RTT;
		b->probe_done = 0;
		b->probe_begin = ack->now;
		b->acks = WT_BBR3_ACKS_STOPPING;
		wt_bbr3_start_round(b);
	}
	if (b->state == WT_BBR3_PROBE_RTT) {
		b->probe_end = ack->now;
		if (!b->probe_done && inflight <= probe_rtt_window(b)) {
			b->probe_done = ack->now + b->params.probe_rtt;
			b->round_done = false;
			wt_bbr3_start_round(b);
		} else if (b->probe_done) {
			b->round_done |= b->round_start;
			if (b->round_done)
				end_probe_rtt(b, ack->now, out);
		}
	}
	if (ack->newly_delivered)
		b->idle_restart = false;
}

/* ---- the controls --------------------------------------------------------------------------------------------- */

static void set_pacing(const struct wt_bbr3 *b, double gain, struct wt_sender_out *out)
{
	double rate = least(gain * b->bw * (1 - b->params.margin), WT_BBR3_RATE_MAX);

	if (rate >= 1 && (b->filled || rate > (double)out->pacing_rate))
		out->pacing_rate = (uint64_t)rate;
}

static double pacing_gain(const struct wt_bbr3 *b)
{
	static const double gain[] = {STARTUP_GAIN, DRAIN_GAIN, DOWN_GAIN, 1, 1, UP_GAIN, 1};

	return gain[b->state];
}

static void set_cwnd(const struct wt_bbr3 *b, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double gain = b->state == WT_BBR3_UP ? UP_CWND_GAIN : b->state == WT_BBR3_PROBE_RTT ? PROBE_RTT_GAIN : CWND_GAIN;
	double limit = wt_bbr3_quantized(b, wt_bbr3_bdp(b, b->bw, gain) + (double)wt_window_value(&b->extra), out->pacing_rate);
	double cwnd = out->cwnd, cap = WT_BBR3_NONE;

	if (b->filled)
		cwnd = least(cwnd + ack->newly_delivered, limit);
	else if (cwnd < limit || ack->delivered < b->initial)
		cwnd += ack->newly_delivered;
	cwnd = most(cwnd, wt_bbr3_pipe_min(b));
	if (b->state == WT_BBR3_PROBE_RTT)
		cwnd = least(cwnd, probe_rtt_window(b));
	if (b->state == WT_BBR3_PROBE_RTT || b->state == WT_BBR3_CRUISE)
		cap = wt_bbr3_with_headroom(b);
	else if (wt_bbr3_probing_bw_cycle(b))
		cap = b->inflight_long;
	cap = most(least(cap, b->inflight_short), wt_bbr3_pipe_min(b));
	cwnd = least(least(cwnd, cap), WT_SSTHRESH_INFINITE);
	out->cwnd = (uint32_t)cwnd;
}

static void first_pacing(const struct wt_bbr3 *b, wt_time rtt, struct wt_sender_out *out)
{
	out->pacing_rate = (uint64_t)(STARTUP_GAIN * b->initial * (double)WT_S / (double)rtt) + 1;
}

static void bbr3_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct wt_bbr3 *b = state;
	uint32_t inflight = ack->inflight > ack->lost ? ack->inflight - ack->lost : 0;

	if (b->after_rto && !(ack->flags & WT_ACK_AFTER_RTO)) {
		b->after_rto = b->recovering = false;
		restore_cwnd(b, out);
	}
	wt_bbr3_take_sample(b, ack);
	note_losses(b, ack, out->cwnd);
	wt_bbr3_take_signals(b, ack);
	check_startup_loss(b, ack);
	wt_bbr3_adapt_short_term(b, out->cwnd);
	wt_bbr3_count_extra(b, ack, out->cwnd);
	wt_bbr3_check_full(b);
	leave_startup(b, ack, inflight, out->pacing_rate);
	cycle(b, ack, inflight, out);
	wt_bbr3_update_min_rtt(b, ack);
	check_probe_rtt(b, ack, inflight, out);
	if (b->loss_round_start && ack->newest.len) {
		b->bw_latest = b->rate;
		b->inflight_latest = b->delivered_in;
	}
	b->loss_round_start = false;
	b->bw = least(wt_bbr3_max_bw(b), b->bw_short);
	if (b->min_rtt && !b->seen_rtt) {
		b->seen_rtt = true;
		first_pacing(b, b->min_rtt, out);
	}
	set_pacing(b, pacing_gain(b), out);
	if (ack->newly_delivered || ack->lost)
		set_cwnd(b, ack, out);
	show(b, out);
}

static void bbr3_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct wt_bbr3 *b = state;

	if (loss->why == WT_LOSS_ECN)
		return;
	save_on_loss(b, out->cwnd);
	b->recovering = true;
	if (loss->why == WT_LOSS_RTO) {
		b->after_rto = true;
		out->cwnd = b->mss;
	}
}

/* The loss was none. */
static void undo(struct wt_bbr3 *b)
{
	b->loss_in_round = false;
	wt_bbr3_reset_full(b, 0);
	b->bw_short = most(b->bw_short, b->undo_bw);
	b->inflight_short = most(b->inflight_short, b->undo_short);
	b->inflight_long = most(b->inflight_long, b->undo_long);
	if (b->undoable && b->undo_state == WT_BBR3_STARTUP && b->state != WT_BBR3_STARTUP) {
		b->filled = false;
		b->state = b->state == WT_BBR3_PROBE_RTT ? WT_BBR3_PROBE_RTT : WT_BBR3_STARTUP;
	} else if (b->undoable && b->undo_state == WT_BBR3_UP && b->state != WT_BBR3_UP && b->state != WT_BBR3_PROBE_RTT && b->filled) {
		start_refill(b);
	}
	b->undoable = false;
}

static void start(struct wt_bbr3 *b, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	b->mss = env->mss ? env->mss : 1;
	b->key = env->key;
	b->initial = env->initial_window > b->mss ? env->initial_window : b->mss;
	b->initial = b->initial < WT_SSTHRESH_INFINITE ? b->initial : WT_SSTHRESH_INFINITE;
	out->cwnd = b->initial;
	b->probe_min_at = b->min_rtt_at = b->extra_at = env->now;
	first_pacing(b, WT_MS, out);
}

static void bbr3_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct wt_bbr3 *b = state;

	*b = (struct wt_bbr3){.params = *(const struct wt_bbr3_params *)params, .inflight_long = WT_BBR3_NONE, .up_per_step = WT_BBR3_NONE};
	wt_bbr3_forget_short_term(b);
	out->ssthresh = WT_SSTHRESH_INFINITE;
	out->codepoint = WT_CC_NOT_ECT;
	start(b, env, out);
	show(b, out);
}

static void bbr3_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct wt_bbr3 *b = state;

	if (event == WT_CC_ESTABLISHED)
		start(b, env, out);
	if (event == WT_CC_MSS)
		b->mss = env->mss ? env->mss : 1;
	if (event == WT_CC_UNDO)
		undo(b);
	if (event == WT_CC_RECOVERED || event == WT_CC_UNDO) {
		restore_cwnd(b, out);
		b->recovering = b->after_rto = false;
	}
	out->cwnd = out->cwnd > b->mss ? out->cwnd : b->mss;
}

/* Nothing was in flight: the model is what it was, and no ProbeRTT is needed after silence. */
static void bbr3_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	struct wt_bbr3 *b = state;

	if (sent->retransmission || sent->inflight > sent->len || !b->seen_rtt)
		return;
	b->idle_restart = true;
	b->extra_at = sent->now;
	if (wt_bbr3_probing_bw_cycle(b))
		set_pacing(b, 1, out);
	else if (b->state == WT_BBR3_PROBE_RTT)
		end_probe_rtt(b, sent->now, out);
}

#define ROW(field) offsetof(struct wt_bbr3_params, field)

static const struct wt_param bbr3_params[] = {
	{"beta", WT_PARAM_SHARE, ROW(beta), "share of the bounds kept after losses (draft 2.7)", 0, 1, NULL},
	{"loss_threshold", WT_PARAM_SHARE, ROW(loss_threshold), "share of a flight that may be lost while probing (draft 2.7)", 0, 1, NULL},
	{"headroom", WT_PARAM_SHARE, ROW(headroom), "share of inflight_longterm left to others in WT_BBR3_CRUISE (draft 2.7)", 0, 1, NULL},
	{"margin", WT_PARAM_NUMBER, ROW(margin), "share by which pacing stays below the model (draft 2.5)", 0, 0.1, NULL},
	{"rtt_window", WT_PARAM_TIME, ROW(rtt_window), "how long a least round trip is believed (draft 2.13)", 1e9, 100e9, NULL},
	{"probe_interval", WT_PARAM_TIME, ROW(probe_interval), "least time between two ProbeRTTs (draft 2.13)", 1e9, 100e9, NULL},
	{"probe_rtt", WT_PARAM_TIME, ROW(probe_rtt), "how long ProbeRTT holds half the window (draft 2.13)", 1e6, 1e9, NULL},
};

static const struct wt_bbr3_params bbr3_default = {.beta = 0.7, .loss_threshold = 0.02, .headroom = 0.15, .margin = 0.01,
						.rtt_window = 10 * WT_S, .probe_interval = 5 * WT_S, .probe_rtt = 200 * WT_MS};

const struct wt_sender_ops wt_sender_bbr3 = {
	.name = "bbr3",
	.text = "BBR version 3: the model with bounds that losses teach (draft-ietf-ccwg-bbr of 2026-08-03)",
	.default_recovery = "rack",
	.params = bbr3_params,
	.param_count = sizeof(bbr3_params) / sizeof(bbr3_params[0]),
	.params_size = sizeof(struct wt_bbr3_params),
	.state_size = sizeof(struct wt_bbr3),
	.params_default = &bbr3_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "min_rtt_ms", "state", "inflight_longterm_bytes", NULL},
	.own_window = true,
	.init = bbr3_init,
	.on_ack = bbr3_on_ack,
	.on_loss = bbr3_on_loss,
	.on_event = bbr3_on_event,
	.on_sent = bbr3_on_sent,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus; LEDBAT is RFC 6817): a transfer in the background, which keeps the queue at a target
 * of 60 ms and yields to whatever fills it more.
 *
 *   queue = current delay - base delay                 of round trips: the least of the last four, and of the last ten minutes
 *   GAIN = 1 / min(16, ceil(2 TARGET / base))          so that a short path does not grow faster than Reno would
 *   queue < TARGET    W += GAIN                        a round trip, in segments
 *   queue > TARGET    W += max(GAIN - constant W (queue/TARGET - 1), -W/2)
 *   slow start grows by GAIN segments per segment acknowledged, and the first one ends at three quarters of TARGET
 *   slowdown: two segments for two round trips (smoothed, when it begins), 2 round trips after the first slow start, then 9 times as long
 *     as the last one took, slow start back to the window before it included
 *
 * Losses halve the window, once per round trip. A timeout takes it to two segments.
 *
 * Where we differ: round trips are those of the stack (the time of transmission), so queueing on the way back counts, as in the draft;
 * the minima are kept per minute for ten minutes. Losses are answered as recovery tells of them. The marks of ECN halve the
 * window like a loss.
 */
#include "cc/cc.h"
#include "cc/shared/delay.h"

#define MINUTES 10u
#define CURRENT 4u
#define MIN_SEGS 2u

struct ledbat_params {
	wt_time target;
	double constant;
	uint64_t gain_divisor, slowdown;
};

/* What a loss changes beside the window, and an undo brings back. */
struct plan {
	double fraction; /* bytes of change not yet whole */
	bool first;      /* the first slow start runs */
	wt_time slow_at; /* a slowdown begins; 0: not planned */
	wt_time slow_began;
	wt_time slow_until; /* the window stands at its bottom */
	bool slow;            /* a slowdown runs: down, and slow start back to ssthresh */
};

struct ledbat {
	struct ledbat_params params;
	uint32_t mss, undo_cwnd, undo_ssthresh;
	wt_time base[MINUTES], current[CURRENT]; /* rings; 0: none */
	wt_time least, now; /* of these rings */
	double gain;        /* GAIN of the least */
	wt_time minute_at;
	unsigned minute, next;
	struct plan plan, undo;
};

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

static void set_base(struct ledbat *l, wt_time base)
{
	uint64_t divisor = base > 0 ? (2 * (uint64_t)l->params.target + (uint64_t)base - 1) / (uint64_t)base : l->params.gain_divisor;

	divisor = divisor < l->params.gain_divisor ? divisor : l->params.gain_divisor;
	l->gain = 1.0 / (double)(divisor ? divisor : 1);
	l->least = base;
}

static void take_delay(struct ledbat *l, wt_time now, wt_time rtt)
{
	wt_time leaves;

	if (now - l->minute_at >= 60 * WT_S) {
		l->minute = (l->minute + 1) % MINUTES;
		l->base[l->minute] = 0;
		l->minute_at = now;
		set_base(l, wt_delay_least(l->base, MINUTES));
	}
	if (!l->base[l->minute] || rtt < l->base[l->minute])
		l->base[l->minute] = rtt;
	if (!l->least || rtt < l->least)
		set_base(l, rtt);
	leaves = l->current[l->next];
	l->current[l->next] = rtt;
	/* the ring is searched when what leaves it was its least, and what comes is more */
	if (rtt <= l->now || !l->now)
		l->now = rtt;
	else if (leaves == l->now)
		l->now = wt_delay_least(l->current, CURRENT);
	l->next = (l->next + 1) % CURRENT;
}

static void change(struct ledbat *l, double bytes, struct wt_sender_out *out)
{
	double cwnd = (double)out->cwnd + l->plan.fraction + bytes, least = (double)MIN_SEGS * l->mss;

	cwnd = cwnd > least ? cwnd : least;
	cwnd = cwnd < WT_SSTHRESH_INFINITE ? cwnd : WT_SSTHRESH_INFINITE;
	out->cwnd = (uint32_t)cwnd;
	l->plan.fraction = cwnd - (double)out->cwnd;
}

/* The share of a round trip that this ACK stands for. */
static void avoid(struct ledbat *l, const struct wt_ack *ack, double queue, struct wt_sender_out *out)
{
	double target = (double)l->params.target, cwnd = (double)out->cwnd, step = l->gain * l->mss;

	if (queue > target) {
		step -= l->params.constant * cwnd * (queue / target - 1);
		step = step > -cwnd / 2 ? step : -cwnd / 2;
	} else if (!(ack->flags & WT_ACK_CWND_LIMITED)) {
		return;
	}
	step *= (double)ack->acked / cwnd;
	change(l, step < (double)ack->acked ? step : (double)ack->acked, out);
	if (out->ssthresh > out->cwnd)
		out->ssthresh = out->cwnd; /* a decrease does not bring slow start back */
}

static void end_slow_start(struct ledbat *l, const struct wt_ack *ack, struct wt_sender_out *out)
{
	if (l->plan.first && l->params.slowdown) {
		l->plan.slow_at = ack->now + 2 * ack->srtt;
		l->plan.slow_began = 0;
	} else if (l->plan.slow) {
		l->plan.slow_at = ack->now + 9 * (ack->now - l->plan.slow_began);
		l->plan.slow = false;
	}
	l->plan.first = false;
	if (out->ssthresh > out->cwnd)
		out->ssthresh = out->cwnd;
}

static void slow_down(struct ledbat *l, const struct wt_ack *ack, struct wt_sender_out *out)
{
	if (!l->plan.slow_at || ack->now < l->plan.slow_at || l->plan.slow || out->cwnd <= MIN_SEGS * l->mss)
		return;
	l->plan.slow = true;
	l->plan.slow_at = 0;
	l->plan.slow_began = ack->now;
	l->plan.slow_until = ack->now + 2 * ack->srtt;
	out->ssthresh = out->cwnd;
	out->cwnd = MIN_SEGS * l->mss;
}

static void ledbat_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct ledbat *l = state;
	double queue;

	if (ack->rtt > 0)
		take_delay(l, ack->now, ack->rtt);
	queue = (double)(l->now - l->least);
	out->gauge[0] = queue / WT_MS;
	out->gauge[1] = (double)l->least / WT_MS;
	out->gauge[2] = l->plan.slow;
	if (!ack->acked || ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE))
		return;
	slow_down(l, ack, out);
	if (ack->now < l->plan.slow_until)
		return;
	if (out->cwnd >= out->ssthresh) {
		if (l->plan.slow)
			end_slow_start(l, ack, out);
		avoid(l, ack, queue, out);
	} else if (ack->flags & WT_ACK_CWND_LIMITED) {
		double step = l->gain * (double)(ack->acked < l->mss || !(ack->flags & WT_ACK_AFTER_RTO) ? ack->acked : l->mss);

		change(l, step, out);
		if (out->cwnd >= out->ssthresh || (l->plan.first && queue > 0.75 * (double)l->params.target))
			end_slow_start(l, ack, out);
	}
}

static void ledbat_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct ledbat *l = state;
	uint32_t half = at_least(out->cwnd / 2, MIN_SEGS * l->mss);

	if (!loss->same) {
		l->undo_cwnd = out->cwnd;
		l->undo_ssthresh = out->ssthresh;
		l->undo = l->plan;
	}
	l->plan.fraction = 0;
	if (loss->why != WT_LOSS_RTO || loss->rto_count <= 1)
		out->ssthresh = half;
	if (loss->why == WT_LOSS_RTO)
		half = MIN_SEGS * l->mss;
	out->cwnd = out->cwnd < half ? out->cwnd : half;
	if (l->plan.first && l->params.slowdown)
		l->plan.slow_at = loss->now + 2 * loss->srtt;
	l->plan.first = l->plan.slow = false;
	l->plan.slow_until = 0;
	if (!l->plan.slow_at && l->plan.slow_began)
		l->plan.slow_at = loss->now + 9 * (loss->now - l->plan.slow_began);
}

static void start(struct ledbat *l, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	l->mss = at_least(env->mss, 1);
	l->minute_at = env->now;
	out->cwnd = MIN_SEGS * l->mss; /* draft 4.3: begin with two */
}

static void ledbat_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct ledbat *l = state;

	*l = (struct ledbat){.params = *(const struct ledbat_params *)params, .plan = {.first = true}};
	out->ssthresh = WT_SSTHRESH_INFINITE;
	set_base(l, 0);
	start(l, env, out);
}

static void ledbat_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct ledbat *l = state;

	if (event == WT_CC_ESTABLISHED)
		start(l, env, out);
	if (event == WT_CC_MSS) {
		l->mss = at_least(env->mss, 1);
		out->cwnd = at_least(out->cwnd, MIN_SEGS * l->mss);
	}
	if (event == WT_CC_IDLE && out->cwnd > MIN_SEGS * l->mss)
		out->cwnd = MIN_SEGS * l->mss;
	if (event == WT_CC_UNDO && l->undo_cwnd) {
		out->cwnd = at_least(out->cwnd, l->undo_cwnd);
		out->ssthresh = at_least(out->ssthresh, l->undo_ssthresh);
		l->plan = l->undo;
		l->undo_cwnd = 0;
	}
}

static const struct wt_param ledbat_params[] = {
	{"target", WT_PARAM_TIME, offsetof(struct ledbat_params, target), "delay that it adds at most (draft 4.5: 60 ms; RFC 6817: 100 ms)", 1e6,
	 1e9, NULL},
	{"constant", WT_PARAM_NUMBER, offsetof(struct ledbat_params, constant), "strength of the decrease above the target (draft 4.2)", 0.01,
	 10, NULL},
	{"gain_divisor", WT_PARAM_COUNT, offsetof(struct ledbat_params, gain_divisor), "a segment per so many round trips at the slowest (draft 4.1)",
	 1, 1000, NULL},
	{"slowdown", WT_PARAM_BOOL, offsetof(struct ledbat_params, slowdown), "now and then two segments, to see the path without its own queue (draft 4.4)",
	 0, 0, NULL},
};

static const struct ledbat_params ledbat_default = {.target = 60 * WT_MS, .constant = 1, .gain_divisor = 16, .slowdown = 1};

const struct wt_sender_ops wt_sender_ledbat = {
	.name = "ledbat",
	.text = "LEDBAT++: in the background, at 60 ms of queue (draft-irtf-iccrg-ledbat-plus-plus, RFC 6817)",
	.default_recovery = "rack",
	.params = ledbat_params,
	.param_count = sizeof(ledbat_params) / sizeof(ledbat_params[0]),
	.params_size = sizeof(struct ledbat_params),
	.state_size = sizeof(struct ledbat),
	.params_default = &ledbat_default,
	.gauges = (const char *const[]){"queue_ms", "base_ms", "slowdown", NULL},
	.init = ledbat_init,
	.on_ack = ledbat_on_ack,
	.on_loss = ledbat_on_loss,
	.on_event = ledbat_on_event,
};

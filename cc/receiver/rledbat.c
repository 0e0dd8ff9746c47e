/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rLEDBAT (RFC 9840): LEDBAT++ at the receiver, which offers a window that keeps the queue at a target, whatever the sender runs.
 *
 *   round trip   since the segment of ours left that a segment echoes (timestamps); the least of four against the least of ten minutes
 *   queue < T    W += GAIN a round trip, in segments             GAIN = 1 / min(16, ceil(2 T / base))
 *   queue > T    W += max(GAIN - W (queue/T - 1), -W/2)
 *   a segment that was sent again halves W, once per round trip
 *
 * W is what may be in flight, so the window that is offered is at most that. It is taken back only as data arrives: the stack
 * never moves the right edge to the left (RFC 9840 4.1, RFC 9293 3.8.6). Slow start (GAIN per segment) lasts until three quarters of T
 * or a loss.
 *
 * Where we differ: a segment below the highest that was seen and not a duplicate is taken for sent again, where RFC 9840 compares
 * timestamps, so reordering counts as loss; the slowdowns of LEDBAT++ are left to the sender side. Without timestamps the module
 * does nothing. The clock of timestamps has milliseconds, so a target of less than some 5 ms is not held.
 */
#include "cc/cc.h"
#include "cc/shared/delay.h"

#define MINUTES 10u
#define CURRENT 4u
#define MIN_SEGS 2u

struct rledbat_params {
	wt_time target;
	double constant;
	uint64_t gain_divisor;
};

struct rledbat {
	struct rledbat_params params;
	uint32_t mss;
	bool on, slow_start, has_high;
	double window;
	wt_time base[MINUTES], current[CURRENT], minute_at, halved; /* delays; 0: none */
	unsigned minute, next;
	wt_seq high; /* end of the highest segment seen */
};

static void start(struct rledbat *r, const struct wt_cc_env *env)
{
	r->mss = env->mss ? env->mss : 1;
	r->on = env->timestamps;
	r->window = (double)(MIN_SEGS * 5) * r->mss; /* RFC 6928: what the sender begins with */
	r->minute_at = env->now;
	r->slow_start = true;
}

static void rledbat_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct rledbat *r = state;

	*r = (struct rledbat){.params = *(const struct rledbat_params *)params};
	start(r, env);
}

static void take_delay(struct rledbat *r, wt_time now, wt_time rtt)
{
	if (now - r->minute_at >= 60 * WT_S) {
		r->minute = (r->minute + 1) % MINUTES;
		r->base[r->minute] = 0;
		r->minute_at = now;
	}
	if (!r->base[r->minute] || rtt < r->base[r->minute])
		r->base[r->minute] = rtt;
	r->current[r->next] = rtt;
	r->next = (r->next + 1) % CURRENT;
}

static void adapt(struct rledbat *r, uint32_t len)
{
	wt_time base = wt_delay_least(r->base, MINUTES);
	double target = (double)r->params.target, queue = (double)(wt_delay_least(r->current, CURRENT) - base), step;
	uint64_t divisor = base ? (2 * (uint64_t)r->params.target + (uint64_t)base - 1) / (uint64_t)base : r->params.gain_divisor;
	double gain = 1.0 / (double)(divisor < r->params.gain_divisor ? divisor : r->params.gain_divisor);

	if (r->slow_start && queue > 0.75 * target)
		r->slow_start = false;
	if (r->slow_start) {
		r->window += gain * len;
		return;
	}
	step = gain * r->mss;
	if (queue > target) {
		step -= r->params.constant * r->window * (queue / target - 1);
		step = step > -r->window / 2 ? step : -r->window / 2;
	}
	r->window += step * len / r->window;
}

static unsigned rledbat_on_segment(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct rledbat *r = state;
	wt_seq end = segment->seq + segment->len;
	bool again = r->has_high && wt_seq_lt(segment->seq, r->high) && !(segment->flags & WT_RX_DUPLICATE);
	wt_time rtt = wt_delay_least(r->base, MINUTES);

	if (!r->on || !segment->len)
		return WT_RX_DEFAULT;
	if (segment->echo_age > 0 && segment->has_ts)
		take_delay(r, segment->now, segment->echo_age);
	if (!r->has_high || wt_seq_gt(end, r->high))
		r->high = end;
	r->has_high = true;
	if (again && segment->now - r->halved > rtt) {
		r->window /= 2;
		r->halved = segment->now;
		r->slow_start = false;
	} else if (!again && rtt) {
		adapt(r, segment->len);
	}
	if (r->window < (double)MIN_SEGS * r->mss)
		r->window = (double)MIN_SEGS * r->mss;
	if (r->window > 1e9)
		r->window = 1e9;
	return WT_RX_DEFAULT;
}

static void rledbat_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	const struct rledbat *r = state;
	uint32_t window = (uint32_t)r->window;
	uint32_t promised = wt_seq_gt(ack->right_edge, ack->rcv_nxt) ? ack->right_edge - ack->rcv_nxt : 0;

	if (!r->on)
		return;
	window = window > promised ? window : promised;
	if (window < out->window)
		out->window = window;
}

static void rledbat_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct rledbat *r = state;

	if (event == WT_CC_ESTABLISHED)
		start(r, env);
}

static const struct wt_param rledbat_params[] = {
	{"target", WT_PARAM_TIME, offsetof(struct rledbat_params, target), "delay that the transfer may add (RFC 9840 4.2.1: 60 ms)", 1e6, 1e9, NULL},
	{"constant", WT_PARAM_NUMBER, offsetof(struct rledbat_params, constant), "strength of the decrease above the target", 0.01, 10, NULL},
	{"gain_divisor", WT_PARAM_COUNT, offsetof(struct rledbat_params, gain_divisor), "a segment per so many round trips at the slowest", 1, 1000,
	 NULL},
};

static const struct rledbat_params rledbat_default = {.target = 60 * WT_MS, .constant = 1, .gain_divisor = 16};

const struct wt_receiver_ops wt_receiver_rledbat = {
	.name = "rledbat",
	.text = "offers a window that holds 60 ms of queue: LEDBAT++ at the receiver; needs timestamps (RFC 9840)",
	.params = rledbat_params,
	.param_count = sizeof(rledbat_params) / sizeof(rledbat_params[0]),
	.params_size = sizeof(struct rledbat_params),
	.state_size = sizeof(struct rledbat),
	.params_default = &rledbat_default,
	.init = rledbat_init,
	.on_segment = rledbat_on_segment,
	.on_ack_out = rledbat_on_ack_out,
	.on_event = rledbat_on_event,
};

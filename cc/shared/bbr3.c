/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/bbr3.h"

#define FULL_ROUNDS 3u

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

double wt_bbr3_max_bw(const struct wt_bbr3 *b)
{
	return (double)wt_window_value(&b->max_bw);
}

bool wt_bbr3_probing_bw_cycle(const struct wt_bbr3 *b)
{
	return b->state >= WT_BBR3_DOWN && b->state <= WT_BBR3_UP;
}

double wt_bbr3_pipe_min(const struct wt_bbr3 *b)
{
	return (double)WT_BBR3_MIN_SEGS * b->mss;
}

double wt_bbr3_bdp(const struct wt_bbr3 *b, double bw, double gain)
{
	return b->min_rtt && b->max_bw.any ? gain * bw * (double)b->min_rtt / WT_S : (double)b->initial;
}

double wt_bbr3_quantized(const struct wt_bbr3 *b, double volume, uint64_t pacing)
{
	double quantum = most(least((double)pacing / 1000, 65536), 2.0 * b->mss);

	volume = most(most(volume, 3 * quantum), wt_bbr3_pipe_min(b));
	return b->state == WT_BBR3_UP ? volume + 2.0 * b->mss : volume;
}

double wt_bbr3_with_headroom(const struct wt_bbr3 *b)
{
	if (b->inflight_long >= WT_BBR3_NONE)
		return WT_BBR3_NONE;
	return most(b->inflight_long - most(b->mss, b->params.headroom * b->inflight_long), wt_bbr3_pipe_min(b));
}

void wt_bbr3_start_round(struct wt_bbr3 *b)
{
	b->next_round = b->delivered;
}

void wt_bbr3_reset_full(struct wt_bbr3 *b, double baseline)
{
	b->full_bw = baseline;
	b->full_count = 0;
	b->full_now = false;
}

void wt_bbr3_forget_short_term(struct wt_bbr3 *b)
{
	b->bw_short = b->inflight_short = WT_BBR3_NONE;
}

void wt_bbr3_take_sample(struct wt_bbr3 *b, const struct wt_ack *ack)
{
	wt_time sent = ack->newest.sent;

	b->delivered = ack->delivered;
	b->rate = 0;
	b->delivered_in = (double)(ack->delivered - ack->prior_delivered);
	b->limited = ack->flags & WT_ACK_APP_LIMITED || (b->probe_begin && sent >= b->probe_begin && sent <= b->probe_end);
	if (ack->newest.len && ack->rate_interval)
		b->rate = least(b->delivered_in * WT_S / (double)ack->rate_interval, WT_BBR3_RATE_MAX);
}

void wt_bbr3_take_signals(struct wt_bbr3 *b, const struct wt_ack *ack)
{
	b->round_start = false;
	if (!ack->newest.len)
		return;
	b->bw_latest = most(b->bw_latest, b->rate);
	b->inflight_latest = most(b->inflight_latest, b->delivered_in);
	b->loss_round_start = ack->prior_delivered >= b->loss_round;
	if (b->loss_round_start)
		b->loss_round = ack->delivered;
	if (ack->prior_delivered >= b->next_round) {
		wt_bbr3_start_round(b);
		b->rounds++;
		b->since_up++;
		b->round_start = true;
	}
	if (b->rate > 0 && (b->rate >= wt_bbr3_max_bw(b) || !b->limited))
		wt_window_max(&b->max_bw, 1, b->cycles, (uint64_t)b->rate); /* this cycle and the one before */
}

void wt_bbr3_adapt_short_term(struct wt_bbr3 *b, uint32_t cwnd)
{
	if (!b->loss_round_start)
		return;
	if (b->loss_in_round && b->state != WT_BBR3_STARTUP && b->state != WT_BBR3_REFILL && b->state != WT_BBR3_UP) {
		b->bw_short = most(b->bw_latest, b->params.beta * least(b->bw_short, wt_bbr3_max_bw(b)));
		b->inflight_short = most(b->inflight_latest, b->params.beta * (b->inflight_short < WT_BBR3_NONE ? b->inflight_short : (double)cwnd));
	}
	b->loss_in_round = false;
}

void wt_bbr3_count_extra(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t cwnd)
{
	double expected = b->bw * (double)(ack->now - b->extra_at) / WT_S, extra;

	if (b->extra_delivered <= expected) {
		b->extra_delivered = expected = 0;
		b->extra_at = ack->now;
	}
	b->extra_delivered += ack->newly_delivered;
	extra = least(b->extra_delivered - expected, cwnd);
	wt_window_max(&b->extra, b->filled ? 10 : 1, b->rounds, extra > 0 ? (uint64_t)extra : 0);
}

bool wt_bbr3_too_much_lost(const struct wt_bbr3 *b, const struct wt_ack *ack)
{
	return ack->newest.len && (double)(ack->total_lost - ack->newest.total_lost) > b->params.loss_threshold * ack->newest.inflight;
}

void wt_bbr3_check_full(struct wt_bbr3 *b)
{
	if (b->full_now || !b->round_start || b->limited)
		return;
	if (b->rate >= 1.25 * b->full_bw) {
		wt_bbr3_reset_full(b, b->rate);
		return;
	}
	b->full_now = ++b->full_count >= FULL_ROUNDS;
	b->filled |= b->full_now;
}

void wt_bbr3_update_min_rtt(struct wt_bbr3 *b, const struct wt_ack *ack)
{
	wt_time rtt = ack->newest.len && !ack->newest.retransmitted ? ack->now - ack->newest.sent : 0;

	b->expired = ack->now > b->probe_min_at + b->params.probe_interval;
	if (rtt > 0 && (!b->probe_min || rtt < b->probe_min || b->expired)) {
		b->probe_min = rtt;
		b->probe_min_at = ack->now;
	}
	if (b->probe_min && (!b->min_rtt || b->probe_min < b->min_rtt || ack->now > b->min_rtt_at + b->params.rtt_window)) {
		b->min_rtt = b->probe_min;
		b->min_rtt_at = b->probe_min_at;
	}
}

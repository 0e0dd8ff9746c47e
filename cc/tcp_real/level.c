/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/tcp_real/level.h"

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double scaled(double level, double weight, double ratio)
{
	return level * ((1 - weight) + weight * ratio);
}

/* Half the level, at least one: the threshold after a timeout, "half the wave level prior to the timeout". */
static uint32_t half(uint32_t level)
{
	return level / 2 > WT_REAL_Q8 ? level / 2 : WT_REAL_Q8;
}

double wt_real_level_update(struct wt_real_level *level, const struct wt_real_level_rule *rule, double rate,
			    bool timed_out, bool guard)
{
	uint32_t before = level->level;
	double now = before, next = now, ratio = 1, grown;
	bool low = before < level->threshold;

	if (rate > 0 && !level->has_rate) {
		level->has_rate = true;
		level->rate = rate;
		return 1;
	}
	if (rate > 0)
		ratio = smaller(larger(rate / level->rate, rule->ratio_min), rule->ratio_max);
	if (timed_out)
		level->threshold = half(before);
	if (ratio < 1 - rule->band) {
		next = scaled(now, low ? rule->down_low : rule->down_high, ratio);
	} else {
		if (ratio > 1 + rule->band)
			next = scaled(now, low ? rule->up_low : rule->up_high, ratio);
		/* With a steady rate the formula alone stays where it is for ever: probing growth. */
		grown = now + rule->grow_high * WT_REAL_Q8;
		if (low)
			grown = smaller(now * rule->grow_low, larger(level->threshold, grown));
		if (!timed_out)
			next = larger(next, grown);
	}
	/* Loss together with a long queue is congestion, which the rate does not show: the survivors of a full
	 * drop-tail queue arrive at link rate while the expected span advances faster. */
	if (guard && !timed_out) {
		level->threshold = half(before);
		next = smaller(next, now / 2);
	}
	level->level = (uint32_t)(smaller(larger(next, WT_REAL_Q8), rule->max) + 0.5);
	if (rate > 0)
		level->rate = rate;
	return ratio;
}

/* A peer may send any timestamps: sums wrap, they do not overflow. */
static wt_time minus(wt_time a, wt_time b)
{
	return (wt_time)((uint64_t)a - (uint64_t)b);
}

void wt_real_delay_take(struct wt_real_delay *delay, wt_time now, uint32_t tsval, wt_time tick, wt_time window)
{
	wt_time owd;

	if (!delay->started) {
		*delay = (struct wt_real_delay){.started = true, .tsval = tsval, .epoch = now};
		delay->low = delay->high = delay->low_before = delay->high_before = delay->now = now;
		return;
	}
	delay->peer = minus(delay->peer, -((int32_t)(tsval - delay->tsval) * tick));
	delay->tsval = tsval;
	owd = minus(now, delay->peer);
	/* Clocks drift and routes change: what the last window did not see is forgotten. */
	if (now - delay->epoch >= window) {
		delay->epoch = now;
		delay->low_before = delay->low;
		delay->high_before = delay->high;
		delay->low = delay->high = owd;
	}
	delay->low = wt_time_min(delay->low, owd);
	delay->high = wt_time_max(delay->high, owd);
	delay->now = owd;
}

wt_time wt_real_delay_now(const struct wt_real_delay *delay)
{
	return minus(delay->now, wt_time_min(delay->low, delay->low_before));
}

wt_time wt_real_delay_max(const struct wt_real_delay *delay)
{
	return minus(wt_time_max(delay->high, delay->high_before), wt_time_min(delay->low, delay->low_before));
}

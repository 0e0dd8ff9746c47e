/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round-trip times as delay-based modules see them: the least of the connection (Vegas' BaseRTT), and least, mean and largest of each
 * round trip. With them the backlog, the segments of the connection that wait in queues: cwnd - cwnd * BaseRTT / RTT.
 */
#ifndef WT_CC_SHARED_DELAY_H
#define WT_CC_SHARED_DELAY_H

#include "cc/round.h"

struct wt_delay {
	struct wt_round round;
	wt_time base;                   /* least RTT of the connection; 0: none measured yet */
	wt_time least, most, mean;      /* of the last round that is over; 0: it had no sample */
	uint32_t samples;               /* of that round */
	bool limited;                   /* the window was full in that round */
	wt_time now_least, now_most, now_sum; /* of the round that runs */
	uint32_t now_samples;
	bool now_limited;
};

static inline void wt_delay_settle(struct wt_delay *delay)
{
	delay->least = delay->now_least;
	delay->most = delay->now_most;
	delay->mean = delay->now_samples ? delay->now_sum / delay->now_samples : 0;
	delay->samples = delay->now_samples;
	delay->limited = delay->now_limited;
	delay->now_least = delay->now_most = delay->now_sum = 0;
	delay->now_samples = 0;
	delay->now_limited = false;
}

/* Takes an ACK. True if it ends a round; its own sample belongs to the round that ends. */
static inline bool wt_delay_round(struct wt_delay *delay, const struct wt_ack *ack)
{
	wt_time rtt = ack->rtt;

	delay->now_limited |= (ack->flags & WT_ACK_CWND_LIMITED) != 0;
	if (rtt) {
		if (!delay->base || rtt < delay->base)
			delay->base = rtt;
		if (!delay->now_least || rtt < delay->now_least)
			delay->now_least = rtt;
		if (rtt > delay->now_most)
			delay->now_most = rtt;
		delay->now_sum += rtt;
		delay->now_samples++;
	}
	if (!wt_round_over(&delay->round, ack))
		return false;
	wt_delay_settle(delay);
	return true;
}

/* Segments in queues when a window of `segs` takes `rtt`. 0 before anything is measured. */
static inline double wt_delay_backlog(const struct wt_delay *delay, wt_time rtt, double segs)
{
	return rtt > delay->base && delay->base ? segs * (double)(rtt - delay->base) / (double)rtt : 0;
}

/* The least of a ring of delays, in which 0 is none; 0: it has none. */
static inline wt_time wt_delay_least(const wt_time *ring, unsigned count)
{
	wt_time least = 0;

	for (unsigned i = 0; i < count; i++)
		if (ring[i] && (!least || ring[i] < least))
			least = ring[i];
	return least;
}

static inline double wt_delay_ms(wt_time time)
{
	return (double)time / WT_MS;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A sender module fed with the ACKs of a path that loses nothing: one per segment, each with its round trip, the window always full. */
#ifndef WT_TESTS_CC_FEED_H
#define WT_TESTS_CC_FEED_H

#include "tests/cc/cc_test.h"

struct feed {
	struct sender s;
	wt_seq una, nxt;
	wt_time now, base; /* base: the least round trip so far */
	uint64_t delivered;
};

static inline void feed_start(struct feed *f, const char *module)
{
	memset(f, 0, sizeof(*f));
	sender_start(&f->s, module, cc_env());
	sender_event(&f->s, WT_CC_ESTABLISHED);
}

/* Congestion avoidance with a window of `segs` segments. */
static inline void feed_window(struct feed *f, double segs)
{
	f->s.out.cwnd = (uint32_t)(segs * MSS);
	f->s.out.ssthresh = 2 * MSS;
}

static inline double feed_segs(const struct feed *f)
{
	return (double)f->s.out.cwnd / MSS;
}

/* One segment is acknowledged `after` the last ACK; its round trip took `rtt`. */
static inline void feed_ack_flags(struct feed *f, wt_time after, wt_time rtt, uint32_t flags)
{
	struct wt_ack ack = {.acked = MSS, .flags = flags, .rtt = rtt, .srtt = rtt, .marked = flags & WT_ACK_ECE ? MSS : 0};

	f->now += after;
	f->base = f->base && f->base < rtt ? f->base : rtt;
	f->delivered += MSS;
	f->una += MSS;
	f->nxt = wt_seq_max(f->nxt, f->una - MSS + f->s.out.cwnd);
	ack.now = f->now;
	ack.newest.len = MSS;
	ack.newest.sent = f->now - rtt;
	ack.ack = f->una;
	ack.snd_nxt = f->nxt;
	ack.inflight_before = f->s.out.cwnd;
	ack.inflight = f->s.out.cwnd - MSS;
	ack.min_rtt = f->base;
	ack.delivered = f->delivered;
	f->s.choice.ops->on_ack(f->s.state, &ack, &f->s.out);
}

static inline void feed_ack(struct feed *f, wt_time after, wt_time rtt)
{
	feed_ack_flags(f, after, rtt, WT_ACK_CWND_LIMITED);
}

/* A window of data is acknowledged, evenly over `rtt`. */
static inline void feed_round(struct feed *f, wt_time rtt)
{
	uint32_t segs = f->s.out.cwnd / MSS;

	for (uint32_t i = 0; i < segs; i++)
		feed_ack(f, rtt / segs, rtt);
}

static inline void feed_rounds(struct feed *f, unsigned count, wt_time rtt)
{
	for (unsigned i = 0; i < count; i++)
		feed_round(f, rtt);
}

static inline void feed_loss(struct feed *f, enum wt_loss_why why)
{
	struct wt_loss loss = {.now = f->now, .why = why, .inflight = f->s.out.cwnd, .peer_window = 1u << 30, .rto_count = 1, .srtt = f->base};

	f->s.choice.ops->on_loss(f->s.state, &loss, &f->s.out);
}

#define NEAR(value, expected, tolerance) \
	do { \
		double near_value = (value), near_expected = (expected); \
		if (!(near_value >= near_expected - (tolerance) && near_value <= near_expected + (tolerance))) \
			fail_msg("%s:%d: %s is %.6g, not %.6g", __FILE__, __LINE__, #value, near_value, near_expected); \
	} while (0)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* BBR's answers to losses, ACK by ACK: the window where recovery begins, and to which round trip a loss belongs. */
#include "tests/cc/feed.h"

#define RTT (40 * WT_MS)

/* A path of 100 segments a round trip: each ACK reports a segment that left when `flight` fewer had been delivered. */
struct path {
	struct sender s;
	uint64_t delivered, lost;
	wt_time now;
};

static void start(struct path *p, const char *module)
{
	*p = (struct path){.now = WT_S};
	sender_start(&p->s, module, cc_env());
	p->s.env.now = p->now;
	sender_event(&p->s, WT_CC_ESTABLISHED);
}

/* `flight` was out when the segment left, `inflight` is after this ACK with what it holds lost still in it. */
static void ack(struct path *p, uint32_t flight, uint32_t inflight, uint32_t lost)
{
	struct wt_ack a = {.flags = 0, .acked = MSS, .newly_delivered = MSS, .lost = lost * MSS, .inflight = inflight * MSS,
			   .inflight_before = (inflight + 1) * MSS, .srtt = RTT, .min_rtt = RTT, .rtt = RTT};

	p->now += RTT / 100;
	p->delivered += MSS;
	p->lost += lost * MSS;
	a.now = p->now;
	a.delivered = p->delivered;
	a.prior_delivered = p->delivered > flight * MSS ? p->delivered - flight * MSS : 0;
	a.rate_interval = (wt_time)(a.delivered - a.prior_delivered) / MSS * RTT / 100;
	a.total_lost = p->lost;
	a.newest = (struct wt_newest){.len = MSS, .sent = p->now - RTT, .inflight = flight * MSS, .total_lost = p->lost};
	p->s.choice.ops->on_ack(p->s.state, &a, &p->s.out);
}

/* Until the full pipe is found and drained. */
static void settle(struct path *p)
{
	for (unsigned i = 0; i < 1500; i++)
		ack(p, 100, i < 700 ? 100 : 80, 0);
}

static uint32_t window_of_recovery(const char *module)
{
	struct wt_loss loss = {.why = WT_LOSS_DUPTHRESH, .inflight = 100 * MSS, .peer_window = 1u << 30, .srtt = RTT};
	struct path p;

	start(&p, module);
	settle(&p);
	ack(&p, 100, 70, 0);
	loss.now = p.now + RTT / 100;
	p.s.choice.ops->on_loss(p.s.state, &loss, &p.s.out);
	ack(&p, 100, 69, 3);
	sender_finish(&p.s);
	return p.s.out.cwnd / MSS;
}

/* Draft 00 4.2.3.4: what is in flight, 69 - 3 segments, and the one that was delivered; by default the flight of 100, less what was lost. */
static void recovery_begins_with_the_flight_or_the_pipe(void **state)
{
	assert_int_equal(window_of_recovery("bbr:conserve=pipe"), 67);
	assert_int_equal(window_of_recovery("bbr"), 97);
}

/* draft-ietf-ccwg-bbr: losses come before the ACK's own signals, so one on the ACK that ends a round trip lowers the bounds a round trip later. */
static void a_loss_on_the_ack_that_ends_a_round_trip_is_of_the_next(void **state)
{
	struct path p;
	uint32_t before;

	start(&p, "bbr3");
	settle(&p);
	assert_true(p.s.out.gauge[2] == 2 || p.s.out.gauge[2] == 3); /* DOWN or CRUISE */
	before = p.s.out.cwnd;
	ack(&p, 60, 80, 1); /* it ends the round trip; the next ends with what leaves from now on */
	for (unsigned i = 0; i < 58; i++) {
		assert_true(p.s.out.cwnd >= before - MSS);
		ack(&p, 60, 80, 0);
	}
	ack(&p, 58, 80, 0);
	ack(&p, 57, 80, 0);
	assert_true(p.s.out.cwnd <= before * 71 / 100);
	sender_finish(&p.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recovery_begins_with_the_flight_or_the_pipe),
		cmocka_unit_test(a_loss_on_the_ack_that_ends_a_round_trip_is_of_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Vegas and Veno by hand: Diff = cwnd (RTT - BaseRTT) / RTT, and what follows from it. */
#include "tests/cc/feed.h"

#define BASE (100 * WT_MS)

/* A window of 20 and a BaseRTT of 100 ms: the first two rounds measure both. */
static void vegas_at_20(struct feed *f)
{
	feed_start(f, "vegas");
	feed_window(f, 20);
	feed_round(f, BASE);
	feed_window(f, 20);
}

static void once_per_round_trip_vegas_steps_by_diff(void **state)
{
	static const struct {
		wt_time rtt;
		double segs, diff;
	} rows[] = {
		{105 * WT_MS, 21, 20 * 5 / 105.0},  /* below alpha = 2 */
		{118 * WT_MS, 20, 20 * 18 / 118.0}, /* 3.05: between */
		{125 * WT_MS, 20, 4},               /* not above beta = 4 */
		{130 * WT_MS, 19, 20 * 30 / 130.0},
	};

	for (unsigned i = 0; i < 4; i++) {
		struct feed f;

		vegas_at_20(&f);
		feed_round(&f, rows[i].rtt); /* the round that began with BASE ends in it ... */
		feed_window(&f, 20);
		while (f.s.out.gauge[0] != rows[i].diff && f.now < 2 * WT_S) { /* ... the next one has seen rtt alone */
			feed_window(&f, 20);
			feed_ack(&f, WT_MS, rows[i].rtt);
		}
		NEAR(f.s.out.gauge[0], rows[i].diff, 1e-9);
		NEAR(f.s.out.gauge[1], 100, 0);
		NEAR(feed_segs(&f), rows[i].segs, 0);
		sender_finish(&f.s);
	}
}

/* A window of 20 whose rounds take `rtt`, until one has measured that alone and ended. */
static void agent_at_20(struct feed *f, wt_time rtt)
{
	feed_start(f, "vegas:profile=ns2");
	f->now = WT_S; /* no segment was sent before time began */
	feed_window(f, 20);
	feed_round(f, BASE);
	feed_window(f, 20);
	for (unsigned i = 0; i < 200 && f->s.out.gauge[2] != (double)rtt / WT_MS; i++) {
		feed_window(f, 20);
		feed_ack(f, WT_MS, rtt);
	}
	NEAR(f->s.out.gauge[1], 100, 0);
	NEAR(f->s.out.gauge[2], (double)rtt / WT_MS, 0);
}

/* 20 segments fly with the next one, 20 were sent: Diff is 20 - 20 * 100 / RTT, rounded. */
static void ns2s_vegas_steps_by_whole_segments_between_one_and_three(void **state)
{
	static const struct {
		wt_time rtt;
		double diff, segs, after; /* after: what a further window of ACKs makes of it */
	} rows[] = {
		{102 * WT_MS, 0, 20.05, 21}, /* 0.39: 1/20 for each ACK, the one that ends the round, too */
		{103 * WT_MS, 1, 20, 20},    /* 0.58 is 1, not below alpha = 1 */
		{121 * WT_MS, 3, 20, 20},    /* 3.47 */
		{122 * WT_MS, 4, 19, 19},    /* 3.61, above beta = 3 */
	};

	for (unsigned i = 0; i < 4; i++) {
		struct feed f;

		agent_at_20(&f, rows[i].rtt);
		NEAR(f.s.out.gauge[0], rows[i].diff, 0);
		NEAR(feed_segs(&f), rows[i].segs, 0);
		for (unsigned k = 0; k < 19; k++)
			feed_ack(&f, WT_MS, rows[i].rtt);
		NEAR(feed_segs(&f), rows[i].after, 1e-9);
		sender_finish(&f.s);
	}
}

/* Every second ACK is late by 40 ms: the least round trip tells of no queue, the mean of 20 * 20 / 120 segments. */
static void ns2s_vegas_takes_the_mean_of_a_round(void **state)
{
	static const struct {
		const char *name;
		double rtt, diff;
	} rows[] = {{"vegas", 100, 0}, {"vegas:profile=ns2", 120, 3}};

	for (unsigned i = 0; i < 2; i++) {
		struct feed f;

		feed_start(&f, rows[i].name);
		f.now = WT_S;
		feed_window(&f, 20);
		feed_round(&f, BASE);
		for (unsigned k = 0; k < 100; k++) {
			feed_window(&f, 20);
			feed_ack(&f, WT_MS, k % 2 ? BASE : BASE + 40 * WT_MS);
		}
		NEAR(f.s.out.gauge[2], rows[i].rtt, rows[i].rtt > 100 ? 1 : 0);
		NEAR(f.s.out.gauge[0], rows[i].diff, 0);
		sender_finish(&f.s);
	}
}

/* Slow start: 2, 2, 4, 4, 8 ..., and an eighth less when a round trip tells of two segments in queues. */
static void slow_start_of_ns2s_vegas_gives_an_eighth_back(void **state)
{
	struct feed f;
	double last = 2;
	unsigned still = 0, doubled = 0;

	feed_start(&f, "vegas:profile=ns2");
	f.now = WT_S;
	for (unsigned i = 0; i < 9; i++, last = feed_segs(&f)) {
		feed_round(&f, BASE);
		still += feed_segs(&f) <= last + 1;
		doubled += feed_segs(&f) >= 2 * last - 1;
	}
	assert_true(still >= 4 && doubled >= 4 && f.s.out.ssthresh == WT_SSTHRESH_INFINITE);
	for (unsigned i = 0; i < 200 && f.s.out.ssthresh == WT_SSTHRESH_INFINITE; i++) {
		last = feed_segs(&f);
		feed_ack(&f, WT_MS, 150 * WT_MS);
	}
	NEAR(f.s.out.ssthresh, 2 * MSS, 0);
	NEAR(feed_segs(&f), last * 7 / 8, 1e-3);
	sender_finish(&f.s);
}

static void ns2s_vegas_keeps_three_quarters_and_never_less_than_two(void **state)
{
	static const struct {
		double segs, left, ssthresh; /* ssthresh: of a timeout */
	} rows[] = {{20, 15, 10}, {7, 6, 3}, {3, 2, 2}, {2, 2, 2}};

	for (unsigned i = 0; i < 4; i++) {
		struct feed f;

		agent_at_20(&f, 110 * WT_MS);
		feed_window(&f, rows[i].segs);
		feed_loss(&f, WT_LOSS_DUPTHRESH);
		NEAR(feed_segs(&f), rows[i].left, 0);
		feed_window(&f, rows[i].segs);
		feed_loss(&f, WT_LOSS_RTO);
		NEAR(feed_segs(&f), 2, 0);
		NEAR(f.s.out.ssthresh, rows[i].ssthresh * MSS, 0);
		sender_finish(&f.s);
	}
}

/* A round that sent one segment is a new BaseRTT, also a longer one; one that sent more is none. */
static void a_round_of_one_segment_is_ns2s_new_base(void **state)
{
	struct feed f;

	agent_at_20(&f, 110 * WT_MS);
	f.una = f.nxt - MSS; /* the next ACK is for all that flies */
	for (unsigned i = 0; i < 3; i++) {
		f.s.out.cwnd = MSS;
		feed_ack(&f, 180 * WT_MS, 180 * WT_MS);
	}
	NEAR(f.s.out.gauge[1], 180, 0);
	sender_finish(&f.s);
}

/* A flow alone on a path of `pipe` segments: RTT = BaseRTT * max(1, cwnd / pipe). */
static wt_time alone(const struct feed *f, double pipe)
{
	return feed_segs(f) > pipe ? (wt_time)((double)BASE * feed_segs(f) / pipe) : BASE;
}

static void alone_on_a_path_vegas_rests_with_alpha_to_beta_in_the_queue(void **state)
{
	struct feed f;

	feed_start(&f, "vegas");
	for (unsigned i = 0; i < 200; i++)
		feed_round(&f, alone(&f, 50));
	assert_in_range((int)(feed_segs(&f) + 0.5), 52, 54);
	NEAR(f.s.out.gauge[0], 3, 1.0001);
	sender_finish(&f.s);
}

/* Doubling in every other round trip, and out when more than one segment waits. */
static void slow_start_of_vegas_measures_every_other_round_trip(void **state)
{
	double last = 2;
	unsigned still = 0, doubled = 0;
	struct feed f;

	feed_start(&f, "vegas");
	for (unsigned i = 0; i < 9; i++, last = feed_segs(&f)) {
		feed_round(&f, BASE);
		still += feed_segs(&f) <= last + 1;
		doubled += feed_segs(&f) > 1.5 * last;
	}
	assert_true(still >= 4 && doubled >= 3 && f.s.out.ssthresh == WT_SSTHRESH_INFINITE);
	feed_rounds(&f, 2, 110 * WT_MS);
	assert_true(f.s.out.ssthresh < WT_SSTHRESH_INFINITE);
	NEAR(feed_segs(&f), last * 100 / 110 + 1, 2);
	sender_finish(&f.s);
}

/* One ACK for two segments is one sample per round trip, of which Vegas learns nothing: slow start goes on, it does not wait for more. */
static void slow_start_of_vegas_goes_on_where_a_round_trip_has_one_ack(void **state)
{
	struct feed f;

	feed_start(&f, "vegas");
	for (unsigned i = 0; i < 6; i++) {
		f.una += MSS; /* the ACK is for this segment too */
		f.nxt = f.una + f.s.out.cwnd - MSS;
		feed_ack(&f, BASE, BASE);
		f.una = f.nxt - MSS;
	}
	assert_true(feed_segs(&f) >= 6);
	sender_finish(&f.s);
}

static void a_window_that_is_not_used_does_not_grow(void **state)
{
	static const char *const names[] = {"vegas", "veno", "highspeed", "scalable"};

	for (unsigned m = 0; m < 4; m++) {
		struct feed f;

		feed_start(&f, names[m]);
		feed_window(&f, 20);
		for (unsigned i = 0; i < 200; i++)
			feed_ack_flags(&f, WT_MS, BASE, 0);
		NEAR(feed_segs(&f), 20, 0);
		sender_finish(&f.s);
	}
}

static void vegas_halves_for_a_loss_and_takes_it_back(void **state)
{
	struct feed f;

	vegas_at_20(&f);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 10, 0);
	sender_event(&f.s, WT_CC_UNDO);
	NEAR(feed_segs(&f), 20, 0);
	feed_loss(&f, WT_LOSS_RTO);
	NEAR(feed_segs(&f), 1, 0);
	NEAR(f.s.out.ssthresh, 10 * MSS, 0);
	sender_finish(&f.s);
}

/* ---- Veno --------------------------------------------------------------------------------------------- */

/* Rounds of a window of 20 with the RTT `rtt` over a BaseRTT of 100 ms. */
static void veno_at(struct feed *f, wt_time rtt)
{
	feed_start(f, "veno");
	feed_window(f, 20);
	feed_round(f, BASE);
	for (unsigned i = 0; i < 60; i++) {
		feed_window(f, 20);
		feed_ack(f, WT_MS, rtt);
	}
	feed_window(f, 20);
}

static void veno_keeps_four_fifths_where_fewer_than_three_segments_wait(void **state)
{
	struct feed f;

	veno_at(&f, 110 * WT_MS); /* 20 * 10 / 110 = 1.8 */
	NEAR(f.s.out.gauge[0], 20 / 11.0, 1e-9);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 16, 0);
	sender_finish(&f.s);
	veno_at(&f, 125 * WT_MS); /* 4 */
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 10, 0);
	sender_finish(&f.s);
	veno_at(&f, 110 * WT_MS);
	feed_loss(&f, WT_LOSS_ECN);
	NEAR(feed_segs(&f), 10, 0);
	sender_finish(&f.s);
}

static void veno_grows_half_as_fast_where_three_segments_wait(void **state)
{
	struct feed f;

	veno_at(&f, 110 * WT_MS);
	feed_round(&f, 110 * WT_MS);
	NEAR(feed_segs(&f), 21, 0.03);
	sender_finish(&f.s);
	veno_at(&f, 125 * WT_MS);
	feed_round(&f, 125 * WT_MS);
	NEAR(feed_segs(&f), 20.5, 0.03);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_per_round_trip_vegas_steps_by_diff),
		cmocka_unit_test(ns2s_vegas_steps_by_whole_segments_between_one_and_three),
		cmocka_unit_test(ns2s_vegas_takes_the_mean_of_a_round),
		cmocka_unit_test(slow_start_of_ns2s_vegas_gives_an_eighth_back),
		cmocka_unit_test(ns2s_vegas_keeps_three_quarters_and_never_less_than_two),
		cmocka_unit_test(a_round_of_one_segment_is_ns2s_new_base),
		cmocka_unit_test(alone_on_a_path_vegas_rests_with_alpha_to_beta_in_the_queue),
		cmocka_unit_test(slow_start_of_vegas_measures_every_other_round_trip),
		cmocka_unit_test(slow_start_of_vegas_goes_on_where_a_round_trip_has_one_ack),
		cmocka_unit_test(a_window_that_is_not_used_does_not_grow),
		cmocka_unit_test(vegas_halves_for_a_loss_and_takes_it_back),
		cmocka_unit_test(veno_keeps_four_fifths_where_fewer_than_three_segments_wait),
		cmocka_unit_test(veno_grows_half_as_fast_where_three_segments_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

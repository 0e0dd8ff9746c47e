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

/* Every second ACK is late by 40 ms: the least round trip tells of no queue, the mean of 20 * 20 / 120 segments. */
static void what_stands_for_a_round_may_be_its_mean_and_whole(void **state)
{
	static const struct {
		const char *name;
		double rtt, diff, tolerance;
	} rows[] = {{"vegas", 100, 0, 0}, {"vegas:rtt=mean", 120, 20 / 6.0, 0.25}, {"vegas:rtt=mean,whole=on", 120, 3, 0}};

	for (unsigned i = 0; i < 3; i++) {
		struct feed f;

		feed_start(&f, rows[i].name);
		feed_window(&f, 20);
		feed_round(&f, BASE);
		for (unsigned k = 0; k < 100; k++) {
			feed_window(&f, 20);
			feed_ack(&f, WT_MS, k % 2 ? BASE : BASE + 40 * WT_MS);
		}
		NEAR(f.s.out.gauge[2], rows[i].rtt, rows[i].rtt > 100 ? 1 : 0);
		NEAR(f.s.out.gauge[0], rows[i].diff, rows[i].tolerance);
		sender_finish(&f.s);
	}
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
		cmocka_unit_test(what_stands_for_a_round_may_be_its_mean_and_whole),
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

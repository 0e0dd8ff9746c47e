/* SPDX-License-Identifier: BSD-2-Clause */
/* Illinois, YeAH, Compound and FAST by hand: what each does at a delay, and where it rests. */
#include "tests/cc/feed.h"

#define BASE (100 * WT_MS)

/* A window of `segs` held there while one round after the other takes `rtt`, so that whole rounds of it are measured. */
static void hold(struct feed *f, double segs, wt_time rtt, unsigned rounds)
{
	for (unsigned i = 0; i < rounds * (unsigned)segs; i++) {
		feed_window(f, segs);
		feed_ack(f, rtt / (wt_time)segs, rtt);
	}
	feed_window(f, segs);
}

/* A flow alone on a path that holds `pipe` segments: RTT = BASE * max(1, cwnd / pipe), each ACK its own. */
static void alone(struct feed *f, double pipe, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		for (uint32_t left = f->s.out.cwnd / MSS; left; left--) {
			double segs = feed_segs(f);

			feed_ack(f, BASE / (wt_time)pipe, segs > pipe ? (wt_time)((double)BASE * segs / pipe) : BASE);
		}
}

/* ---- Illinois ----------------------------------------------------------------------------------------- */

/*
 * BaseRTT 100 ms, largest 200 ms: dm = 100, d1 = 1, d2 = 10, d3 = 80 ms. k1 = 99 * 1 / 9.9 = 10 and k2 = 99 * 0.1 / 9.9 - 1 = 0, so
 * alpha(d) = 10 / d in ms: 10 at d1, 0.1 at dm. beta is linear from 1/8 at 10 ms to 1/2 at 80 ms.
 */
static void illinois_alpha_and_beta_follow_the_delay(void **state)
{
	static const struct {
		wt_time rtt;
		double alpha, beta;
	} rows[] = {{105 * WT_MS, 2, 0.125}, {110 * WT_MS, 1, 0.125}, {145 * WT_MS, 10 / 45.0, 0.125 + 0.375 * 35 / 70}, {180 * WT_MS, 0.125, 0.5},
		    {200 * WT_MS, 0.1, 0.5}};
	struct feed f;

	feed_start(&f, "illinois");
	hold(&f, 50, BASE, 2);
	NEAR(f.s.out.gauge[0], 10, 0);
	hold(&f, 50, 200 * WT_MS, 2);
	for (unsigned i = 0; i < 5; i++) {
		hold(&f, 50, rows[i].rtt, 3);
		NEAR(f.s.out.gauge[0], rows[i].alpha, 1e-9);
		NEAR(f.s.out.gauge[1], rows[i].beta, 1e-9);
	}
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 25, 0.001);
	sender_finish(&f.s);
}

static void illinois_alpha_is_ten_again_after_five_round_trips_without_delay(void **state)
{
	unsigned rounds = 0;
	struct feed f;

	feed_start(&f, "illinois");
	hold(&f, 50, BASE, 2);
	hold(&f, 50, 200 * WT_MS, 2);
	for (; f.s.out.gauge[0] < 10 && rounds < 20; rounds++)
		hold(&f, 50, BASE, 1);
	assert_in_range(rounds, 5, 6); /* the first of them began with 200 ms */
	sender_finish(&f.s);
}

static void illinois_is_reno_below_15_segments_and_after_a_timeout(void **state)
{
	struct feed f;

	feed_start(&f, "illinois");
	hold(&f, 12, BASE, 3);
	feed_round(&f, BASE);
	NEAR(feed_segs(&f), 13, 0.05);
	hold(&f, 50, BASE, 3);
	feed_loss(&f, WT_LOSS_RTO);
	NEAR(f.s.out.gauge[0], 1, 0);
	NEAR(f.s.out.ssthresh, 25 * MSS, 0);
	sender_finish(&f.s);
}

/* ---- YeAH --------------------------------------------------------------------------------------------- */

/* Fast mode grows by a hundredth per ACK; slow mode by one per round trip. With 1/8 of BaseRTT of queueing delay it is slow. */
static void yeah_is_scalable_until_an_eighth_of_the_round_trip_is_queue(void **state)
{
	struct feed f;

	feed_start(&f, "yeah");
	hold(&f, 400, BASE, 2);
	feed_round(&f, BASE);
	NEAR(feed_segs(&f), 404, 0.1);
	hold(&f, 400, 112 * WT_MS, 3); /* 43 segments in queues */
	feed_round(&f, 112 * WT_MS);
	NEAR(feed_segs(&f), 404, 0.1);
	hold(&f, 400, 113 * WT_MS, 3);
	feed_round(&f, 113 * WT_MS);
	NEAR(feed_segs(&f), 401, 0.1);
	sender_finish(&f.s);
}

/* 1000 segments, 110 ms: 1000 * 10 / 110 = 90.9 are in queues, more than 80. All of them are taken off. */
static void yeah_takes_its_queue_away(void **state)
{
	uint32_t before;
	struct feed f;

	feed_start(&f, "yeah");
	hold(&f, 1000, BASE, 2);
	do {
		feed_window(&f, 1000);
		before = f.s.out.cwnd;
		feed_ack(&f, WT_MS / 10, 110 * WT_MS);
	} while (f.s.out.cwnd >= before);
	NEAR(feed_segs(&f), 1000 - 1000 * 10 / 110.0, 1.1);
	NEAR(f.s.out.gauge[0], 1000 * 10 / 110.0, 0.2);
	sender_finish(&f.s);
}

/* 400 * 10 / 110 = 36 segments in queues are less than an eighth, 50; 200 * 25 / 125 = 40 are more than 25; after 16 slow round trips, half. */
static void yeah_gives_up_an_eighth_or_its_queue_and_beside_reno_half(void **state)
{
	struct feed f;

	feed_start(&f, "yeah");
	hold(&f, 400, BASE, 2);
	hold(&f, 400, 110 * WT_MS, 3);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 350, 0.01);
	hold(&f, 200, 125 * WT_MS, 3);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 160, 0.01);
	hold(&f, 200, 125 * WT_MS, 20);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 100, 0.01);
	sender_finish(&f.s);
}

/* ---- Compound ----------------------------------------------------------------------------------------- */

/* win = 256: 256^0.75 / 8 - 1 = 7 segments of dwnd per round trip, one of cwnd. */
static void compound_adds_an_eighth_of_win_to_the_three_quarters(void **state)
{
	double before;
	struct feed f;

	feed_start(&f, "compound");
	hold(&f, 256, BASE, 2);
	do { /* to the end of a round */
		feed_window(&f, 256);
		before = f.s.out.gauge[0];
		feed_ack(&f, BASE / 256, BASE);
	} while (f.s.out.gauge[0] == before);
	NEAR(f.s.out.gauge[0] - before, 7, 1e-6);
	NEAR(feed_segs(&f), 256 + 7, 0.01);
	feed_round(&f, BASE);
	NEAR(feed_segs(&f), 263 + 1 + 0.125 * 65.4 - 1, 0.2); /* 263.9^0.75 = 65.4 */
	sender_finish(&f.s);
}

/* 30 segments in queues: dwnd falls by so many, cwnd does not; a window of Reno alone is left. */
static void compounds_delay_window_gives_way_to_a_queue_and_renos_does_not(void **state)
{
	struct feed f;

	feed_start(&f, "compound");
	feed_window(&f, 200);
	feed_rounds(&f, 10, BASE);
	assert_true(f.s.out.gauge[0] > 50);
	for (unsigned i = 0; i < 40; i++) {
		double reno = feed_segs(&f) - f.s.out.gauge[0];

		feed_round(&f, 120 * WT_MS);
		assert_true(feed_segs(&f) - f.s.out.gauge[0] > reno - 0.1);
	}
	NEAR(f.s.out.gauge[0], 0, 0);
	sender_finish(&f.s);
}

static void a_loss_halves_compound_and_a_timeout_leaves_no_delay_window(void **state)
{
	double dwnd, win;
	struct feed f;

	feed_start(&f, "compound");
	feed_window(&f, 200);
	feed_rounds(&f, 10, BASE);
	win = feed_segs(&f);
	dwnd = f.s.out.gauge[0];
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), win / 2, 0.01);
	NEAR(f.s.out.gauge[0], dwnd / 2, 0.01); /* half of win, less half of what was Reno's */
	sender_event(&f.s, WT_CC_UNDO);
	NEAR(feed_segs(&f), win, 0.01);
	NEAR(f.s.out.gauge[0], dwnd, 0.01);
	feed_loss(&f, WT_LOSS_RTO);
	NEAR(f.s.out.gauge[0], 0, 0);
	sender_finish(&f.s);
}

/* ---- FAST --------------------------------------------------------------------------------------------- */

/* w = 100, RTT 125, BaseRTT 100: 20 segments wait, which is alpha: it stays. At 150: 0.5 * 100 + 0.5 * (100 / 1.5 + 20) = 93.3. */
static void fast_goes_half_the_way_to_alpha(void **state)
{
	uint32_t before;
	struct feed f;

	feed_start(&f, "fast");
	hold(&f, 100, BASE, 2);
	hold(&f, 100, 125 * WT_MS, 20);
	feed_rounds(&f, 2, 125 * WT_MS);
	NEAR(feed_segs(&f), 100, 0.1);
	hold(&f, 100, 150 * WT_MS, 20);
	do {
		before = f.s.out.cwnd;
		feed_ack(&f, WT_MS, 150 * WT_MS);
	} while (f.s.out.cwnd == before);
	NEAR(feed_segs(&f), 50 + 50 / 1.5 + 10, 0.1);
	sender_finish(&f.s);
}

/* The window is set anew in every other round trip: what a change does is seen before the next one. */
static void fast_updates_every_other_round_trip(void **state)
{
	unsigned changes = 0;
	struct feed f;

	feed_start(&f, "fast");
	hold(&f, 100, BASE, 2);
	for (unsigned i = 0; i < 20; i++) {
		double before = feed_segs(&f);

		feed_round(&f, BASE);
		changes += feed_segs(&f) > before;
	}
	assert_in_range(changes, 9, 11);
	sender_finish(&f.s);
}

static void alone_on_a_path_fast_rests_with_alpha_segments_in_the_queue(void **state)
{
	static const struct {
		const char *module;
		double pipe, alpha;
	} rows[] = {{"fast", 50, 20}, {"fast", 1000, 20}, {"fast:alpha=200", 1000, 200}, {"fast:alpha=5", 10, 5}};

	for (unsigned i = 0; i < 4; i++) {
		struct feed f;

		feed_start(&f, rows[i].module);
		alone(&f, rows[i].pipe, 200);
		NEAR(feed_segs(&f), rows[i].pipe + rows[i].alpha, 0.02 * rows[i].alpha + 0.1);
		sender_finish(&f.s);
	}
}

static void a_window_that_is_not_used_does_not_grow(void **state)
{
	static const char *const names[] = {"illinois", "yeah", "compound", "fast", "bic", "htcp", "hybla", "westwood"};

	for (unsigned m = 0; m < 8; m++) {
		struct feed f;

		feed_start(&f, names[m]);
		feed_window(&f, 60);
		for (unsigned i = 0; i < 600; i++)
			feed_ack_flags(&f, WT_MS, BASE, 0);
		NEAR(feed_segs(&f), 60, 0);
		sender_finish(&f.s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(illinois_alpha_and_beta_follow_the_delay),
		cmocka_unit_test(illinois_alpha_is_ten_again_after_five_round_trips_without_delay),
		cmocka_unit_test(illinois_is_reno_below_15_segments_and_after_a_timeout),
		cmocka_unit_test(yeah_is_scalable_until_an_eighth_of_the_round_trip_is_queue),
		cmocka_unit_test(yeah_takes_its_queue_away),
		cmocka_unit_test(yeah_gives_up_an_eighth_or_its_queue_and_beside_reno_half),
		cmocka_unit_test(compound_adds_an_eighth_of_win_to_the_three_quarters),
		cmocka_unit_test(compounds_delay_window_gives_way_to_a_queue_and_renos_does_not),
		cmocka_unit_test(a_loss_halves_compound_and_a_timeout_leaves_no_delay_window),
		cmocka_unit_test(fast_goes_half_the_way_to_alpha),
		cmocka_unit_test(fast_updates_every_other_round_trip),
		cmocka_unit_test(alone_on_a_path_fast_rests_with_alpha_segments_in_the_queue),
		cmocka_unit_test(a_window_that_is_not_used_does_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

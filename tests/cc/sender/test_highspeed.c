/* SPDX-License-Identifier: BSD-2-Clause */
/* HighSpeed TCP beside the tables of RFC 3649, and Scalable TCP beside its closed forms. */
#include "tests/cc/feed.h"

/* RFC 3649 appendix B: the window at which a(w) reaches the next whole number, and b(w) there. */
static void a_and_b_are_those_of_the_rfcs_table(void **state)
{
	static const struct {
		uint32_t w;
		double a, b;
	} rows[] = {{38, 1, 0.50}, {39, 1, 0.50}, {118, 2, 0.44}, {221, 3, 0.41}, {347, 4, 0.38}, {495, 5, 0.37}, {663, 6, 0.35}, {851, 7, 0.34},
		    {1058, 8, 0.33}, {1284, 9, 0.32}, {1529, 10, 0.31}, {83000, 72, 0.10}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct feed f;

		feed_start(&f, "highspeed");
		feed_window(&f, rows[i].w);
		feed_ack(&f, WT_MS, 100 * WT_MS);
		NEAR(f.s.out.gauge[0], rows[i].a, 0.02 * rows[i].a);
		assert_true(f.s.out.gauge[0] >= 1);
		NEAR(f.s.out.gauge[1], rows[i].b, 0.0051);
		sender_finish(&f.s);
	}
}

static void up_to_38_segments_it_is_reno(void **state)
{
	struct feed f;

	feed_start(&f, "highspeed");
	feed_window(&f, 30);
	feed_round(&f, 100 * WT_MS);
	NEAR(feed_segs(&f), 31, 0.02);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 15.5, 0.02);
	sender_finish(&f.s);
}

static void a_loss_takes_the_share_b_and_its_undo_gives_it_back(void **state)
{
	struct feed f;

	feed_start(&f, "highspeed");
	feed_window(&f, 1058);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 1058 * (1 - 0.3269), 1);
	sender_event(&f.s, WT_CC_UNDO);
	NEAR(feed_segs(&f), 1058, 0);
	feed_loss(&f, WT_LOSS_RTO);
	assert_int_equal(f.s.out.cwnd, MSS);
	NEAR(f.s.out.ssthresh, 529 * MSS, 0);
	sender_finish(&f.s);
}

/* Segments per round trip over many losses, every 1/p-th segment lost: the acknowledged by the round trips they took. */
static double mean_window(const char *module, uint32_t period, double start)
{
	double acked = 0, round_trips = 0;
	struct feed f;

	feed_start(&f, module);
	feed_window(&f, start);
	for (unsigned losses = 0; losses < 60; losses++) {
		for (uint32_t i = 0; i < period; i++) {
			if (losses >= 20) {
				acked++;
				round_trips += 1 / feed_segs(&f);
			}
			sender_ack(&f.s, MSS);
		}
		feed_loss(&f, WT_LOSS_DUPTHRESH);
	}
	sender_finish(&f.s);
	return acked / round_trips;
}

/*
 * RFC 3649 5: 263, 1795 and 12279 segments for loss rates of 1e-4, 1e-5 and 1e-6, w = 0.12 / p^0.835. That formula holds a and b for
 * constant over a period. `exact` is the integral of the saw from (1 - b(W)) W to W at a pace of a(w), by another program. At 1e-3 the
 * saw reaches beyond the 38 segments up to which it is Reno, so only the integral is compared.
 */
static void the_mean_window_is_the_rfcs_response_function(void **state)
{
	static const struct {
		uint32_t period;
		double rfc, exact;
	} rows[] = {{1000, 0, 40.51}, {10000, 263, 264.7}, {100000, 1795, 1815.8}, {1000000, 12279, 12427}};

	for (unsigned i = 0; i < 4; i++) {
		double w = mean_window("highspeed", rows[i].period, rows[i].exact);

		NEAR(w, rows[i].exact, 0.005 * rows[i].exact);
		if (rows[i].rfc)
			NEAR(w, rows[i].rfc, 0.015 * rows[i].rfc);
	}
}

/* RFC 3742: of 100 segments on, slow start adds 50 per round trip. */
static void limited_slow_start_adds_half_of_max_ssthresh(void **state)
{
	struct feed f;

	feed_start(&f, "highspeed:max_ssthresh=100");
	f.s.out.cwnd = 80 * MSS;
	feed_round(&f, 100 * WT_MS);
	NEAR(feed_segs(&f), 80 + 21 + 59 * 50 / 128.0, 3); /* 21 ACKs to 101 segments, 59 at the pace of 50 per window */
	f.s.out.cwnd = 1000 * MSS;
	feed_round(&f, 100 * WT_MS);
	NEAR(feed_segs(&f), 1050, 2);
	sender_finish(&f.s);
}

/* ---- Scalable ----------------------------------------------------------------------------------------- */

/* Kelly 2003: ln(1 / 0.875) / ln(1.01) = 13.4 round trips whatever the window was; Reno takes W / 2. */
static void scalable_comes_back_in_13_round_trips_from_any_window(void **state)
{
	static const double windows[] = {100, 1000, 10000, 100000};

	for (unsigned i = 0; i < 4; i++) {
		unsigned rounds = 0;
		struct feed f;

		feed_start(&f, "scalable");
		feed_window(&f, windows[i]);
		feed_loss(&f, WT_LOSS_DUPTHRESH);
		NEAR(feed_segs(&f), 0.875 * windows[i], 0.001);
		for (; feed_segs(&f) < windows[i]; rounds++)
			feed_round(&f, 100 * WT_MS);
		assert_int_equal(rounds, 14);
		sender_finish(&f.s);
	}
}

static void scalable_doubles_in_70_round_trips(void **state)
{
	struct feed f;

	feed_start(&f, "scalable");
	feed_window(&f, 200);
	feed_rounds(&f, 70, 100 * WT_MS); /* ln 2 / ln 1.01 = 69.7; whole segments per round cost a little */
	NEAR(feed_segs(&f), 400, 4);
	sender_finish(&f.s);
}

static void scalable_is_reno_below_16_segments(void **state)
{
	struct feed f;

	feed_start(&f, "scalable");
	feed_window(&f, 10);
	feed_round(&f, 100 * WT_MS);
	NEAR(feed_segs(&f), 11, 0.06);
	feed_window(&f, 12);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 6, 0);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_and_b_are_those_of_the_rfcs_table),
		cmocka_unit_test(up_to_38_segments_it_is_reno),
		cmocka_unit_test(a_loss_takes_the_share_b_and_its_undo_gives_it_back),
		cmocka_unit_test(the_mean_window_is_the_rfcs_response_function),
		cmocka_unit_test(limited_slow_start_adds_half_of_max_ssthresh),
		cmocka_unit_test(scalable_comes_back_in_13_round_trips_from_any_window),
		cmocka_unit_test(scalable_doubles_in_70_round_trips),
		cmocka_unit_test(scalable_is_reno_below_16_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

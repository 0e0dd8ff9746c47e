/* SPDX-License-Identifier: BSD-2-Clause */
/* BIC, H-TCP and Hybla by hand: steps of the search, alpha(D), and a pace that does not depend on the round trip. */
#include "tests/cc/feed.h"

#define RTT (100 * WT_MS)

/* ---- BIC ---------------------------------------------------------------------------------------------- */

/* At most 32 segments a round trip while far below W_max; then (W_max - w) / 2 taken anew with each ACK: the distance falls by e^-1/2. */
static void bic_searches_the_window_of_the_last_loss(void **state)
{
	double distance;
	struct feed f;

	feed_start(&f, "bic");
	feed_window(&f, 1000);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 875, 0.001);
	NEAR(f.s.out.gauge[0], 1000, 0.001);
	feed_round(&f, RTT);
	NEAR(feed_segs(&f), 875 + 32, 0.7); /* (1000 - 875) / 2 = 62.5 > 32 */
	feed_window(&f, 950);
	for (unsigned i = 0; i < 5; i++) {
		distance = 1000 - feed_segs(&f);
		feed_round(&f, RTT);
		NEAR(1000 - feed_segs(&f), distance * 0.6065, 0.02 * distance);
	}
	sender_finish(&f.s);
}

static void beyond_it_bic_probes_1_2_4_up_to_32(void **state)
{
	static const double steps[] = {1, 2, 4, 8, 16, 32, 32};
	double at = 1000;
	struct feed f;

	feed_start(&f, "bic");
	feed_window(&f, 1000);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	feed_window(&f, 1000);
	for (unsigned i = 0; i < 7; i++) {
		feed_ack(&f, WT_MS, RTT);
		NEAR(f.s.out.gauge[1], steps[i], 0);
		at = feed_segs(&f);
		feed_window(&f, at + steps[i]);
	}
	sender_finish(&f.s);
}

/* Fast convergence: a loss below the last W_max leaves (1 + 0.875) / 2 of the window as the new one. Below 14 segments it is Reno. */
static void bic_makes_room_and_is_reno_at_small_windows(void **state)
{
	struct feed f;

	feed_start(&f, "bic");
	feed_window(&f, 1000);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(f.s.out.gauge[0], 875 * 0.9375, 0.001);
	sender_event(&f.s, WT_CC_UNDO);
	NEAR(f.s.out.gauge[0], 1000, 0.001);
	NEAR(feed_segs(&f), 875, 0.001);
	feed_window(&f, 10);
	feed_round(&f, RTT);
	NEAR(feed_segs(&f), 11, 0.06);
	feed_window(&f, 12);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 6, 0);
	sender_finish(&f.s);
}

/* ---- H-TCP -------------------------------------------------------------------------------------------- */

/* alpha(D) = 1 + 10 (D - 1) + ((D - 1) / 2)^2, and beta is 0.5 so that 2 (1 - beta) = 1: at 1, 2, 3, 5 and 11 s 1, 11.25, 22, 45, 126. */
static void htcps_alpha_is_a_polynomial_of_the_time_since_the_loss(void **state)
{
	static const struct {
		wt_time since;
		double alpha;
	} rows[] = {{WT_S / 2, 1}, {WT_S, 1}, {2 * WT_S, 11.25}, {3 * WT_S, 22}, {5 * WT_S, 45}, {11 * WT_S, 126}};
	struct feed f;

	feed_start(&f, "htcp:adaptive=off");
	feed_window(&f, 100);
	feed_ack(&f, WT_S, RTT);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 50, 0.01);
	for (unsigned i = 0; i < 6; i++) {
		f.now = WT_S;
		feed_ack(&f, rows[i].since, RTT);
		NEAR(f.s.out.gauge[0], rows[i].alpha, 1e-9);
	}
	feed_window(&f, 200); /* 126 segments over the window of 200: 0.63 of a segment per ACK */
	feed_ack(&f, 0, RTT);
	NEAR(feed_segs(&f), 200 + 126 / 200.0, 0.001);
	sender_finish(&f.s);
}

/* Rounds of equal throughput, a longest RTT of `most`, then a loss: what is kept. */
static double htcp_keeps(struct feed *f, wt_time most)
{
	for (unsigned i = 0; i < 8; i++) {
		feed_window(f, 100);
		for (unsigned j = 0; j < 100; j++) {
			feed_window(f, 100);
			feed_ack(f, WT_MS, i == 5 ? most : RTT);
		}
	}
	feed_window(f, 100);
	feed_loss(f, WT_LOSS_DUPTHRESH);
	return feed_segs(f) / 100;
}

static void htcp_keeps_rttmin_by_rttmax_between_5_and_8_tenths(void **state)
{
	struct feed f;

	feed_start(&f, "htcp");
	NEAR(htcp_keeps(&f, 150 * WT_MS), 0.5, 1e-6); /* no throughput of a time before */
	NEAR(htcp_keeps(&f, 150 * WT_MS), 100 / 150.0, 0.001);
	NEAR(htcp_keeps(&f, 110 * WT_MS), 0.8, 0.001);
	NEAR(htcp_keeps(&f, 300 * WT_MS), 0.5, 0.001);
	sender_finish(&f.s);
}

static void htcp_halves_where_the_throughput_changed_by_a_fifth(void **state)
{
	struct feed f;

	feed_start(&f, "htcp");
	htcp_keeps(&f, 130 * WT_MS);
	for (unsigned i = 0; i < 300; i++) { /* half the throughput: two milliseconds per segment */
		feed_window(&f, 100);
		feed_ack(&f, 2 * WT_MS, RTT);
	}
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 50, 0.1);
	sender_finish(&f.s);
}

/* ---- Hybla -------------------------------------------------------------------------------------------- */

/* Congestion avoidance: rho^2 segments per round trip make rho / RTT0 per second of window, so W / RTT grows alike: 1 / RTT0^2. */
static void hyblas_rate_grows_by_1600_segments_per_square_second_whatever_the_rtt(void **state)
{
	static const wt_time rtts[] = {25 * WT_MS, 50 * WT_MS, 100 * WT_MS, 400 * WT_MS};

	for (unsigned i = 0; i < 4; i++) {
		double rtt = (double)rtts[i] / WT_S, before;
		struct feed f;

		feed_start(&f, "hybla");
		feed_window(&f, 2000);
		feed_ack(&f, rtts[i] / 2000, rtts[i]);
		feed_window(&f, 2000);
		before = feed_segs(&f) / rtt;
		feed_round(&f, rtts[i]);
		NEAR((feed_segs(&f) / rtt - before) / rtt, 1600, 1600 * 0.07); /* the window grows within the round: up to 256 of 2000 */
		NEAR(f.s.out.gauge[0], rtt / 0.025, 1e-9);
		sender_finish(&f.s);
	}
}

/* Slow start: 2^rho - 1 per ACK. At 50 ms rho is 2: three segments more per segment acknowledged. Below 25 ms it is Reno. */
static void hyblas_slow_start_adds_two_to_the_rho_less_one(void **state)
{
	static const struct {
		wt_time rtt;
		double adds;
	} rows[] = {{10 * WT_MS, 1}, {25 * WT_MS, 1}, {50 * WT_MS, 3}, {75 * WT_MS, 7}, {1000 * WT_MS, 20}}; /* the last: the window itself */

	for (unsigned i = 0; i < 5; i++) {
		struct feed f;

		feed_start(&f, "hybla");
		f.s.out.cwnd = 20 * MSS;
		feed_ack(&f, WT_MS, rows[i].rtt);
		NEAR(feed_segs(&f), 20 + rows[i].adds, 0.01);
		sender_finish(&f.s);
	}
}

static void a_step_of_many_segments_ends_at_ssthresh(void **state)
{
	struct feed f;

	feed_start(&f, "hybla");
	f.s.out.cwnd = 20 * MSS;
	f.s.out.ssthresh = 24 * MSS;
	feed_ack(&f, WT_MS, RTT); /* 15 segments would be 35 */
	NEAR(feed_segs(&f), 24, 0);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bic_searches_the_window_of_the_last_loss),
		cmocka_unit_test(beyond_it_bic_probes_1_2_4_up_to_32),
		cmocka_unit_test(bic_makes_room_and_is_reno_at_small_windows),
		cmocka_unit_test(htcps_alpha_is_a_polynomial_of_the_time_since_the_loss),
		cmocka_unit_test(htcp_keeps_rttmin_by_rttmax_between_5_and_8_tenths),
		cmocka_unit_test(htcp_halves_where_the_throughput_changed_by_a_fifth),
		cmocka_unit_test(hyblas_rate_grows_by_1600_segments_per_square_second_whatever_the_rtt),
		cmocka_unit_test(hyblas_slow_start_adds_two_to_the_rho_less_one),
		cmocka_unit_test(a_step_of_many_segments_ends_at_ssthresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

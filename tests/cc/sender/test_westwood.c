/* SPDX-License-Identifier: BSD-2-Clause */
/* Westwood and Westwood+: the estimate of a steady stream, its filters' steps, and ssthresh = BWE RTTmin. */
#include "tests/cc/feed.h"

#define RTT (100 * WT_MS)

static const char *const filters[] = {"westwood", "westwood:filter=original"};

/* One segment of 1000 bytes per millisecond is 1 MB/s; over 100 ms that is a window of 100 segments. */
static void steady(struct feed *f, const char *module, double window)
{
	feed_start(f, module);
	for (unsigned i = 0; i < 2000; i++) {
		feed_window(f, window);
		feed_ack(f, WT_MS, RTT);
	}
}

static void after_a_loss_the_window_is_what_the_path_holds(void **state)
{
	for (unsigned m = 0; m < 2; m++) {
		struct feed f;

		steady(&f, filters[m], 160);
		NEAR(f.s.out.gauge[0], 1e6, 1e3);
		feed_loss(&f, WT_LOSS_DUPTHRESH);
		NEAR(feed_segs(&f), 100, 0.2); /* Reno: 80 */
		sender_event(&f.s, WT_CC_UNDO);
		NEAR(feed_segs(&f), 160, 0);
		feed_loss(&f, WT_LOSS_RTO);
		NEAR(feed_segs(&f), 1, 0);
		NEAR(f.s.out.ssthresh, 100 * MSS, 200);
		sender_finish(&f.s);
	}
}

/* A loss that is no congestion, at a window that the path holds without a queue, takes nothing. */
static void a_random_loss_below_that_takes_nothing(void **state)
{
	for (unsigned m = 0; m < 2; m++) {
		struct feed f;

		steady(&f, filters[m], 90);
		feed_loss(&f, WT_LOSS_DUPTHRESH);
		NEAR(feed_segs(&f), 90, 0);
		sender_finish(&f.s);
	}
}

/* Two losses by chance in a row: the second finds a window below what the path holds, and the way back is slow start. */
static void a_window_below_that_comes_back_in_slow_start(void **state)
{
	for (unsigned m = 0; m < 2; m++) {
		struct feed f;

		steady(&f, filters[m], 100);
		f.s.out.cwnd = f.s.out.ssthresh = 30 * MSS;
		feed_loss(&f, WT_LOSS_DUPTHRESH);
		NEAR(feed_segs(&f), 30, 0);
		NEAR(f.s.out.ssthresh, 30 * MSS, 0); /* in recovery */
		sender_event(&f.s, WT_CC_RECOVERED);
		NEAR(f.s.out.ssthresh, 100 * MSS, 200);
		feed_ack(&f, WT_MS, RTT);
		NEAR(feed_segs(&f), 31, 0);
		f.s.out.cwnd = f.s.out.ssthresh = 30 * MSS;
		feed_loss(&f, WT_LOSS_RTO);
		NEAR(f.s.out.ssthresh, 100 * MSS, 200);
		sender_finish(&f.s);
	}
}

/* A mark tells of a queue, and never raises the window. */
static void a_mark_raises_nothing(void **state)
{
	struct feed f;

	steady(&f, "westwood", 100);
	f.s.out.cwnd = f.s.out.ssthresh = 30 * MSS;
	feed_loss(&f, WT_LOSS_ECN);
	sender_event(&f.s, WT_CC_RECOVERED);
	NEAR(f.s.out.ssthresh, 30 * MSS, 0);
	sender_finish(&f.s);
}

/* Plus: one round at half the rate moves the estimate a tenth of the way, 0.9 * 1 + 0.1 * 0.5 = 0.95 MB/s. */
static void westwood_plus_moves_a_tenth_of_the_way_per_round_trip(void **state)
{
	double before;
	struct feed f;

	steady(&f, "westwood", 50);
	do { /* to the end of a round */
		before = f.s.out.gauge[0];
		feed_window(&f, 50);
		feed_ack(&f, 2 * WT_MS, RTT);
	} while (f.s.out.gauge[0] == before);
	before = f.s.out.gauge[0];
	do {
		feed_window(&f, 50);
		feed_ack(&f, 2 * WT_MS, RTT);
	} while (f.s.out.gauge[0] == before);
	NEAR(f.s.out.gauge[0], 0.9 * before + 0.1 * 5e5, 1);
	sender_finish(&f.s);
}

/*
 * Original: dt = 1 ms, tau = 500 ms, g = 999 / 1001. An ACK after 2 ms (sample 0.5 MB/s): g = 998 / 1002, and the mean of 0.5 and 1 counts.
 */
static void westwoods_filter_is_the_papers(void **state)
{
	struct feed f;

	steady(&f, "westwood:filter=original", 100);
	NEAR(f.s.out.gauge[0], 1e6, 1);
	feed_ack(&f, 2 * WT_MS, RTT);
	NEAR(f.s.out.gauge[0], 998 / 1002.0 * 1e6 + 4 / 1002.0 * 0.75e6, 1);
	feed_ack(&f, 500 * WT_MS, RTT); /* a silence of two gaps of tau / 2: one sample of 0, then the ACK's own, of 2 kB/s */
	NEAR(f.s.out.gauge[0], 0.6 * (0.6 * 999001.996 + 0.4 * 2.5e5) + 0.4 * 1e3, 5);
	sender_finish(&f.s);
}

static void without_an_estimate_a_loss_halves(void **state)
{
	struct feed f;

	feed_start(&f, "westwood");
	feed_window(&f, 20);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 10, 0);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_loss_the_window_is_what_the_path_holds),
		cmocka_unit_test(a_random_loss_below_that_takes_nothing),
		cmocka_unit_test(a_window_below_that_comes_back_in_slow_start),
		cmocka_unit_test(a_mark_raises_nothing),
		cmocka_unit_test(westwood_plus_moves_a_tenth_of_the_way_per_round_trip),
		cmocka_unit_test(westwoods_filter_is_the_papers),
		cmocka_unit_test(without_an_estimate_a_loss_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP Prague, by hand from draft-briscoe-iccrg-prague-congestion-control: alpha, the virtual round trip of 25 ms, and growth. */
#include "tests/cc/feed.h"

static void start(struct feed *f, double segs)
{
	feed_start(f, "prague");
	feed_window(f, segs);
}

static void marked(struct feed *f, wt_time after, wt_time rtt)
{
	feed_ack_flags(f, after, rtt, WT_ACK_CWND_LIMITED | WT_ACK_ECE);
	feed_loss(f, WT_LOSS_ECN);
}

/* However long no mark came, the first one halves: until then nothing is known of the path's queue. */
static void alpha_waits_for_the_first_mark(void **state)
{
	struct feed f;

	start(&f, 100);
	feed_rounds(&f, 50, 40 * WT_MS);
	NEAR(f.s.out.gauge[0], 1, 0);
	feed_window(&f, 100);
	for (unsigned i = 0; i < 20; i++) /* the mark ends no round trip */
		feed_ack(&f, WT_MS / 3, 40 * WT_MS);
	feed_window(&f, 100);
	marked(&f, WT_MS, 40 * WT_MS);
	NEAR(feed_segs(&f), 50, 0.001);
	for (double alpha = 1; alpha > 0.9;) { /* from there on a sixteenth of the way per round trip */
		feed_round(&f, 40 * WT_MS);
		if (f.s.out.gauge[0] < alpha) {
			NEAR(f.s.out.gauge[0], alpha - (alpha - (alpha == 1 ? 0.01 : 0)) / 16, 0.001);
			alpha = f.s.out.gauge[0];
		}
	}
	sender_finish(&f.s);
}

/* As in the authors' code for Linux: a mark on the ACK that ends an observation reduces by the alpha of before it. */
static void a_mark_that_ends_an_observation_reduces_by_what_was_known_before(void **state)
{
	struct feed f;

	start(&f, 100);
	marked(&f, 40 * WT_MS, 40 * WT_MS);
	feed_rounds(&f, 3, 40 * WT_MS);
	for (double alpha = f.s.out.gauge[0]; f.s.out.gauge[0] == alpha;) {
		double window = 100 * (1 - alpha / 2);

		feed_window(&f, 100);
		marked(&f, WT_MS / 2, 40 * WT_MS);
		NEAR(feed_segs(&f), window, 0.001);
	}
	sender_finish(&f.s);
}

/* On a path of 5 ms alpha is folded, and the window reduced, once in 25 ms. */
static void nothing_is_done_twice_in_a_virtual_round_trip(void **state)
{
	unsigned folds = 0, cuts = 0;
	struct feed f;

	start(&f, 100);
	marked(&f, 30 * WT_MS, 5 * WT_MS);
	for (unsigned i = 0; i < 250; i++) { /* ms */
		double alpha = f.s.out.gauge[0], window = feed_segs(&f);

		for (unsigned j = 0; j < 20; j++)
			feed_ack(&f, WT_MS / 20, 5 * WT_MS);
		folds += f.s.out.gauge[0] != alpha;
		window = feed_segs(&f);
		feed_loss(&f, WT_LOSS_ECN);
		cuts += feed_segs(&f) < window;
		feed_window(&f, 100);
	}
	assert_in_range(folds, 8, 10);
	assert_in_range(cuts, 9, 10);
	sender_finish(&f.s);
}

/* A segment per round trip from 25 ms on, below it the square of the share. */
static void short_paths_grow_as_slowly_as_one_of_25_ms(void **state)
{
	static const struct {
		wt_time rtt;
		double step;
	} cases[] = {{100 * WT_MS, 1}, {25 * WT_MS, 1}, {10 * WT_MS, 0.16}, {5 * WT_MS, 0.04}};

	for (unsigned i = 0; i < 4; i++) {
		struct feed f;

		start(&f, 100);
		feed_round(&f, cases[i].rtt);
		NEAR(feed_segs(&f), 100 + cases[i].step, 0.01);
		NEAR((double)f.s.out.pacing_rate, f.s.out.cwnd / ((double)cases[i].rtt / WT_S), 2);
		sender_finish(&f.s);
	}
}

static void losses_halve(void **state)
{
	struct feed f;

	start(&f, 100);
	feed_loss(&f, WT_LOSS_DUPTHRESH);
	NEAR(feed_segs(&f), 50, 0);
	feed_loss(&f, WT_LOSS_RTO);
	NEAR(feed_segs(&f), 1, 0);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_waits_for_the_first_mark),
		cmocka_unit_test(a_mark_that_ends_an_observation_reduces_by_what_was_known_before),
		cmocka_unit_test(nothing_is_done_twice_in_a_virtual_round_trip),
		cmocka_unit_test(short_paths_grow_as_slowly_as_one_of_25_ms),
		cmocka_unit_test(losses_halve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

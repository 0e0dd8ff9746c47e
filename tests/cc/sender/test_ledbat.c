/* SPDX-License-Identifier: BSD-2-Clause */
/* LEDBAT++, by hand from draft-irtf-iccrg-ledbat-plus-plus: GAIN, growth and decrease per round trip, the times of its slowdowns. */
#include "tests/cc/feed.h"

/* The least round trip is `base`, and slow start is over: the queue has once been at its threshold. */
static void start(struct feed *f, wt_time base)
{
	feed_start(f, "ledbat:slowdown=off");
	feed_ack(f, WT_MS, base);
	feed_window(f, 100);
}

/* GAIN = 1 / min(16, ceil(2 TARGET / base)), a round trip, while the queue is below the target. */
static void below_the_target_the_window_grows_by_gain(void **state)
{
	static const struct {
		wt_time base;
		double gain;
	} cases[] = {{WT_MS, 1 / 16.0}, {40 * WT_MS, 1 / 3.0}, {50 * WT_MS, 1 / 3.0}, {60 * WT_MS, 0.5}, {200 * WT_MS, 1}};

	for (unsigned i = 0; i < 5; i++) {
		struct feed f;

		start(&f, cases[i].base);
		feed_round(&f, cases[i].base + 59 * WT_MS);
		NEAR(feed_segs(&f), 100 + cases[i].gain, 0.02);
		sender_finish(&f.s);
	}
}

/* W += max(GAIN - W (queue/TARGET - 1), -W/2); of the least of four samples. */
static void above_it_the_window_falls_with_the_excess(void **state)
{
	struct feed f;

	start(&f, 200 * WT_MS);
	for (unsigned i = 0; i < 3; i++)
		feed_ack(&f, WT_MS, 266 * WT_MS);
	NEAR(feed_segs(&f), 100, 0.05); /* the fourth sample is still the base */
	feed_window(&f, 100);
	feed_ack(&f, WT_MS, 266 * WT_MS);
	NEAR(feed_segs(&f), 100 - 9 / 100.0, 0.002); /* 1 - 100 (66/60 - 1), a hundredth of it */
	feed_window(&f, 100);
	for (unsigned i = 0; i < 4; i++)
		feed_ack(&f, WT_MS, 500 * WT_MS);
	feed_window(&f, 100);
	feed_ack(&f, WT_MS, 500 * WT_MS);
	NEAR(feed_segs(&f), 100 - 0.5, 0.002); /* never more than half in a round trip */
	sender_finish(&f.s);
}

/* Acknowledges a segment each `step` until the slowdown's gauge says `on`; when that was. */
static wt_time until(struct feed *f, double on, wt_time step, wt_time rtt)
{
	for (unsigned i = 0; f->s.out.gauge[2] != on; i++) {
		assert_true(i < 100000);
		feed_ack(f, step, rtt);
	}
	return f->now;
}

/* The first comes two round trips after slow start. It holds two segments for two, and the next comes nine times as long after it is over. */
static void slowdowns_take_a_tenth_of_the_time(void **state)
{
	wt_time begin, end, exit;
	struct feed f;

	feed_start(&f, "ledbat");
	NEAR(feed_segs(&f), 2, 0); /* draft 4.3 */
	for (unsigned i = 0; i < 38; i++)
		feed_ack(&f, WT_MS, 120 * WT_MS);
	NEAR(feed_segs(&f), 40, 0); /* GAIN is 1 */
	for (unsigned i = 0; f.s.out.ssthresh == WT_SSTHRESH_INFINITE; i++)
		feed_ack(&f, WT_MS, 166 * WT_MS); /* above three quarters of the target */
	exit = f.now;
	NEAR((double)(until(&f, 1, WT_MS, 170 * WT_MS) - exit) / WT_MS, 2 * 166, 1);
	begin = f.now;
	do {
		NEAR(feed_segs(&f), 2, 0);
		feed_ack(&f, WT_MS, 120 * WT_MS);
	} while (feed_segs(&f) < 3);
	NEAR((double)(f.now - begin) / WT_MS, 2 * 170, 1);
	end = until(&f, 0, WT_MS, 120 * WT_MS);
	NEAR((double)(until(&f, 1, WT_MS, 120 * WT_MS) - end), 9.0 * (double)(end - begin), WT_MS);
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_the_target_the_window_grows_by_gain),
		cmocka_unit_test(above_it_the_window_falls_with_the_excess),
		cmocka_unit_test(slowdowns_take_a_tenth_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

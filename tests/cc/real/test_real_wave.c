/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule of wave delimitation and rate, one by one. Segments of 1000 bytes, 1 ms apart unless said otherwise. */
#include "tests/cc/cc_test.h"

#include "cc/tcp_real/wave.h"

static const struct wt_real_wave_rule paper = {.unit = 2, .mss = MSS, .tmo_mult = 2, .min_span = 1};

struct bench {
	struct wt_real_wave wave;
	struct wt_real_wave_rule rule;
	struct wt_real_sample sample;
	double rate;
	bool overtaken;
};

static struct bench start(struct wt_real_wave_rule rule)
{
	return (struct bench){.rule = rule};
}

/* One segment of `len` bytes at `seq`; the receiver module's order of calls. True: a wave closed, see sample. */
static bool segment(struct bench *b, wt_time ms, wt_seq seq, uint32_t len, uint32_t flags)
{
	struct wt_rx_segment s = {.now = ms * WT_MS, .seq = seq, .len = len, .flags = flags};
	bool closed;

	if (!b->wave.known)
		wt_real_wave_start(&b->wave, &b->rule, &s);
	closed = b->overtaken = wt_real_wave_overtaken(&b->wave, &b->rule, &s, WT_S, &b->sample);
	if (wt_real_wave_advances(&b->wave, &s))
		closed |= wt_real_wave_take(&b->wave, &b->rule, &s, b->rate, &b->sample);
	return closed;
}

static bool arrive(struct bench *b, wt_time ms, wt_seq n)
{
	return segment(b, ms, n * MSS, MSS, WT_RX_IN_ORDER);
}

static void a_wave_spans_what_was_permitted_and_closes_at_its_edge(void **state)
{
	struct bench b = start(paper);

	assert_false(arrive(&b, 0, 0));
	wt_real_wave_permit(&b.wave, 4 * MSS); /* in the middle of a wave: concerns the next one */
	assert_int_equal(b.wave.end, 2 * MSS);
	assert_true(arrive(&b, 1, 1));
	assert_int_equal(b.sample.start, 0);
	assert_int_equal(b.sample.end, 2 * MSS);
	assert_false(arrive(&b, 2, 2));
	assert_int_equal(b.wave.start, 2 * MSS);
	assert_int_equal(b.wave.end, 4 * MSS);
}

static void the_rate_has_one_interval_less_than_segments(void **state)
{
	struct bench b = start(paper);

	arrive(&b, 0, 0);
	arrive(&b, 1, 1);
	assert_true(b.sample.rate == 1e6); /* 1000 bytes in 1 ms, not 2000 */
	wt_real_wave_permit(&b.wave, 10 * MSS);
	for (unsigned i = 2; i < 9; i++)
		assert_false(arrive(&b, i, i));
	assert_true(arrive(&b, 9, 9));
	assert_true(b.sample.rate == 1e6);
}

static void a_lowered_permission_leaves_the_burst_already_released_alone(void **state)
{
	struct bench b = start(paper);

	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 8 * MSS);
	wt_real_wave_permit(&b.wave, 3 * MSS);
	arrive(&b, 1, 1);
	arrive(&b, 2, 2);
	assert_int_equal(b.wave.end, 8 * MSS);
}

static void a_wave_is_at_least_one_unit(void **state)
{
	struct bench b = start(paper);

	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 1 * MSS);
	assert_int_equal(b.wave.end, 2 * MSS);
}

static void segments_lost_inside_the_wave_count_as_expected(void **state)
{
	struct bench b = start(paper);

	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 7 * MSS);
	arrive(&b, 1, 1);
	arrive(&b, 2, 2);
	arrive(&b, 5, 5); /* 3 and 4 lost */
	assert_true(arrive(&b, 6, 6));
	assert_true(b.sample.rate == 1e6);
	assert_true(b.sample.holes);
	assert_false(b.sample.timed_out);
}

static void retransmissions_and_duplicates_change_nothing(void **state)
{
	struct bench b = start(paper), before;

	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 8 * MSS);
	arrive(&b, 1, 1);
	arrive(&b, 2, 4);
	before = b;
	assert_false(arrive(&b, 3, 2));
	assert_false(arrive(&b, 4, 0));
	assert_memory_equal(&before.wave, &b.wave, sizeof(b.wave));
}

static void a_segment_beyond_the_wave_closes_it_and_opens_the_next(void **state)
{
	struct bench b = start(paper);

	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 6 * MSS);
	arrive(&b, 1, 1);
	arrive(&b, 2, 2);
	arrive(&b, 3, 3);
	wt_real_wave_permit(&b.wave, 10 * MSS);
	assert_true(arrive(&b, 9, 6)); /* 4 and 5 are missing: a lost tail is not waited for */
	assert_true(b.overtaken);
	assert_false(b.sample.timed_out);
	assert_true(b.sample.rate == 1e6); /* to the last segment that came, not to this one */
	assert_true(b.wave.open);
	assert_int_equal(b.wave.start, 4 * MSS);
	assert_true(b.wave.holes);
}

static void the_deadline_is_twice_the_expected_wave_time(void **state)
{
	struct bench b = start(paper);

	b.rate = 1e6;
	arrive(&b, 10, 0);
	assert_int_equal(b.wave.deadline, 14 * WT_MS); /* 2 * 2000 bytes at 1 MB/s */
	b = start(paper);
	arrive(&b, 10, 0);
	assert_int_equal(b.wave.deadline, WT_NEVER);
}

static void any_arrival_after_the_deadline_closes_as_a_timeout(void **state)
{
	static const wt_seq arriving[] = {1, 0, 6}; /* in the wave, an old one, beyond it */

	for (int i = 0; i < 3; i++) {
		struct bench b = start(paper);

		b.rate = 1e6;
		arrive(&b, 0, 0);
		wt_real_wave_permit(&b.wave, 20 * MSS);
		assert_false(arrive(&b, 4, 0)); /* at the deadline is not after it */
		assert_true(arrive(&b, 5, arriving[i]));
		assert_true(b.overtaken && b.sample.timed_out);
		assert_true(b.sample.rate == 2e5); /* the 1000 bytes still expected in 5 ms */
		assert_int_equal(b.wave.open, arriving[i] != 0);
	}
}

static void a_tolerated_tail_is_no_timeout(void **state)
{
	struct wt_real_wave_rule safe = paper;
	struct bench b;

	safe.tail_tol = 0.125;
	for (wt_seq missing = 1; missing <= 2; missing++) {
		b = start(safe);
		arrive(&b, 0, 0);
		wt_real_wave_permit(&b.wave, 10 * MSS);
		b.rate = 1e6;
		arrive(&b, 1, 1);
		for (wt_seq i = 2; i < 10 - missing; i++)
			arrive(&b, i, i);
		wt_real_wave_permit(&b.wave, 20 * MSS);
		assert_true(arrive(&b, 100, 10)); /* outside, late */
		assert_int_equal(b.sample.timed_out, missing == 2); /* an eighth of 8000, at least one segment */
	}
	/* A late arrival inside the wave is a timeout however little is missing. */
	b = start(safe);
	b.rate = 1e6;
	arrive(&b, 0, 0);
	assert_true(arrive(&b, 100, 1));
	assert_true(b.sample.timed_out);
}

static void a_pushed_end_of_data_is_no_timeout(void **state)
{
	struct wt_real_wave_rule safe = paper;
	struct bench b;

	safe.psh_truncates = true;
	b = start(safe);
	arrive(&b, 0, 0);
	wt_real_wave_permit(&b.wave, 8 * MSS);
	arrive(&b, 1, 1);
	b.rate = 1e6;
	arrive(&b, 10, 2);
	segment(&b, 11, 3 * MSS, MSS, WT_RX_IN_ORDER | WT_RX_PSH);
	assert_true(arrive(&b, 500, 4));
	assert_false(b.sample.timed_out);
	assert_true(b.sample.rate == 1e6);
	assert_int_equal(b.wave.start, 4 * MSS);
	/* The same when no rate is known and so no deadline: silence ends it. */
	b = start(safe);
	segment(&b, 0, 0, 500, WT_RX_IN_ORDER | WT_RX_PSH);
	assert_false(segment(&b, 1000, 0, 500, WT_RX_DUPLICATE));
	assert_true(segment(&b, 1001, 0, 500, WT_RX_DUPLICATE));
}

static void one_segment_or_no_time_is_no_sample(void **state)
{
	struct wt_real_wave_rule coarse = paper;
	struct bench b = start(paper);

	assert_true(arrive(&b, 0, 7) == false); /* first segment out of order: rcv_nxt 0 is not told here */
	b = start(paper);
	arrive(&b, 0, 0);
	assert_true(arrive(&b, 0, 1)); /* two at once */
	assert_true(b.sample.rate == 0);
	assert_true(segment(&b, 5, 2 * MSS, 2 * MSS, WT_RX_IN_ORDER)); /* a merged pair fills a wave alone */
	assert_true(b.sample.rate == 0);
	coarse.min_span = 2 * WT_MS;
	b = start(coarse);
	arrive(&b, 0, 0);
	assert_true(arrive(&b, 1, 1));
	assert_true(b.sample.rate == 0);
}

static void a_first_segment_out_of_order_counts_from_the_hole(void **state)
{
	struct bench b = start(paper);
	struct wt_rx_segment s = {.seq = 3 * MSS, .len = MSS, .rcv_nxt = MSS, .flags = WT_RX_OUT_OF_ORDER};

	wt_real_wave_start(&b.wave, &b.rule, &s);
	assert_int_equal(b.wave.high, MSS);
}

static void a_ce_mark_belongs_to_its_wave(void **state)
{
	struct bench b = start(paper);

	segment(&b, 0, 0, MSS, WT_RX_IN_ORDER | WT_RX_CE);
	assert_true(arrive(&b, 1, 1));
	assert_true(b.sample.marked);
	arrive(&b, 2, 2);
	assert_true(arrive(&b, 3, 3));
	assert_false(b.sample.marked);
}

static void waves_cross_the_end_of_sequence_space(void **state)
{
	struct bench b = start(paper);
	wt_seq at = 0u - 1500;

	assert_false(segment(&b, 0, at, MSS, WT_RX_IN_ORDER));
	assert_true(segment(&b, 1, at + 1000, MSS, WT_RX_IN_ORDER));
	assert_true(b.sample.rate == 1e6);
	assert_int_equal(b.wave.high, 500);
	assert_false(segment(&b, 2, at, MSS, WT_RX_DUPLICATE));
}

static void the_payload_counts_at_most_what_was_advertised(void **state)
{
	struct bench b = start(paper);

	segment(&b, 0, 0, 100, WT_RX_IN_ORDER);
	assert_int_equal(b.wave.rmss, 100);
	segment(&b, 1, 100, 9000, WT_RX_IN_ORDER);
	assert_int_equal(b.wave.rmss, MSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wave_spans_what_was_permitted_and_closes_at_its_edge),
		cmocka_unit_test(the_rate_has_one_interval_less_than_segments),
		cmocka_unit_test(a_lowered_permission_leaves_the_burst_already_released_alone),
		cmocka_unit_test(a_wave_is_at_least_one_unit),
		cmocka_unit_test(segments_lost_inside_the_wave_count_as_expected),
		cmocka_unit_test(retransmissions_and_duplicates_change_nothing),
		cmocka_unit_test(a_segment_beyond_the_wave_closes_it_and_opens_the_next),
		cmocka_unit_test(the_deadline_is_twice_the_expected_wave_time),
		cmocka_unit_test(any_arrival_after_the_deadline_closes_as_a_timeout),
		cmocka_unit_test(a_tolerated_tail_is_no_timeout),
		cmocka_unit_test(a_pushed_end_of_data_is_no_timeout),
		cmocka_unit_test(one_segment_or_no_time_is_no_sample),
		cmocka_unit_test(a_first_segment_out_of_order_counts_from_the_hole),
		cmocka_unit_test(a_ce_mark_belongs_to_its_wave),
		cmocka_unit_test(waves_cross_the_end_of_sequence_space),
		cmocka_unit_test(the_payload_counts_at_most_what_was_advertised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

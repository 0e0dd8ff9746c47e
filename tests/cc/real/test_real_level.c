/* SPDX-License-Identifier: BSD-2-Clause */
/* The level update of TCP-Real, by numbers: levels in Q8, compared after rounding to 1/256. */
#include "tests/cc/cc_test.h"

#include "cc/tcp_real/level.h"

#define Q8(x) ((uint32_t)((x) * 256 + 0.5))

static const struct wt_real_level_rule rule = {
	.band = 0.10, .up_low = 0.75, .up_high = 0.25, .down_low = 0.25, .down_high = 0.75, .ratio_min = 0.25,
	.ratio_max = 4, .grow_low = 2, .grow_high = 0.5, .max = 24 * 256,
};

static struct wt_real_level at(double level, double threshold)
{
	return (struct wt_real_level){.level = Q8(level), .threshold = Q8(threshold), .has_rate = true, .rate = 1e6};
}

static void the_published_vectors_hold_to_the_last_bit(void **state)
{
	static const struct {
		double level, threshold, ratio;
		bool timed_out;
		double next, next_threshold;
	} v[] = {
		{1, 24, 1, false, 2, 24},          {16, 24, 1, false, 24, 24},       {14, 12, 1, false, 14.5, 12},
		{24, 24, 0.4, true, 13.2, 12},     {14.4, 12, 0.14, true, 6.3, 7.2}, {6.3, 7.2, 4.2, false, 20.475, 7.2},
		{4, 10, 0.5, false, 3.5, 10},      {20, 10, 2, false, 24, 10},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct wt_real_level level = at(v[i].level, v[i].threshold);

		wt_real_level_update(&level, &rule, v[i].ratio * 1e6, v[i].timed_out, false);
		assert_int_equal(level.level, Q8(v[i].next));
		assert_int_equal(level.threshold, Q8(v[i].next_threshold));
		assert_true(level.rate == v[i].ratio * 1e6);
	}
}

static void the_first_sample_only_sets_the_rate(void **state)
{
	struct wt_real_level level = {.level = 256, .threshold = 24 * 256};

	wt_real_level_update(&level, &rule, 5e5, false, false);
	assert_int_equal(level.level, 256);
	assert_true(level.has_rate && level.rate == 5e5);
}

static void a_wave_without_sample_counts_as_steady_and_keeps_the_rate(void **state)
{
	struct wt_real_level level = at(2, 24);

	wt_real_level_update(&level, &rule, 0, false, false);
	assert_int_equal(level.level, Q8(4));
	assert_true(level.rate == 1e6);
}

static void each_of_the_four_cases_has_its_weight(void **state)
{
	struct wt_real_level level = at(4, 10); /* rising below: 4 * (0.25 + 0.75 * 3) = 10 */

	wt_real_level_update(&level, &rule, 3e6, false, false);
	assert_int_equal(level.level, Q8(10));
	level = at(10, 10); /* rising above: 10 * (0.75 + 0.25 * 1.4) = 11 */
	wt_real_level_update(&level, &rule, 1.4e6, false, false);
	assert_int_equal(level.level, Q8(11));
	level = at(8, 10); /* falling below: 8 * (0.75 + 0.25 * 0.5) = 7 */
	wt_real_level_update(&level, &rule, 0.5e6, false, false);
	assert_int_equal(level.level, Q8(7));
	level = at(16, 10); /* falling above: 16 * (0.25 + 0.75 * 0.5) = 10 */
	wt_real_level_update(&level, &rule, 0.5e6, false, false);
	assert_int_equal(level.level, Q8(10));
}

static void doubling_stops_at_the_threshold(void **state)
{
	struct wt_real_level level = at(8, 12);

	wt_real_level_update(&level, &rule, 1e6, false, false);
	assert_int_equal(level.level, Q8(12));
	level = at(11.75, 12); /* and is never less than growth above it */
	wt_real_level_update(&level, &rule, 1e6, false, false);
	assert_int_equal(level.level, Q8(12.25));
}

static void a_timeout_never_grows_the_level(void **state)
{
	struct wt_real_level level = at(8, 24);

	wt_real_level_update(&level, &rule, 1e6, true, false);
	assert_int_equal(level.level, Q8(8));
	assert_int_equal(level.threshold, Q8(4));
	level = at(1, 24);
	wt_real_level_update(&level, &rule, 1e6, true, false);
	assert_int_equal(level.threshold, Q8(1));
}

static void the_guard_halves_level_and_threshold(void **state)
{
	struct wt_real_level level = at(16, 24);

	wt_real_level_update(&level, &rule, 1e6, false, true);
	assert_int_equal(level.level, Q8(8));
	assert_int_equal(level.threshold, Q8(8));
}

static void the_level_stays_between_one_and_the_highest(void **state)
{
	struct wt_real_level level = at(1, 1);

	for (int i = 0; i < 50; i++) {
		level.rate = 1e6;
		wt_real_level_update(&level, &rule, 1, i & 1, i & 2);
		assert_int_equal(level.level, Q8(1));
	}
	for (int i = 0; i < 100; i++) {
		level.rate = 1;
		wt_real_level_update(&level, &rule, 1e12, false, false);
		assert_true(level.level <= Q8(24));
	}
	assert_int_equal(level.level, Q8(24));
}

static void delay_variation_needs_no_common_clock(void **state)
{
	struct wt_real_delay d = {0};

	/* The peer's clock starts near its wrap; one-way delay 10 ms more, then 30 more, then back. */
	wt_real_delay_take(&d, 1000 * WT_MS, UINT32_MAX - 5, WT_MS, 10 * WT_S);
	assert_int_equal(wt_real_delay_now(&d), 0);
	wt_real_delay_take(&d, 1110 * WT_MS, UINT32_MAX - 5 + 100, WT_MS, 10 * WT_S);
	assert_int_equal(wt_real_delay_now(&d), 10 * WT_MS);
	wt_real_delay_take(&d, 1230 * WT_MS, UINT32_MAX - 5 + 200, WT_MS, 10 * WT_S);
	assert_int_equal(wt_real_delay_now(&d), 30 * WT_MS);
	assert_int_equal(wt_real_delay_max(&d), 30 * WT_MS);
	wt_real_delay_take(&d, 1295 * WT_MS, UINT32_MAX - 5 + 300, WT_MS, 10 * WT_S);
	assert_int_equal(wt_real_delay_now(&d), 0); /* a new minimum, 5 ms lower */
	assert_int_equal(wt_real_delay_max(&d), 35 * WT_MS);
}

static void the_smallest_delay_is_forgotten_after_two_windows(void **state)
{
	struct wt_real_delay d = {0};

	wt_real_delay_take(&d, 0, 0, WT_MS, 10 * WT_S);
	for (unsigned t = 1; t <= 25; t++) /* the route changed: 40 ms longer from now on */
		wt_real_delay_take(&d, t * WT_S + 40 * WT_MS, t * 1000, WT_MS, 10 * WT_S);
	assert_int_equal(wt_real_delay_now(&d), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_vectors_hold_to_the_last_bit),
		cmocka_unit_test(the_first_sample_only_sets_the_rate),
		cmocka_unit_test(a_wave_without_sample_counts_as_steady_and_keeps_the_rate),
		cmocka_unit_test(each_of_the_four_cases_has_its_weight),
		cmocka_unit_test(doubling_stops_at_the_threshold),
		cmocka_unit_test(a_timeout_never_grows_the_level),
		cmocka_unit_test(the_guard_halves_level_and_threshold),
		cmocka_unit_test(the_level_stays_between_one_and_the_highest),
		cmocka_unit_test(delay_variation_needs_no_common_clock),
		cmocka_unit_test(the_smallest_delay_is_forgotten_after_two_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

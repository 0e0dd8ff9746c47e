/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stack/base/histogram.h"

static void a_quantile_is_an_upper_bound_at_most_a_sixteenth_too_high(void **state)
{
	struct wt_histogram histogram = {0};
	static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1};

	for (wt_time i = 1; i <= 100000; i++)
		wt_histogram_add(&histogram, i * 37);
	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		wt_time exact = (wt_time)(shares[i] * 100000) * 37, bound = wt_histogram_below(&histogram, shares[i]);

		assert_true(bound >= exact && bound <= exact + exact / 16);
	}
	assert_int_equal(histogram.count, 100000);
	assert_int_equal(wt_histogram_below(&histogram, 1), 100000 * 37);
	wt_histogram_finish(&histogram);
	assert_int_equal(histogram.count, 0);
}

static void the_smallest_and_the_largest_have_a_place(void **state)
{
	struct wt_histogram histogram = {0}, more = {0};

	assert_int_equal(wt_histogram_below(&histogram, 0.99), 0);
	wt_histogram_add(&histogram, -5);
	assert_int_equal(wt_histogram_below(&histogram, 1), 0);
	wt_histogram_add(&histogram, INT64_MAX);
	wt_histogram_add(&histogram, 15);
	wt_histogram_add(&histogram, 16);
	assert_int_equal(wt_histogram_below(&histogram, 0.5), 15);
	assert_int_equal(wt_histogram_below(&histogram, 0.75), 16);
	assert_int_equal(wt_histogram_below(&histogram, 1), INT64_MAX);
	wt_histogram_add(&more, 20);
	wt_histogram_merge(&more, &histogram);
	assert_int_equal(more.count, 5);
	assert_int_equal(more.worst, INT64_MAX);
	assert_int_equal(wt_histogram_below(&more, 0.8), 20);
	wt_histogram_finish(&histogram);
	wt_histogram_finish(&more);
}

/* Thousands of flows have one each. */
static void it_has_buckets_only_around_what_came(void **state)
{
	struct wt_histogram histogram = {0};

	for (wt_time i = 0; i < 1000; i++)
		wt_histogram_add(&histogram, 40 * WT_MS + i * 20 * WT_US);
	assert_in_range(histogram.room * sizeof(histogram.bucket[0]), 1, 128);
	wt_histogram_add(&histogram, 5 * WT_MS);
	wt_histogram_add(&histogram, WT_S);
	assert_in_range(histogram.room * sizeof(histogram.bucket[0]), 1, 640);
	assert_in_range(wt_histogram_below(&histogram, 0.0005), 5 * WT_MS, 5 * WT_MS * 17 / 16);
	assert_in_range(wt_histogram_below(&histogram, 0.5), 50 * WT_MS, 50 * WT_MS * 17 / 16);
	assert_int_equal(wt_histogram_below(&histogram, 1), WT_S);
	wt_histogram_finish(&histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quantile_is_an_upper_bound_at_most_a_sixteenth_too_high),
		cmocka_unit_test(the_smallest_and_the_largest_have_a_place),
		cmocka_unit_test(it_has_buckets_only_around_what_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

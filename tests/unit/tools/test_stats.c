/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/results/stats.h"

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) <= (by))

static void student_quantiles_match_the_printed_tables(void **state)
{
	static const struct {
		size_t degrees;
		double t;
	} known[] = {{1, 12.7062}, {2, 4.3027}, {5, 2.5706}, {9, 2.2622}, {12, 2.1788}, {13, 2.1604}, {14, 2.1448},
		     {19, 2.0930}, {29, 2.0452}, {30, 2.0423}, {60, 2.0003}, {120, 1.9799}, {1000, 1.9623}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		NEAR(wt_student_quantile(0.05, known[i].degrees), known[i].t, 6e-5);
	NEAR(wt_student_quantile(0.01, 9), 3.2498, 6e-5);
	NEAR(wt_student_quantile(0.001, 3), 12.924, 6e-4);
	/* of a million repeats the normal law's, for many comparisons too */
	for (size_t degrees = 200000; degrees <= 2000000; degrees += 200000)
		NEAR(wt_student_quantile(0.05, degrees), 1.95997, 6e-5);
	NEAR(wt_student_quantile(0.0005, 50000), 3.4809, 6e-4);
	NEAR(wt_student_quantile(0.0005, 500000), 3.4808, 6e-4);
	assert_true(isnan(wt_student_quantile(0.05, 0)));
}

static void a_tail_is_the_quantile_the_other_way_round(void **state)
{
	static const double sample[] = {2, 4, 4, 4, 5, 5, 7, 9}, same[] = {3, 3, 3}, none[] = {0, 0, 0};
	struct wt_mean m = wt_mean_of(sample, 8);

	for (size_t degrees = 1; degrees < 200; degrees += 11)
		NEAR(wt_student_tail(-wt_student_quantile(0.03, degrees), degrees), 0.03, 1e-9);
	assert_true(wt_student_tail(0, 5) == 1 && wt_student_tail(NAN, 5) == 1 && wt_student_tail(7, 0) == 1);
	assert_true(wt_student_tail(1e9, 5) >= 0 && wt_student_tail(1e9, 5) < 1e-6);
	NEAR(wt_mean_p(&m), 0.00030, 1e-5); /* t = 5 / (2.13809 / sqrt(8)) = 6.6144, 7 degrees */
	m = wt_mean_of(sample, 1);
	assert_true(wt_mean_p(&m) == 1);
	m = wt_mean_of(same, 3);
	assert_true(wt_mean_p(&m) == 0);
	m = wt_mean_of(none, 3);
	assert_true(wt_mean_p(&m) == 1);
}

static void holm_decides_step_by_step(void **state)
{
	static const struct {
		double p[4];
		bool decided[4];
	} cases[] = {
		{{0.01, 0.04, 0.03, 0.005}, {true, false, false, true}}, /* .005 < .0125, .01 < .0167, .03 > .025: and .04 no more */
		{{0.01, 0.04, 0.02, 0.005}, {true, true, true, true}},
		{{0.013, 0.013, 0.013, 0.013}, {false, false, false, false}},
		{{0.0125, 1, 1, 0.9}, {true, false, false, false}},
	};
	bool decided[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wt_holm(cases[i].p, 4, 0.05, decided);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(decided[k], cases[i].decided[k]);
	}
	wt_holm((const double[]){0.05}, 1, 0.05, decided);
	assert_true(decided[0]);
	wt_holm((const double[]){NAN}, 1, 0.05, decided);
	assert_false(decided[0]);
	wt_holm(NULL, 0, 0.05, decided);
}

static void mean_and_interval_of_a_known_sample(void **state)
{
	/* mean 5, squares 32, deviation sqrt(32/7) = 2.13809, t(7) = 2.364624, half = 1.78748 */
	static const double sample[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct wt_mean m = wt_mean_of(sample, 8);

	assert_int_equal(m.n, 8);
	NEAR(m.mean, 5, 1e-12);
	NEAR(m.deviation, 2.138090, 1e-6);
	NEAR(m.half, 1.787487, 1e-5);
}

static void small_samples_have_no_interval_and_failed_runs_do_not_count(void **state)
{
	double sample[] = {NAN, 7, NAN};
	struct wt_mean m = wt_mean_of(sample, 3);

	assert_int_equal(m.n, 1);
	NEAR(m.mean, 7, 0);
	assert_true(isnan(m.half));
	m = wt_mean_of(sample, 1);
	assert_int_equal(m.n, 0);
	assert_true(isnan(m.mean));
}

static void a_paired_difference_is_free_of_what_both_share(void **state)
{
	double a[] = {20, 40, 200}, b[] = {17, 37, 197};
	struct wt_mean m = wt_paired_difference(a, b, 3);

	assert_int_equal(m.n, 3);
	NEAR(m.mean, 3, 1e-12);
	NEAR(m.half, 0, 1e-12);
	b[1] = NAN;
	assert_int_equal(wt_paired_difference(a, b, 3).n, 2);
}

static void two_means_agree_when_one_distribution_explains_both(void **state)
{
	/* pooled deviation sqrt((2*1 + 2*1)/4) = 1, times sqrt(2/3), t(4) = 2.7764: they may differ by 2.2669 */
	struct wt_mean a = {3, 10, 1, 1}, b = {3, 12.26, 1, 1}, c = {3, 12.27, 1, 1}, none = {0, NAN, NAN, NAN};
	struct wt_mean one = {1, 12, NAN, NAN}, many = {30, 10, 1.5, 0.5}, lucky = {3, 8, 0.01, 0.02};

	assert_true(wt_means_agree(&a, &b, 1));
	assert_false(wt_means_agree(&a, &c, 1));
	assert_true(wt_means_agree(&a, &c, 9)); /* one such difference among nine is chance */
	assert_false(wt_means_agree(&a, &none, 1));
	assert_true(wt_means_agree(&one, &many, 1)); /* one run is a draw from what the many say */
	assert_false(wt_means_agree(&lucky, &many, 1)); /* 2 > 2.0395 * 1.457 * 0.6055 */
}

static void kendall_tau_counts_orders(void **state)
{
	double paper[] = {3, 2, 1}, same[] = {30, 20, 10}, swapped[] = {30, 10, 20}, against[] = {1, 2, 3},
	       ties[] = {2, 2, 1}, flat[] = {1, 1, 1};

	NEAR(wt_kendall_tau(paper, same, 3), 1, 0);
	NEAR(wt_kendall_tau(paper, swapped, 3), 1.0 / 3, 1e-12);
	NEAR(wt_kendall_tau(paper, against, 3), -1, 0);
	NEAR(wt_kendall_tau(paper, ties, 3), 2 / sqrt(6), 1e-12);
	assert_true(isnan(wt_kendall_tau(paper, flat, 3)));
}

static void quantiles_lie_between_samples_in_proportion(void **state)
{
	/* Hyndman and Fan's definition 7, as R and NumPy have it by default */
	double four[] = {4, NAN, 1, 3, 2}, one[] = {7};

	NEAR(wt_quantile(four, 5, 0), 1, 0);
	NEAR(wt_quantile(four, 5, 0.25), 1.75, 1e-12);
	NEAR(wt_quantile(four, 5, 0.5), 2.5, 1e-12);
	NEAR(wt_quantile(four, 5, 0.9), 3.7, 1e-12);
	NEAR(wt_quantile(four, 5, 1), 4, 0);
	NEAR(wt_quantile(one, 1, 0.95), 7, 0);
	assert_true(isnan(wt_quantile(one, 0, 0.5)));
}

static void jains_index_is_one_for_equals_and_one_in_n_for_a_tyrant(void **state)
{
	double equal[] = {3, 3, 3}, tyrant[] = {0, 0, 5, 0}, some[] = {1, 2, 3};

	NEAR(wt_jain(equal, 3), 1, 1e-15);
	NEAR(wt_jain(tyrant, 4), 0.25, 1e-15);
	NEAR(wt_jain(some, 3), 36.0 / 42, 1e-15);
	assert_true(isnan(wt_jain(some, 0)));
}

static void a_bootstrap_interval_of_many_samples_is_students_and_of_two_holds_both(void **state)
{
	double many[400], two[] = {0, NAN, 1};
	struct wt_interval got;
	struct wt_mean mean;

	for (unsigned i = 0; i < 400; i++)
		many[i] = 100 + (double)(i * 7919u % 401) / 10; /* evenly spread over 40 */
	mean = wt_mean_of(many, 400);
	got = wt_bootstrap_mean(many, 400);
	NEAR(got.low, mean.mean - mean.half, 0.1 * mean.half);
	NEAR(got.high, mean.mean + mean.half, 0.1 * mean.half);
	/* of two, both draws are the same one in a quarter of all cases */
	got = wt_bootstrap_mean(two, 3);
	NEAR(got.low, 0, 0);
	NEAR(got.high, 1, 0);
	assert_true(isnan(wt_bootstrap_mean(two, 2).low));
}

/* Worked out once, by another program that draws the same numbers (SipHash-2-4 as in tests/unit/base/test_random.c). */
static void the_bootstrap_draws_the_same_numbers_everywhere(void **state)
{
	static const double a[] = {12.5, 9, 14, 30, 8.25, 11, 10, 17}, b[] = {10, 8, 16, 20, 8, 10, 12.5, 9};
	struct wt_interval mean = wt_bootstrap_mean(a, 8), both;
	double ratio;

	both = wt_bootstrap_ratio(a, b, 8, &ratio);
	NEAR(ratio, 111.75 / 93.5, 1e-15);
	NEAR(mean.low, 10.25, 1e-12);
	NEAR(mean.high, 18.875, 1e-12);
	NEAR(both.low, 0.9603174603174603, 1e-12);
	NEAR(both.high, 1.4348158212560385, 1e-12);
}

static void a_ratio_of_pairs_is_free_of_what_both_share(void **state)
{
	double a[] = {20, 40, NAN, 200, 1}, b[] = {10, 20, 7, 100, NAN}, none[] = {0, 0, 0, 0, 0}, ratio;
	struct wt_interval got = wt_bootstrap_ratio(a, b, 5, &ratio);

	NEAR(ratio, 2, 1e-15);
	NEAR(got.low, 2, 1e-12);
	NEAR(got.high, 2, 1e-12);
	got = wt_bootstrap_ratio(a, none, 5, &ratio);
	assert_true(isnan(ratio) && isnan(got.low) && isnan(got.high));
	wt_bootstrap_ratio(a, b, 1, &ratio);
	NEAR(ratio, 2, 0);
}

static void means_within_one_percent_agree_however_small_their_spread(void **state)
{
	struct wt_mean x = {3, 236.0, 0.001, 0.002}, y = {3, 237.0, 0.001, 0.002}, none = {0, NAN, NAN, NAN};

	(void)state;
	assert_int_equal(wt_means_judge(&x, &y, 1), WT_AGREE_CLOSE);
	y.mean = 239;
	assert_int_equal(wt_means_judge(&x, &y, 1), WT_DIFFER);
	y.deviation = 10;
	assert_int_equal(wt_means_judge(&x, &y, 1), WT_AGREE);
	assert_int_equal(wt_means_judge(&x, &none, 1), WT_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_quantiles_match_the_printed_tables),
		cmocka_unit_test(a_tail_is_the_quantile_the_other_way_round),
		cmocka_unit_test(holm_decides_step_by_step),
		cmocka_unit_test(mean_and_interval_of_a_known_sample),
		cmocka_unit_test(small_samples_have_no_interval_and_failed_runs_do_not_count),
		cmocka_unit_test(a_paired_difference_is_free_of_what_both_share),
		cmocka_unit_test(two_means_agree_when_one_distribution_explains_both),
		cmocka_unit_test(kendall_tau_counts_orders),
		cmocka_unit_test(quantiles_lie_between_samples_in_proportion),
		cmocka_unit_test(jains_index_is_one_for_equals_and_one_in_n_for_a_tyrant),
		cmocka_unit_test(a_bootstrap_interval_of_many_samples_is_students_and_of_two_holds_both),
		cmocka_unit_test(the_bootstrap_draws_the_same_numbers_everywhere),
		cmocka_unit_test(a_ratio_of_pairs_is_free_of_what_both_share),
		cmocka_unit_test(means_within_one_percent_agree_however_small_their_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

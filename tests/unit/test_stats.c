/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/stats.h"

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
	assert_true(isnan(wt_student_quantile(0.05, 0)));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_quantiles_match_the_printed_tables),
		cmocka_unit_test(mean_and_interval_of_a_known_sample),
		cmocka_unit_test(small_samples_have_no_interval_and_failed_runs_do_not_count),
		cmocka_unit_test(a_paired_difference_is_free_of_what_both_share),
		cmocka_unit_test(two_means_agree_when_one_distribution_explains_both),
		cmocka_unit_test(kendall_tau_counts_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

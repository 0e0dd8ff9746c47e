/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/results/leaders.h"

static struct wt_results results; /* large */

static void cell(const char *point, const char *variant, double *sample, size_t count)
{
	struct wt_results_cell *c = &results.cell[results.cells++];

	snprintf(c->point, sizeof(c->point), "%s", point);
	snprintf(c->variant, sizeof(c->variant), "%s", variant);
	c->sample = sample;
	c->count = count;
	c->mean = wt_mean_of(sample, count);
}

static void begin(void)
{
	memset(&results, 0, sizeof(results));
}

static void a_row_is_decided_where_every_pair_with_the_leader_is(void **state)
{
	static double fast[] = {30, 31, 32, 30, 31}, slow[] = {20, 21, 22, 21, 20}, near[] = {30, 32, 31, 29, 31};
	struct wt_leader leader[4];

	begin();
	cell("1%", "slow", slow, 5);
	cell("2%", "slow", slow, 5);
	cell("1%", "fast", fast, 5);
	cell("2%", "fast", fast, 5);
	cell("2%", "near", near, 5);
	assert_int_equal(wt_leaders(&results, false, leader, 4), 2);
	assert_string_equal(leader[0].point, "1%");
	assert_string_equal(leader[0].best->variant, "fast");
	assert_string_equal(leader[0].second->variant, "slow");
	assert_int_equal(leader[0].leads, WT_LEADS);
	assert_true(fabs(leader[0].ratio - 154.0 / 104) < 1e-12 && leader[0].interval.low > 1.4 && leader[0].interval.high < 1.6);
	assert_string_equal(leader[1].best->variant, "fast");
	assert_string_equal(leader[1].second->variant, "near");
	assert_int_equal(leader[1].leads, WT_LEADS_MAYBE);
	/* where less is better the slow one leads, decided against both */
	assert_int_equal(wt_leaders(&results, true, leader, 4), 2);
	assert_string_equal(leader[1].best->variant, "slow");
	assert_int_equal(leader[1].leads, WT_LEADS);
}

/* A column printed twice in another measure: its runs are the same, and it is nobody's opponent. */
static void who_stands_there_twice_counts_once(void **state)
{
	static double sample[2][20], other[20];
	struct wt_leader leader[4];

	for (unsigned i = 0; i < 20; i++) {
		sample[0][i] = sample[1][i] = 30 + i % 3;
		other[i] = 20 + i % 4;
	}
	begin();
	cell("1", "vegas", sample[0], 20);
	cell("1", "reno", other, 20);
	cell("1", "vegas-1500", sample[1], 20);
	assert_int_equal(wt_leaders(&results, false, leader, 4), 1);
	assert_string_equal(leader[0].best->variant, "vegas");
	assert_string_equal(leader[0].second->variant, "reno");
	assert_int_equal(leader[0].leads, WT_LEADS);
	sample[1][7] += 1; /* one run is another: two protocols */
	assert_int_equal(wt_leaders(&results, false, leader, 4), 1);
	assert_string_equal(leader[0].second->variant, "vegas-1500");
}

/* Differences 2, 3, 1, 4, 2: t = 4.71, p = 0.0093. One such pair is decided; among ten such rows none is. */
static void rows_are_judged_together(void **state)
{
	static double a[] = {12, 13, 11, 14, 12}, b[] = {10, 10, 10, 10, 10};
	static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
	struct wt_leader leader[10];
	struct wt_mean mean = wt_paired_difference(a, b, 5);

	assert_true(fabs(wt_mean_p(&mean) - 0.0093) < 1e-4);
	begin();
	cell("0", "a", a, 5);
	cell("0", "b", b, 5);
	assert_int_equal(wt_leaders(&results, false, leader, 10), 1);
	assert_int_equal(leader[0].leads, WT_LEADS);
	for (unsigned i = 1; i < 10; i++) {
		cell(names[i], "a", a, 5);
		cell(names[i], "b", b, 5);
	}
	assert_int_equal(wt_leaders(&results, false, leader, 10), 10);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(leader[i].leads, WT_LEADS_MAYBE);
}

static void failed_runs_equal_means_and_single_protocols(void **state)
{
	static double none[] = {NAN, NAN}, same[] = {5, 5}, gap[] = {NAN, 7, 9}, little[] = {100, 101, 99}, more[] = {101.5, 102.5, 100.5};
	struct wt_leader leader[4];

	begin();
	cell("a", "x", none, 2);
	cell("a", "y", same, 2);
	cell("b", "x", same, 2);
	cell("b", "y", same, 2);
	cell("c", "x", none, 2);
	cell("d", "x", gap, 3);
	cell("e", "x", little, 3);
	cell("e", "y", more, 3);
	assert_int_equal(wt_leaders(&results, false, leader, 4), 4);
	assert_int_equal(leader[3].leads, WT_LEADS_LEVEL); /* 1.5 more each time: within 2 % */
	assert_int_equal(leader[0].leads, WT_LEADS_ALONE);
	assert_string_equal(leader[0].best->variant, "y");
	assert_null(leader[0].second);
	assert_int_equal(leader[1].leads, WT_LEADS_LEVEL);
	assert_true(leader[1].ratio == 1);
	assert_string_equal(leader[2].point, "d");
}

static void what_is_better_goes_by_the_name_of_the_metric(void **state)
{
	assert_int_equal(wt_metric_least("goodput_kBps"), 0);
	assert_int_equal(wt_metric_least("success_percent"), 0);
	assert_int_equal(wt_metric_least("connection_time_s"), 1);
	assert_int_equal(wt_metric_least("flow.tcp1.sender.mean_rtt_s"), 1);
	assert_int_equal(wt_metric_least("flow.tcp1.goodput_kBps"), 0);
	assert_int_equal(wt_metric_least("tokens_per_slot"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_decided_where_every_pair_with_the_leader_is),
		cmocka_unit_test(who_stands_there_twice_counts_once),
		cmocka_unit_test(rows_are_judged_together),
		cmocka_unit_test(failed_runs_equal_means_and_single_protocols),
		cmocka_unit_test(what_is_better_goes_by_the_name_of_the_metric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

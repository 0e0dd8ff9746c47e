/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emu/machine/steer.h"
#include "emu/daemon/verdict.h"

static void ticks_are_summed_without_the_guests_that_are_in_user_already(void **state)
{
	struct wt_ticks ticks;

	assert_true(wt_ticks_parse("cpu  100 10 50 1000 5 1 2 30 77 77\ncpu0 1 1 1 1 1 1 1 1 1 1\n", &ticks));
	assert_int_equal(ticks.all, 1198);
	assert_int_equal(ticks.steal, 30);
	assert_false(wt_ticks_parse("cpu  100 10 50", &ticks));
	assert_false(wt_ticks_parse("", &ticks));
}

static void drops_of_all_processors_queues_are_summed(void **state)
{
	assert_int_equal(wt_softnet_dropped("06218f32 00000e3a 00000002 00000000\n0c23a088 000000e5 00000001 00000000\n"), 0xe3a + 0xe5);
	assert_int_equal(wt_softnet_dropped("00000001 00000010"), 16);
	assert_int_equal(wt_softnet_dropped(""), 0);
	assert_int_equal(wt_softnet_dropped("nothing\n\nto read\n"), 0);
}

/* A verdict over a file of our own in place of /proc/stat. */
static void start(struct wt_verdict *verdict, FILE *stat, unsigned all, unsigned steal)
{
	wt_verdict_init(verdict, (struct wt_verdict_bounds)WT_VERDICT_BOUNDS);
	wt_verdict_finish(verdict);
	verdict->stat_fd = fileno(stat);
	verdict->from = verdict->to = (struct wt_ticks){.all = all, .steal = steal};
}

static void write_ticks(FILE *stat, unsigned idle, unsigned steal)
{
	rewind(stat);
	fprintf(stat, "cpu  0 0 0 %u 0 0 0 %u 0 0\n", idle, steal);
	fflush(stat);
}

static void stolen_time_makes_a_host_busy_and_a_few_ticks_do_not(void **state)
{
	struct wt_verdict verdict;
	FILE *stat = tmpfile();

	assert_non_null(stat);
	start(&verdict, stat, 1000, 100);
	write_ticks(stat, 1000, 104); /* 4 of 104 ticks: 4 %, but only four */
	assert_false(wt_verdict_busy(&verdict));
	write_ticks(stat, 1890, 110); /* 10 of 1000: the bound itself */
	assert_false(wt_verdict_busy(&verdict));
	write_ticks(stat, 1889, 111);
	assert_true(wt_verdict_busy(&verdict));
	assert_true(wt_verdict_steal(&verdict) > 0.0109 && wt_verdict_steal(&verdict) < 0.0111);
	write_ticks(stat, 10, 0); /* a counter that went back says nothing */
	assert_true(wt_verdict_busy(&verdict));
	fclose(stat);
}

static void one_frame_in_a_hundred_may_be_late(void **state)
{
	struct wt_verdict verdict;
	struct wt_histogram late = {0};

	wt_verdict_init(&verdict, (struct wt_verdict_bounds)WT_VERDICT_BOUNDS);
	assert_false(wt_verdict_late(&verdict, &late));
	for (unsigned i = 0; i < 990; i++)
		wt_histogram_add(&late, 500 * WT_US);
	for (unsigned i = 0; i < 10; i++)
		wt_histogram_add(&late, 5 * WT_MS);
	assert_false(wt_verdict_late(&verdict, &late));
	wt_histogram_add(&late, 5 * WT_MS);
	assert_true(wt_verdict_late(&verdict, &late));
	wt_histogram_finish(&late);
	wt_verdict_finish(&verdict);
}

/* Three pings and an ARP are no measurement of a hundredth. */
static void of_a_handful_of_frames_one_may_be_late_and_two_may_not(void **state)
{
	struct wt_verdict verdict;

	wt_verdict_init(&verdict, (struct wt_verdict_bounds)WT_VERDICT_BOUNDS);
	for (unsigned count = 1; count <= 199; count++) {
		struct wt_histogram late = {0};

		wt_histogram_add(&late, 20 * WT_MS);
		for (unsigned i = 1; i < count; i++)
			wt_histogram_add(&late, 50 * WT_US);
		assert_false(wt_verdict_late(&verdict, &late));
		wt_histogram_add(&late, 20 * WT_MS);
		assert_int_equal(wt_verdict_late(&verdict, &late), count < 199); /* 2 of 200 are 1 % */
		wt_histogram_add(&late, 20 * WT_MS);
		assert_true(wt_verdict_late(&verdict, &late));
		wt_histogram_finish(&late);
	}
	wt_verdict_finish(&verdict);
}

static void a_fault_is_first_seen_once(void **state)
{
	struct wt_verdict verdict;

	wt_verdict_init(&verdict, (struct wt_verdict_bounds)WT_VERDICT_BOUNDS);
	assert_true(wt_verdict_valid(&verdict));
	assert_true(wt_verdict_fault(&verdict, WT_FAULT_MEMORY, "pool", 5));
	assert_false(wt_verdict_fault(&verdict, WT_FAULT_MEMORY, "elsewhere", 7));
	assert_string_equal(verdict.where[WT_FAULT_MEMORY], "pool");
	assert_int_equal(verdict.first[WT_FAULT_MEMORY], 5);
	assert_false(wt_verdict_valid(&verdict));
	for (unsigned i = 0; i < WT_FAULTS; i++)
		assert_true(strlen(wt_fault_name((enum wt_fault)i)) > 3);
	wt_verdict_finish(&verdict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_summed_without_the_guests_that_are_in_user_already),
		cmocka_unit_test(drops_of_all_processors_queues_are_summed),
		cmocka_unit_test(stolen_time_makes_a_host_busy_and_a_few_ticks_do_not),
		cmocka_unit_test(one_frame_in_a_hundred_may_be_late),
		cmocka_unit_test(of_a_handful_of_frames_one_may_be_late_and_two_may_not),
		cmocka_unit_test(a_fault_is_first_seen_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

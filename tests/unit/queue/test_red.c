/* SPDX-License-Identifier: BSD-2-Clause */
/* RED: its average by recursion, its gaps between drops by their law. */
#include "tests/unit/emu/queue_bench.h"

#include <math.h>
#include <stdio.h>

enum { ARRIVALS = 1000000, GAPS = 12 };

static double average(const struct wt_node *node)
{
	struct wt_rate_counts counts;

	wt_rate_counts(node, &counts);
	return counts.pressure;
}

/* Nothing leaves at 1 bit/s, so with weight 1 the average is what waits. */
static struct wt_node *standing(const char *queue)
{
	char words[200];

	snprintf(words, sizeof(words), "rate 1bit burst 0B %s", queue);
	return bench_words(words);
}

static void the_average_of_a_fast_link_that_was_idle_for_a_year_is_nothing(void **state)
{
	struct wt_node *node = standing("limit 1MB queue red min 10KB max 20KB weight 0.5");
	wt_time now = WT_S;
	char err[300];

	for (unsigned i = 0; i < 5; i++)
		bench_input(node, 0, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1));
	assert_true(average(node) > 1000);
	assert_int_equal(wt_path_change(&bench_path, "rate 1GB every 1ns burst 1GB limit 1MB queue red min 10KB max 20KB weight 0.5", now, err,
					sizeof(err)), 0);
	wt_rate_flush(node, now);
	now += 365 * 24 * 3600 * WT_S;
	bench_input(node, now, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1));
	assert_true(average(node) == 0);
	wt_frame_free(bench_output(node, now));
	wt_path_finish(&bench_path);
}

/* Three packets' worth of the old link, two and a half and then four of the new one; words that say the same change nothing. */
static void idle_time_decays_by_the_rate_there_was(void **state)
{
	static const char *const words[] = {"rate 12Mbit burst 0B limit 1MB queue red min 10KB max 20KB weight 0.5",
					    "rate 12Kbit burst 0B limit 1MB queue red min 10KB max 20KB weight 0.5"};
	struct wt_node *node = bench_words(words[0]);
	double before;
	char err[300];

	for (unsigned i = 0; i < 5; i++)
		bench_input(node, 0, bench_packet(1500, 0, WT_ECN_NOT_ECT, 1));
	before = average(node);
	wt_rate_flush(node, 0);
	assert_int_equal(wt_path_change(&bench_path, words[1], 3 * WT_MS, err, sizeof(err)), 0);
	assert_true(average(node) == before / 8);
	assert_int_equal(wt_path_change(&bench_path, words[1], 3 * WT_MS + 2500 * WT_MS, err, sizeof(err)), 0);
	bench_input(node, 3 * WT_MS + 6500 * WT_MS, bench_packet(1500, 0, WT_ECN_NOT_ECT, 1));
	assert_true(average(node) == before / 8 / 64);
	wt_rate_flush(node, 3 * WT_MS + 6500 * WT_MS);
	wt_path_finish(&bench_path);
	/* a handoff to the slow link at 3 ms */
	node = bench_words("rate 12Mbit burst 0B limit 1MB queue red min 10KB max 20KB weight 0.5 handoff every 3ms for 0s flush to-rate 12Kbit");
	for (unsigned i = 0; i < 5; i++)
		bench_input(node, 0, bench_packet(1500, 0, WT_ECN_NOT_ECT, 1));
	wt_rate_flush(node, 0);
	bench_input(node, 4 * WT_MS, bench_packet(1500, 0, WT_ECN_NOT_ECT, 1));
	assert_true(average(node) == before / 8);
	wt_rate_flush(node, 4 * WT_MS);
	wt_path_finish(&bench_path);
}

/* P(gap = n) where the n-th arrival is struck with p / (1 - (n-1) p). */
static double chi_square(const uint64_t gaps[GAPS], double p)
{
	double chi = 0, reach = 1, total = 0;

	for (unsigned i = 0; i < GAPS; i++)
		total += (double)gaps[i];
	for (unsigned n = 0; n < GAPS; n++) {
		double left = 1 - n * p, strike = left > p ? p / left : 1, expected = total * reach * strike, off;

		reach *= 1 - strike;
		off = (double)gaps[n] - expected;
		if (expected >= 5)
			chi += off * off / expected;
		else if (gaps[n] >= 20)
			return INFINITY;
	}
	return chi;
}

/* The buffer is full at `limit`: every arrival meets the same average, is struck by chance or dropped by the limit. */
static double gaps_misfit(const char *queue, double p, enum wt_ecn ecn)
{
	struct wt_node *node = standing(queue);
	uint64_t gaps[GAPS] = {0}, before = 0, tried = 0;
	unsigned gap = 0;

	while (node->audit.dropped[WT_DROP_QUEUE] < 1 && tried++ < 1000)
		bench_input(node, 0, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1));
	assert_in_range(node->audit.queued, 1, 100);
	for (unsigned i = 0; i < ARRIVALS; i++) {
		struct wt_rate_counts counts;
		uint64_t struck;

		bench_input(node, 0, bench_packet(1000, i, ecn, 1));
		wt_rate_counts(node, &counts);
		struck = node->audit.dropped[WT_DROP_AQM] + node->audit.marked;
		gap++;
		if (struck == before)
			continue;
		if (before && gap <= GAPS)
			gaps[gap - 1]++;
		before = struck;
		gap = 0;
	}
	wt_path_finish(&bench_path);
	return chi_square(gaps, p);
}

static void check_gaps(const char *queue, double p, enum wt_ecn ecn)
{
	assert_true(gaps_misfit(queue, p, ecn) < 31.3); /* 11 degrees of freedom, 0.1 per cent */
}

static void the_gaps_between_drops_are_uniform_up_to_one_over_the_share(void **state)
{
	check_gaps("limit 15000B queue red min 10KB max 20KB prob 50% weight 1", 0.25, WT_ECN_NOT_ECT);
	check_gaps("limit 11000B queue red min 10KB max 20KB prob 100% weight 1", 0.1, WT_ECN_NOT_ECT);
	/* gentle: half way from max to twice max, half way from prob to 1 */
	check_gaps("limit 30000B queue red min 10KB max 20KB prob 20% weight 1 gentle", 0.6, WT_ECN_NOT_ECT);
	check_gaps("limit 15000B queue red min 10KB max 20KB prob 50% weight 1 ecn", 0.25, WT_ECN_ECT0);
	/* two per cent off is seen */
	assert_true(gaps_misfit("limit 15000B queue red min 10KB max 20KB prob 49% weight 1", 0.25, WT_ECN_NOT_ECT) > 31.3);
}

static void from_max_on_all_are_dropped_and_below_min_none(void **state)
{
	struct wt_node *node = standing("limit 1MB queue red min 10KB max 20KB prob 0% weight 1 ecn");

	for (unsigned i = 0; i < 100; i++) /* prob 0: nothing happens up to max, there everything, capable or not */
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT0, 1));
	assert_int_equal(node->audit.queued, 20);
	assert_int_equal(node->audit.dropped[WT_DROP_AQM], 80);
	wt_path_finish(&bench_path);
}

static void the_average_follows_its_recursion_and_decays_in_idle_time(void **state)
{
	struct wt_node *node = bench_words("rate 12Mbit burst 0B limit 50000B queue red min 200KB max 400KB weight 0.002");
	double expected = 0, waiting = 0;
	struct wt_frame *frame;

	for (unsigned i = 0; i < 2000; i++) { /* all at once: 50 are kept */
		expected += 0.002 * (waiting - expected);
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_NOT_ECT, 1));
		waiting = waiting < 50000 ? waiting + 1000 : waiting;
		assert_true(average(node) > expected - 1e-6 && average(node) < expected + 1e-6);
	}
	assert_true(expected > 48000);
	while (node->ops->deadline(node) != WT_NEVER && (frame = bench_output(node, node->ops->deadline(node))))
		wt_frame_free(frame);
	/* empty since 50 * 2/3 ms; a packet of 1500 bytes takes 1 ms: 1000 of them until the next comes */
	bench_input(node, 1000 * WT_MS + 50 * WT_MS * 2 / 3 + 100, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1));
	for (unsigned i = 0; i < 1000; i++)
		expected *= 0.998;
	assert_true(average(node) > expected * 0.999999 && average(node) < expected * 1.000001);
	wt_path_finish(&bench_path);
}

/* After 700 packet times of nothing the average is 0.99^700 of what it was, whether the queue ran empty or was flushed. */
static void idle_time_counts_from_a_flush_as_from_an_empty_queue(void **state)
{
	struct wt_node *node = bench_words("rate 12Mbit burst 0B limit 1MB queue red min 1MB max 2MB weight 0.01");
	double before;

	for (unsigned i = 0; i < 300; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_NOT_ECT, 1));
	before = average(node);
	assert_true(before > 100000);
	wt_rate_flush(node, WT_MS);
	bench_input(node, WT_MS + 700 * WT_MS, bench_packet(1000, 1, WT_ECN_NOT_ECT, 1));
	assert_true(average(node) < before * 0.00089 && average(node) > before * 0.00087);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(the_gaps_between_drops_are_uniform_up_to_one_over_the_share),
		BENCH_TEST(from_max_on_all_are_dropped_and_below_min_none),
		BENCH_TEST(the_average_follows_its_recursion_and_decays_in_idle_time),
		BENCH_TEST(idle_time_counts_from_a_flush_as_from_an_empty_queue),
		BENCH_TEST(idle_time_decays_by_the_rate_there_was),
		BENCH_TEST(the_average_of_a_fast_link_that_was_idle_for_a_year_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Jitter, schedules and reordering of the delay; the laws against closed form over a million packets. */
#include "tests/unit/emu/queue_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/draw.h"
#include "tests/unit/scratch.h"

enum { PACKETS = 1000000 };

static double delays[PACKETS]; /* seconds */

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Packets so far apart that none waits for another. */
static void measure(const char *words)
{
	struct wt_node *node = bench_words(words);

	for (unsigned i = 0; i < PACKETS; i++) {
		wt_time now = (wt_time)i * 100 * WT_S, time = 0;
		uint32_t tag = 0;

		bench_input(node, now, bench_tcp(60, i));
		assert_true(bench_next(node, &time, &tag));
		delays[i] = (double)(time - now) / 1e9;
	}
	wt_path_finish(&bench_path);
	qsort(delays, PACKETS, sizeof(*delays), ascending);
}

/* Kolmogorov and Smirnov's distance times the root of the count; 0.1 per cent: 1.95 */
static double distance(double (*law)(double))
{
	double worst = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		double p = law(delays[i]);

		worst = fmax(worst, fmax(p - (double)i / PACKETS, (double)(i + 1) / PACKETS - p));
	}
	return worst * sqrt(PACKETS);
}

static double normal_law(double x)
{
	return 0.5 * erfc(-(x - 0.1) / 0.01 / sqrt(2));
}

/* Mean 3 ms over 15 ms, shape 3: 15 ms + 6 ms (U^(-1/3) - 1) */
static double pareto_law(double x)
{
	return x < 0.015 ? 0 : 1 - pow(1 + (x - 0.015) / 0.006, -3);
}

static void normal_jitter_is_normal(void **state)
{
	measure("delay 100ms jitter normal 10ms");
	assert_true(distance(normal_law) < 1.95);
	/* two per cent off is seen */
	measure("delay 100ms jitter normal 10.2ms");
	assert_true(distance(normal_law) > 1.95);
	measure("delay 100ms jitter normal 9.8ms");
	assert_true(distance(normal_law) > 1.95);
}

static void pareto_jitter_is_pareto(void **state)
{
	double sum = 0;

	measure("delay 15ms jitter pareto 3ms shape 3");
	assert_true(distance(pareto_law) < 1.95);
	for (unsigned i = 0; i < PACKETS; i++)
		sum += delays[i];
	assert_true(fabs(sum / PACKETS - 0.018) < 0.00003); /* the deviation of one is 5.2 ms */
	/* two per cent off is seen: of the mean, and of the shape with the mean kept */
	measure("delay 15ms jitter pareto 3.06ms shape 3");
	assert_true(distance(pareto_law) > 1.95);
	measure("delay 15ms jitter pareto 3ms shape 2.94");
	assert_true(distance(pareto_law) > 1.95);
}

/* Chi-square of 1, 2, 3 and 10 ms against a quarter each. */
static double samples_misfit(const char *text)
{
	char name[SCRATCH_PATH], words[100];
	unsigned count[4] = {0};
	int fd = scratch_file(name);
	double chi = 0;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	snprintf(words, sizeof(words), "delay 5ms jitter file %s", name);
	measure(words);
	close(fd);
	for (unsigned i = 0; i < PACKETS; i++) {
		double added = delays[i] - 0.005;

		count[added > 0.009 ? 3 : (unsigned)(added * 1000 + 0.5) - 1]++;
	}
	for (unsigned i = 0; i < 4; i++)
		chi += (count[i] - PACKETS / 4.) * (count[i] - PACKETS / 4.) / (PACKETS / 4.);
	return chi;
}

static void samples_of_a_file_come_alike(void **state)
{
	char text[600] = "";

	assert_true(samples_misfit("1ms\n# none\n2ms 3ms\n10ms\n") < 16.3); /* 3 degrees of freedom, 0.1 per cent */
	/* fifty lines, one of them another time: two per cent off is seen */
	for (unsigned i = 0; i < 12; i++)
		strcat(text, "1ms 2ms 3ms 10ms\n");
	assert_true(samples_misfit(text) < 16.3);
	strcat(text, "1ms 1ms\n");
	assert_true(samples_misfit(text) > 16.3);
}

static void no_packet_is_early_and_none_overtakes_unless_it_may(void **state)
{
	static const char *const words[] = {"delay 5ms jitter normal 5ms", "delay 5ms jitter normal 5ms reordering"};
	unsigned overtaken[2] = {0};

	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = bench_words(words[w]);
		static wt_time came[2000];
		uint32_t highest = 0, out = 0;
		wt_time last = 0;

		for (unsigned i = 0; i < 2000; i++)
			came[i] = (wt_time)i * 300 * WT_US;
		for (unsigned i = 0; i < 2000 || node->ops->deadline(node) != WT_NEVER;) {
			wt_time time = 0;
			uint32_t tag = 0;

			if (i < 2000 && came[i] <= node->ops->deadline(node)) {
				bench_input(node, came[i], bench_tcp(60, i));
				i++;
				continue;
			}
			assert_true(bench_next(node, &time, &tag));
			assert_true(time >= last && time >= came[tag]);
			last = time;
			overtaken[w] += tag < highest;
			highest = tag > highest ? tag : highest;
			out++;
		}
		assert_int_equal(out, 2000);
		wt_path_finish(&bench_path);
	}
	assert_int_equal(overtaken[0], 0);
	assert_true(overtaken[1] > 500);
}

static void other_traffic_does_not_move_the_jitter(void **state)
{
	struct wt_node *alone = bench_words("delay 50ms jitter normal 5ms reordering"), *mixed;
	wt_time time[2];
	uint32_t tag = 0;

	for (unsigned i = 0; i < 1000; i++) {
		mixed = i ? mixed : bench_words("delay 50ms jitter normal 5ms reordering");
		bench_input(alone, i * WT_S, bench_tcp(60, i));
		bench_input(mixed, i * WT_S, bench_tcp(60, i));
		assert_true(bench_next(alone, &time[0], &tag) && bench_next(mixed, &time[1], &tag));
		assert_int_equal(time[0], time[1]);
		bench_input(mixed, i * WT_S + WT_S / 2, bench_frame(0x0800, BENCH_ICMP, 98, i));
		assert_true(bench_next(mixed, &time[1], &tag));
		bench_input(mixed, i * WT_S + WT_S / 2, bench_arp());
		assert_true(bench_next(mixed, &time[1], &tag));
		assert_int_equal(time[1], i * WT_S + WT_S / 2 + 50 * WT_MS);
	}
	alone->ops->destroy(alone);
	mixed->ops->destroy(mixed);
}

static wt_time delay_at(struct wt_node *node, wt_time now)
{
	wt_time time = 0;
	uint32_t tag = 0;

	bench_input(node, now, bench_tcp(60, 0));
	assert_true(bench_next(node, &time, &tag));
	return time - now;
}

static void a_schedule_changes_the_delay_on_its_nanosecond_and_repeats(void **state)
{
	struct wt_node *node = bench_words("delay 15ms at 10s 40ms at 20s 5ms");

	assert_int_equal(delay_at(node, 0), 15 * WT_MS);
	assert_int_equal(delay_at(node, 10 * WT_S - 1), 15 * WT_MS);
	assert_int_equal(delay_at(node, 10 * WT_S), 40 * WT_MS - 0);
	assert_int_equal(delay_at(node, 20 * WT_S), 5 * WT_MS);
	assert_int_equal(delay_at(node, 100 * WT_S), 5 * WT_MS);
	wt_path_finish(&bench_path);
	node = bench_words("delay 15ms at 10s 40ms every 20s");
	for (unsigned k = 0; k < 5; k++) {
		assert_int_equal(delay_at(node, (k * 20 + 1) * WT_S), 15 * WT_MS);
		assert_int_equal(delay_at(node, (k * 20 + 10) * WT_S), 40 * WT_MS);
		assert_int_equal(delay_at(node, (k * 20 + 20) * WT_S - 1), 40 * WT_MS);
	}
	wt_path_finish(&bench_path);
}

static void our_exponential_is_that_of_the_library(void **state)
{
	for (double x = 0; x < 600; x += 0.0137)
		assert_true(fabs(wt_exp_up(x) / exp(x) - 1) < 1e-13);
}

/* Changed to a delay that keeps order, or taken away: what is under way leaves when it was going to, and what comes later behind it. */
static void what_comes_after_reordering_ended_does_not_overtake_what_is_under_way(void **state)
{
	enum { EARLIER = 200, LATER = 20 };
	static const char *const words[] = {"delay 50ms jitter normal 5ms reordering", "delay 1ms", ""};
	static wt_time due[EARLIER];

	for (unsigned round = 0; round < 3; round++) { /* round 0: without a change */
		struct wt_node *node = bench_words(words[0]);
		uint32_t tag = 0, next = EARLIER;
		wt_time time = 0;
		char err[200];

		for (uint32_t i = 0; i < EARLIER; i++)
			bench_input(node, i * WT_US, bench_tcp(60, i));
		if (round)
			assert_int_equal(wt_path_change(&bench_path, words[round], WT_MS, err, sizeof(err)), 0);
		node = bench_path.stage[0]; /* the delay, or a drain in its place */
		for (uint32_t i = 0; i < LATER && round; i++)
			bench_input(node, WT_MS + i * WT_US, bench_tcp(60, EARLIER + i));
		for (unsigned n = 0; bench_next(node, &time, &tag); n++) {
			if (n < EARLIER && !round)
				due[tag] = time;
			if (n < EARLIER) {
				assert_true(tag < EARLIER);
				assert_int_equal(time, due[tag]);
			} else {
				assert_int_equal(tag, next++);
			}
		}
		assert_int_equal(next, round ? EARLIER + LATER : EARLIER);
		wt_path_finish(&bench_path);
	}
}

/* The delay that the packet behind 100 others meets, which came one by one or in one piece, with jitter or before there was any. */
static wt_time the_next_one(bool jitter, bool whole)
{
	static const char words[] = "delay 10ms jitter normal 1ms";
	struct wt_node *node = bench_words(jitter ? words : "delay 10ms");
	wt_time time = 0;
	char err[200];
	uint32_t tag;

	for (uint32_t i = 0; i < 100; i++) {
		struct wt_frame *frame = bench_tcp(whole ? 14 + 20 + 32 + 1234 : 60, i);

		frame->csum_start = 14 + 20;
		frame->csum_offset = 16;
		frame->gso_size = whole ? 100 : 0;
		wt_frame_own_bytes(frame)[14 + 20 + 12] = 8 << 4; /* the length of TCP's header */
		if (!whole || i < 7) /* 7 times 13 packets, and 9 */
			bench_input(node, i, frame);
		else if (i < 16)
			frame->gso_size = 0, bench_input(node, i, frame);
		else
			wt_frame_free(frame);
	}
	assert_int_equal(wt_path_change(&bench_path, words, WT_S, err, sizeof(err)), 0);
	while (bench_next(node, &time, &tag))
		;
	bench_input(node, 2 * WT_S, bench_tcp(60, 100));
	assert_true(bench_next(node, &time, &tag));
	wt_path_finish(&bench_path);
	return time;
}

static void the_numbers_of_jitter_go_on_from_where_there_was_none(void **state)
{
	wt_time always = the_next_one(true, false);

	assert_true(always != 2 * WT_S + 10 * WT_MS);
	assert_int_equal(the_next_one(false, false), always);
	assert_int_equal(the_next_one(false, true), always);
}

/* At the largest deviation there may be. */
static void wide_jitter_is_cut_nowhere(void **state)
{
	struct wt_node *node = bench_words("delay 100h jitter normal 1h reordering");
	wt_time time = 0, most = 0;
	uint32_t tag;

	for (unsigned i = 0; i < 2000; i++)
		bench_input(node, 0, bench_tcp(60, i));
	while (bench_next(node, &time, &tag))
		most = time;
	assert_true(most > 102 * 3600 * WT_S && most < 110 * 3600 * WT_S);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(normal_jitter_is_normal),
		BENCH_TEST(pareto_jitter_is_pareto),
		BENCH_TEST(samples_of_a_file_come_alike),
		BENCH_TEST(no_packet_is_early_and_none_overtakes_unless_it_may),
		BENCH_TEST(other_traffic_does_not_move_the_jitter),
		BENCH_TEST(a_schedule_changes_the_delay_on_its_nanosecond_and_repeats),
		BENCH_TEST(the_numbers_of_jitter_go_on_from_where_there_was_none),
		BENCH_TEST(wide_jitter_is_cut_nowhere),
		BENCH_TEST(our_exponential_is_that_of_the_library),
		BENCH_TEST(what_comes_after_reordering_ended_does_not_overtake_what_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

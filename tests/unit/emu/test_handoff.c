/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs: their times, what is lost, and what holds afterwards, at one instant in every stage of both directions. */
#include "tests/unit/emu/queue_bench.h"
#include "tests/unit/exponential.h"

#include <errno.h>
#include <stdlib.h>

#include "emu/stages/handoff.h"

static void pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words)
{
	char err[300];

	if (wt_path_init_pair(fwd, fwd_words, rev, rev_words, 1, err, sizeof(err)))
		fail_msg("%s", err);
}

static wt_time through(struct wt_node *node, wt_time now)
{
	wt_time time = 0;
	uint32_t tag;

	bench_input(node, now, bench_tcp(1000, 0));
	assert_true(bench_next(node, &time, &tag));
	return time - now;
}

static void a_periodic_handoff_loses_for_its_time_and_leads_round_the_cells(void **state)
{
	static const char words[] = "handoff every 10s for 200ms to-delay 60ms then to-delay 5ms delay 15ms";
	static const wt_time cells[] = {15 * WT_MS, 60 * WT_MS, 5 * WT_MS}, back[] = {15 * WT_MS, 70 * WT_MS, WT_MS};
	struct wt_path fwd, rev;

	pair(&fwd, words, &rev, "handoff every 10s for 200ms to-delay 70ms then to-delay 1ms delay 15ms");
	assert_string_equal(fwd.text, words);
	for (unsigned k = 0; k < 10; k++) {
		wt_time start = k * 10 * WT_S;

		if (k) {
			assert_true(bench_passes(fwd.stage[0], start - 1, bench_tcp(60, 0)));
			assert_false(bench_passes(fwd.stage[0], start, bench_tcp(60, 0)));
			assert_false(bench_passes(rev.stage[0], start, bench_arp()));
			assert_false(bench_passes(fwd.stage[0], start + 200 * WT_MS - 1, bench_tcp(60, 0)));
		}
		assert_true(bench_passes(fwd.stage[0], start + 200 * WT_MS, bench_tcp(60, 0)));
		assert_int_equal(through(fwd.stage[1], start), cells[k % 3]);
		assert_int_equal(through(rev.stage[1], start + 1), back[k % 3]);
	}
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

/* 1000 bytes take 1 ms before and 2 ms after; the one half sent at 10 s has half of it left. */
static void the_rate_changes_within_a_frame_and_the_queue_is_kept_or_flushed(void **state)
{
	static const char *const words[] = {
		"rate 8Mbit burst 0B limit 64KB handoff every 10s for 0s to-rate 4Mbit",
		"rate 8Mbit burst 0B limit 64KB handoff every 10s for 0s flush to-rate 4Mbit",
	};

	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = bench_words(words[w]);
		static const wt_time kept[] = {500, 2500, 4500}; /* us after 10 s */
		wt_time time = 0;
		uint32_t tag;

		for (unsigned i = 0; i < 4; i++)
			bench_input(node, 10 * WT_S - 1500 * WT_US, bench_tcp(1000, i));
		assert_true(bench_next(node, &time, &tag));
		assert_int_equal(time, 10 * WT_S - 500 * WT_US);
		for (unsigned i = 0; w == 0 && i < 3; i++) {
			wt_time due = node->ops->deadline(node);

			if (due == 10 * WT_S) { /* woken to change */
				assert_null(bench_output(node, due));
				due = node->ops->deadline(node);
			}
			assert_true(bench_next(node, &time, &tag));
			assert_int_equal(time, 10 * WT_S + kept[i] * WT_US + 500 * WT_US);
		}
		if (w == 1) {
			assert_int_equal(node->ops->deadline(node), 10 * WT_S);
			assert_null(bench_output(node, 10 * WT_S));
			assert_int_equal(node->audit.dropped[WT_DROP_FLUSH], 3);
			assert_int_equal(node->audit.queued, 0);
			assert_int_equal(through(node, 10 * WT_S + 1), 2 * WT_MS);
		}
		/* and back */
		assert_int_equal(through(node, 20 * WT_S), WT_MS);
		wt_path_finish(&bench_path);
	}
}

static void loss_changes_with_the_cell(void **state)
{
	struct wt_node *node = bench_words("handoff every 10s for 0s to-loss 100% loss 0%");

	assert_string_equal(bench_path.stage[1]->name, "fwd.loss");
	node = bench_path.stage[1];
	assert_true(bench_passes(node, 10 * WT_S - 1, bench_tcp(60, 0)));
	assert_false(bench_passes(node, 10 * WT_S, bench_tcp(60, 0)));
	assert_true(bench_passes(node, 20 * WT_S, bench_tcp(60, 0)));
	wt_path_finish(&bench_path);
}

/* The fate of each of a hundred packets in the second handoff, behind a hundred that met the first, or came before it. */
static void a_packet_has_its_number_whether_those_before_it_met_a_handoff_or_not(void **state)
{
	bool passed[100];

	for (unsigned round = 0; round < 2; round++) {
		struct wt_node *node = bench_words("handoff every 10s for 1s drop 50%");

		for (unsigned i = 0; i < 100; i++)
			bench_passes(node, round ? 10 * WT_S : WT_S, bench_tcp(60, i));
		for (unsigned i = 0; i < 100; i++) {
			bool passes = bench_passes(node, 20 * WT_S, bench_tcp(60, i));

			assert_true(!round || passes == passed[i]);
			passed[i] = passes;
		}
		wt_path_finish(&bench_path);
	}
}

/* The paper's: 5 s between, half a second of 99 per cent. */
static void exponential_handoffs_have_exponential_gaps_and_lengths(void **state)
{
	enum { HANDOFFS = 200000 };
	static double gap[HANDOFFS], length[HANDOFFS];
	struct wt_handoff_config config = {.random = true, .every = 5 * WT_S, .length = WT_S / 2};
	struct wt_key key = wt_key_derive(2001, "handoff");
	struct wt_handoff_clock clock;
	wt_time end = 0;

	wt_handoff_init(&clock, &key, &config);
	for (unsigned i = 0; i < HANDOFFS; i++) {
		wt_time start = clock.next;

		assert_true(wt_handoff_step(&clock, start));
		assert_false(wt_handoff_step(&clock, start));
		gap[i] = (double)(start - end);
		length[i] = (double)(clock.end - start);
		end = clock.end;
	}
	assert_true(exponential_distance(gap, HANDOFFS, 5e9) < 1.95);
	assert_true(exponential_distance(length, HANDOFFS, 5e8) < 1.95);
}

static void both_directions_meet_the_same_exponential_handoffs(void **state)
{
	static const char words[] = "handoff mean 1s for 500ms";
	struct wt_path fwd, rev;
	unsigned lost = 0;

	pair(&fwd, words, &rev, words);
	for (unsigned i = 0; i < 100000; i++) {
		bool passes = bench_passes(fwd.stage[0], i * WT_MS, bench_tcp(60, i));

		if (i % 7 == 0) /* asked less often, it tells the same */
			assert_int_equal(bench_passes(rev.stage[0], i * WT_MS, bench_tcp(60, i)), passes);
		lost += !passes;
	}
	assert_in_range(lost, 20000, 47000); /* a third */
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void half_a_handoff_is_refused(void **state)
{
	static const struct {
		const char *fwd, *rev, *error;
	} table[] = {
		{"handoff every 5s for 1s", "", "a handoff happens in both directions at once: \"handoff\" must stand in fwd and rev, "
						"with the same times and as many cells"},
		{"handoff every 5s for 1s", "handoff every 5s for 2s", "a handoff happens in both directions at once: \"handoff\" must "
								       "stand in fwd and rev, with the same times and as many cells"},
		{"handoff every 5s for 1s to-delay 5ms", "", "fwd: handoff: to-delay needs a stage \"delay\" in the same direction, and only one"},
		{"handoff every 5s for 1s flush", "", "fwd: handoff: flush needs a stage \"rate\" in the same direction, and only one"},
		{"handoff every 5s for 1s to-loss 5% loss 1% | loss 1%", "",
		 "fwd: handoff: to-loss needs a stage \"loss\" in the same direction, and only one"},
		{"rate 1KB every 1ms burst 2KB limit 64KB handoff every 5s for 1s to-rate 1Mbit", "",
		 "fwd: handoff: to-rate needs a plain rate, neither a trace nor lumps"},
		{"handoff every 5s for 1s | handoff every 5s for 1s", "", "fwd: handoff: a direction can have only one"},
		{"handoff for 1s", "", "fwd: word 1 \"handoff\": when is missing: \"every 30s\", or \"mean 30s\" for exponential times"},
		{"handoff every 5s", "", "fwd: word 1 \"handoff\": for is missing: how long packets are lost, such as \"for 200ms\""},
		{"handoff every 5s for 1s then", "", "fwd: word 6 \"then\": the values after the first handoff must come before \"then\", such as "
						     "\"to-delay 60ms\""},
		{"handoff every 5s for 1s to-delay 5ms then delay 5ms", "",
		 "fwd: word 1 \"handoff\": a value must follow \"then\", such as \"to-delay 5ms\""},
		{"handoff every 1s for 1s", "", "fwd: word 1 \"handoff\": \"every\" must be longer than \"for\""},
		{"handoff mean 1s for 1s at 1s", "", "fwd: word 1 \"handoff\": \"at\" requires \"every\""},
		{"handoff every 5s for 1s flush keep", "", "fwd: word 1 \"handoff\": either flush or keep"},
	};
	struct wt_path fwd, rev;
	char err[300];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(wt_path_init_pair(&fwd, table[i].fwd, &rev, table[i].rev, 1, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, table[i].error);
	}
}

static void the_values_of_a_cell_can_be_changed_in_one_direction_and_the_times_in_both(void **state)
{
	struct wt_path fwd, rev;
	char err[300];

	pair(&fwd, "handoff every 10s for 0s to-rate 4Mbit rate 8Mbit burst 0B limit 64KB", &rev, "handoff every 10s for 0s to-rate 4Mbit "
	     "rate 8Mbit burst 0B limit 64KB");
	assert_int_equal(through(fwd.stage[0], 10 * WT_S), 2 * WT_MS);
	assert_int_equal(wt_path_change(&fwd, "handoff every 10s for 0s to-rate 1Mbit rate 8Mbit burst 0B limit 64KB", 11 * WT_S, err,
					sizeof(err)), 0);
	assert_int_equal(through(fwd.stage[0], 11 * WT_S), 8 * WT_MS);
	assert_int_equal(through(fwd.stage[0], 20 * WT_S), WT_MS);
	assert_int_equal(wt_path_change(&fwd, "handoff every 11s for 0s to-rate 1Mbit rate 8Mbit burst 0B limit 64KB", 21 * WT_S, err,
					sizeof(err)), -EINVAL);
	assert_string_equal(err, "what is shared with the other direction can only be changed in both; this "
			    "one is \"rate 8Mbit burst 0B limit 64KB handoff every 10s for 0 to-rate 1Mbit\"");
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void change(struct wt_path *fwd, struct wt_path *rev, const char *words, wt_time now)
{
	char err[300];

	if (wt_path_change_pair(fwd, words, rev, words, now, err, sizeof(err)))
		fail_msg("%s", err);
}

/* It comes at 25 s, when two have passed by its schedule; goes at 35 s; comes again; and gets other times. */
static void a_handoff_comes_at_home_and_changes_both_directions_at_its_next_time(void **state)
{
	static const char words[] = "handoff every 10s for 200ms to-delay 60ms delay 15ms";
	struct wt_path fwd, rev, *both[2] = {&fwd, &rev};
	char err[300];

	pair(&fwd, "delay 15ms", &rev, "delay 15ms");
	assert_int_equal(wt_path_change_pair(&fwd, words, &rev, NULL, 25 * WT_S, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "a handoff happens in both directions at once: \"handoff\" must stand in fwd and rev, with the same times and "
			    "as many cells");
	for (unsigned round = 0; round < 2; round++) {
		wt_time from = (25 + round * 30) * WT_S, start = from + 5 * WT_S;

		change(&fwd, &rev, words, from);
		for (unsigned d = 0; d < 2; d++) {
			assert_int_equal(both[d]->count, 2);
			assert_true(bench_passes(both[d]->stage[0], from, bench_tcp(60, 0)));
			assert_int_equal(through(both[d]->stage[1], from), 15 * WT_MS);
			assert_true(bench_passes(both[d]->stage[0], start - 1, bench_tcp(60, 0)));
			assert_false(bench_passes(both[d]->stage[0], start, bench_tcp(60, 0)));
			assert_int_equal(through(both[d]->stage[1], start), 60 * WT_MS);
		}
		change(&fwd, &rev, "delay 15ms", start + WT_S);
		for (unsigned d = 0; d < 2; d++)
			assert_int_equal(through(both[d]->stage[0], start + 2 * WT_S), 15 * WT_MS);
	}
	change(&fwd, &rev, words, 70 * WT_S + 1);
	change(&fwd, &rev, "handoff every 7s for 1s to-delay 60ms then to-delay 1ms delay 15ms", 81 * WT_S);
	for (unsigned d = 0; d < 2; d++) {
		assert_int_equal(through(both[d]->stage[1], 81 * WT_S), 15 * WT_MS);
		assert_true(bench_passes(both[d]->stage[0], 84 * WT_S - 1, bench_tcp(60, 0)));
		assert_false(bench_passes(both[d]->stage[0], 84 * WT_S, bench_tcp(60, 0)));
		assert_int_equal(through(both[d]->stage[1], 84 * WT_S), 60 * WT_MS);
		assert_int_equal(through(both[d]->stage[1], 91 * WT_S), WT_MS);
	}
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void exponential_handoffs_that_come_again_are_others_and_the_same_in_both_directions(void **state)
{
	static const char words[] = "handoff mean 1s for 500ms";
	struct wt_path fwd, rev;
	unsigned lost[2] = {0}, alike = 0;
	static bool seen[2][10000];

	pair(&fwd, "", &rev, "delay 0s");
	for (unsigned round = 0; round < 2; round++) {
		wt_time from = (1 + round) * 1000 * WT_S;

		change(&fwd, &rev, words, from);
		for (unsigned i = 0; i < 10000; i++) {
			seen[round][i] = bench_passes(fwd.stage[0], from + i * 10 * WT_MS, bench_tcp(60, i));
			if (i % 7 == 0)
				assert_int_equal(bench_passes(rev.stage[0], from + i * 10 * WT_MS, bench_tcp(60, i)), seen[round][i]);
			lost[round] += !seen[round][i];
			alike += round && seen[0][i] == seen[1][i];
		}
		change(&fwd, &rev, "", from + 500 * WT_S);
	}
	assert_in_range(lost[0], 2000, 4700);
	assert_in_range(lost[1], 2000, 4700);
	assert_in_range(alike, 3000, 7500);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

/* Frames of 12 ms came 10 ms before 10 s, when it begins; it is in the path since then, or since just before. */
static void one_that_begins_at_the_instant_of_a_change_flushes_too(void **state)
{
	static const char words[] = "rate 1Mbit burst 0B limit 64KB handoff every 5s for 100ms flush to-rate 4Mbit";

	for (wt_time early = 0; early < 2; early++) {
		struct wt_path fwd, rev;
		struct wt_node *node;

		pair(&fwd, "rate 1Mbit burst 0B limit 64KB", &rev, "rate 1Mbit burst 0B limit 64KB");
		node = fwd.stage[0];
		for (unsigned i = 0; i < 12; i++)
			bench_input(node, 10 * WT_S - 10 * WT_MS, bench_tcp(125, i));
		change(&fwd, &rev, words, 10 * WT_S - early);
		for (unsigned i = 0; i < 10; i++) /* the last one is due at the very instant */
			wt_frame_free(bench_output(node, 10 * WT_S));
		assert_null(bench_output(node, 10 * WT_S));
		assert_int_equal(node->audit.out, 10);
		assert_int_equal(node->audit.dropped[WT_DROP_FLUSH], 2);
		assert_int_equal(through(node, 10 * WT_S + 1), 2 * WT_MS);
		wt_path_finish(&fwd);
		wt_path_finish(&rev);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_periodic_handoff_loses_for_its_time_and_leads_round_the_cells),
		BENCH_TEST(the_rate_changes_within_a_frame_and_the_queue_is_kept_or_flushed),
		BENCH_TEST(loss_changes_with_the_cell),
		BENCH_TEST(a_packet_has_its_number_whether_those_before_it_met_a_handoff_or_not),
		BENCH_TEST(exponential_handoffs_have_exponential_gaps_and_lengths),
		BENCH_TEST(both_directions_meet_the_same_exponential_handoffs),
		BENCH_TEST(half_a_handoff_is_refused),
		BENCH_TEST(the_values_of_a_cell_can_be_changed_in_one_direction_and_the_times_in_both),
		BENCH_TEST(a_handoff_comes_at_home_and_changes_both_directions_at_its_next_time),
		BENCH_TEST(exponential_handoffs_that_come_again_are_others_and_the_same_in_both_directions),
		BENCH_TEST(one_that_begins_at_the_instant_of_a_change_flushes_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

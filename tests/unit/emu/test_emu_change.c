/* SPDX-License-Identifier: BSD-2-Clause */
/* Changing a path that runs: all or nothing, and nothing under way is touched. */
#include "emu_bench.h"

#include <errno.h>

#include "emu/path.h"

static void start(struct wt_path *path, const char *words)
{
	char err[300];

	if (wt_path_init(path, words, "fwd", 1, err, sizeof(err)))
		fail_msg("%s", err);
}

static void frames_under_way_keep_their_departure_and_later_ones_do_not_overtake(void **state)
{
	struct wt_path path;
	char err[300];
	wt_time time;
	uint32_t tag;

	start(&path, "delay 15ms");
	bench_input(path.stage[0], 0, bench_tcp(60, 1));
	assert_int_equal(wt_path_change(&path, "delay 2ms", WT_MS, err, sizeof(err)), 0);
	assert_string_equal(path.text, "delay 2ms");
	bench_input(path.stage[0], 5 * WT_MS, bench_tcp(60, 2));
	bench_input(path.stage[0], 14 * WT_MS, bench_tcp(60, 3));
	assert_true(bench_next(path.stage[0], &time, &tag));
	assert_int_equal(time, 15 * WT_MS);
	assert_true(bench_next(path.stage[0], &time, &tag));
	assert_int_equal(tag, 2);
	assert_int_equal(time, 15 * WT_MS);
	assert_true(bench_next(path.stage[0], &time, &tag));
	assert_int_equal(time, 16 * WT_MS);
	wt_path_finish(&path);
}

/* A frame of 1000 bytes takes 1 ms at 8 Mbit/s; half of it is sent when the rate doubles. */
static void what_waits_is_sent_on_at_the_new_rate(void **state)
{
	struct wt_path path;
	char err[300];
	wt_time time;
	uint32_t tag;

	start(&path, "rate 8Mbit burst 0B limit 64KB");
	bench_input(path.stage[0], 0, bench_tcp(1000, 1));
	bench_input(path.stage[0], 0, bench_tcp(1000, 2));
	assert_int_equal(wt_path_change(&path, "rate 16Mbit burst 0B limit 64KB", WT_MS / 2, err, sizeof(err)), 0);
	assert_true(bench_next(path.stage[0], &time, &tag));
	assert_int_equal(time, 750 * WT_US);
	assert_true(bench_next(path.stage[0], &time, &tag));
	assert_int_equal(time, 1250 * WT_US);
	assert_int_equal(path.stage[0]->audit.out, 2);
	wt_path_finish(&path);
}

static void the_streams_go_on_where_they_are(void **state)
{
	struct wt_path changed, still;
	char err[300];

	start(&changed, "loss 0%");
	start(&still, "loss 30%");
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(bench_passes(changed.stage[0], i, bench_tcp(60, i)));
		bench_passes(still.stage[0], i, bench_tcp(60, i));
	}
	assert_int_equal(wt_path_change(&changed, "loss 30%", 1000, err, sizeof(err)), 0);
	for (unsigned i = 1000; i < 5000; i++)
		assert_int_equal(bench_passes(changed.stage[0], i, bench_tcp(60, i)),
				 bench_passes(still.stage[0], i, bench_tcp(60, i)));
	wt_path_finish(&changed);
	wt_path_finish(&still);
}

static void what_is_refused_changes_nothing(void **state)
{
	static const struct {
		const char *fwd, *rev, *error;
	} table[] = {
		{"delay 20ms loss 1%", "delay 20", "rev: word 2, after \"delay\": '20' has no unit: expected a time with its unit "
						   "(ns us ms s min h), such as 15ms"},
		{"delay 20ms", NULL, "fwd: a change keeps the stages of a path; this one is \"loss 0% delay 15ms\""},
		{"delay 20ms | loss 1%", NULL, "fwd: a change keeps the stages of a path; this one is \"loss 0% delay 15ms\""},
		{"loss 1% delay 20ms", "rate 1Mbit burst 0B limit 64KB",
		 "rev: a change keeps the stages of a path; this one is \"delay 15ms\""},
	};
	struct wt_path fwd, rev;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, "delay 15ms loss 0%", &rev, "delay 15ms", 1, err, sizeof(err)), 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(wt_path_change_pair(&fwd, table[i].fwd, &rev, table[i].rev, 0, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, table[i].error);
		assert_string_equal(fwd.text, "loss 0% delay 15ms");
		assert_string_equal(rev.text, "delay 15ms");
		assert_true(bench_passes(fwd.stage[0], 0, bench_tcp(60, 0)));
	}
	assert_int_equal(wt_path_change_pair(&fwd, "delay 20ms loss 100%", &rev, NULL, 0, err, sizeof(err)), 0);
	assert_string_equal(fwd.text, "loss 100% delay 20ms");
	assert_string_equal(rev.text, "delay 15ms");
	assert_false(bench_passes(fwd.stage[0], 0, bench_tcp(60, 0)));
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void a_shared_history_is_changed_in_both_directions_or_not_at_all(void **state)
{
	static const char *const words[] = {"loss gilbert on 1s 100% off 1s 0% shared", "loss gilbert on 10s 100% off 10s 0% shared"};
	struct wt_path fwd, rev;
	unsigned on = 0;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, words[0], &rev, words[0], 1, err, sizeof(err)), 0);
	assert_int_equal(wt_path_change(&fwd, words[1], 0, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "what is shared with the other direction can only be changed in both");
	assert_int_equal(wt_path_change_pair(&fwd, words[1], &rev, NULL, 0, err, sizeof(err)), -EINVAL);
	/* fwd has followed the history to 50 s, rev not at all */
	bench_passes(fwd.stage[0], 50 * WT_S, bench_tcp(60, 0));
	assert_int_equal(wt_path_change_pair(&fwd, words[1], &rev, words[1], 50 * WT_S, err, sizeof(err)), 0);
	for (unsigned i = 0; i < 1000; i++) {
		wt_time now = (50 + i) * WT_S;
		bool passes = bench_passes(fwd.stage[0], now, bench_tcp(60, i));

		assert_int_equal(passes, bench_passes(rev.stage[0], now, bench_tcp(60, i)));
		on += !passes;
	}
	assert_in_range(on, 200, 800);
	/* one's own drop share may be changed alone */
	assert_int_equal(wt_path_change(&fwd, "loss gilbert on 10s 50% off 10s 0% shared", 1100 * WT_S, err, sizeof(err)), 0);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(frames_under_way_keep_their_departure_and_later_ones_do_not_overtake),
		BENCH_TEST(what_waits_is_sent_on_at_the_new_rate),
		BENCH_TEST(the_streams_go_on_where_they_are),
		BENCH_TEST(what_is_refused_changes_nothing),
		BENCH_TEST(a_shared_history_is_changed_in_both_directions_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Changing a path that runs: all or nothing, and nothing under way is touched. */
#include "tests/unit/emu/emu_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/path.h"
#include "tests/unit/scratch.h"

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

/* One stage gets a value or words; the rest stays as it was written. */
static void one_stage_is_edited_and_the_rest_stays(void **state)
{
	static const char whole[] = "rate 8Mbit burst 0B limit 64KB queue head loss 1% delay 5ms jitter normal 1ms | loss twice 2%";
	static const struct {
		const char *stage, *value, *became;
	} good[] = {
		{"delay", "30ms", "rate 8Mbit burst 0B limit 64KB queue head loss 1% delay 30ms jitter normal 1ms | loss twice 2%"},
		{"delay", "30ms reordering", "rate 8Mbit burst 0B limit 64KB queue head loss 1% delay 30ms reordering | loss twice 2%"},
		{"delay", "delay 30ms", "rate 8Mbit burst 0B limit 64KB queue head loss 1% delay 30ms | loss twice 2%"},
		{"rate", "2Mbit", "rate 2Mbit burst 0B limit 64KB queue head loss 1% delay 5ms jitter normal 1ms | loss twice 2%"},
		{"loss", "7%", "rate 8Mbit burst 0B limit 64KB queue head loss 7% delay 5ms jitter normal 1ms | loss twice 2%"},
		{"loss.2", "7%", "rate 8Mbit burst 0B limit 64KB queue head loss 1% delay 5ms jitter normal 1ms | loss twice 7%"},
	};
	static const struct {
		const char *stage, *value, *error;
	} bad[] = {
		{"hops", "3", "there is no stage 'hops' in this path, which has rate, loss, delay, loss.2; words for the whole path may add one"},
		{"loss", "7", "word 2, after \"loss\": '7' has no unit: write 7%"},
		{"loss", "loss 7% delay 1ms", "'loss 7% delay 1ms' is not this one stage: words for the whole path may put others in its place"},
		{"delay", "loss 7%", "word 2, after \"delay\": 'loss' is not a time with its unit (ns us ms s min h), such as 15ms"},
		{"rate", "", "word 1 \"rate\": a rate such as \"10Mbit\" must follow"},
	};
	struct wt_path path;
	char text[WT_PATH_TEXT], err[300];

	start(&path, whole);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(wt_path_edit(&path, path.text, good[i].stage, good[i].value, text, err, sizeof(err)), 0);
		assert_string_equal(text, good[i].became);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_path_edit(&path, path.text, bad[i].stage, bad[i].value, text, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, bad[i].error);
	}
	assert_string_equal(path.text, whole);
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
		{"delay 20ms | rate 1Mbit burst 0B limit 64KB", "handoff every 1s for 1ms delay 1ms | reorder 1% delay 1ms",
		 "a handoff happens in both directions at once: \"handoff\" must stand in fwd and rev, with the same times and as many cells"},
		{"loss 1% | only (tcp) { delay 1ms }", NULL, "fwd: \"only (tcp)\": filters are not supported here"},
		{"loss gilbert on 1s 1% off 1s 0% shared", NULL, "fwd: \"loss gilbert ... shared\" needs its partner in rev"},
		{"loss 1% delay 20ms", "rate 1Mbit burst 0B", "rev: word 1 \"rate\": limit is missing: the bytes that may wait, for example \"limit 64KB\" (50 ms of the rate, at least 64KB)"},
	};
	struct wt_path fwd, rev;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, "delay 15ms loss 0%", &rev, "delay 15ms reorder 2% delay 2ms", 1, err, sizeof(err)), 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(wt_path_change_pair(&fwd, table[i].fwd, &rev, table[i].rev, 0, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, table[i].error);
		assert_string_equal(fwd.text, "loss 0% delay 15ms");
		assert_string_equal(rev.text, "reorder 2% delay 2ms delay 15ms");
		assert_int_equal(fwd.count + fwd.spares + rev.count + rev.spares, 4);
		assert_true(bench_passes(fwd.stage[0], 0, bench_tcp(60, 0)));
	}
	assert_int_equal(wt_path_change_pair(&fwd, "delay 20ms loss 100%", &rev, NULL, 0, err, sizeof(err)), 0);
	assert_string_equal(fwd.text, "loss 100% delay 20ms");
	assert_string_equal(rev.text, "reorder 2% delay 2ms delay 15ms");
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
	assert_string_equal(err, "what is shared with the other direction can only be changed in both; this one is \"loss gilbert on 1s 100% "
			    "off 1s 0% shared\"");
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

/* ---- stages that come and go ---- */

/* Runs the stages of a path as a graph would, in one instant after the other; who leaves, and when, as text. */
static const char *left(const struct wt_path *path, wt_time until)
{
	static char text[400];
	size_t at = 0;

	text[0] = 0;
	for (wt_time now = 0; now <= until;) {
		wt_time next = WT_NEVER;

		for (unsigned i = 0; i < path->count; i++) {
			struct wt_frame *frame;

			while ((frame = bench_output(path->stage[i], now))) {
				if (i + 1 < path->count) {
					bench_input(path->stage[i + 1], now, frame);
					continue;
				}
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u@%lld", at ? " " : "", bench_tag(frame),
						       (long long)(now / WT_US));
				wt_frame_free(frame);
			}
		}
		for (unsigned i = 0; i < path->count; i++)
			next = wt_time_min(next, path->stage[i]->ops->deadline(path->stage[i]));
		if (next == WT_NEVER)
			break;
		now = wt_time_max(now + 1, next);
	}
	return text;
}

static void change(struct wt_path *path, const char *words, wt_time now, bool flush)
{
	struct wt_path_change *prepared;
	char err[300];

	prepared = wt_path_prepare(path, words, NULL, NULL, err, sizeof(err));
	if (!prepared)
		fail_msg("%s", err);
	wt_path_commit(prepared, now, flush);
}

/* 1000 B at 8 Mbit/s: 1 ms each. */
static void what_waits_leaves_at_once_when_its_rate_goes_and_in_time_when_its_delay_goes(void **state)
{
	struct wt_path path;

	start(&path, "rate 8Mbit burst 0B limit 64KB queue fq_codel");
	for (unsigned i = 0; i < 4; i++)
		bench_input(path.stage[0], i, bench_to(bench_tcp(1000, i), i));
	change(&path, "delay 5ms", 1500 * WT_US, false);
	assert_int_equal(path.count, 2); /* a drain with frames that leave in this very instant */
	assert_string_equal(left(&path, 2 * WT_MS), "");
	bench_input(path.stage[0], 3 * WT_MS, bench_tcp(1000, 4));
	left(&path, 3 * WT_MS);
	change(&path, "loss 0%", 4 * WT_MS, false);
	assert_int_equal(path.spares, 2); /* rate and delay; the drain of the rate is that of the delay now */
	bench_input(path.stage[0], 4 * WT_MS, bench_tcp(1000, 5));
	assert_string_equal(left(&path, WT_S), "0@6000 1@6500 2@6500 3@6500 4@8000 5@8000");
	change(&path, "rate 8Mbit burst 0B limit 64KB loss 0%", WT_S, false);
	assert_int_equal(path.count, 2); /* the rate of the beginning, with its books; the delay is empty */
	assert_int_equal(path.stage[0]->audit.in, 4);
	wt_path_finish(&path);
}

static void waiting_frames_go_over_to_another_queue_in_the_order_they_came(void **state)
{
	static const char *const queues[] = {" queue head", " queue codel", " queue fq_codel flows 7", " queue fq_codel", " queue pie ecn",
					     " queue dualpi2", " queue red min 30KB max 60KB", ""};
	char words[100] = "rate 8Mbit burst 0B limit 20KB queue fq_codel flows 3";
	struct wt_path path;
	wt_time now = 0;

	start(&path, words);
	for (unsigned i = 0; i < 20; i++)
		bench_input(path.stage[0], i, bench_frame(0x0800, i * 7 % 5, 1000, i));
	assert_int_equal(path.stage[0]->audit.queued, 20);
	for (unsigned i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		struct wt_rate_counts counts;

		now += WT_MS / 20;
		snprintf(words, sizeof(words), "rate 8Mbit burst 0B limit 3KB%s", queues[i]);
		change(&path, words, now, false); /* what is above the limit stays */
		wt_rate_counts(path.stage[0], &counts);
		assert_int_equal(counts.waiting_frames, 20);
		assert_int_equal(counts.waiting_bytes, 20000);
		assert_true(wt_audit_holds(&path.stage[0]->audit));
	}
	assert_string_equal(left(&path, WT_S),
			    "0@1000 1@2000 2@3000 3@4000 4@5000 5@6000 6@7000 7@8000 8@9000 9@10000 10@11000 11@12000 12@13000 13@14000 "
			    "14@15000 15@16000 16@17000 17@18000 18@19000 19@20000");
	wt_path_finish(&path);
}

/* At 2.5 ms two of six have left, the third is half sent; one is in the delay. */
static void a_flush_drops_what_waits_in_queues_and_nothing_else(void **state)
{
	struct wt_path path;

	start(&path, "rate 8Mbit burst 0B limit 64KB delay 1ms");
	for (unsigned i = 0; i < 6; i++)
		bench_input(path.stage[0], 0, bench_tcp(1000, i));
	assert_string_equal(left(&path, 2500 * WT_US), "0@2000");
	change(&path, "rate 16Mbit burst 0B limit 64KB delay 2ms", 2500 * WT_US, true);
	assert_int_equal(path.stage[0]->audit.dropped[WT_DROP_FLUSH], 4);
	assert_int_equal(path.stage[0]->audit.queued, 0);
	bench_input(path.stage[0], 2500 * WT_US, bench_tcp(1000, 6));
	assert_string_equal(left(&path, WT_S), "1@3000 6@5000");
	assert_int_equal(wt_audit_dropped(&path.stage[0]->audit) + wt_audit_dropped(&path.stage[1]->audit), 4);
	wt_path_finish(&path);
}

/* A bucket's depth passes once, at the start; a moment of a trace in between does not fill it. */
static void a_change_to_a_trace_and_back_fills_no_bucket(void **state)
{
	char file[SCRATCH_PATH], words[100];
	int fd = scratch_file(file);
	struct wt_path path;

	assert_true(fd >= 0 && write(fd, "1000\n", 5) == 5);
	start(&path, "rate 8Mbit burst 2KB limit 64KB");
	for (unsigned i = 0; i < 4; i++)
		bench_input(path.stage[0], 0, bench_tcp(1000, i));
	assert_string_equal(left(&path, 0), "0@0 1@0");
	snprintf(words, sizeof(words), "rate trace %s limit 64KB", file);
	change(&path, words, 100 * WT_US, false);
	change(&path, "rate 8Mbit burst 2KB limit 64KB", 200 * WT_US, false);
	assert_string_equal(left(&path, WT_S), "2@1200 3@2200");
	close(fd);
	wt_path_finish(&path);
}

static void a_rate_becomes_a_trace_and_a_rate_again(void **state)
{
	char file[SCRATCH_PATH], words[100];
	int fd = scratch_file(file);
	struct wt_path path;

	assert_true(fd >= 0 && write(fd, "10\n", 3) == 3);
	start(&path, "rate 8Mbit burst 0B limit 64KB");
	for (unsigned i = 0; i < 5; i++)
		bench_input(path.stage[0], 0, bench_tcp(1014, i));
	assert_string_equal(left(&path, 1500 * WT_US), "0@1014");
	snprintf(words, sizeof(words), "rate trace %s limit 64KB", file);
	change(&path, words, 1500 * WT_US, false);
	assert_string_equal(left(&path, 25 * WT_MS), "1@10000 2@20000 3@20000");
	change(&path, "rate 8Mbit burst 0B limit 64KB", 25 * WT_MS, false);
	assert_string_equal(left(&path, WT_S), "4@26014");
	close(fd);
	wt_path_finish(&path);
}

/* The three kinds of files, in a direction that stays, in one that gets other words, and in one that names them again. */
static void a_file_in_use_is_not_read_again_and_need_not_be_there_any_more(void **state)
{
	char trace[SCRATCH_PATH], bits[SCRATCH_PATH], times[SCRATCH_PATH], words[300], more[320], err[300];
	int fd[3] = {scratch_file(trace), scratch_file(bits), scratch_file(times)};
	struct wt_path fwd, rev;
	wt_time time;
	uint32_t tag;

	assert_true(write(fd[0], "1000\n", 5) == 5 && write(fd[1], "01\n", 3) == 3 && write(fd[2], "3ms\n", 4) == 4);
	snprintf(words, sizeof(words), "rate trace %s limit 64KB loss trace %s delay 1ms jitter file %s", trace, bits, times);
	assert_int_equal(wt_path_init_pair(&fwd, "delay 1ms", &rev, words, 1, err, sizeof(err)), 0);
	bench_input(rev.stage[0], 10 * WT_MS, bench_tcp(60, 1));
	assert_true(pwrite(fd[0], "5   \n", 5, 0) == 5 && pwrite(fd[1], "xx", 2, 0) == 2); /* another trace, and no trace */
	assert_int_equal(wt_path_change_pair(&fwd, "delay 2ms", &rev, NULL, 20 * WT_MS, err, sizeof(err)), 0);
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]); /* and they are gone */
	snprintf(more, sizeof(more), "duplicate 0%% %s", words);
	assert_int_equal(wt_path_change_pair(&fwd, "delay 3ms", &rev, more, 30 * WT_MS, err, sizeof(err)), 0);
	assert_int_equal(fwd.contents + rev.contents, 0);
	assert_true(bench_next(rev.stage[0], &time, &tag));
	assert_int_equal(time, WT_S);
	assert_int_equal(wt_path_change_pair(&fwd, words, &rev, NULL, 2 * WT_S, err, sizeof(err)), -EINVAL); /* fwd never had them */
	assert_int_equal(wt_path_change_pair(&fwd, "delay 3ms", &rev, "delay 4ms", 2 * WT_S, err, sizeof(err)), 0);
	assert_int_equal(wt_path_change_pair(&fwd, "delay 3ms", &rev, words, 2 * WT_S, err, sizeof(err)), -EINVAL); /* nor rev any more */
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void what_stands_on_the_shelf_is_not_read_either(void **state)
{
	struct wt_samples_cache cache = {.open = true};
	char file[SCRATCH_PATH], words[100], err[300];
	int fd = scratch_file(file);
	struct wt_path fwd, rev;

	assert_int_equal(write(fd, "10\n", 3), 3);
	snprintf(words, sizeof(words), "rate trace %s limit 64KB", file);
	assert_int_equal(wt_path_init_filtered(&fwd, words, &rev, words, 1, NULL, &cache, err, sizeof(err)), 0);
	assert_ptr_equal(wt_rate_trace(fwd.stage[0]), wt_rate_trace(rev.stage[0]));
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
	cache.open = false;
	close(fd);
	assert_int_equal(wt_path_init_filtered(&fwd, "delay 1ms", &rev, "delay 1ms", 1, NULL, &cache, err, sizeof(err)), 0);
	assert_int_equal(wt_path_change_pair(&fwd, words, &rev, words, WT_S, err, sizeof(err)), 0);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
	wt_samples_clear(&cache);
}

static void a_channel_that_comes_begins_then_and_both_directions_share_it(void **state)
{
	static const char *const words[] = {"loss gilbert on 1s 100% off 1s 0% shared start off",
					    "loss markov state 1s 0% state 1s 100% shared start 1 | loss gilbert on 1s 100% off 1s 0% shared"};
	struct wt_path fwd, rev;
	char err[300];
	unsigned on = 0;

	assert_int_equal(wt_path_init_pair(&fwd, "", &rev, "delay 0s", 1, err, sizeof(err)), 0);
	for (unsigned round = 0; round < 2; round++) {
		wt_time from = (1 + round) * 1000000 * WT_S; /* of two weeks, nothing is drawn: it begins now */

		assert_int_equal(wt_path_change_pair(&fwd, words[round], &rev, words[round], from, err, sizeof(err)), 0);
		assert_true(bench_passes(fwd.stage[0], from, bench_tcp(60, 0)));
		for (unsigned i = 0; i < 1000; i++) {
			bool passes = bench_passes(fwd.stage[0], from + i * WT_S, bench_tcp(60, i));

			assert_int_equal(passes, bench_passes(rev.stage[0], from + i * WT_S, bench_tcp(60, i)));
			on += !passes;
		}
	}
	assert_in_range(on, 700, 1300);
	assert_int_equal(wt_path_change(&fwd, "", 0, err, sizeof(err)), -EINVAL);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

/* Two own histories become one, which goes on while it is shared, and then two again; nothing is drawn twice. */
static void a_history_can_be_shared_and_parted_while_it_runs(void **state)
{
	static const char own[] = "loss gilbert on 1s 100% off 1s 0%", shared[] = "loss gilbert on 1s 100% off 1s 0% shared";
	enum { PHASES = 6, LONG = 600 };
	static bool seen[PHASES][2][LONG];
	struct wt_path fwd, rev, *both[2] = {&fwd, &rev};
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, own, &rev, own, 1, err, sizeof(err)), 0);
	for (unsigned phase = 0; phase < PHASES; phase++) {
		const char *words = phase / 2 % 2 ? shared : own;
		wt_time from = phase * LONG * WT_S;

		assert_int_equal(wt_path_change_pair(&fwd, words, &rev, words, from, err, sizeof(err)), 0);
		/* a direction alone may not */
		assert_int_equal(wt_path_change(&fwd, words == own ? shared : own, from, err, sizeof(err)), -EINVAL);
		for (unsigned i = 0; i < LONG; i++)
			for (unsigned d = 0; d < 2; d++)
				seen[phase][d][i] = bench_passes(both[d]->stage[0], from + i * WT_S, bench_tcp(60, i));
	}
	for (unsigned phase = 0; phase < PHASES; phase++) {
		assert_int_equal(!memcmp(seen[phase][0], seen[phase][1], LONG), phase / 2 % 2);
		for (unsigned earlier = 0; earlier < phase; earlier++)
			assert_memory_not_equal(seen[phase][0], seen[earlier][0], LONG);
	}
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

/* At 1.5 ms frame 0 is in the delay, 1 half sent, 2 waits. The delay moves to the front, and leaves 0 behind. */
static void stages_that_keep_frames_change_places_and_nothing_overtakes(void **state)
{
	struct wt_path path;

	start(&path, "rate 8Mbit burst 0B limit 64KB delay 5ms");
	for (unsigned i = 0; i < 3; i++)
		bench_input(path.stage[0], 0, bench_tcp(1000, i));
	left(&path, 1500 * WT_US);
	change(&path, "delay 5ms | rate 8Mbit burst 0B limit 64KB", 1500 * WT_US, false);
	assert_int_equal(path.count, 3);
	assert_string_equal(path.stage[1]->name, "fwd.rate");
	assert_int_equal(path.stage[1]->audit.queued, 2); /* they wait on */
	bench_input(path.stage[0], 2 * WT_MS, bench_tcp(1000, 3));
	assert_string_equal(left(&path, WT_S), "0@6000 1@6000 2@6000 3@8000");
	wt_path_finish(&path);
}

static void what_reorder_holds_leaves_at_once_when_it_goes(void **state)
{
	struct wt_path path;

	start(&path, "reorder 100% delay 9ms | delay 1ms");
	for (unsigned i = 0; i < 3; i++)
		bench_input(path.stage[0], i * WT_MS, bench_tcp(1000, i));
	change(&path, "delay 1ms", 4 * WT_MS, false);
	bench_input(path.stage[0], 4 * WT_MS, bench_tcp(1000, 3));
	assert_string_equal(left(&path, WT_S), "0@5000 1@5000 2@5000 3@5000");
	wt_path_finish(&path);
}

/* Words made of pieces, most of them wrong somewhere: refused ones leave everything as it is. */
static void ten_thousand_bad_commands_change_nothing(void **state)
{
	static const char *const pieces[] = {
		"rate", "8Mbit", "burst", "0B", "limit", "64KB", "delay", "15ms", "loss", "1%", "|", "queue", "codel", "gilbert on 1s 1% off 1s 0%",
		"shared", "delay 5ms", "loss 2%", "rate 1Mbit burst 0B limit 9KB", "handoff every 1s for 1ms", "reorder 1% delay 1ms",
		"outage at 1s for 1s", "\t", "\x01", "99999999999999999999s", "-1ms", "only (tcp) { loss 1% }", "duplicate 1%", "mtu 576B", "corrupt 1%", "trace /nowhere",
	};
	static const char first[] = "rate 8Mbit burst 0B limit 64KB loss 0% delay 15ms";
	struct wt_key key = wt_key_derive(1, "bad");
	struct wt_path fwd, rev;
	unsigned refused = 0;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, "rate 8Mbit burst 0B limit 64KB loss 0% delay 15ms", &rev, "", 1, err, sizeof(err)), 0);
	bench_input(fwd.stage[0], 0, bench_tcp(1000, 7));
	for (uint64_t n = 0; n < 10000; n++) {
		struct wt_path_change *prepared;
		char words[1000] = "";

		for (uint64_t i = 0, count = wt_random_below(&key, 100 * n, 7); i < count; i++) {
			strcat(words, pieces[wt_random_below(&key, 100 * n + i + 1, sizeof(pieces) / sizeof(pieces[0]))]);
			strcat(words, " ");
		}
		err[0] = 0;
		prepared = wt_path_prepare(&fwd, n % 2 ? words : NULL, &rev, n % 2 ? NULL : words, err, sizeof(err));
		assert_true(prepared || (err[0] && !strchr(err, '\n')));
		refused += !prepared;
		wt_path_cancel(prepared, false); /* what was prepared only is as if it had never been */
		assert_string_equal(fwd.text, first);
		assert_int_equal(fwd.count + fwd.spares + rev.count + rev.spares, 3);
		assert_int_equal(fwd.stage[0]->ops->deadline(fwd.stage[0]), WT_MS);
	}
	assert_in_range(refused, 5000, 9999);
	assert_string_equal(left(&fwd, WT_S), "7@16000");
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(frames_under_way_keep_their_departure_and_later_ones_do_not_overtake),
		BENCH_TEST(one_stage_is_edited_and_the_rest_stays),
		BENCH_TEST(what_waits_is_sent_on_at_the_new_rate),
		BENCH_TEST(the_streams_go_on_where_they_are),
		BENCH_TEST(what_is_refused_changes_nothing),
		BENCH_TEST(a_shared_history_is_changed_in_both_directions_or_not_at_all),
		BENCH_TEST(what_waits_leaves_at_once_when_its_rate_goes_and_in_time_when_its_delay_goes),
		BENCH_TEST(waiting_frames_go_over_to_another_queue_in_the_order_they_came),
		BENCH_TEST(a_flush_drops_what_waits_in_queues_and_nothing_else),
		BENCH_TEST(a_change_to_a_trace_and_back_fills_no_bucket),
		BENCH_TEST(a_rate_becomes_a_trace_and_a_rate_again),
		BENCH_TEST(a_file_in_use_is_not_read_again_and_need_not_be_there_any_more),
		BENCH_TEST(what_stands_on_the_shelf_is_not_read_either),
		BENCH_TEST(a_channel_that_comes_begins_then_and_both_directions_share_it),
		BENCH_TEST(a_history_can_be_shared_and_parted_while_it_runs),
		BENCH_TEST(stages_that_keep_frames_change_places_and_nothing_overtakes),
		BENCH_TEST(what_reorder_holds_leaves_at_once_when_it_goes),
		BENCH_TEST(ten_thousand_bad_commands_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

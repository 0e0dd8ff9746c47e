/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates from a trace, against a model that goes through time millisecond by millisecond as Mahimahi does. */
#include "tests/unit/emu/queue_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/scratch.h"

static char file_name[SCRATCH_PATH];

static void write_file(const char *text)
{
	FILE *file = fopen(file_name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static struct wt_node *traced(const char *text, const char *rest)
{
	char words[200];

	write_file(text);
	snprintf(words, sizeof(words), "rate trace %s %s", file_name, rest);
	return bench_words(words);
}

static unsigned drain(struct wt_node *node, wt_time times[])
{
	unsigned n = 0;

	while (node->ops->deadline(node) != WT_NEVER) {
		struct wt_frame *frame = bench_output(node, node->ops->deadline(node));

		times[n++] = frame->time;
		wt_frame_free(frame);
	}
	return n;
}

static void full_packets_go_one_by_one_at_the_lines_again_and_again(void **state)
{
	static const unsigned expected[] = {10, 10, 25, 40, 50, 50, 65, 80, 90};
	struct wt_node *node = traced("10\n10\n# a comment\n\n25\n40\n", "limit 1MB");
	wt_time times[20];

	for (unsigned i = 0; i < 9; i++)
		bench_input(node, 0, bench_packet(1514, i, 0, 1));
	assert_int_equal(drain(node, times), 9);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(times[i], expected[i] * WT_MS);
	wt_path_finish(&bench_path);
}

/* A backlog of a million packets: number k leaves at opportunity k. The first that does not, or a million. */
static unsigned backlogged(const char *text, const unsigned line[], unsigned lines)
{
	struct wt_node *node = traced(text, "limit 1MB");
	unsigned i = 0;
	wt_time now = 0;

	for (unsigned k = 0; k < 50; k++)
		bench_input(node, 0, bench_packet(1514, k, 0, 1));
	for (; i < 1000000; i++) {
		struct wt_frame *frame = bench_output(node, now = node->ops->deadline(node));
		wt_time expected = ((wt_time)(i / lines) * line[lines - 1] + line[i % lines]) * WT_MS;
		bool right = frame->time == expected;

		wt_frame_free(frame);
		if (!right)
			break;
		bench_input(node, now, bench_packet(1514, i, 0, 1));
	}
	wt_path_finish(&bench_path);
	return i;
}

static void a_million_packets_leave_at_a_million_opportunities(void **state)
{
	unsigned line[50];
	char text[400];
	size_t to = 0;

	for (unsigned i = 0; i < 50; i++) {
		line[i] = i * i / 25 + 1; /* ever thinner, to 97 ms */
		to += (size_t)sprintf(text + to, "%u\n", line[i]);
	}
	assert_int_equal(backlogged(text, line, 50), 1000000);
	/* one line in fifty more is another rate */
	sprintf(text + to, "%u\n", line[49]);
	assert_in_range(backlogged(text, line, 50), 49, 100);
}

static void what_nobody_uses_is_gone_and_small_packets_share_an_opportunity(void **state)
{
	struct wt_node *node = traced("10\n20\n", "limit 1MB");
	wt_time times[20];

	/* three of 500 bytes of IP in the one at 20, the fourth at 30; those at 10 are past */
	for (unsigned i = 0; i < 4; i++)
		bench_input(node, 11 * WT_MS, bench_packet(514, i, 0, 1));
	assert_int_equal(drain(node, times), 4);
	assert_int_equal(times[2], 20 * WT_MS);
	assert_int_equal(times[3], 30 * WT_MS);
	/* 2250 bytes take one and a half; the half that is left is for whoever waits then */
	bench_input(node, 101 * WT_MS, bench_packet(1514, 0, 0, 1));
	bench_input(node, 101 * WT_MS, bench_packet(764, 0, 0, 1));
	bench_input(node, 101 * WT_MS, bench_packet(764, 0, 0, 1));
	assert_int_equal(drain(node, times), 3);
	assert_int_equal(times[0], 110 * WT_MS);
	assert_int_equal(times[1], 120 * WT_MS);
	assert_int_equal(times[2], 120 * WT_MS);
	/* one that comes at the very instant of an opportunity has it */
	bench_input(node, 200 * WT_MS, bench_packet(1514, 0, 0, 1));
	assert_int_equal(drain(node, times), 1);
	assert_int_equal(times[0], 200 * WT_MS);
	wt_path_finish(&bench_path);
}

enum { LINES = 300, PACKETS = 2000 };

static uint64_t line[LINES];
static wt_time at[PACKETS], expected[PACKETS], got[PACKETS]; /* WT_NEVER: flushed */
static uint32_t len[PACKETS];
static bool flushed[PACKETS]; /* right behind this one all that waits is */

static struct wt_node *random_traffic(uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "trace");
	static char text[LINES * 8];
	uint64_t n = 0, now = 0;
	size_t to = 0;

	for (unsigned i = 0; i < LINES; i++) {
		now += wt_random_below(&key, n++, 5);
		line[i] = now + 1;
		to += (size_t)sprintf(text + to, "%u\n", (unsigned)line[i]);
	}
	for (unsigned i = 0; i < PACKETS; i++) {
		at[i] = i ? at[i - 1] : 0;
		if (wt_random_below(&key, n++, 3))
			at[i] += (wt_time)wt_random_below(&key, n++, 5 * WT_MS);
		len[i] = 60 + (uint32_t)wt_random_below(&key, n++, 1455);
		flushed[i] = seed % 2 && wt_random_below(&key, n++, 12) == 0;
		if (flushed[i] && wt_random_below(&key, n++, 2)) /* at the instant of an opportunity, perhaps */
			at[i] = (at[i] / WT_MS + 1) * WT_MS;
	}
	return traced(text, "limit 1GB");
}

/* What waits when the time of an opportunity has come: `first` is the oldest, `left` its bytes. */
static unsigned after_flushes(unsigned first, int64_t *left, wt_time when)
{
	unsigned next = first;

	for (unsigned i = first; i < PACKETS && at[i] < when; i++)
		if (flushed[i])
			for (; next <= i; next++)
				expected[next] = WT_NEVER;
	if (next > first && next < PACKETS)
		*left = (int64_t)len[next] - 14;
	return next;
}

/* An opportunity at a time: to the packets that are there, until none is or it is spent. */
static void model(void)
{
	int64_t left = (int64_t)len[0] - 14;
	unsigned next = 0;

	for (uint64_t use = 0; next < PACKETS; use++) {
		wt_time when = (wt_time)(use / LINES * line[LINES - 1] + line[use % LINES]) * WT_MS;
		int64_t bytes = 1500;

		next = after_flushes(next, &left, when);
		while (bytes > 0 && next < PACKETS && at[next] <= when) {
			int64_t used = left < bytes ? left : bytes;

			bytes -= used;
			left -= used;
			if (left)
				break;
			expected[next++] = when;
			left = next < PACKETS ? (int64_t)len[next] - 14 : 0;
		}
	}
}

static void take_until(struct wt_node *node, wt_time now)
{
	while (node->ops->deadline(node) <= now && node->ops->deadline(node) != WT_NEVER) {
		struct wt_frame *frame = bench_output(node, node->ops->deadline(node));

		got[bench_packet_tag(frame)] = frame->time;
		wt_frame_free(frame);
	}
}

static void random_traces_packets_and_flushes_agree_with_the_model(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct wt_node *node = random_traffic(seed);

		model();
		for (unsigned i = 0; i < PACKETS; i++) {
			got[i] = WT_NEVER;
			take_until(node, at[i]);
			bench_input(node, at[i], bench_packet(len[i], i, 0, 1));
			if (flushed[i])
				wt_rate_flush(node, at[i]);
		}
		take_until(node, WT_NEVER);
		for (unsigned i = 0; i < PACKETS; i++)
			assert_int_equal(got[i], expected[i]);
		assert_true((seed % 2) == (node->audit.dropped[WT_DROP_FLUSH] > 0));
		wt_path_finish(&bench_path);
	}
}

/* 2000 bytes of IP take those at 100 and 200 ms: at 150 ms the one at 200 is free again. */
static void what_a_frame_that_is_flushed_would_have_used_later_is_for_others(void **state)
{
	struct wt_node *node = traced("100\n200\n", "limit 64KB");
	char words[WT_PATH_TEXT], err[300];

	bench_input(node, 10 * WT_MS, bench_packet(1514, 0, 0, 1));
	wt_rate_flush(node, 50 * WT_MS);
	bench_input(node, 60 * WT_MS, bench_packet(2014, 1, 0, 1));
	assert_int_equal(node->ops->deadline(node), 200 * WT_MS);
	wt_rate_flush(node, 150 * WT_MS);
	bench_input(node, 160 * WT_MS, bench_packet(1514, 2, 0, 1));
	assert_int_equal(node->ops->deadline(node), 200 * WT_MS);
	/* the whole stage is taken away, and with it what waits; when it comes back the opportunity is still free */
	strcpy(words, bench_path.text);
	assert_int_equal(wt_path_change(&bench_path, "", 170 * WT_MS, err, sizeof(err)), 0);
	assert_int_equal(node->ops->deadline(node), WT_NEVER);
	assert_int_equal(wt_path_change(&bench_path, words, 180 * WT_MS, err, sizeof(err)), 0);
	bench_input(node, 190 * WT_MS, bench_packet(1514, 3, 0, 1));
	assert_int_equal(node->ops->deadline(node), 200 * WT_MS);
	wt_path_finish(&bench_path);
}

static void a_bad_file_is_named_with_its_line(void **state)
{
	static const struct {
		const char *text, *error;
	} table[] = {
		{"", ": holds no value"},
		{"0\n", ": the last time is the length of the trace and must be above 0"},
		{"5\n3\n", ":2: 3 ms is before the line above"},
		{"5\nx3\n", ":2: 'x3' is not a time in whole milliseconds"},
		{"5\n-3\n", ":2: '-3' is not a time in whole milliseconds"},
		{"5 99999999999999999999\n", ":1: '99999999999999999999' is not a time in whole milliseconds"},
	};
	struct wt_path path;
	char words[100], err[300], sentence[300];

	snprintf(words, sizeof(words), "rate trace %s limit 64KB", file_name);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		write_file(table[i].text);
		assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
		snprintf(sentence, sizeof(sentence), "word 3: %s%s", file_name, table[i].error);
		assert_string_equal(err, sentence);
	}
	assert_int_equal(wt_path_init(&path, "rate trace /nowhere/file limit 64KB", "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "word 3: /nowhere/file: cannot be read (there is no such file)");
	assert_int_equal(wt_path_init(&path, "rate trace", "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "word 2 \"trace\": the name of a file must follow");
	write_file("5\n");
	snprintf(words, sizeof(words), "rate trace %s limit 64KB burst 1KB", file_name);
	assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "word 1 \"rate\": a trace sets the times itself: it takes neither burst nor every");
}

static void another_trace_counts_its_opportunities_anew(void **state)
{
	struct wt_node *node = traced("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "limit 1MB");
	struct wt_samples_cache cache = {.open = true};
	char words[100], err[300];
	wt_time times[20];

	for (unsigned i = 0; i < 5; i++)
		bench_input(node, 100 * WT_S, bench_packet(1514, i, 0, 1));
	assert_int_equal(drain(node, times), 5);
	snprintf(words, sizeof(words), "rate trace %s limit 2MB", file_name);
	assert_int_equal(wt_path_change(&bench_path, words, 200 * WT_S, err, sizeof(err)), 0);
	write_file("20\n"); /* it is not read again, until there is a cache without it */
	assert_int_equal(wt_path_change(&bench_path, words, 200 * WT_S, err, sizeof(err)), 0);
	assert_int_equal(bench_path.contents, 0);
	bench_path.cache = &cache;
	wt_samples_put(&cache, wt_samples_read(file_name, WT_SAMPLES_TRACE, err, sizeof(err)));
	cache.first->holders--;
	assert_int_equal(wt_path_change(&bench_path, words, 200 * WT_S, err, sizeof(err)), 0);
	assert_int_equal(bench_path.contents, 1);
	bench_input(node, 200 * WT_S + 1, bench_packet(1514, 0, 0, 1));
	assert_int_equal(drain(node, times), 1);
	assert_int_equal(times[0], 200 * WT_S + 20 * WT_MS);
	wt_path_finish(&bench_path);
	wt_samples_clear(&cache);
}

/* A pipe would hold up who opens or reads it. */
static void what_is_no_regular_file_or_too_large_is_refused_at_once(void **state)
{
	char name[SCRATCH_PATH], words[100], err[300], sentence[200];
	const char *const others[] = {name, "/proc", "/dev/zero"};
	struct wt_path path;
	int ends[2], fd;

	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
	alarm(20);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(words, sizeof(words), "loss trace %s", others[i]);
		assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
		snprintf(sentence, sizeof(sentence), "word 3: %s: cannot be read (not a regular file)", others[i]);
		assert_string_equal(err, sentence);
	}
	alarm(0);
	close(ends[0]);
	close(ends[1]);
	fd = scratch_file(name);
	assert_int_equal(ftruncate(fd, (1 << 30) + 1), 0);
	snprintf(words, sizeof(words), "loss trace %s", name);
	assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
	snprintf(sentence, sizeof(sentence), "word 3: %s: has more than 1024 MiB", name);
	assert_string_equal(err, sentence);
	close(fd);
}

static struct wt_node *of_file(const char *text, const char *words)
{
	char whole[200];

	write_file(text);
	snprintf(whole, sizeof(whole), words, file_name);
	return bench_words(whole);
}

/* Of a hundred thousand steps that arithmetic gives; once, and again every 300 s. */
static void a_delay_follows_its_file_over_time(void **state)
{
	enum { STEPS = 100000 };
	static const char *const words[] = {"delay trace %s reordering", "delay trace %s every 300s reordering"};
	static char text[STEPS * 24];
	size_t end = 0;

	for (unsigned i = 0; i < STEPS; i++)
		end += (size_t)sprintf(text + end, "%ums,%uus # step\n", 1 + 2 * i, 5 + i * 7919 % 10000);
	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = of_file(text, words[w]);

		for (uint64_t i = 0; i < 3000; i++) {
			wt_time now = (wt_time)(i * UINT64_C(123456789) * 7), into = w ? now % (300 * WT_S) : now, time = 0;
			uint64_t step = into < WT_MS ? 0 : (uint64_t)((into - WT_MS) / (2 * WT_MS));
			uint32_t tag;

			step = step < STEPS ? step : STEPS - 1;
			bench_input(node, now, bench_tcp(60, (uint32_t)i));
			assert_true(bench_next(node, &time, &tag));
			assert_int_equal(time - now, (wt_time)(5 + step * 7919 % 10000) * WT_US);
		}
		wt_path_finish(&bench_path);
	}
}

static void a_share_of_loss_follows_its_file_over_time(void **state)
{
	struct wt_node *node = of_file("# nothing, all, a tenth\n0,0%\n1s,100%\n2s,10%\n", "loss trace %s every 3s");
	unsigned lost = 0;

	for (unsigned i = 0; i < 300000; i++) {
		wt_time now = (wt_time)i * 100 * WT_US, second = now / WT_S % 3;
		bool passes = bench_passes(node, now, bench_tcp(60, i));

		if (second < 2)
			assert_int_equal(passes, second == 0);
		lost += second == 2 && !passes;
	}
	assert_in_range(lost, 9621, 10379); /* 10000 and 4 deviations of 95 */
	wt_path_finish(&bench_path);
	/* a file of bits is of packets, as ever */
	node = of_file("01\n", "loss trace %s");
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(bench_passes(node, 0, bench_tcp(60, i)), i % 2 == 0);
	wt_path_finish(&bench_path);
}

/* More ranges than words may have. */
static void numbers_of_packets_stand_in_a_file(void **state)
{
	static char text[200000];
	struct wt_node *node;
	size_t end = 0;

	for (unsigned i = 0; i < 10000; i++)
		end += (size_t)sprintf(text + end, i % 3 ? "%u\n" : "%u-%u\n", 3 + 10 * i, 5 + 10 * i);
	node = of_file(text, "loss list file %s");
	for (unsigned i = 1; i <= 110000; i++) {
		unsigned row = (i - 3) / 10, in = (i - 3) % 10;

		assert_int_equal(bench_passes(node, i, bench_tcp(60, i)), i < 3 || row >= 10000 || in > (row % 3 ? 0u : 2u));
	}
	wt_path_finish(&bench_path);
}

static void a_bad_step_is_named_with_its_line(void **state)
{
	static const struct {
		const char *text, *words, *error;
	} bad[] = {
		{"0,1ms\n5s,2ms\n5s,3ms\n", "delay trace %s", ":3: 5s is not after the time before"},
		{"0,1ms\n5s,2\n", "delay trace %s", ":2: '2' has no unit: expected a time with its unit (ns us ms s min h), such as 15ms"},
		{"0 1ms\n", "delay trace %s", ":1: '0': expected a time and a value between which a comma stands, such as 10s,40ms"},
		{"0,1%\n1s,0.5\n", "loss trace %s", ":2: '0.5' has no unit: write 0.5% or 50%"},
		{"3\n3\n", "loss list file %s", ":2: '3' is not a packet number (from 1) or a range above those before it"},
		{"17:2 3:1\n", "loss copy file %s", ":1: '3:1' is not a packet with its copies, such as 17:2 or 40-45:1-3, above those before it (to 1000000)"},
		{"17:2\n17:1-3\n", "loss copy file %s", ":2: '17:1-3' is not a packet with its copies"},
		{"17\n", "loss copy file %s", ":1: '17' is not a packet with its copies"},
		{"0\n", "loss list file %s", ":1: '0' is not a packet number (from 1) or a range above those before it"},
	};
	char words[200], err[300], sentence[300];
	struct wt_path path;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_file(bad[i].text);
		snprintf(words, sizeof(words), bad[i].words, file_name);
		assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
		snprintf(sentence, sizeof(sentence), "%s%s", file_name, bad[i].error);
		assert_non_null(strstr(err, sentence));
	}
	write_file("0,1ms\n5s,2ms\n");
	snprintf(words, sizeof(words), "delay trace %s every 5s", file_name);
	assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "longer than the last time of the file"));
	snprintf(words, sizeof(words), "delay trace %s at 1s 5ms", file_name);
	assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "it takes no \"at\""));
}

/* Words, normal form and change: a delay that gets a trace, one that gets another, and one that loses it. */
static void a_trace_over_time_comes_and_goes(void **state)
{
	struct wt_node *node = of_file("0,1ms\n1s,9ms\n", "delay trace %s jitter normal 0ms");
	char text[WT_PATH_TEXT], err[300];
	wt_time time;
	uint32_t tag;

	snprintf(text, sizeof(text), "delay trace %s jitter normal 0", file_name);
	assert_string_equal(bench_path.text, text);
	assert_int_equal(wt_path_change(&bench_path, "delay 4ms", WT_MS, err, sizeof(err)), 0);
	bench_input(node, 2 * WT_MS, bench_tcp(60, 0));
	assert_true(bench_next(node, &time, &tag));
	assert_int_equal(time, 6 * WT_MS);
	write_file("0,2ms\n"); /* read now, for nobody holds it any more */
	snprintf(text, sizeof(text), "delay trace %s", file_name);
	assert_int_equal(wt_path_change(&bench_path, text, 10 * WT_MS, err, sizeof(err)), 0);
	bench_input(node, 2 * WT_S, bench_tcp(60, 0));
	assert_true(bench_next(node, &time, &tag));
	assert_int_equal(time, 2 * WT_S + 2 * WT_MS);
	wt_path_finish(&bench_path);
}

/* Bytes of all kinds: read or refused with a sentence, never read past. */
static void mutated_files_are_read_or_refused(void **state)
{
	static const char alphabet[] = "0123456789 \n\t#-+.msue\r\377\0";
	struct wt_key key = wt_key_derive(7, "files");
	uint64_t n = 0;
	unsigned good = 0;

	for (unsigned i = 0; i < 3000; i++) {
		FILE *file = fopen(file_name, "w");
		char err[300] = "";

		assert_non_null(file);
		for (uint64_t left = wt_random_below(&key, n++, 40); left; left--)
			fputc(alphabet[wt_random_below(&key, n++, i % 2 ? 12 : sizeof(alphabet))], file);
		fclose(file);
		for (unsigned kind = 0; kind < 3; kind++) {
			struct wt_samples *samples = wt_samples_read(file_name, (enum wt_samples_kind)kind, err, sizeof(err));

			assert_true(samples || err[0]);
			assert_true(!samples || samples->count > 0);
			good += samples != NULL;
			wt_samples_release(samples);
		}
	}
	assert_true(good > 20);
}

static int make_file(void **state)
{
	return scratch_file(file_name) < 0 ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(full_packets_go_one_by_one_at_the_lines_again_and_again),
		BENCH_TEST(a_million_packets_leave_at_a_million_opportunities),
		BENCH_TEST(what_nobody_uses_is_gone_and_small_packets_share_an_opportunity),
		BENCH_TEST(random_traces_packets_and_flushes_agree_with_the_model),
		BENCH_TEST(what_a_frame_that_is_flushed_would_have_used_later_is_for_others),
		BENCH_TEST(a_bad_file_is_named_with_its_line),
		BENCH_TEST(another_trace_counts_its_opportunities_anew),
		BENCH_TEST(what_is_no_regular_file_or_too_large_is_refused_at_once),
		BENCH_TEST(mutated_files_are_read_or_refused),
		BENCH_TEST(a_delay_follows_its_file_over_time),
		BENCH_TEST(a_share_of_loss_follows_its_file_over_time),
		BENCH_TEST(numbers_of_packets_stand_in_a_file),
		BENCH_TEST(a_bad_step_is_named_with_its_line),
		BENCH_TEST(a_trace_over_time_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, make_file, NULL);
}

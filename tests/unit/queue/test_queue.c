/* SPDX-License-Identifier: BSD-2-Clause */
/* What all queues share, the plain ones, and ECN marks. */
#include <stdio.h>

#include "tests/unit/emu/queue_bench.h"

#include <stdio.h>

#include "stack/record/event_json.h"

static unsigned drain(struct wt_node *node, uint32_t tags[], wt_time times[])
{
	unsigned n = 0;

	while (node->ops->deadline(node) != WT_NEVER) {
		struct wt_frame *frame = bench_output(node, node->ops->deadline(node));

		if (!frame)
			continue;
		tags[n] = bench_packet_tag(frame);
		times[n++] = frame->time;
		wt_frame_free(frame);
	}
	return n;
}

static void drop_tail_keeps_the_first_and_drop_head_the_last(void **state)
{
	static const char *const words[] = {"rate 8Mbit burst 0B limit 5000B", "rate 8Mbit burst 0B limit 5000B queue head"};
	static const uint32_t expected[][5] = {{0, 1, 2, 3, 4}, {0, 6, 7, 8, 9}};
	uint32_t tags[10];
	wt_time times[10];

	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = bench_words(words[w]);

		for (unsigned i = 0; i < 10; i++)
			bench_input(node, 0, bench_packet(1000, i, 0, 1));
		assert_int_equal(drain(node, tags, times), 5);
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(tags[i], expected[w][i]);
			assert_int_equal(times[i], (i + 1) * WT_MS);
		}
		assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], 5);
		wt_path_finish(&bench_path);
	}
}

static void a_limit_in_packets_counts_them_whatever_their_size(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 3packets");
	uint32_t tags[10];
	wt_time times[10];

	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(i % 2 ? 1500 : 100, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 3);
	assert_int_equal(times[2], 1700 * WT_US);
	wt_path_finish(&bench_path);
}

static void overhead_is_paid_for_and_does_not_count_towards_the_limit(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 3000B overhead 24B");
	uint32_t tags[10];
	wt_time times[10];

	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(1000, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 3);
	assert_int_equal(times[2], 3 * 1024 * WT_US);
	wt_path_finish(&bench_path);
}

static void a_mark_keeps_the_header_checksum_right_and_is_for_capable_packets(void **state)
{
	for (unsigned tos = 0; tos < 256; tos++) {
		struct wt_frame *frame = bench_packet(60, 0, (enum wt_ecn)tos, 1);
		enum wt_ecn before = wt_packet_ecn(frame);

		wt_put16(wt_frame_own_bytes(frame) + WT_ETHERNET + 4, (uint16_t)(tos * 259)); /* another checksum each time */
		wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + WT_ETHERNET);
		assert_int_equal(wt_packet_mark(frame), before != WT_ECN_NOT_ECT);
		assert_int_equal(wt_packet_ecn(frame), before == WT_ECN_NOT_ECT ? WT_ECN_NOT_ECT : WT_ECN_CE);
		assert_int_equal(wt_frame_own_bytes(frame)[WT_ETHERNET + 1] >> 2, tos >> 2);
		assert_true(bench_header_holds(frame));
		wt_frame_free(frame);
	}
}

static void an_ipv6_packet_is_marked_in_its_traffic_class(void **state)
{
	struct wt_frame *frame = bench_frame(0x86dd, BENCH_TCP, 80, 0);

	wt_frame_own_bytes(frame)[14] = 0x60;
	assert_false(wt_packet_mark(frame));
	wt_frame_own_bytes(frame)[15] = 0x2f; /* class 2: ECT(0); the rest is the flow label */
	assert_true(wt_packet_mark(frame));
	assert_int_equal(wt_frame_own_bytes(frame)[15], 0x3f);
	wt_frame_free(frame);
}

static void no_header_is_read_past_the_end_of_a_frame(void **state)
{
	static const struct wt_key key = {1, 2};

	for (uint32_t len = 0; len < 64; len++) {
		struct wt_frame *frame = bench_packet(80, 0, WT_ECN_ECT0, 1);

		frame->len = len;
		assert_int_equal(wt_packet_mark(frame), len >= 34);
		wt_packet_flow(&key, frame);
		wt_frame_own_bytes(frame)[14] = 0x4f; /* a header of 60 bytes */
		wt_packet_flow(&key, frame);
		wt_frame_free(frame);
	}
}

static void flows_are_told_apart_by_addresses_protocol_and_ports(void **state)
{
	static const struct wt_key key = {1, 2};
	struct wt_frame *a = bench_packet(100, 0, 0, 7), *b = bench_packet(900, 5, WT_ECN_CE, 7), *c = bench_packet(100, 0, 0, 8);
	struct wt_frame *arp = bench_arp();
	uint64_t flow = wt_packet_flow(&key, a);

	assert_true(wt_packet_flow(&key, b) == flow);
	assert_false(wt_packet_flow(&key, c) == flow);
	assert_false(wt_packet_flow(&key, arp) == flow);
	wt_frame_own_bytes(b)[WT_ETHERNET + 15] ^= 1;
	assert_false(wt_packet_flow(&key, b) == flow);
	wt_frame_free(a);
	wt_frame_free(b);
	wt_frame_free(c);
	wt_frame_free(arp);
}

/* 20 KB deep, 20 KB come in every 30 ms: the bucket of the paper's sender. */
static void tokens_in_lumps_let_frames_go_at_the_lumps(void **state)
{
	struct wt_node *node = bench_words("rate 20KB every 30ms burst 20KB limit 1MB");
	unsigned at_once = 0, next = 0, per_lump[4] = {0};
	uint32_t tags[100];
	wt_time times[100];

	for (unsigned i = 0; i < 100; i++)
		bench_input(node, 10 * WT_MS, bench_packet(1000, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 100);
	for (; next < 100; next++) {
		assert_int_equal(tags[next], next);
		at_once += times[next] == 10 * WT_MS;
		for (unsigned k = 1; k <= 4; k++)
			per_lump[k - 1] += times[next] == k * 30 * WT_MS;
	}
	assert_int_equal(at_once, 20);
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(per_lump[k], 20);
	/* idle for long, no more than the depth is there */
	for (unsigned i = 0; i < 30; i++)
		bench_input(node, 3600 * WT_S + 1, bench_packet(1000, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 30);
	assert_int_equal(times[19], 3600 * WT_S + 1);
	assert_int_equal(times[20], 3600 * WT_S + 30 * WT_MS);
	wt_path_finish(&bench_path);
}

/* Of 20 KB, 19 frames of 1042 bytes take 19,798; what is left of five lumps would be a frame more. What is left and the next lump are more than the bucket holds. */
static void a_lump_that_does_not_fit_the_bucket_is_lost_in_part_even_while_frames_wait(void **state)
{
	struct wt_node *node = bench_words("rate 20KB every 30ms burst 20KB limit 1MB");
	unsigned per_lump[8] = {0};
	uint32_t tags[152];
	wt_time times[152];

	for (unsigned i = 0; i < 152; i++)
		bench_input(node, 0, bench_packet(1042, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 152);
	for (unsigned i = 0; i < 152; i++)
		if (times[i] % (30 * WT_MS) == 0 && times[i] < 240 * WT_MS)
			per_lump[times[i] / (30 * WT_MS)]++;
	for (unsigned k = 0; k < 8; k++)
		assert_int_equal(per_lump[k], 19);
	wt_path_finish(&bench_path);
}

/* A bucket without depth keeps nothing, but who waits for a lump gets all of it. */
static void a_lump_serves_all_who_wait_for_it_whatever_the_depth(void **state)
{
	struct wt_node *node = bench_words("rate 20KB every 30ms burst 0B limit 1MB");
	uint32_t tags[50];
	wt_time times[50];

	for (unsigned i = 0; i < 50; i++)
		bench_input(node, WT_MS, bench_packet(1000, i, 0, 1));
	assert_int_equal(drain(node, tags, times), 50);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(times[i], (1 + i / 20) * 30 * WT_MS);
	wt_path_finish(&bench_path);
}

/* 2 KB are left behind the one being sent: what is larger could not stay even there, and nobody makes way for it. */
static void a_frame_that_could_not_stay_alone_is_dropped_alone(void **state)
{
	static const char *const words[] = {"rate 8Mbit burst 0B limit 3000B queue head", "rate 8Mbit burst 0B limit 3000B queue fq_codel"};
	uint32_t tags[30];
	wt_time times[30];

	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = bench_words(words[w]);

		bench_input(node, 0, bench_packet(1000, 0, 0, 1));
		for (unsigned i = 1; i <= 20; i++)
			bench_input(node, 0, bench_packet(100, i, 0, 1));
		bench_input(node, 0, bench_packet(2001, 21, 0, 1));
		assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], 1);
		assert_int_equal(drain(node, tags, times), 21);
		assert_int_equal(tags[20], 20);
		/* that which just fits does have its place made */
		bench_input(node, WT_S, bench_packet(1000, 0, 0, 1));
		for (unsigned i = 1; i <= 20; i++)
			bench_input(node, WT_S, bench_packet(100, i, 0, 1));
		bench_input(node, WT_S, bench_packet(2000, 21, 0, 1));
		assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], 21);
		assert_int_equal(drain(node, tags, times), 2);
		assert_int_equal(tags[1], 21);
		wt_path_finish(&bench_path);
	}
}

/*
 * A hundred frames wait when the limit becomes ten. Of those that come two while one is sent, none makes the queue longer,
 * and it is as long as it may be when what is too much has been sent.
 */
static void what_waits_above_a_smaller_limit_stays_and_nothing_comes_on_top(void **state)
{
	static const char *const kinds[] = {"tail", "head", "codel", "pie", "dualpi2 alpha 0 beta 0"};

	for (unsigned k = 0; k < 5; k++) {
		struct wt_rate_counts counts = {0}, before;
		char words[100], err[300];
		struct wt_node *node;

		snprintf(words, sizeof(words), "rate 8Mbit burst 0B limit 200packets queue %s", kinds[k]);
		node = bench_words(words);
		for (unsigned i = 0; i < 101; i++)
			bench_input(node, 0, bench_packet(1000, i, 0, 1));
		snprintf(words, sizeof(words), "rate 8Mbit burst 0B limit 10packets queue %s", kinds[k]);
		assert_int_equal(wt_path_change(&bench_path, words, 0, err, sizeof(err)), 0);
		assert_int_equal(wt_audit_dropped(&node->audit), 0);
		for (unsigned i = 1; i <= 182; i++) {
			wt_frame_free(bench_output(node, i * WT_MS / 2));
			wt_rate_counts(node, &before);
			bench_input(node, i * WT_MS / 2, bench_packet(1000, i, 0, 1));
			wt_rate_counts(node, &counts);
			assert_true(counts.waiting_frames >= 10);
			assert_true(counts.waiting_frames <= (before.waiting_frames > 10 ? before.waiting_frames : 10));
			assert_true(counts.waiting_frames >= before.waiting_frames);
		}
		assert_int_equal(counts.waiting_frames, 10);
		wt_path_finish(&bench_path);
	}
}

static struct {
	struct wt_drop_sink sink;
	struct wt_bursts bursts;
	unsigned count;
	uint64_t place[2000];
	uint32_t tag[2000];
} drops;

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	assert_true(drops.count < 2000);
	drops.tag[drops.count] = bench_packet_tag(frame);
	drops.place[drops.count++] = wt_bursts_next(&drops.bursts, node);
}

/*
 * All come at once. What is dropped later has a place of 1 after one that was sent, and else one more than the one before, whether
 * the queue is asked for what leaves or, by `turns`, another one comes then.
 */
static unsigned rows_of_what_waited(const char *words, unsigned frames, unsigned turns)
{
	struct wt_node *node = bench_words(words);
	unsigned longest = 0;
	uint32_t tags[2000];
	wt_time times[2000];

	wt_bursts_finish(&drops.bursts);
	drops.count = 0;
	drops.sink.drop = on_drop;
	node->drops = &drops.sink;
	for (unsigned i = 0; i < frames; i++)
		bench_input(node, 0, bench_packet(1000, i, 0, 1));
	for (unsigned i = 0; i < turns && node->ops->deadline(node) != WT_NEVER; i++) {
		wt_time due = node->ops->deadline(node);

		if (i % 3)
			bench_input(node, due, bench_packet(1000, frames++, 0, 1));
		wt_frame_free(bench_output(node, due));
	}
	drain(node, tags, times);
	for (unsigned i = 0; i < drops.count; i++) {
		bool in_a_row = i && drops.tag[i] == drops.tag[i - 1] + 1;

		assert_int_equal(drops.place[i], in_a_row ? drops.place[i - 1] + 1 : 1);
		longest = drops.place[i] > longest ? (unsigned)drops.place[i] : longest;
	}
	wt_path_finish(&bench_path);
	wt_bursts_finish(&drops.bursts);
	return longest;
}

static void a_frame_that_goes_on_ends_a_row_of_drops_among_those_that_waited(void **state)
{
	for (unsigned turns = 0; turns <= 300; turns += 100) {
		/* one at a time, ever more often */
		assert_int_equal(rows_of_what_waited("rate 10Mbit burst 0B limit 10MB queue codel", 1000, turns), 1);
		assert_in_range(drops.count, 10, 100);
		/* more and more of them, until two frames in three go */
		assert_in_range(rows_of_what_waited("rate 1Mbit burst 0B limit 10MB queue dualpi2", 500, turns), 3, 500);
		/* a full buffer: the oldest ones, whatever comes; the one being sent was older */
		assert_int_equal(rows_of_what_waited("rate 8Mbit burst 0B limit 11packets queue head", 111, turns), 100);
		assert_int_equal(rows_of_what_waited("rate 8Mbit burst 0B limit 101packets queue fq_codel", 102, turns), 50);
		/* the last ones come and are dropped */
		assert_int_equal(rows_of_what_waited("rate 8Mbit burst 0B limit 11packets queue codel", 111, turns), 100);
	}
}

static void what_is_flushed_is_one_row_and_those_that_come_have_their_own(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 5packets queue head");

	drops.count = 0;
	drops.sink.drop = on_drop;
	node->drops = &drops.sink;
	for (unsigned i = 0; i < 7; i++) /* 1 and 2 make way */
		bench_input(node, 0, bench_packet(1000, i, 0, 1));
	wt_frame_free(bench_output(node, WT_MS)); /* 3 begins to be sent */
	bench_input(node, WT_MS, bench_packet(1000, 7, 0, 1));
	bench_input(node, WT_MS, bench_packet(1000, 8, 0, 1)); /* 4 makes way */
	wt_rate_flush(node, WT_MS + 1);
	assert_int_equal(drops.count, 3 + 5);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(drops.place[i], i < 2 ? i + 1 : i - 1);
	wt_path_finish(&bench_path);
	wt_bursts_finish(&drops.bursts);
	node = bench_words("rate 8Mbit burst 0B limit 5packets");
	drops.count = 0;
	node->drops = &drops.sink;
	for (unsigned i = 0; i < 14; i++) {
		bench_input(node, 0, bench_packet(1000, i, 0, 1));
		if (i == 6)
			wt_rate_flush(node, 0);
	}
	assert_int_equal(drops.count, 2 + 5 + 2);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(drops.place[i], i < 2 ? i + 1 : i < 7 ? i - 1 : i - 6);
	wt_path_finish(&bench_path);
	wt_bursts_finish(&drops.bursts);
}

struct log {
	struct wt_rate_log log;
	uint64_t bytes;
	wt_time last;
};

static void note(struct wt_rate_log *log, const struct wt_node *node, wt_time time, const struct wt_frame *frame, uint64_t bytes)
{
	struct log *mine = (struct log *)log;

	assert_string_equal(node->name, "fwd.rate");
	mine->bytes += bytes;
	mine->last = time;
}

static void the_log_hears_of_the_tokens_each_frame_takes(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 2KB limit 64KB overhead 24B");
	struct log log = {.log = {note}};
	uint32_t tags[10];
	wt_time times[10];

	wt_rate_set_log(node, &log.log);
	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(1000, i, 0, 1));
	assert_int_equal(log.bytes, 1024); /* the first went at once */
	assert_int_equal(drain(node, tags, times), 10);
	assert_int_equal(log.bytes, 10240);
	assert_int_equal(log.last, times[9]);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(drop_tail_keeps_the_first_and_drop_head_the_last),
		BENCH_TEST(a_limit_in_packets_counts_them_whatever_their_size),
		BENCH_TEST(overhead_is_paid_for_and_does_not_count_towards_the_limit),
		BENCH_TEST(a_mark_keeps_the_header_checksum_right_and_is_for_capable_packets),
		BENCH_TEST(an_ipv6_packet_is_marked_in_its_traffic_class),
		BENCH_TEST(no_header_is_read_past_the_end_of_a_frame),
		BENCH_TEST(flows_are_told_apart_by_addresses_protocol_and_ports),
		BENCH_TEST(tokens_in_lumps_let_frames_go_at_the_lumps),
		BENCH_TEST(a_lump_that_does_not_fit_the_bucket_is_lost_in_part_even_while_frames_wait),
		BENCH_TEST(a_lump_serves_all_who_wait_for_it_whatever_the_depth),
		BENCH_TEST(a_frame_that_could_not_stay_alone_is_dropped_alone),
		BENCH_TEST(what_waits_above_a_smaller_limit_stays_and_nothing_comes_on_top),
		BENCH_TEST(a_frame_that_goes_on_ends_a_row_of_drops_among_those_that_waited),
		BENCH_TEST(what_is_flushed_is_one_row_and_those_that_come_have_their_own),
		BENCH_TEST(the_log_hears_of_the_tokens_each_frame_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

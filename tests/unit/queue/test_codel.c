/* SPDX-License-Identifier: BSD-2-Clause */
/* CoDel and FQ-CoDel against what RFC 8289 and 8290 give by hand. */
#include "tests/unit/emu/queue_bench.h"

#include <math.h>

/* 1000 bytes a millisecond; one comes each 0.5 ms, so the queue grows and every sojourn is above the target after 10 ms. */
struct overload {
	wt_time drop[64];
	unsigned drops, marks, out;
};

struct sink {
	struct wt_drop_sink sink;
	struct overload *seen;
};

static void note_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		      enum wt_drop cause)
{
	struct overload *seen = ((struct sink *)sink)->seen;

	assert_int_equal(cause, WT_DROP_AQM);
	assert_true(seen->drops < 64);
	seen->drop[seen->drops++] = now;
}

static void overload(struct wt_node *node, struct overload *seen, enum wt_ecn ecn, wt_time until)
{
	struct sink sink = {{note_drop}, seen};
	unsigned i = 0;

	*seen = (struct overload){0};
	node->drops = &sink.sink;
	for (wt_time now = 0; now < until; now += WT_MS / 2) {
		struct wt_frame *frame;

		while ((frame = bench_output(node, now))) {
			if (wt_packet_ecn(frame) == WT_ECN_CE) {
				assert_true(bench_header_holds(frame));
				seen->drop[seen->drops + seen->marks++] = frame->time;
			}
			wt_frame_free(frame);
			seen->out++;
		}
		bench_input(node, now, bench_packet(1000, i++, ecn, 1));
	}
	node->drops = NULL;
}

/*
 * Frame n comes at n/2 ms and the link sends one each ms: the one that begins at k ms is number k, with a sojourn of k/2 ms
 * (while nothing is dropped). Number 10 begins at 10 ms and is the first with 5 ms: the first drop is due 100 ms later, the
 * ones after it interval/sqrt(n) later each, done at the next dequeue: the next whole millisecond.
 */
static void the_drops_come_at_the_interval_over_the_square_root_of_their_number(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue codel");
	struct overload seen;
	double next = 110;

	overload(node, &seen, WT_ECN_NOT_ECT, 800 * WT_MS);
	assert_true(seen.drops > 15);
	for (unsigned n = 1; n <= seen.drops; n++) {
		assert_int_equal(seen.drop[n - 1], (wt_time)ceil(next) * WT_MS);
		next = (n == 1 ? 110 : next) + 100 / sqrt(n);
	}
	wt_path_finish(&bench_path);
}

static void with_ecn_a_capable_packet_is_marked_instead_and_sent(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue codel ecn");
	struct overload seen;

	overload(node, &seen, WT_ECN_ECT0, 500 * WT_MS);
	assert_int_equal(seen.drops, 0);
	assert_true(seen.marks > 5);
	assert_int_equal(seen.drop[0], 111 * WT_MS); /* marked when it begins at 110 ms, out a millisecond later */
	overload(bench_words("rate 8Mbit burst 0B limit 1MB queue codel ecn"), &seen, WT_ECN_NOT_ECT, 500 * WT_MS);
	assert_int_equal(seen.marks, 0);
	assert_int_equal(seen.drop[0], 110 * WT_MS);
	wt_path_finish(&bench_path);
	node->ops->destroy(node);
}

static void a_queue_that_stays_below_the_target_loses_nothing(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue codel target 5ms interval 100ms");

	for (unsigned i = 0; i < 10000; i++) {
		struct wt_frame *frame;

		while ((frame = bench_output(node, i * WT_MS)))
			wt_frame_free(frame);
		/* four every 4 ms: the last of them waits 3 ms */
		for (unsigned k = 0; i % 4 == 0 && k < 4; k++)
			bench_input(node, i * WT_MS, bench_packet(1000, i, 0, 1));
	}
	assert_int_equal(wt_audit_dropped(&node->audit), 0);
	wt_path_finish(&bench_path);
}

static void flows_that_always_wait_get_equal_bytes_whatever_their_packets(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 100KB queue fq_codel target 1s interval 10s");
	uint64_t bytes[3] = {0};
	static const uint32_t lens[3] = {1500, 300, 100};

	for (unsigned i = 0; i < 40000; i++) {
		wt_time now = i * (WT_MS / 4);
		struct wt_frame *frame;

		while ((frame = bench_output(node, now))) {
			bytes[bench_packet_tag(frame)] += frame->len;
			wt_frame_free(frame);
		}
		for (unsigned flow = 0; flow < 3; flow++)
			for (uint32_t sent = 0; sent < 1500; sent += lens[flow])
				bench_input(node, now, bench_packet(lens[flow], flow, 0, (uint16_t)(1000 + flow)));
	}
	/* 10 s of 8 Mbit/s in three parts, but for a round of the robin and what the start-up gave */
	for (unsigned flow = 0; flow < 3; flow++)
		assert_in_range(bytes[flow], 10000000 / 3 - 50000, 10000000 / 3 + 50000);
	wt_path_finish(&bench_path);
}

static void a_packet_of_a_quiet_flow_passes_ahead_of_those_that_wait(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue fq_codel");
	struct wt_frame *frame;
	wt_time time = 0;

	for (unsigned i = 0; i < 100; i++)
		bench_input(node, 0, bench_packet(1000, 1, 0, 1000));
	bench_input(node, 10 * WT_MS + 1, bench_packet(100, 2, 0, 2000));
	while ((frame = bench_output(node, node->ops->deadline(node)))) {
		uint32_t tag = bench_packet_tag(frame);

		time = frame->time;
		wt_frame_free(frame);
		if (tag == 2)
			break;
	}
	/* the one being sent at 10 ms is finished at 11 ms; then it is its turn */
	assert_int_equal(time, 11 * WT_MS + 100 * WT_US);
	wt_path_finish(&bench_path);
}

/* What leaves, by tag; 20 KB are full. */
static void drain_by_tag(struct wt_node *node, unsigned out[], unsigned tags)
{
	memset(out, 0, tags * sizeof(out[0]));
	for (;;) {
		struct wt_frame *frame = node->ops->deadline(node) == WT_NEVER ? NULL : bench_output(node, node->ops->deadline(node));

		if (!frame)
			break;
		assert_true(bench_packet_tag(frame) < tags);
		out[bench_packet_tag(frame)]++;
		wt_frame_free(frame);
	}
}

static void a_full_buffer_takes_from_the_fattest_flow(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 20000B queue fq_codel");
	unsigned out[2];

	for (unsigned i = 0; i < 5; i++)
		bench_input(node, 0, bench_packet(1000, 1, 0, 1000));
	for (unsigned i = 0; i < 100; i++)
		bench_input(node, 0, bench_packet(1000, 0, 0, 2000));
	drain_by_tag(node, out, 2);
	assert_int_equal(out[1], 5);
	assert_in_range(out[0], 8, 15); /* the 16th is one too many, and half of them go */
	wt_path_finish(&bench_path);
}

/* RFC 8290 section 4.1: half the flow's packets, at most 64, oldest first; tags are places in the flow. */
static void a_full_buffer_takes_half_a_flow_but_at_most_sixty_four(void **state)
{
	static const struct {
		const char *words;
		unsigned frames, lost;
	} cases[] = {{"rate 8Mbit burst 0B limit 41packets queue fq_codel", 42, 20},
		     {"rate 8Mbit burst 0B limit 201packets queue fq_codel", 202, 64},
		     {"rate 8Mbit burst 0B limit 1packet queue fq_codel", 2, 1}};

	for (unsigned c = 0; c < 3; c++) {
		struct wt_node *node = bench_words(cases[c].words);

		for (unsigned i = 0; i < cases[c].frames; i++)
			bench_input(node, 0, bench_packet(1000, i, 0, 1000));
		assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], cases[c].lost);
		/* number 0 was being sent; the next one is the oldest that was kept */
		wt_frame_free(bench_output(node, WT_MS));
		if (node->ops->deadline(node) != WT_NEVER) {
			struct wt_frame *frame = bench_output(node, 2 * WT_MS);

			assert_int_equal(bench_packet_tag(frame), cases[c].lost + 1);
			wt_frame_free(frame);
		}
		wt_path_finish(&bench_path);
	}
}

static void each_frame_above_a_smaller_limit_costs_no_more_than_one_in_a_full_buffer(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue fq_codel");
	char err[300];

	for (unsigned i = 0; i < 201; i++)
		bench_input(node, 0, bench_packet(1000, i, 0, 1000));
	assert_int_equal(wt_path_change(&bench_path, "rate 8Mbit burst 0B limit 5KB queue fq_codel", 0, err, sizeof(err)), 0);
	for (unsigned i = 1; i <= 3; i++) { /* of 200 that wait 64, of 136 again, of 72 the half */
		bench_input(node, 0, bench_packet(60, 0, 0, 2000));
		assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], i < 3 ? 64 * i : 64 * 2 + 36);
	}
	wt_path_finish(&bench_path);
}

/* RFC 8289 section 4.4: twenty flows, none with more than two packets, but twenty and more on the link: that is a queue. */
static void what_other_flows_have_waiting_counts_before_a_drop(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue fq_codel flows 4096");

	for (wt_time now = 0; now < 300 * WT_MS; now += 900 * WT_US) {
		struct wt_frame *frame;

		while ((frame = bench_output(node, now)))
			wt_frame_free(frame);
		bench_input(node, now, bench_packet(1000, 0, 0, (uint16_t)(1000 + now / (900 * WT_US) % 20)));
	}
	/* the excess of 300 ms is 33 packets in 20 flows: with itself alone in view no flow would ever drop */
	assert_true(node->audit.dropped[WT_DROP_AQM] > 10);
	wt_path_finish(&bench_path);
}

/* RFC 8290 section 4.2: a flow that ran empty waits behind the old ones, and what is new goes before it. */
static void a_flow_that_ran_empty_is_not_new_again_at_once(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue fq_codel");
	unsigned order[5], n = 0;
	uint32_t tag;
	wt_time time;

	bench_input(node, 0, bench_packet(1000, 0, 0, 1000)); /* is sent at once: its flow is empty, and still in the new ones */
	bench_input(node, 0, bench_packet(1000, 1, 0, 2000));
	bench_input(node, 0, bench_packet(1000, 1, 0, 2000));
	bench_next(node, &time, &tag);
	bench_input(node, WT_MS, bench_packet(1000, 2, 0, 1000)); /* the first flow once more */
	bench_input(node, WT_MS, bench_packet(1000, 3, 0, 3000)); /* and one that is new */
	while (node->ops->deadline(node) != WT_NEVER) {
		struct wt_frame *frame = bench_output(node, node->ops->deadline(node));

		order[n++] = bench_packet_tag(frame);
		wt_frame_free(frame);
	}
	assert_int_equal(n, 4);
	assert_int_equal(order[2], 3);
	assert_int_equal(order[3], 2);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(the_drops_come_at_the_interval_over_the_square_root_of_their_number),
		BENCH_TEST(with_ecn_a_capable_packet_is_marked_instead_and_sent),
		BENCH_TEST(a_queue_that_stays_below_the_target_loses_nothing),
		BENCH_TEST(flows_that_always_wait_get_equal_bytes_whatever_their_packets),
		BENCH_TEST(a_packet_of_a_quiet_flow_passes_ahead_of_those_that_wait),
		BENCH_TEST(a_full_buffer_takes_from_the_fattest_flow),
		BENCH_TEST(a_full_buffer_takes_half_a_flow_but_at_most_sixty_four),
		BENCH_TEST(each_frame_above_a_smaller_limit_costs_no_more_than_one_in_a_full_buffer),
		BENCH_TEST(what_other_flows_have_waiting_counts_before_a_drop),
		BENCH_TEST(a_flow_that_ran_empty_is_not_new_again_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

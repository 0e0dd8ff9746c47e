/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links in a graph that are given other words again and again while frames pass, stages coming and going, by seed: the books
 * balance after every call, nothing overtakes where no word says so, and equal seeds give equal runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/script.h"
#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/drive/graph.h"

enum { RUNS = 150, FRAMES = 1500, CHANGES = 40 };

struct end {
	struct wt_node node;
	uint64_t digest, disorder;
	uint32_t last;
};

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	static const struct wt_key key = {2001, 1997};
	struct end *end = (struct end *)node;
	uint32_t tag = wt_get32(frame->data + 40);
	uint64_t seen[3] = {end->digest, (uint64_t)now, tag};

	end->digest = wt_siphash(&key, seen, sizeof(seen));
	end->disorder += tag < end->last;
	end->last = tag;
	node->audit.in++;
	node->audit.taken++;
	wt_frame_free(frame);
}

static struct wt_frame *end_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return NULL;
}

static wt_time end_deadline(const struct wt_node *node)
{
	return WT_NEVER;
}

static const struct wt_node_ops end_ops = {end_input, end_output, end_deadline, NULL, NULL};

struct dice {
	struct wt_key key;
	uint64_t n;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
	return wt_random_below(&dice->key, dice->n++, bound);
}

/* A path in which frames keep their order; words of each kind in the order of the list, some of them. */
static void random_words(struct dice *dice, char *words, size_t len)
{
	static const char *const kinds[][4] = {
		{"rate 5Mbit burst 0B limit 20KB ", "rate 20Mbit burst 9KB limit 8packets queue codel ", "rate 2KB every 3ms burst 9KB limit 9KB queue head ",
		 "rate 1Mbit burst 0B limit 64KB queue red min 5KB max 20KB "},
		{"outage every 50ms for 2ms ", "outage at 1s for 5ms ", "outage every 7ms for 1ms drop 50% ", "outage at 0s for 1ms "},
		{"loss 1% ", "loss 20% ", "loss twice 5% ", "loss 0% "},
		{"loss gilbert on 10ms 50% off 20ms 0% shared ", "loss gilbert on 1ms 50% off 9ms 1% shared ", "", ""},
		{"loss markov state 5ms 0% state 5ms 100% ", "loss markov state 5ms 0% state 5ms 10% state 9ms 100% ", "", ""},
		{"loss elliott p 10% r 50% ", "loss list 3,9-20 ", "corrupt 0% ", "loss list 5 "},
		{"delay 5ms ", "delay 20ms ", "delay 1ms jitter normal 1ms ", "delay 8ms at 500ms 2ms "},
	};

	words[0] = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *word = kinds[i][roll(dice, 4)];

		if (i == 3 || roll(dice, 2)) /* what is shared is shared by both, or change() would be refused too often */
			strncat(words, i == 3 ? kinds[i][0] : word, len - strlen(words) - 1);
	}
}

struct run {
	struct wt_pool *pool;
	struct wt_graph *graph;
	struct wt_span link;
	struct end end[2];
	uint64_t refused, changed;
};

static void start(struct run *run, uint64_t seed)
{
	static const char *const words[2] = {"loss gilbert on 10ms 50% off 20ms 0% shared", "loss gilbert on 10ms 50% off 20ms 0% shared"};
	char err[300];

	memset(run, 0, sizeof(*run));
	run->pool = wt_pool_create(2000, 1600);
	run->graph = wt_graph_create();
	wt_graph_set_checked(run->graph, true);
	if (wt_span_init(&run->link, "main", true, words, seed, err, sizeof(err)))
		fail_msg("%s", err);
	for (unsigned i = 0; i < 2; i++) {
		run->end[i].node = (struct wt_node){.ops = &end_ops, .ports = 1};
		snprintf(run->end[i].node.name, sizeof(run->end[i].node.name), "end %u", i);
		assert_int_equal(wt_graph_add(run->graph, &run->end[i].node), 0);
	}
	assert_int_equal(wt_span_add(&run->link, run->graph), 0);
	wt_leg_join(&run->link.leg[0], run->graph, &run->end[0].node, 0, &run->end[1].node, 0);
	wt_leg_join(&run->link.leg[1], run->graph, &run->end[1].node, 0, &run->end[0].node, 0);
}

/* One direction or both, flushing or not, sometimes with nonsense in the second, which must then save the first. */
static void change(struct run *run, struct dice *dice, wt_time now)
{
	char text[2][500], before[2][WT_SPAN_TEXT], err[300];
	const char *words[2] = {NULL, NULL};
	bool flush = roll(dice, 4) == 0, bad = roll(dice, 5) == 0;
	unsigned nodes = wt_graph_count(run->graph);

	for (unsigned i = 0; i < 2; i++) {
		memcpy(before[i], run->link.leg[i].text, sizeof(before[i]));
		random_words(dice, text[i], sizeof(text[i]));
		if (roll(dice, 3))
			words[i] = text[i];
	}
	if (bad)
		words[1] = roll(dice, 2) ? "delay 5" : "only (tcp) { loss 1% }";
	if (!wt_span_change(&run->link, words, now, flush, err, sizeof(err))) {
		run->changed++;
		assert_false(bad);
		return;
	}
	run->refused++;
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(run->link.leg[i].text, before[i]);
	assert_int_equal(wt_graph_count(run->graph), nodes);
}

static void send(struct run *run, struct dice *dice, wt_time now, uint32_t tag)
{
	unsigned from = (unsigned)roll(dice, 2);
	const struct wt_leg *leg = &run->link.leg[from];
	struct wt_frame *frame = wt_frame_new(run->pool);

	assert_non_null(frame);
	memset(frame->data, 0, 1560);
	frame->len = 60 + (uint32_t)roll(dice, 1454);
	wt_put16(frame->data + 12, 0x0800);
	frame->data[23] = 6;
	wt_put32(frame->data + 40, tag);
	if (leg->segment[0].path.count)
		wt_graph_input(run->graph, leg->segment[0].path.stage[0], 0, now, frame);
	else
		wt_graph_input(run->graph, &run->end[!from].node, 0, now, frame);
}

struct outcome {
	uint64_t digest[2], disorder, dropped, flushed, changed, refused, stages;
};

static struct outcome one(uint64_t seed)
{
	struct dice dice = {wt_key_derive(seed, "changes"), 0};
	struct outcome outcome = {0};
	struct run run;
	uint64_t taken;
	wt_time now = 0;

	start(&run, seed);
	for (uint32_t i = 0; i < FRAMES; i++) {
		now += roll(&dice, 3) ? 0 : (wt_time)roll(&dice, 6 * WT_MS);
		wt_graph_run(run.graph, now);
		if (i % (FRAMES / CHANGES) == 0)
			change(&run, &dice, now);
		send(&run, &dice, now, i);
	}
	wt_graph_run(run.graph, now + 3600 * WT_S);
	taken = run.end[0].node.audit.taken + run.end[1].node.audit.taken;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = 0; n < run.link.leg[i].count; n++) {
			const struct wt_audit *audit = &run.link.leg[i].node[n]->audit;

			outcome.dropped += wt_audit_dropped(audit);
			outcome.flushed += audit->dropped[WT_DROP_FLUSH];
			assert_int_equal(audit->queued, 0);
			assert_int_equal(audit->dropped[WT_DROP_UNROUTED], 0);
		}
		outcome.stages += run.link.leg[i].count;
		outcome.digest[i] = run.end[i].digest;
		outcome.disorder += run.end[i].disorder;
	}
	if (taken + outcome.dropped != FRAMES)
		fail_msg("seed %u: %u frames went in, %u came out, %u were dropped", (unsigned)seed, FRAMES, (unsigned)taken, (unsigned)outcome.dropped);
	outcome.changed = run.changed;
	outcome.refused = run.refused;
	assert_int_equal(wt_pool_free_count(run.pool), wt_pool_count(run.pool));
	wt_graph_destroy(run.graph);
	wt_span_finish(&run.link);
	wt_pool_destroy(run.pool);
	return outcome;
}

static void frames_of_a_path_that_changes_are_accounted_for_and_keep_their_order(void **state)
{
	struct outcome sum = {0};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct outcome outcome = one(seed);

		if (outcome.disorder)
			fail_msg("seed %u: frames overtake", (unsigned)seed);
		sum.changed += outcome.changed;
		sum.refused += outcome.refused;
		sum.flushed += outcome.flushed;
		sum.stages += outcome.stages;
	}
	assert_true(sum.changed > RUNS * 20 && sum.refused > RUNS * 5 && sum.flushed > RUNS && sum.stages > RUNS * 10);
}

static void equal_seeds_give_equal_runs(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct outcome first = one(seed), again = one(seed), other = one(seed + 1000);

		assert_memory_equal(&first, &again, sizeof(first));
		assert_int_not_equal(first.digest[0], other.digest[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_a_path_that_changes_are_accounted_for_and_keep_their_order),
		cmocka_unit_test(equal_seeds_give_equal_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

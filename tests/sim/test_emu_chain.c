/* SPDX-License-Identifier: BSD-2-Clause */
/* Random chains under random traffic, by seed: the books balance after every step, and equal seeds give equal runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/path.h"
#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/drive/graph.h"

enum { CHAINS = 300, FRAMES = 3000 };

/* The end of the chain: takes every frame and hashes when it came and what it was. */
struct end {
	struct wt_node node;
	uint64_t digest;
};

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	static const struct wt_key key = {2001, 1997};
	struct end *end = (struct end *)node;
	uint64_t seen[4] = {end->digest, (uint64_t)now, frame->len, wt_siphash(&key, frame->data, frame->len)};

	end->digest = wt_siphash(&key, seen, sizeof(seen));
	node->audit.in++;
	node->audit.taken++;
	assert_int_equal(frame->time, now);
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

static const struct wt_node_ops end_ops = {end_input, end_output, end_deadline, NULL};

struct dice {
	struct wt_key key;
	uint64_t n;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
	return wt_random_below(&dice->key, dice->n++, bound);
}

/* One to six stages with bars here and there. */
static void random_words(struct dice *dice, char *words, size_t len)
{
	size_t at = 0;

	words[0] = 0;
	for (uint64_t stages = 1 + roll(dice, 6); stages; stages--) {
		unsigned a = (unsigned)roll(dice, 1000), b = (unsigned)roll(dice, 1000);

		switch (roll(dice, 7)) {
		case 0:
			at += snprintf(words + at, len - at, "rate %uKbit burst %uB limit %uB ", a * a + 1, b * 20, 1514 + a * b);
			break;
		case 1:
			at += snprintf(words + at, len - at, "outage every %ums for %uus outage at %ums for %ums ", a + 1, b, b, a);
			break;
		case 2:
			at += snprintf(words + at, len - at, "loss %u.%u%% ", a % 50, b);
			break;
		case 3:
			at += snprintf(words + at, len - at, "loss gilbert on %ums %u%% off %ums %u.%u%% ", a + 1, b % 101, b + 1, a % 3, b);
			break;
		case 4:
			at += snprintf(words + at, len - at, "duplicate %u%% ", a % 60);
			break;
		case 5:
			at += snprintf(words + at, len - at, "reorder %u%% delay %uus ", a % 60, b * b);
			break;
		default:
			at += snprintf(words + at, len - at, "delay %uus ", a * b);
		}
		if (stages > 1)
			at += snprintf(words + at, len - at, "| ");
	}
}

static struct wt_frame *random_frame(struct wt_pool *pool, struct dice *dice, uint32_t tag)
{
	static const uint16_t types[] = {0x0800, 0x0800, 0x0800, 0x86dd, 0x0806};
	struct wt_frame *frame = wt_frame_new(pool);

	if (!frame)
		return NULL;
	memset(frame->data, 0, 64);
	frame->len = 60;
	wt_put16(frame->data + 12, types[roll(dice, 5)]);
	frame->data[23] = roll(dice, 3) ? 6 : 1;
	wt_put32(frame->data + 40, tag);
	if (roll(dice, 2)) {
		frame->len = 60 + (uint32_t)roll(dice, 1455);
		memset(frame->data + 60, (int)tag, frame->len - 60);
	}
	return frame;
}

struct outcome {
	uint64_t digest, in, made, out, dropped;
};

/* A chain made from `seed` under traffic made from it; the graph checks every node's law after every call. */
static struct outcome run_chain(uint64_t seed)
{
	struct dice dice = {wt_key_derive(seed, "chain"), 0};
	struct wt_pool *pool = wt_pool_create(400, 1600); /* small: it runs dry now and then */
	struct wt_graph *graph = wt_graph_create();
	struct end end = {.node = {.ops = &end_ops, .name = "end", .ports = 1}};
	struct outcome outcome = {0};
	struct wt_path path;
	char words[800], err[300];
	wt_time now = 0;

	random_words(&dice, words, sizeof(words));
	if (wt_path_init(&path, words, "fwd", seed, err, sizeof(err)))
		fail_msg("seed %u: %s: %s", (unsigned)seed, words, err);
	wt_graph_set_checked(graph, true);
	for (unsigned i = 0; i < path.count; i++)
		assert_int_equal(wt_graph_add(graph, path.stage[i]), 0);
	assert_int_equal(wt_graph_add(graph, &end.node), 0);
	for (unsigned i = 0; i < path.count; i++)
		wt_graph_join(graph, path.stage[i], 1, i + 1 < path.count ? path.stage[i + 1] : &end.node, 0);
	for (uint32_t i = 0; i < FRAMES; i++) {
		struct wt_frame *frame = random_frame(pool, &dice, i);

		now += (wt_time)roll(&dice, 3) * (wt_time)roll(&dice, 1000000);
		if (frame) {
			wt_graph_input(graph, path.stage[0], 0, now, frame);
			outcome.in++;
		} else {
			wt_graph_run(graph, now);
		}
	}
	wt_graph_run(graph, now + 3600 * WT_S);
	for (unsigned i = 0; i < path.count; i++) {
		outcome.made += path.stage[i]->audit.made;
		outcome.dropped += wt_audit_dropped(&path.stage[i]->audit);
		assert_int_equal(path.stage[i]->audit.queued, 0);
	}
	outcome.out = end.node.audit.taken;
	outcome.digest = end.digest;
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_graph_destroy(graph);
	wt_pool_destroy(pool);
	return outcome;
}

static void every_frame_of_every_chain_is_accounted_for(void **state)
{
	uint64_t made = 0, dropped = 0, out = 0;

	for (uint64_t seed = 1; seed <= CHAINS; seed++) {
		struct outcome outcome = run_chain(seed);

		if (outcome.in + outcome.made != outcome.out + outcome.dropped)
			fail_msg("seed %u loses frames", (unsigned)seed);
		made += outcome.made;
		dropped += outcome.dropped;
		out += outcome.out;
	}
	assert_true(made > CHAINS * 100 && dropped > CHAINS * 100 && out > CHAINS * 100);
}

static void equal_seeds_give_equal_frames_at_equal_nanoseconds(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct outcome first = run_chain(seed), again = run_chain(seed);

		assert_memory_equal(&first, &again, sizeof(first));
		assert_int_not_equal(first.digest, run_chain(seed + 1000).digest);
	}
}

/* Committed figures: every compiler, optimisation and sanitizer must reproduce them. */
static void the_digest_of_twenty_chains_is_the_one_recorded(void **state)
{
	uint64_t all[20];
	struct wt_key key = {0, 0};

	for (uint64_t seed = 1; seed <= 20; seed++)
		all[seed - 1] = run_chain(seed).digest;
	assert_true(wt_siphash(&key, all, sizeof(all)) == UINT64_C(0x94bb10810510de55));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_of_every_chain_is_accounted_for),
		cmocka_unit_test(equal_seeds_give_equal_frames_at_equal_nanoseconds),
		cmocka_unit_test(the_digest_of_twenty_chains_is_the_one_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

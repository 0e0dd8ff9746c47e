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

#include "stack/wire/packet.h"
#include "emu/path.h"
#include "stack/base/bytes.h"
#include "stack/drive/graph.h"
#include "tests/dice.h"
#include "tests/end_node.h"

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
	uint64_t seen[4] = {end->digest, (uint64_t)now, frame->len, wt_siphash(&key, wt_frame_own_bytes(frame), frame->len)};

	end->digest = wt_siphash(&key, seen, sizeof(seen));
	assert_int_equal(frame->time, now);
	end_node_take(node, frame);
}

static const struct wt_node_ops end_ops = END_NODE_OPS(end_input);

static void random_rate(struct dice *dice, char *to, size_t len, unsigned a, unsigned b)
{
	static const char *const queues[] = {
		"", " queue head", " queue codel", " queue codel ecn target 1ms", " queue fq_codel flows 4 ecn", " queue pie ecn",
		" queue dualpi2", " queue red min 3KB max 9KB gentle", " queue red min 2KB max 20KB weight 0.5 ecn",
	};
	const char *queue = queues[roll(dice, sizeof(queues) / sizeof(queues[0]))];

	if (roll(dice, 4))
		snprintf(to, len, "rate %uKbit burst %uB limit %uB%s ", a * a + 1, b * 20, 1514 + a * b, queue);
	else
		snprintf(to, len, "rate %uB every %uus burst %uB limit %upackets%s ", a * 10 + 1, b + 1, b * 20, b / 10 + 1, queue);
}

static void random_loss(struct dice *dice, char *to, size_t len, unsigned a, unsigned b)
{
	switch (roll(dice, 5)) {
	case 0:
		snprintf(to, len, "loss %u.%u%% ", a % 50, b);
		break;
	case 1:
		snprintf(to, len, "loss gilbert on %ums %u%% off %ums %u.%u%% ", a + 1, b % 101, b + 1, a % 3, b);
		break;
	case 2:
		snprintf(to, len, "loss markov state %ums 0%% to 2 50%% to 3 50%% state %ums %u%% state 5ms 80%% ", a + 1, b + 1, b % 101);
		break;
	case 3:
		snprintf(to, len, "loss elliott p %u%% r %u%% ", a % 50, b % 100 + 1);
		break;
	default:
		snprintf(to, len, "loss list %u,%u-%u ", a + 1, a + 2, a + b + 2);
	}
}

static void random_delay(struct dice *dice, char *to, size_t len, unsigned a, unsigned b)
{
	static const char *const more[] = {
		"", " jitter normal 1ms", " jitter normal 3ms reordering", " jitter pareto 2ms shape 1.5 reordering", " at 100ms 1ms every 1s",
	};

	snprintf(to, len, "delay %uus%s ", a * b, more[roll(dice, sizeof(more) / sizeof(more[0]))]);
}

static void random_stage(struct dice *dice, char *to, size_t len)
{
	unsigned a = (unsigned)roll(dice, 1000), b = (unsigned)roll(dice, 1000);

	switch (roll(dice, 10)) {
	case 0:
	case 1:
		random_rate(dice, to, len, a, b);
		break;
	case 2:
		snprintf(to, len, "outage every %ums for %uus unreachable outage at %ums for %ums drop %u%% ", a + 1, b, b, a, b % 101);
		break;
	case 3:
		random_loss(dice, to, len, a, b);
		break;
	case 4:
		snprintf(to, len, "corrupt %u%% bits %u ", a % 101, b % 9 + 1);
		break;
	case 5:
		snprintf(to, len, "duplicate %u%% ", a % 60);
		break;
	case 6:
		snprintf(to, len, "reorder %u%% delay %uus ", a % 60, b * b);
		break;
	case 7:
		snprintf(to, len, "mtu %uB%s ", 68 + a + b / 2, b % 3 ? "" : " drop");
		break;
	case 8:
		snprintf(to, len, "hops %u%s ", a % 70, b % 3 ? " from 10.1.2.3 2001:db8::1" : b % 2 ? " silent" : "");
		break;
	default:
		random_delay(dice, to, len, a, b);
	}
}

/* Each roll is a statement: the order of arguments is the compiler's. */
static void random_handoff(struct dice *dice, char *words, size_t len)
{
	const char *queue = roll(dice, 2) ? " queue codel" : " queue fq_codel", *when = roll(dice, 2) ? "every" : "mean";
	const char *what = roll(dice, 2) ? "flush" : "drop 50%";
	unsigned every = 100 + (unsigned)roll(dice, 900), length = 1 + (unsigned)roll(dice, 50), rate = 1 + (unsigned)roll(dice, 9000);

	snprintf(words, len, "rate 5Mbit burst 3KB limit 20KB%s handoff %s %ums for %ums %s to-delay 1ms to-rate %uKbit to-loss 50%% "
		 "then to-delay 9ms loss 1%% delay 5ms", queue, when, every, length, what, rate);
}

/* One to six stages between bars; and now and then a handoff that changes a rate, a delay and a loss. */
static void random_words(struct dice *dice, char *words, size_t len)
{
	size_t at = 0;

	if (!roll(dice, 4)) {
		random_handoff(dice, words, len);
		return;
	}
	words[0] = 0;
	for (uint64_t stages = 1 + roll(dice, 6); stages; stages--) {
		random_stage(dice, words + at, len - at);
		at += strlen(words + at);
		if (stages > 1)
			at += (size_t)snprintf(words + at, len - at, "| ");
	}
}

/* Headers that hold, so that what is dropped is answered where it may be. */
static void random_ipv4(struct dice *dice, struct wt_frame *frame)
{
	wt_frame_own_bytes(frame)[14] = 0x45;
	wt_frame_own_bytes(frame)[15] = (uint8_t)roll(dice, 4);
	wt_put16(wt_frame_own_bytes(frame) + 16, (uint16_t)(frame->len - 14));
	wt_frame_own_bytes(frame)[20] = roll(dice, 2) ? 0x40 : 0;
	wt_frame_own_bytes(frame)[22] = (uint8_t)roll(dice, 256);
	wt_frame_own_bytes(frame)[23] = roll(dice, 3) ? 6 : 1;
	wt_put32(wt_frame_own_bytes(frame) + 26, 0x0a000001 + (uint32_t)roll(dice, 3));
	wt_put32(wt_frame_own_bytes(frame) + 30, 0x0a000009);
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
}

static void random_ipv6(struct dice *dice, struct wt_frame *frame)
{
	wt_put16(wt_frame_own_bytes(frame) + 14, (uint16_t)(0x6000 | roll(dice, 4) << 4));
	wt_put16(wt_frame_own_bytes(frame) + 18, (uint16_t)(frame->len - 54));
	wt_frame_own_bytes(frame)[20] = roll(dice, 3) ? 6 : 58;
	wt_frame_own_bytes(frame)[21] = (uint8_t)roll(dice, 256);
	wt_put16(wt_frame_own_bytes(frame) + 22, 0x2001);
	wt_frame_own_bytes(frame)[37] = 1 + (uint8_t)roll(dice, 3);
	wt_put16(wt_frame_own_bytes(frame) + 38, 0x2001);
	wt_frame_own_bytes(frame)[54] = roll(dice, 2) ? 128 : 1;
}

static struct wt_frame *random_frame(struct wt_pool *pool, struct dice *dice, uint32_t tag)
{
	static const uint16_t types[] = {0x0800, 0x0800, 0x0800, 0x86dd, 0x0806};
	struct wt_frame *frame = wt_frame_new(pool);
	uint16_t type;

	if (!frame)
		return NULL;
	memset(wt_frame_own_bytes(frame), 0, 64);
	frame->len = 60;
	if (roll(dice, 2)) {
		frame->len = 60 + (uint32_t)roll(dice, 1455);
		memset(wt_frame_own_bytes(frame) + 60, (int)tag, frame->len - 60);
	}
	type = types[roll(dice, 5)];
	wt_put16(wt_frame_own_bytes(frame) + 12, type);
	wt_put32(wt_frame_own_bytes(frame) + 40, tag);
	if (type == 0x0800)
		random_ipv4(dice, frame);
	else if (type == 0x86dd)
		random_ipv6(dice, frame);
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
	char words[2000], err[300];
	wt_time now = 0;

	random_words(&dice, words, sizeof(words));
	if (wt_path_init(&path, words, "fwd", seed, err, sizeof(err)))
		fail_msg("seed %u: %s: %s", (unsigned)seed, words, err);
	wt_graph_set_checked(graph, true);
	for (unsigned i = 0; i < path.count; i++)
		assert_int_equal(wt_graph_add(graph, path.stage[i]), 0);
	assert_int_equal(wt_graph_add(graph, &end.node), 0);
	for (unsigned i = 0; i < path.count; i++) {
		wt_graph_join(graph, path.stage[i], 1, i + 1 < path.count ? path.stage[i + 1] : &end.node, 0);
		wt_graph_join(graph, path.stage[i], 0, &end.node, 0); /* answers count, too */
	}
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
	uint64_t all[20], digest;
	struct wt_key key = {0, 0};

	for (uint64_t seed = 1; seed <= 20; seed++)
		all[seed - 1] = run_chain(seed).digest;
	digest = wt_siphash(&key, all, sizeof(all));
	if (digest != UINT64_C(0x48974e7b271d2ab2))
		fail_msg("the digest is 0x%016llx", (unsigned long long)digest);
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

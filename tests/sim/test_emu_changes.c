/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links in a graph that are given other words again and again while frames pass, by seed: whatever words may begin a run may be given to
 * one; the books balance after every call and from end to end, nothing overtakes where no words say so, what is refused changes nothing,
 * and equal seeds give equal frames, drops and states.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/link.h"
#include "stack/base/bytes.h"
#include "stack/drive/graph.h"
#include "tests/dice.h"
#include "tests/end_node.h"

enum { RUNS = 240, FRAMES = 900, CHANGES = 30, FLOWS = 3, HEADERS = 54, TAG = 46, BIG = 20000, SEGMENT = 1000 };

struct end {
	struct wt_node node;
	struct run *run;
	uint32_t last[FLOWS];
};

struct run {
	struct wt_pool *pool, *big_pool;
	struct wt_graph *graph;
	struct wt_link link;
	struct end end[2];
	struct wt_drop_sink drops;
	struct wt_state_sink states;
	bool ordered; /* no words let frames overtake */
	bool quiet;   /* what would be refused is not tried */
	uint64_t sent, refused, changed, disorder, digest, filtered, moved, handoffs, big, cut;
};

static const char *const flow_names[FLOWS] = {"tcp dst port 80", "tcp dst port 443", "udp dst port 53"};

/* ---- who listens ------------------------------------------------------------------------------------------- */

static void note(struct run *run, const char *name, wt_time now, uint64_t what)
{
	static const struct wt_key key = {2001, 1997};
	uint64_t seen[4] = {run->digest, (uint64_t)now, what, wt_siphash(&key, name, strlen(name))};

	run->digest = wt_siphash(&key, seen, sizeof(seen));
}

static void dropped(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	if (frame->gso_size)
		fail_msg("a big frame came to %s", node->name); /* which looks at packets */
	note((struct run *)((char *)sink - offsetof(struct run, drops)), node->name, now, cause);
}

static void told(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	note((struct run *)((char *)sink - offsetof(struct run, states)), node->name, state->since, state->visit);
}

static unsigned flow_of(const struct wt_frame *frame)
{
	return wt_frame_look(frame)[23] == 17 ? 2 : wt_get16(wt_frame_look(frame) + 36) == 443;
}

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct end *end = (struct end *)node;
	uint32_t tag = frame->len < TAG + 4 ? 0 : wt_get32(wt_frame_own_bytes(frame) + TAG); /* a last fragment has none */
	uint32_t *last = &end->last[flow_of(frame)];

	note(end->run, node->name, now, (uint64_t)tag << 32 | frame->len);
	end->run->disorder += tag < *last;
	*last = tag;
	end_node_take(node, frame);
}

static const struct wt_node_ops end_ops = END_NODE_OPS(end_input);

/* ---- words --------------------------------------------------------------------------------------------------- */

/* The first three of each keep frames in their order, and change none. */
static const char *const kinds[][6] = {
	{"hops 3 silent", "hops 1", "", "mtu 576B", "hops 255", "mtu 600B drop"},
	{"rate 5Mbit burst 0B limit 20KB", "rate 20Mbit burst 9KB limit 8packets queue codel", "rate 2KB every 3ms burst 9KB limit 9KB queue head",
	 "rate 1Mbit burst 0B limit 64KB queue red min 5KB max 20KB", "rate 8Mbit burst 0B limit 64KB queue fq_codel", "rate 3Mbit burst 3KB limit 30KB queue dualpi2"},
	{"outage every 50ms for 2ms", "outage at 1s for 5ms", "outage every 7ms for 1ms drop 50%", "outage every 9ms for 1ms unreachable", "", ""},
	{"loss 1%", "loss 20%", "loss twice 5%", "loss 0%", "", ""},
	{"loss gilbert on 10ms 50% off 20ms 0%", "loss markov state 5ms 0% state 5ms 10% state 9ms 100%", "loss elliott p 10% r 50%", "", "", ""},
	{"loss list 3,9-20", "corrupt 0%", "duplicate 2%", "corrupt 5%", "duplicate 20%", ""},
	{"delay 5ms", "delay 20ms", "delay 1ms jitter normal 1ms", "reorder 20% delay 7ms", "reorder 5% delay 30ms", "reorder 50% delay 1ms"},
	{"delay 8ms at 500ms 2ms", "delay 3ms", "", "delay 9ms jitter pareto 2ms shape 2 reordering", "delay 0s", ""},
};

/* What both directions must have alike; the last is in one only, and refused. */
static const char *const pairs[] = {
	"", "", "", "loss gilbert on 10ms 50% off 20ms 0% shared", "loss gilbert on 1ms 50% off 9ms 1% shared", "handoff every 50ms for 2ms",
	"handoff every 30ms for 1ms drop 50% at 5ms", "handoff mean 20ms for 2ms", "handoff every 40ms for 3ms to-delay 2ms then to-delay 9ms",
	"handoff every 25ms for 1ms flush to-rate 9Mbit to-loss 9%", "loss markov state 2ms 90% state 5ms 0% shared",
};

static void add(char *words, size_t len, const char *text)
{
	strncat(words, text, len - strlen(words) - 1);
	strncat(words, " ", len - strlen(words) - 1);
}

static void random_words(struct dice *dice, bool ordered, const char *pair, char *words, size_t len)
{
	unsigned groups = 1 + (unsigned)roll(dice, 3);

	words[0] = 0;
	for (unsigned g = 0; g < groups; g++) {
		bool filter = roll(dice, 3) == 0;
		size_t before;

		if (filter)
			add(words, len, "only (");
		if (filter)
			add(words, len, roll(dice, 4) ? flow_names[roll(dice, FLOWS)] : "tcp");
		if (filter)
			add(words, len, ") {");
		before = strlen(words);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (roll(dice, 5) == 0)
				add(words, len, kinds[i][roll(dice, ordered ? 3 : 6)]);
		if (g == 0)
			add(words, len, pair);
		if (strspn(words + before, " ") == strlen(words + before))
			add(words, len, "loss 0%");
		if (filter)
			add(words, len, "}");
		if (g + 1 < groups)
			add(words, len, "|");
	}
	/* a delay for a handoff, a rate at last, or nothing */
	if (strstr(pair, "to-delay") || roll(dice, 2) == 0)
		add(words, len, "| delay 4ms");
	else if (strstr(pair, "to-rate"))
		add(words, len, "| rate 5Mbit burst 0B limit 20KB loss 1%");
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

static void start(struct run *run, uint64_t seed, bool ordered, bool quiet)
{
	static const char *const words[2] = {"loss gilbert on 10ms 50% off 20ms 0% shared", "loss gilbert on 10ms 50% off 20ms 0% shared"};
	char err[300];

	memset(run, 0, sizeof(*run));
	run->ordered = ordered;
	run->quiet = quiet;
	run->pool = wt_pool_create(8000, 1600);
	run->big_pool = wt_pool_create(600, BIG + HEADERS);
	run->graph = wt_graph_create();
	wt_graph_set_checked(run->graph, true);
	if (wt_link_init(&run->link, "main", true, words, seed, NULL, err, sizeof(err)))
		fail_msg("%s", err);
	run->link.pool = run->pool;
	for (unsigned i = 0; i < 2; i++) {
		run->end[i].node = (struct wt_node){.ops = &end_ops, .ports = 1};
		run->end[i].run = run;
		snprintf(run->end[i].node.name, sizeof(run->end[i].node.name), "end %u", i);
		assert_int_equal(wt_graph_add(run->graph, &run->end[i].node), 0);
	}
	assert_int_equal(wt_link_add(&run->link, run->graph), 0);
	wt_direction_join(&run->link.way[0], run->graph, &run->end[0].node, 0, &run->end[1].node, 0);
	wt_direction_join(&run->link.way[1], run->graph, &run->end[1].node, 0, &run->end[0].node, 0);
	run->drops.drop = dropped;
	run->states.state = told;
	wt_graph_set_drop_sink(run->graph, &run->drops);
	wt_graph_set_state_sink(run->graph, &run->states);
}

static void finish(struct run *run)
{
	assert_int_equal(wt_pool_free_count(run->pool), wt_pool_count(run->pool));
	assert_int_equal(wt_pool_free_count(run->big_pool), wt_pool_count(run->big_pool));
	wt_graph_destroy(run->graph);
	wt_link_finish(&run->link);
	wt_pool_destroy(run->pool);
	wt_pool_destroy(run->big_pool);
}

/* From end to end, whatever stages, drains and segmenters there are. */
static void check_books(const struct run *run, uint64_t seed)
{
	uint64_t made = 0, gone = 0, queued = 0, taken = run->end[0].node.audit.taken + run->end[1].node.audit.taken;

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = 0; n < run->link.way[i].count; n++) {
			const struct wt_audit *audit = &run->link.way[i].node[n]->audit;

			made += audit->made;
			gone += wt_audit_dropped(audit);
			queued += audit->queued;
		}
	}
	if (run->sent + made != taken + gone + queued)
		fail_msg("seed %u: %u sent + %u made are not %u taken + %u dropped + %u queued", (unsigned)seed, (unsigned)run->sent,
			 (unsigned)made, (unsigned)taken, (unsigned)gone, (unsigned)queued);
}

/* Would a run begin with these words? */
static bool begins(const struct run *run, const char *const words[2])
{
	struct wt_link *fresh = malloc(sizeof(*fresh));
	const char *all[2] = {words[0] ? words[0] : run->link.way[0].path.text, words[1] ? words[1] : run->link.way[1].path.text};
	char err[300];
	bool good;

	assert_non_null(fresh);
	good = !wt_link_init(fresh, "main", true, all, 1, NULL, err, sizeof(err));
	if (good)
		wt_link_finish(fresh);
	free(fresh);
	return good;
}

/* What became of it, for the end of the test: it must have been tried. */
static void count(struct run *run)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct wt_path *path = &run->link.way[i].path;
		bool filter = false, drain = false;

		for (unsigned n = 0; n < path->count; n++) {
			const struct wt_node *node = path->stage[n];

			filter |= !strncmp(node->name + 4, "filter", 6) && path->place[n].gone;
			drain |= !strncmp(node->name + 4, "drain", 5) && node->audit.queued;
			run->handoffs += !strncmp(node->name + 4, "handoff", 7);
		}
		run->filtered += filter;
		run->moved += drain;
		run->cut += run->link.way[i].cutting;
	}
}

/* One direction or both, flushing or not, with words that a run could begin with, or not. */
static void change(struct run *run, struct dice *dice, wt_time now)
{
	static const char *const nonsense[] = {"delay 5", "only (tcp prot 1) { loss 1% }", "only (tcp) { loss 1%", "only (tcp) { delay 1ms } |"};
	char text[2][900], before[2][WT_PATH_TEXT], err[300];
	const char *words[2] = {NULL, NULL}, *pair = pairs[roll(dice, sizeof(pairs) / sizeof(pairs[0]))];
	bool flush = !run->ordered && roll(dice, 4) == 0, good;
	unsigned nodes = wt_graph_count(run->graph), which = (unsigned)roll(dice, 6);

	for (unsigned i = 0; i < 2; i++) {
		memcpy(before[i], run->link.way[i].path.text, sizeof(before[i]));
		random_words(dice, run->ordered, pair, text[i], sizeof(text[i]));
		if (which >= 2 || which == i)
			words[i] = text[i];
	}
	if (roll(dice, 12) == 0)
		words[roll(dice, 2)] = nonsense[roll(dice, sizeof(nonsense) / sizeof(nonsense[0]))];
	good = begins(run, words);
	if (!good && run->quiet)
		return;
	if (good != !wt_link_change(&run->link, words, now, flush, err, sizeof(err)))
		fail_msg("a run would%s begin with \"%s\" and \"%s\"%s%s", good ? "" : " not", words[0] ? words[0] : "(as it is)",
			 words[1] ? words[1] : "(as it is)", good ? ": " : "", good ? err : "");
	if (good) {
		run->changed++;
		count(run);
		return;
	}
	run->refused++;
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(run->link.way[i].path.text, before[i]);
	assert_int_equal(wt_graph_count(run->graph), nodes);
}

/* IPv4 and the beginning of TCP or UDP, as far as filters, routers and segmenters look. */
static void fill(struct wt_frame *frame, uint32_t len, unsigned flow, uint32_t tag)
{
	static const uint16_t ports[FLOWS] = {80, 443, 53};

	memset(wt_frame_own_bytes(frame), 0, HEADERS);
	frame->len = len;
	wt_put16(wt_frame_own_bytes(frame) + 12, 0x0800);
	wt_frame_own_bytes(frame)[14] = 0x45;
	wt_put16(wt_frame_own_bytes(frame) + 16, (uint16_t)(len - 14));
	wt_frame_own_bytes(frame)[22] = 64;
	wt_frame_own_bytes(frame)[23] = flow == 2 ? 17 : 6;
	wt_put32(wt_frame_own_bytes(frame) + 26, 0x0a000001);
	wt_put32(wt_frame_own_bytes(frame) + 30, 0x0a000002);
	wt_put16(wt_frame_own_bytes(frame) + 34, 4000);
	wt_put16(wt_frame_own_bytes(frame) + 36, ports[flow]);
	wt_frame_own_bytes(frame)[46] = 0x50; /* of TCP; a tag begins with it, too */
	wt_put32(wt_frame_own_bytes(frame) + TAG, 0x50000000u | tag);
}

static struct wt_frame *big_frame(struct run *run, unsigned flow, uint32_t tag)
{
	struct wt_frame *frame = wt_frame_new(run->big_pool);

	assert_non_null(frame);
	memset(wt_frame_own_bytes(frame), 0, BIG);
	fill(frame, BIG, flow, tag);
	frame->gso_size = SEGMENT;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 16;
	return frame;
}

static void send(struct run *run, struct dice *dice, wt_time now, uint32_t tag)
{
	unsigned from = (unsigned)roll(dice, 2), flow = (unsigned)roll(dice, FLOWS);
	const struct wt_direction *way = &run->link.way[from];
	bool big = wt_direction_whole(way) && flow < 2 && roll(dice, 2);
	struct wt_frame *frame = big ? big_frame(run, flow, tag) : wt_frame_new(run->pool);
	uint32_t len = HEADERS + (uint32_t)roll(dice, 1460);

	assert_non_null(frame);
	if (!big) {
		memset(wt_frame_own_bytes(frame), 0, len);
		fill(frame, len, flow, tag);
	}
	run->big += big;
	run->sent++;
	if (way->path.count)
		wt_graph_input(run->graph, way->path.stage[0], 0, now, frame);
	else
		wt_graph_input(run->graph, &run->end[!from].node, 0, now, frame);
}

static struct run one(uint64_t seed, bool quiet)
{
	struct dice dice = {wt_key_derive(seed, "changes"), 0};
	struct run *run = malloc(sizeof(*run)), outcome;
	wt_time now = 0;

	assert_non_null(run);
	start(run, seed, seed % 3 > 0, quiet);
	for (uint32_t i = 0; i < FRAMES; i++) {
		now += roll(&dice, 3) ? 0 : (wt_time)roll(&dice, 6 * WT_MS);
		wt_graph_run(run->graph, now);
		if (i % (FRAMES / CHANGES) == 0)
			change(run, &dice, now);
		if (i % 200 == 0) /* several at one instant, before a frame has moved */
			change(run, &dice, now);
		send(run, &dice, now, i);
		check_books(run, seed);
	}
	wt_graph_run(run->graph, now + 10 * WT_S);
	wt_graph_tell_states(run->graph);
	check_books(run, seed);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = 0; n < run->link.way[i].count; n++) {
			assert_int_equal(run->link.way[i].node[n]->audit.queued, 0);
			assert_int_equal(run->link.way[i].node[n]->audit.dropped[WT_DROP_UNROUTED], 0);
		}
	}
	outcome = *run;
	finish(run);
	free(run);
	return outcome;
}

/* ---- one by one ---------------------------------------------------------------------------------------------- */

static void set_fwd(struct run *run, const char *fwd)
{
	const char *words[2] = {fwd, ""};
	char err[300];

	if (wt_link_change(&run->link, words, wt_graph_now(run->graph), false, err, sizeof(err)))
		fail_msg("\"%s\": %s", fwd, err);
}

static void pass(struct run *run, wt_time now, unsigned flow, uint32_t tag)
{
	struct wt_frame *frame = wt_frame_new(run->pool);

	assert_non_null(frame);
	fill(frame, 100, flow, tag);
	wt_graph_input(run->graph, run->link.way[0].path.stage[0], 0, now, frame);
}

static uint64_t taken(const struct run *run)
{
	return run->end[1].node.audit.taken;
}

static const struct wt_node *find(const struct run *run, const char *name)
{
	const struct wt_direction *way = &run->link.way[0];

	for (unsigned n = 0; n < way->count; n++)
		if (!strcmp(way->node[n]->name, name))
			return way->node[n];
	fail_msg("there is no %s", name);
	return NULL;
}

/* Flow 0 is in the delay of 20 ms when the filter turns to flow 1: flow 0 waits behind itself, flow 2 for nobody. */
static void a_filter_that_changes_holds_only_those_up_who_would_overtake_their_own(void **state)
{
	static struct run run;

	start(&run, 1, true, false);
	set_fwd(&run, "loss 0% | only (tcp dst port 80) { delay 20ms } | delay 1ms");
	pass(&run, 0, 0, 1);
	wt_graph_run(run.graph, 10 * WT_MS);
	set_fwd(&run, "loss 0% | only (tcp dst port 443) { delay 20ms } | delay 1ms");
	for (unsigned flow = 0; flow < FLOWS; flow++)
		pass(&run, 10 * WT_MS, flow, 2);
	wt_graph_run(run.graph, 11 * WT_MS);
	assert_int_equal(taken(&run), 1); /* of flow 2 */
	wt_graph_run(run.graph, 21 * WT_MS);
	assert_int_equal(taken(&run), 3); /* both of flow 0 */
	wt_graph_run(run.graph, 31 * WT_MS);
	assert_int_equal(taken(&run), 4);
	assert_int_equal(run.disorder, 0);
	/* the next change finds the old filter empty, and uses it */
	set_fwd(&run, "loss 0% | only (udp) { delay 20ms } | delay 1ms");
	set_fwd(&run, "loss 0% | only (tcp) { delay 20ms } | delay 1ms");
	assert_string_equal(run.link.way[0].path.text, "loss 0% | only (tcp) { delay 20ms } | delay 1ms");
	assert_int_equal(find(&run, "fwd.delay")->audit.in, 2);
	assert_int_equal(find(&run, "fwd.delay.2")->audit.in, 4);
	finish(&run);
}

/* The one in the rate waits on while filters come and go around it, and one that holds nothing changes its expression in place. */
static void stages_beside_a_filter_keep_their_frames_and_their_names(void **state)
{
	static const char *const paths[] = {
		"rate 80Kbit burst 0B limit 64KB | only (udp) { loss 100% }", "only (tcp dst port 80) { loss 0% } | rate 80Kbit burst 0B limit 64KB",
		"only (udp) { loss 100% } | rate 80Kbit burst 0B limit 64KB", "rate 80Kbit burst 0B limit 64KB | only (udp) { }", "rate 80Kbit burst 0B limit 64KB",
	};
	static struct run run;

	start(&run, 1, true, false);
	set_fwd(&run, "rate 80Kbit burst 0B limit 64KB");
	for (unsigned i = 0; i < 10; i++)
		pass(&run, 0, 0, i); /* 10 ms each */
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		wt_graph_run(run.graph, (5 + 10 * i) * WT_MS);
		set_fwd(&run, paths[i]);
		assert_int_equal(find(&run, "fwd.rate")->audit.queued, 10 - i);
		assert_string_equal(find(&run, "fwd.filter")->name, "fwd.filter");
	}
	wt_graph_run(run.graph, WT_S);
	assert_int_equal(taken(&run), 10);
	assert_int_equal(run.link.way[0].path.count, 1);
	finish(&run);
}

/* 20000 bytes are 20 packets. The first delay's frames meet a loss when they leave it, the second's have it behind them. */
static void big_frames_under_way_are_cut_before_a_stage_that_looks_at_packets(void **state)
{
	static struct run run;
	struct wt_frame *none[8000];
	unsigned held = 0;

	start(&run, 1, true, false);
	set_fwd(&run, "delay 5ms | delay 5ms");
	assert_true(wt_direction_whole(&run.link.way[0]));
	wt_graph_input(run.graph, run.link.way[0].path.stage[0], 0, 0, big_frame(&run, 0, 1));
	wt_graph_input(run.graph, run.link.way[0].path.stage[0], 0, 6 * WT_MS, big_frame(&run, 0, 2));
	wt_graph_input(run.graph, run.link.way[0].path.stage[0], 0, 7 * WT_MS, big_frame(&run, 0, 3));
	set_fwd(&run, "delay 5ms | loss 0% delay 5ms");
	assert_false(wt_direction_whole(&run.link.way[0]));
	wt_graph_run(run.graph, 11500 * WT_US);
	assert_int_equal(taken(&run), 1);
	assert_int_equal(find(&run, "fwd.loss")->audit.in, 20);
	/* what cannot be made for want of memory is made and dropped */
	while (held < 8000 && (none[held] = wt_frame_new(run.pool)))
		held++;
	wt_graph_run(run.graph, 13 * WT_MS);
	assert_int_equal(find(&run, "fwd.cut")->audit.dropped[WT_DROP_POOL], 20);
	while (held)
		wt_frame_free(none[--held]);
	wt_graph_run(run.graph, WT_S);
	assert_int_equal(taken(&run), 21);
	run.sent = 3;
	check_books(&run, 0);
	finish(&run);
}

/* Changes that come faster than the delays run empty: each leaves a drain, and mostly a filter around it, in front of the others. */
static void ten_thousand_changes_in_a_second_are_made_with_a_bounded_number_of_nodes(void **state)
{
	enum { MANY = 10000 };
	static struct run run;
	unsigned nodes = 0;

	start(&run, 1, true, false);
	for (unsigned i = 0; i < MANY; i++) {
		char words[300];
		unsigned shape = i / 50 % 3;

		wt_graph_run(run.graph, i * WT_MS / 10);
		snprintf(words, sizeof(words), "only (tcp dst portrange %u-443) { delay 20ms }%s | %s", 60 + i % 17,
			 shape == 0 ? "" : " | only (tcp) { delay 9ms loss 0% }", shape < 2 ? "rate 90Mbit burst 9KB limit 1MB" : "delay 5ms");
		set_fwd(&run, words);
		assert_true(run.link.way[0].count <= WT_PATH_NODES);
		pass(&run, i * WT_MS / 10, i % FLOWS, i);
		run.sent++;
		check_books(&run, 0);
		if (i == MANY / 2)
			nodes = wt_graph_count(run.graph);
	}
	assert_int_equal(wt_graph_count(run.graph), nodes);
	assert_true(nodes < 150);
	wt_graph_run(run.graph, 10 * WT_S);
	assert_int_equal(taken(&run), MANY);
	assert_int_equal(run.disorder, 0);
	finish(&run);
}

/* ---- what must hold -------------------------------------------------------------------------------------------- */

static void any_words_may_follow_any_others_and_frames_are_accounted_for_and_keep_their_order(void **state)
{
	struct run sum = {0};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct run outcome = one(seed, false);

		if (outcome.ordered && outcome.disorder)
			fail_msg("seed %u: frames overtake", (unsigned)seed);
		sum.disorder += outcome.disorder;
		sum.changed += outcome.changed;
		sum.refused += outcome.refused;
		sum.filtered += outcome.filtered;
		sum.moved += outcome.moved;
		sum.handoffs += outcome.handoffs;
		sum.big += outcome.big;
		sum.cut += outcome.cut;
	}
	print_message("%u changes, %u refused; drains %u times, in filters that go %u; handoffs %u, big frames %u, segmenters %u\n",
		      (unsigned)sum.changed, (unsigned)sum.refused, (unsigned)sum.moved, (unsigned)sum.filtered, (unsigned)sum.handoffs,
		      (unsigned)sum.big, (unsigned)sum.cut);
	assert_true(sum.disorder > RUNS); /* words that let frames overtake do so */
	assert_true(sum.changed > RUNS * 15 && sum.refused > RUNS && sum.moved > RUNS * 5 && sum.filtered > RUNS && sum.handoffs > RUNS &&
		    sum.big > RUNS && sum.cut > RUNS);
}

static void equal_seeds_give_equal_runs(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t first = one(seed, false).digest;

		assert_int_equal(first, one(seed, false).digest);
		assert_int_not_equal(first, one(seed + 1002, false).digest);
	}
}

static void a_run_goes_as_if_what_was_refused_had_never_been_asked_for(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		assert_int_equal(one(seed, false).digest, one(seed, true).digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_that_changes_holds_only_those_up_who_would_overtake_their_own),
		cmocka_unit_test(stages_beside_a_filter_keep_their_frames_and_their_names),
		cmocka_unit_test(big_frames_under_way_are_cut_before_a_stage_that_looks_at_packets),
		cmocka_unit_test(ten_thousand_changes_in_a_second_are_made_with_a_bounded_number_of_nodes),
		cmocka_unit_test(any_words_may_follow_any_others_and_frames_are_accounted_for_and_keep_their_order),
		cmocka_unit_test(equal_seeds_give_equal_runs),
		cmocka_unit_test(a_run_goes_as_if_what_was_refused_had_never_been_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What stages tell of their states and drops: complete, whoever asks and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/path.h"
#include "stack/drive/graph.h"
#include "stack/record/event_json.h"
#include "stack/drive/vloop.h"
#include "tests/unit/toy_nodes.h"

struct told {
	struct wt_state_sink sink;
	unsigned count;
	struct {
		wt_time since;
		uint64_t visit;
		char name[8];
	} state[4000];
};

static void on_state(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct told *told = (struct told *)sink;

	assert_true(told->count < sizeof(told->state) / sizeof(told->state[0]));
	told->state[told->count].since = state->since;
	told->state[told->count].visit = state->visit;
	snprintf(told->state[told->count].name, sizeof(told->state[0].name), "%s", state->name);
	told->count++;
}

struct drops {
	struct wt_drop_sink sink;
	const struct told *told;
	struct wt_bursts bursts;
	uint64_t dropped, longest;
};

/* The state a drop names is the one the history, told so far, is in. */
static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	struct drops *drops = (struct drops *)sink;
	uint64_t burst = wt_bursts_next(&drops->bursts, node);
	struct wt_state state;

	node->ops->state((struct wt_node *)node, now, &state);
	assert_true(state.since <= now);
	assert_string_equal(drops->told->state[drops->told->count - 1].name, state.name);
	assert_int_equal(drops->told->state[drops->told->count - 1].visit, state.visit);
	assert_string_equal(state.name, "out");
	drops->dropped++;
	drops->longest = burst > drops->longest ? burst : drops->longest;
}

/* Runs `words`, of one stage, for 10 s with a frame every `gap`. */
static void run(const char *words, wt_time gap, struct told *told, struct drops *drops)
{
	struct wt_pool *pool = wt_pool_create(64, 100);
	struct wt_graph *graph = wt_graph_create();
	struct toy_source source;
	struct toy_sink sink;
	struct wt_path path;
	char err[200];

	*told = (struct told){.sink = {on_state}};
	*drops = (struct drops){.sink = {on_drop}, .told = told};
	toy_source_init(&source, "source", pool, gap, gap, gap == WT_NEVER ? 0 : UINT32_MAX);
	toy_sink_init(&sink, "sink", 1);
	assert_int_equal(wt_path_init(&path, words, "fwd", 7, err, sizeof(err)), 0);
	assert_int_equal(path.count, 1);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_add(graph, path.stage[0]);
	wt_graph_join(graph, &source.node, 0, path.stage[0], 0);
	wt_graph_join(graph, path.stage[0], 1, &sink.node, 0);
	wt_graph_set_drop_sink(graph, &drops->sink);
	wt_graph_set_state_sink(graph, &told->sink);
	wt_graph_tell_states(graph);
	wt_vloop_run(graph, 10 * WT_S, NULL);
	wt_graph_run(graph, 10 * WT_S);
	wt_graph_tell_states(graph);
	wt_bursts_finish(&drops->bursts);
	wt_graph_destroy(graph);
	wt_pool_destroy(pool);
}

static struct told told, again;
static struct drops drops;

static void a_chains_history_is_told_whole_whatever_traffic_there_is(void **state)
{
	static const char words[] = "loss gilbert on 10ms 100% off 20ms 0%";

	run(words, WT_MS, &told, &drops);
	run(words, WT_NEVER, &again, &drops);
	assert_int_equal(told.count, again.count);
	assert_memory_equal(told.state, again.state, sizeof(told.state));
	assert_true(told.count > 400 && told.count < 1000); /* 10 s at 15 ms a state: 667 on average */
	assert_int_equal(told.state[0].since, 0);
	for (unsigned i = 0; i < told.count; i++) {
		assert_int_equal(told.state[i].visit, i);
		assert_true(i == 0 || told.state[i].since > told.state[i - 1].since);
		assert_true(i == 0 || strcmp(told.state[i].name, told.state[i - 1].name));
	}
}

static void an_outages_edges_are_told_to_the_nanosecond(void **state)
{
	run("outage every 1s for 100ms outage at 1050ms for 100ms", 3 * WT_MS, &told, &drops);
	assert_int_equal(told.count, 20);
	assert_string_equal(told.state[0].name, "up");
	assert_int_equal(told.state[1].since, WT_S);
	assert_string_equal(told.state[1].name, "out");
	assert_int_equal(told.state[2].since, 1150 * WT_MS); /* the union of two */
	assert_int_equal(told.state[3].since, 2 * WT_S);
	assert_int_equal(told.state[4].since, 2100 * WT_MS);
	assert_int_equal(told.state[19].since, 10 * WT_S);
	/* 1002 .. 1149 in the first; then 34 in each that begins with a multiple of 3 s, 33 in the others */
	assert_int_equal(drops.dropped, 50 + 5 * 33 + 3 * 34);
	assert_int_equal(drops.longest, 50);
}

static void a_drop_knows_its_place_in_a_row(void **state)
{
	struct wt_bursts bursts = {0};
	struct wt_node node = {.index = 40};
	static const uint64_t in[] = {5, 6, 7, 9, 10, 20, 20}, position[] = {1, 2, 3, 1, 2, 1, 2};

	for (unsigned i = 0; i < 7; i++) {
		node.audit.in = in[i];
		assert_int_equal(wt_bursts_next(&bursts, &node), position[i]);
	}
	wt_bursts_finish(&bursts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chains_history_is_told_whole_whatever_traffic_there_is),
		cmocka_unit_test(an_outages_edges_are_told_to_the_nanosecond),
		cmocka_unit_test(a_drop_knows_its_place_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

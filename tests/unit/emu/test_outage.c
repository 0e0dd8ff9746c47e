/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/path.h"
#include "tests/unit/emu/emu_bench.h"

static bool up(struct wt_node *node, wt_time now)
{
	bool tcp = bench_passes(node, now, bench_tcp(60, 0));

	assert_int_equal(bench_passes(node, now, bench_arp()), tcp);
	return tcp;
}

static void an_outage_begins_and_ends_on_its_nanosecond(void **state)
{
	const struct wt_outage outage = {10 * WT_S, 2 * WT_S, 0, .drop = 1};
	struct wt_node *node = wt_outage_create("fwd.outage", NULL, &outage, 1);

	assert_true(up(node, 0));
	assert_true(up(node, 10 * WT_S - 1));
	assert_false(up(node, 10 * WT_S));
	assert_false(up(node, 12 * WT_S - 1));
	assert_true(up(node, 12 * WT_S));
	assert_true(up(node, 1000 * WT_S));
	assert_int_equal(node->audit.dropped[WT_DROP_OUTAGE], 4);
	node->ops->destroy(node);
}

static void a_periodic_outage_returns_on_its_nanosecond(void **state)
{
	const struct wt_outage outage = {5 * WT_S, WT_S / 2, 5 * WT_S, .drop = 1};
	struct wt_node *node = wt_outage_create("fwd.outage", NULL, &outage, 1);

	assert_true(up(node, 0));
	for (wt_time start = 5 * WT_S; start < 100 * WT_S; start += 5 * WT_S) {
		assert_true(up(node, start - 1));
		assert_false(up(node, start));
		assert_false(up(node, start + WT_S / 2 - 1));
		assert_true(up(node, start + WT_S / 2));
	}
	node->ops->destroy(node);
}

static void several_outages_are_their_union(void **state)
{
	const struct wt_outage outages[] = {{1, 10, 0, 1, false}, {5, 10, 0, 1, false}, {100, 1, 10, 1, false}};
	struct wt_node *node = wt_outage_create("fwd.outage", NULL, outages, 3);

	for (wt_time now = 0; now < 200; now++)
		assert_int_equal(up(node, now), !((now >= 1 && now < 15) || (now >= 100 && now % 10 == 0)));
	node->ops->destroy(node);
}

/* Since when each state was that it was told of, and which. */
struct told {
	struct wt_state_sink sink;
	unsigned count;
	wt_time since[8];
	bool out[8];
	uint64_t visit[8];
};

static void tell(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct told *told = (struct told *)sink;

	assert_true(told->count < 8);
	told->out[told->count] = !strcmp(state->name, "out");
	told->visit[told->count] = state->visit;
	told->since[told->count++] = state->since;
}

/* Times have 64 bits: an end behind them is none, and none is in the past. */
static void an_outage_that_would_end_behind_the_last_nanosecond_does_not_end(void **state)
{
	static const struct {
		struct wt_outage outage;
		wt_time last; /* that it tells of */
	} cases[] = {
		{{WT_NEVER - 100, 200, 0, .drop = 1}, WT_NEVER - 100},
		{{WT_NEVER - 100, 30, 80, .drop = 1}, WT_NEVER - 20},  /* the second one's end */
		{{WT_NEVER - 100, 30, 101, .drop = 1}, WT_NEVER - 70}, /* the second one's start */
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_node *node = wt_outage_create("fwd.outage", NULL, &cases[i].outage, 1);
		struct told told = {.sink.state = tell};
		struct wt_state now;

		node->states = &told.sink;
		for (wt_time at = WT_NEVER - 200; at < WT_NEVER - 1; at++)
			node->ops->state(node, at, &now);
		assert_int_equal(now.since, cases[i].last);
		assert_true(told.count >= 2 && told.count <= 4);
		for (unsigned k = 1; k < told.count; k++)
			assert_true(told.since[k] > told.since[k - 1]);
		node->ops->destroy(node);
	}
}

/* A path in which outages begin and end by changes alone, asked for its state every `step`. */
static void follow_changes(wt_time step, struct told *told)
{
	static const struct {
		wt_time at;
		const char *words;
	} changes[] = {{10 * WT_S, "outage at 5s for 20s"}, {12 * WT_S, "outage at 100s for 1s"}, {14 * WT_S, "outage at 14s for 1s"},
		       {14500 * WT_MS, "delay 1ms"}, {30 * WT_S, "outage at 29s for 3s delay 1ms"}};
	struct wt_path path;
	struct wt_state state;
	unsigned done = 0;
	char err[300];

	*told = (struct told){.sink.state = tell};
	assert_int_equal(wt_path_init(&path, "outage at 100s for 1s", "fwd", 1, err, sizeof(err)), 0);
	path.stage[0]->states = &told->sink;
	for (wt_time now = 0; now <= 40 * WT_S; now += step) {
		for (; done < 5 && changes[done].at <= now; done++)
			assert_int_equal(wt_path_change(&path, changes[done].words, changes[done].at, err, sizeof(err)), 0);
		for (unsigned i = 0; i < path.count; i++)
			if (path.stage[i]->ops->state && path.stage[i]->states)
				path.stage[i]->ops->state(path.stage[i], now, &state);
	}
	wt_path_finish(&path);
}

static void a_change_begins_and_ends_outages_at_its_own_instant_whoever_asks_and_when(void **state)
{
	static const wt_time steps[] = {WT_MS, 700 * WT_MS, 40 * WT_S};
	static const wt_time since[] = {0, 10 * WT_S, 12 * WT_S, 14 * WT_S, 30 * WT_S, 32 * WT_S};
	static const bool out[] = {false, true, false, true, true, false}; /* the fourth went with its stage */
	struct told told;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		follow_changes(steps[i], &told);
		assert_int_equal(told.count, 6);
		for (unsigned k = 0; k < told.count; k++) {
			assert_int_equal(told.since[k], since[k]);
			assert_int_equal(told.out[k], out[k]);
			assert_int_equal(told.visit[k], k);
		}
	}
}

static void an_outage_that_drops_nothing_is_none(void **state)
{
	const struct wt_outage none = {0, 1000 * WT_S, 0, .drop = 0}, all = {0, 1000 * WT_S, 0, .drop = 1};
	struct wt_node *node = wt_outage_create("fwd.outage", NULL, &none, 1);
	struct told told = {.sink.state = tell};
	struct wt_state now;

	node->states = &told.sink;
	node->ops->state(node, 64 * WT_S, &now);
	assert_string_equal(now.name, "up");
	wt_outage_change(node, 65 * WT_S, &all, 1);
	wt_outage_change(node, 67 * WT_S, &none, 1);
	node->ops->state(node, 70 * WT_S, &now);
	assert_int_equal(told.count, 3);
	assert_true(!told.out[0] && told.out[1] && !told.out[2]);
	assert_true(told.since[0] == 0 && told.since[1] == 65 * WT_S && told.since[2] == 67 * WT_S);
	node->ops->destroy(node);
}

/* The fate of each of a hundred packets behind a hundred others, which came into the same outage, or before it. */
static void a_packet_has_its_number_whether_those_before_it_met_the_outage_or_not(void **state)
{
	const struct wt_key key = wt_key_derive(1, "fwd.outage");
	struct wt_outage outage = {0, 10 * WT_S, 0, .drop = 0.5};
	struct wt_node *always = wt_outage_create("fwd.outage", &key, &outage, 1), *later;

	outage.at = WT_S;
	later = wt_outage_create("fwd.outage", &key, &outage, 1);
	for (unsigned i = 0; i < 100; i++) {
		bench_passes(always, 0, bench_tcp(60, i));
		assert_true(bench_passes(later, 0, bench_tcp(60, i)));
	}
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(bench_passes(always, WT_S, bench_tcp(60, i)), bench_passes(later, WT_S, bench_tcp(60, i)));
	assert_true(later->audit.dropped[WT_DROP_OUTAGE] > 20 && later->audit.dropped[WT_DROP_OUTAGE] < 80);
	always->ops->destroy(always);
	later->ops->destroy(later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(an_outage_begins_and_ends_on_its_nanosecond),
		BENCH_TEST(a_periodic_outage_returns_on_its_nanosecond),
		BENCH_TEST(several_outages_are_their_union),
		BENCH_TEST(a_packet_has_its_number_whether_those_before_it_met_the_outage_or_not),
		BENCH_TEST(an_outage_that_would_end_behind_the_last_nanosecond_does_not_end),
		BENCH_TEST(a_change_begins_and_ends_outages_at_its_own_instant_whoever_asks_and_when),
		BENCH_TEST(an_outage_that_drops_nothing_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu_bench.h"

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

/* Since when each state was that it was told of. */
struct told {
	struct wt_state_sink sink;
	unsigned count;
	wt_time since[8];
};

static void tell(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct told *told = (struct told *)sink;

	assert_true(told->count < 8);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(an_outage_begins_and_ends_on_its_nanosecond),
		BENCH_TEST(a_periodic_outage_returns_on_its_nanosecond),
		BENCH_TEST(several_outages_are_their_union),
		BENCH_TEST(an_outage_that_would_end_behind_the_last_nanosecond_does_not_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(an_outage_begins_and_ends_on_its_nanosecond),
		BENCH_TEST(a_periodic_outage_returns_on_its_nanosecond),
		BENCH_TEST(several_outages_are_their_union),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

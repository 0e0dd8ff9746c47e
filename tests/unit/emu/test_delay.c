/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

static void a_frame_leaves_exactly_its_delay_after_it_came(void **state)
{
	struct wt_node *node = wt_delay_create("fwd.delay", NULL, &(struct wt_delay_config){.delay = 15 * WT_MS});
	struct wt_key key = wt_key_derive(7, "arrivals");
	wt_time at[1000], now = 0, time;
	uint32_t tag;

	assert_int_equal(node->ops->deadline(node), WT_NEVER);
	for (unsigned i = 0; i < 1000; i++) {
		now += (wt_time)wt_random_below(&key, i, 5000); /* several at one instant too */
		at[i] = now;
		bench_input(node, now, bench_tcp(60 + i, i));
	}
	assert_int_equal(node->audit.queued, 1000);
	assert_null(bench_output(node, at[0] + 15 * WT_MS - 1));
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(bench_next(node, &time, &tag));
		assert_int_equal(tag, i);
		assert_int_equal(time, at[i] + 15 * WT_MS);
	}
	assert_int_equal(node->audit.out, 1000);
	assert_int_equal(node->audit.queued, 0);
	node->ops->destroy(node);
}

static void a_late_caller_gets_every_frame_with_the_time_it_was_due(void **state)
{
	struct wt_node *node = wt_delay_create("fwd.delay", NULL, &(struct wt_delay_config){.delay = WT_MS});
	struct wt_frame *frame;

	bench_input(node, 10, bench_tcp(60, 1));
	bench_input(node, 20, bench_tcp(60, 2));
	frame = bench_output(node, WT_S);
	assert_int_equal(frame->time, 10 + WT_MS);
	wt_frame_free(frame);
	frame = bench_output(node, WT_S);
	assert_int_equal(frame->time, 20 + WT_MS);
	wt_frame_free(frame);
	assert_null(bench_output(node, WT_S));
	node->ops->destroy(node);
}

static void destroying_a_delay_frees_what_is_under_way(void **state)
{
	struct wt_node *node = wt_delay_create("fwd.delay", NULL, &(struct wt_delay_config){.delay = WT_S});

	bench_input(node, 0, bench_tcp(60, 1));
	bench_input(node, 0, bench_arp());
	node->ops->destroy(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_frame_leaves_exactly_its_delay_after_it_came),
		BENCH_TEST(a_late_caller_gets_every_frame_with_the_time_it_was_due),
		BENCH_TEST(destroying_a_delay_frees_what_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

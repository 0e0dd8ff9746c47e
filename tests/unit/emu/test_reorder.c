/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

static void the_share_asked_for_is_held_back_by_exactly_the_time(void **state)
{
	struct wt_key key = wt_key_derive(3, "fwd.reorder");
	struct wt_node *node = wt_reorder_create("fwd.reorder", &key, 0.1, 5 * WT_MS);
	unsigned held = 0, late = 0, left = 0;
	uint32_t highest = 0, tag = 0;
	wt_time time, last = 0;

	for (unsigned i = 0; i < 200000 || node->audit.queued; i++) {
		wt_time now = (wt_time)i * WT_MS;

		while (node->ops->deadline(node) <= now) {
			assert_true(bench_next(node, &time, &tag));
			assert_true(time >= last);
			last = time;
			left++;
			if (time != (wt_time)tag * WT_MS) {
				assert_int_equal(time, (wt_time)tag * WT_MS + 5 * WT_MS);
				held++;
				late += tag < highest;
			}
			highest = tag > highest ? tag : highest;
		}
		if (i < 200000)
			bench_input(node, now, bench_tcp(60, i));
	}
	assert_int_equal(left, 200000);
	assert_in_range(held, 20000 - 537, 20000 + 537); /* 4 standard deviations of 134 */
	assert_true(late > held * 99 / 100); /* overtaken, unless all of the next four were held too */
	node->ops->destroy(node);
}

static void of_two_that_leave_at_one_instant_the_first_come_goes_first(void **state)
{
	struct wt_key key = wt_key_derive(3, "fwd.reorder");
	struct wt_node *node = wt_reorder_create("fwd.reorder", &key, 1, 5);
	wt_time time;
	uint32_t tag;

	bench_input(node, 0, bench_tcp(60, 1));
	bench_input(node, 5, bench_arp()); /* passes at once, as the packet held since 0 does */
	assert_true(bench_next(node, &time, &tag));
	assert_int_equal(tag, 1);
	assert_int_equal(time, 5);
	assert_true(bench_next(node, &time, &tag));
	assert_int_equal(tag, 0xffffffff);
	assert_int_equal(time, 5);
	bench_input(node, 9, bench_tcp(60, 2));
	node->ops->destroy(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(the_share_asked_for_is_held_back_by_exactly_the_time),
		BENCH_TEST(of_two_that_leave_at_one_instant_the_first_come_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

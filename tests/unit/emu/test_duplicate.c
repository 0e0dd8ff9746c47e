/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

static struct wt_node *make(double share)
{
	struct wt_key key = wt_key_derive(3, "fwd.duplicate");

	return wt_duplicate_create("fwd.duplicate", &key, share);
}

static void the_share_asked_for_is_doubled_at_the_same_instant(void **state)
{
	struct wt_node *node = make(0.05);
	unsigned copies = 0;

	for (unsigned i = 0; i < 1000000; i++) {
		struct wt_frame *frame, *copy;

		bench_input(node, i, bench_tcp(60, i));
		frame = bench_output(node, i);
		copy = bench_output(node, i);
		assert_int_equal(bench_tag(frame), i);
		if (copy) {
			copies++;
			assert_int_equal(copy->len, frame->len);
			assert_memory_equal(wt_frame_own_bytes(copy), wt_frame_own_bytes(frame), frame->len);
			assert_int_equal(copy->time, i);
			assert_true(copy->id != frame->id);
		}
		wt_frame_free(frame);
		wt_frame_free(copy);
	}
	assert_in_range(copies, 50000 - 872, 50000 + 872); /* 4 standard deviations of 218 */
	assert_int_equal(node->audit.made, copies);
	assert_int_equal(node->audit.out, 1000000 + copies);
	node->ops->destroy(node);
}

static void arp_is_not_doubled(void **state)
{
	struct wt_node *node = make(1);

	assert_true(bench_passes(node, 0, bench_arp()));
	assert_null(bench_output(node, 0));
	node->ops->destroy(node);
}

static void an_exhausted_pool_is_counted_and_the_original_passes(void **state)
{
	struct wt_node *node = make(1);
	struct wt_frame *last, *held[BENCH_FRAMES - 1];

	for (unsigned i = 0; i < BENCH_FRAMES - 1; i++)
		held[i] = bench_tcp(60, i);
	bench_input(node, 0, bench_tcp(60, 7));
	last = bench_output(node, 0);
	assert_int_equal(bench_tag(last), 7);
	assert_null(bench_output(node, 0));
	assert_int_equal(node->audit.made, 1);
	assert_int_equal(node->audit.dropped[WT_DROP_POOL], 1);
	wt_frame_free(last);
	for (unsigned i = 0; i < BENCH_FRAMES - 1; i++)
		wt_frame_free(held[i]);
	node->ops->destroy(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(the_share_asked_for_is_doubled_at_the_same_instant),
		BENCH_TEST(arp_is_not_doubled),
		BENCH_TEST(an_exhausted_pool_is_counted_and_the_original_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

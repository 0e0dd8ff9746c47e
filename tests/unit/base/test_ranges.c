/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "stack/base/random.h"
#include "stack/base/ranges.h"
#include "tests/unit/chunk_pool.h"

#define MODEL 512

/* The model: one flag per byte of a window of sequence space that begins at `base`. */
static void check_against_model(struct wt_ranges *set, wt_seq base, const bool *model, uint32_t span)
{
	struct wt_range range = {base, base}, below;
	uint32_t bytes = 0, count = 0;

	for (uint32_t i = 0; i < span; i++) {
		bytes += model[i];
		if (model[i] && (i == 0 || !model[i - 1])) {
			wt_seq last = range.end;

			assert_true(wt_ranges_after(set, count ? last : base - 1, &range));
			assert_int_equal(range.start, base + i);
			assert_int_equal(wt_ranges_before(set, range.start, &below), count > 0);
			if (count++)
				assert_int_equal(below.end, last);
			else
				assert_int_equal(wt_ranges_first(set).start, range.start);
		}
		if (model[i] && (i + 1 == span || !model[i + 1]))
			assert_int_equal(range.end, base + i + 1);
	}
	assert_int_equal(count, set->count);
	assert_int_equal(bytes, set->bytes);
	if (count) {
		assert_int_equal(wt_ranges_last(set).end, range.end);
		assert_false(wt_ranges_after(set, range.end, &below));
	}
	if (set->nodes)
		assert_true(count > WT_RANGES_FEW / 2);
	else
		assert_true(count <= WT_RANGES_FEW);
}

static void check_contain(struct wt_ranges *set, wt_seq base, const bool *model, uint32_t start, uint32_t end)
{
	bool all = true;

	for (uint32_t i = start; i < end; i++)
		all = all && model[i];
	assert_int_equal(wt_ranges_contain(set, base + start, base + end), all);
}

/* Adds and trims at random, the first `growing` operations of one byte each so that there are many intervals to merge afterwards. */
static void play(wt_seq base, uint64_t seed, uint32_t span, uint64_t operations, uint64_t growing, uint32_t longest)
{
	struct wt_key key = wt_key_derive(seed, "ranges");
	bool *model = test_calloc(span, sizeof(*model));
	struct wt_ranges set;
	struct wt_range merged, expected;

	wt_ranges_init(&set, pool, 1 << 20);
	for (uint64_t n = 0; n < operations; n++) {
		uint32_t most = n < growing ? 1 : longest;
		uint32_t start = (uint32_t)wt_random_below(&key, 3 * n, span - most);
		uint32_t len = 1 + (uint32_t)wt_random_below(&key, 3 * n + 1, most);

		if (n >= growing && wt_random_below(&key, 3 * n + 2, 40) == 0) {
			start /= 1 + (uint32_t)wt_random_below(&key, 3 * n + 2, 8);
			wt_ranges_trim(&set, base + start);
			memset(model, 0, start * sizeof(model[0]));
		} else {
			expected = wt_ranges_merged(&set, base + start, base + start + len);
			assert_true(wt_ranges_add(&set, base + start, base + start + len, &merged));
			assert_memory_equal(&merged, &expected, sizeof(merged));
			memset(model + start, true, len * sizeof(model[0]));
			assert_true(wt_seq_le(merged.start, base + start) && wt_seq_ge(merged.end, base + start + len));
			check_contain(&set, base, model, merged.start - base, merged.end - base);
		}
		if (span == MODEL || n % 97 == 0)
			check_against_model(&set, base, model, span);
		check_contain(&set, base, model, start, start + len);
	}
	check_against_model(&set, base, model, span);
	wt_ranges_finish(&set);
	assert_int_equal(wt_chunks_held(pool), 0);
	test_free(model);
}

static void random_operations_agree_with_a_bitmap(void **state)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		play(1000, seed, MODEL, 3000, 0, 24);
		play(1000, seed, MODEL, 3000, 0, 2);
	}
}

static void random_operations_agree_across_the_wrap_of_sequence_space(void **state)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		play(0u - MODEL / 2, seed, MODEL, 3000, 0, 24);
		play(0u - MODEL / 2, seed, MODEL, 3000, 0, 2);
		play(0x80000000u - MODEL / 2, seed, MODEL, 3000, 0, 24);
	}
}

/* thousands of intervals: many leaves, split and joined */
static void random_operations_agree_with_a_bitmap_in_a_tree(void **state)
{
	for (uint64_t seed = 0; seed < 3; seed++) {
		play(1000, seed, 40000, 12000, 9000, 300);
		play(0u - 20000, seed, 40000, 12000, 9000, 9000);
		play(0u - 30000, seed, 40000, 20000, 15000, 40);
	}
}

static void touching_intervals_become_one(void **state)
{
	struct wt_ranges set;
	struct wt_range merged;

	wt_ranges_init(&set, pool, 0);
	assert_true(wt_ranges_add(&set, 10, 20, &merged));
	assert_true(wt_ranges_add(&set, 30, 40, &merged));
	assert_int_equal(set.count, 2);
	assert_true(wt_ranges_add(&set, 20, 30, &merged));
	assert_int_equal(set.count, 1);
	assert_int_equal(merged.start, 10);
	assert_int_equal(merged.end, 40);
	wt_ranges_finish(&set);
}

static void an_empty_or_reversed_interval_adds_nothing(void **state)
{
	struct wt_ranges set;

	wt_ranges_init(&set, pool, 0);
	assert_true(wt_ranges_add(&set, 10, 10, NULL));
	assert_true(wt_ranges_add(&set, 10, 5, NULL));
	assert_int_equal(set.count, 0);
	wt_ranges_finish(&set);
}

static void a_set_out_of_memory_refuses_a_new_hole_but_still_merges(void **state)
{
	struct wt_ranges set, before;
	struct wt_range merged;
	uint32_t n = 0;

	wt_ranges_init(&set, pool, 8 * WT_CHUNK);
	while (wt_ranges_add(&set, 100 * n, 100 * n + 50, NULL))
		n++;
	assert_in_range(n, 6 * 511, 7 * 511); /* a root, and leaves that are full because they grew at the end */
	assert_int_equal(set.nodes, 8);
	before = set;
	assert_false(wt_ranges_add(&set, 100 * n, 100 * n + 1, &merged));
	assert_int_equal(set.count, before.count);
	assert_int_equal(set.bytes, before.bytes);
	assert_true(wt_ranges_add(&set, 50, 100, &merged));
	assert_int_equal(set.count, n - 1);
	assert_true(wt_ranges_add(&set, 0, 10000000, &merged));
	assert_int_equal(set.count, 1);
	assert_int_equal(set.nodes, 0);
	wt_ranges_finish(&set);
	assert_int_equal(wt_chunks_held(pool), 0);
}

/* Most connections never have more: memory for each of them would be the largest part of what they hold. Four sets share a chunk. */
static void a_few_intervals_lie_in_the_set_itself(void **state)
{
	struct wt_ranges set, others[3];
	uint64_t held = wt_chunks_held(pool);

	wt_ranges_init(&set, pool, 0);
	for (uint32_t i = 0; i < WT_RANGES_FEW; i++)
		assert_true(wt_ranges_add(&set, 100 * i, 100 * i + 50, NULL));
	assert_int_equal(wt_chunks_held(pool), held);
	assert_true(wt_ranges_add(&set, 1000, 1001, NULL));
	assert_int_equal(wt_chunks_held(pool), held + WT_CHUNK);
	for (uint32_t i = 0; i < WT_RANGES_FEW; i++)
		assert_true(wt_ranges_contain(&set, 100 * i, 100 * i + 50));
	for (uint32_t i = 0; i < 3; i++) {
		wt_ranges_init(&others[i], pool, 0);
		for (uint32_t j = 0; j < 127; j++)
			assert_true(wt_ranges_add(&others[i], 2 * j, 2 * j + 1, NULL));
	}
	assert_int_equal(wt_chunks_held(pool), held + WT_CHUNK);
	assert_true(wt_ranges_add(&others[2], 2 * 127, 2 * 127 + 1, NULL)); /* it needs a whole one */
	assert_int_equal(wt_chunks_held(pool), held + 2 * WT_CHUNK);
	for (uint32_t j = 0; j < 128; j++)
		assert_true(wt_ranges_contain(&others[2], 2 * j, 2 * j + 1));
	for (uint32_t i = 0; i < 3; i++)
		wt_ranges_finish(&others[i]);
	wt_ranges_trim(&set, 1000);
	assert_int_equal(set.count, 1);
	assert_int_equal(wt_chunks_held(pool), held);
	assert_true(wt_ranges_contain(&set, 1000, 1001));
	wt_ranges_finish(&set);
}

static void a_set_without_room_takes_a_few_and_can_be_asked(void **state)
{
	struct wt_ranges set = {0};

	assert_false(wt_ranges_contain(&set, 10, 20));
	for (uint32_t i = 0; i < WT_RANGES_FEW; i++)
		assert_true(wt_ranges_add(&set, 100 * i, 100 * i + 50, NULL));
	assert_false(wt_ranges_add(&set, 1000, 1001, NULL));
	assert_int_equal(set.count, WT_RANGES_FEW);
	wt_ranges_trim(&set, 10000);
	assert_int_equal(set.count, 0);
}

/* SegmentSmack (CVE-2018-5390): single bytes out of order, in the worst order for a list, an array or a tree. */
static void the_cost_of_one_byte_segments_in_any_order_is_logarithmic(void **state)
{
	enum { BYTES = 1 << 20 };

	for (unsigned order = 0; order < 4; order++) {
		uint64_t worst = 0;
		struct wt_ranges set;

		wt_ranges_init(&set, pool, 64u << 20);
		for (uint32_t i = 0; i < BYTES; i++) {
			uint32_t reversed = 0, at = i;
			uint64_t before = set.steps;

			for (unsigned bit = 0; bit < 20; bit++)
				reversed |= (i >> bit & 1) << (19 - bit);
			at = order == 0 ? i : order == 1 ? BYTES - 1 - i : order == 2 ? reversed : i % 2 ? i / 2 : BYTES - 1 - i / 2;
			assert_true(wt_ranges_add(&set, 2 * at, 2 * at + 1, NULL));
			worst = set.steps - before > worst ? set.steps - before : worst;
		}
		assert_int_equal(set.count, BYTES);
		assert_true(set.height >= 2 || order == 0);
		assert_in_range(worst, 1, 4 * (set.height + 1)); /* a few descents */
		assert_in_range(set.nodes, BYTES / 511, 3 * (BYTES / 511));
		/* every second leaf's worth goes: what stays must not hold a chunk per interval */
		for (uint32_t i = 0; i + 300 < BYTES; i += 300)
			assert_true(wt_ranges_add(&set, 2 * i, 2 * (i + 298) + 1, NULL));
		assert_in_range(set.nodes, 1, 8 * (set.count / 511 + 1));
		wt_ranges_trim(&set, 2 * BYTES);
		assert_int_equal(set.count, 0);
		assert_int_equal(wt_chunks_held(pool), 0);
		wt_ranges_finish(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_agree_with_a_bitmap),
		cmocka_unit_test(random_operations_agree_across_the_wrap_of_sequence_space),
		cmocka_unit_test(random_operations_agree_with_a_bitmap_in_a_tree),
		cmocka_unit_test(touching_intervals_become_one),
		cmocka_unit_test(an_empty_or_reversed_interval_adds_nothing),
		cmocka_unit_test(a_set_out_of_memory_refuses_a_new_hole_but_still_merges),
		cmocka_unit_test(a_few_intervals_lie_in_the_set_itself),
		cmocka_unit_test(a_set_without_room_takes_a_few_and_can_be_asked),
		cmocka_unit_test(the_cost_of_one_byte_segments_in_any_order_is_logarithmic),
	};

	return cmocka_run_group_tests_name("ranges", tests, make_pool, end_pool);
}

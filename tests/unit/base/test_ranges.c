/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/random.h"
#include "stack/base/ranges.h"

#define MODEL 512
#define SLOTS 64

/* The model: one flag per byte of a window of sequence space that begins at `base`. */
static void check_against_model(const struct wt_ranges *set, wt_seq base, const bool *model)
{
	uint32_t bytes = 0, at = 0;

	for (uint32_t i = 0; i < MODEL; i++) {
		bytes += model[i];
		if (model[i] && (i == 0 || !model[i - 1])) {
			assert_true(at < set->count);
			assert_int_equal(set->at[at].start, base + i);
		}
		if (model[i] && (i + 1 == MODEL || !model[i + 1]))
			assert_int_equal(set->at[at++].end, base + i + 1);
	}
	assert_int_equal(at, set->count);
	assert_int_equal(bytes, set->bytes);
}

static void check_contain(const struct wt_ranges *set, wt_seq base, const bool *model, uint32_t start, uint32_t end)
{
	bool all = true;

	for (uint32_t i = start; i < end; i++)
		all = all && model[i];
	assert_int_equal(wt_ranges_contain(set, base + start, base + end), all);
}

static uint32_t runs(const bool *model)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < MODEL; i++)
		count += model[i] && (i == 0 || !model[i - 1]);
	return count;
}

static struct wt_ranges room_for(uint32_t max)
{
	struct wt_ranges set;

	assert_int_equal(wt_ranges_init(&set, max), 0);
	return set;
}

static void play(wt_seq base, uint64_t seed, uint32_t longest)
{
	struct wt_key key = wt_key_derive(seed, "ranges");
	bool model[MODEL] = {0}, tried[MODEL];
	struct wt_ranges set = room_for(SLOTS);
	struct wt_range merged, expected;

	for (uint64_t n = 0; n < 3000; n++) {
		uint32_t start = (uint32_t)wt_random_below(&key, 3 * n, MODEL - longest);
		uint32_t len = 1 + (uint32_t)wt_random_below(&key, 3 * n + 1, longest);

		if (wt_random_below(&key, 3 * n + 2, 40) == 0) {
			wt_ranges_trim(&set, base + start);
			memset(model, 0, start * sizeof(model[0]));
		} else {
			memcpy(tried, model, sizeof(tried));
			for (uint32_t i = start; i < start + len; i++)
				tried[i] = true;
			expected = wt_ranges_merged(&set, base + start, base + start + len);
			if (wt_ranges_add(&set, base + start, base + start + len, &merged)) {
				assert_memory_equal(&merged, &expected, sizeof(merged));
				memcpy(model, tried, sizeof(model));
				assert_true(wt_seq_le(merged.start, base + start) && wt_seq_ge(merged.end, base + start + len));
				check_contain(&set, base, model, merged.start - base, merged.end - base);
			} else {
				assert_int_equal(set.count, SLOTS);
				assert_true(runs(tried) > SLOTS);
			}
		}
		check_against_model(&set, base, model);
		check_contain(&set, base, model, start, start + len);
	}
	wt_ranges_finish(&set);
}

static void random_operations_agree_with_a_bitmap(void **state)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		play(1000, seed, 24);
		play(1000, seed, 2); /* fills all slots */
	}
}

static void random_operations_agree_across_the_wrap_of_sequence_space(void **state)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		play(0u - MODEL / 2, seed, 24);
		play(0u - MODEL / 2, seed, 2);
		play(0x80000000u - MODEL / 2, seed, 24);
	}
}

static void touching_intervals_become_one(void **state)
{
	struct wt_ranges set = room_for(SLOTS);
	struct wt_range merged;

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
	struct wt_ranges set = room_for(SLOTS);

	assert_true(wt_ranges_add(&set, 10, 10, NULL));
	assert_true(wt_ranges_add(&set, 10, 5, NULL));
	assert_int_equal(set.count, 0);
	wt_ranges_finish(&set);
}

static void a_full_set_refuses_a_new_hole_but_still_merges(void **state)
{
	struct wt_ranges set = room_for(SLOTS), before;
	struct wt_range merged;

	for (uint32_t i = 0; i < SLOTS; i++)
		assert_true(wt_ranges_add(&set, 100 * i, 100 * i + 50, NULL));
	before = set;
	assert_false(wt_ranges_add(&set, 100 * SLOTS, 100 * SLOTS + 1, &merged));
	assert_false(wt_ranges_add(&set, 60, 70, NULL));
	assert_memory_equal(&set, &before, sizeof(set));
	assert_true(wt_ranges_add(&set, 50, 100, &merged));
	assert_int_equal(set.count, SLOTS - 1);
	assert_true(wt_ranges_add(&set, 0, 1000000, &merged));
	assert_int_equal(set.count, 1);
	wt_ranges_finish(&set);
}

static void a_set_without_room_takes_nothing_and_can_be_asked(void **state)
{
	struct wt_ranges set = {0};

	assert_false(wt_ranges_add(&set, 10, 20, NULL));
	assert_false(wt_ranges_contain(&set, 10, 20));
	wt_ranges_trim(&set, 100);
	assert_int_equal(set.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_agree_with_a_bitmap),
		cmocka_unit_test(random_operations_agree_across_the_wrap_of_sequence_space),
		cmocka_unit_test(touching_intervals_become_one),
		cmocka_unit_test(an_empty_or_reversed_interval_adds_nothing),
		cmocka_unit_test(a_full_set_refuses_a_new_hole_but_still_merges),
		cmocka_unit_test(a_set_without_room_takes_nothing_and_can_be_asked),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}

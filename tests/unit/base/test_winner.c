/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/random.h"
#include "stack/base/winner.h"

#define LEAVES 37

/* The model: walk all. */
static uint32_t earliest(const wt_time *due, uint32_t count, bool last)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (due[i] < due[best] || (last && due[i] == due[best]))
			best = i;
	return best;
}

static void agree(bool last)
{
	struct wt_key key = wt_key_derive(1, "winner");
	struct wt_winner winner = {.last = last};
	wt_time due[LEAVES];
	uint32_t count = 3;

	assert_int_equal(wt_winner_grow(&winner, count), 0);
	assert_true(wt_winner_due(&winner) == WT_NEVER);
	for (uint32_t i = 0; i < LEAVES; i++)
		due[i] = WT_NEVER;
	for (uint64_t n = 0; n < 50000; n++) {
		uint64_t draw = wt_siphash_u64(&key, n);
		uint32_t leaf;

		if (n % 1000 == 999 && count < LEAVES) /* what was set stays */
			assert_int_equal(wt_winner_grow(&winner, ++count), 0);
		leaf = draw % 5 == 0 ? wt_winner_leaf(&winner) : (uint32_t)(draw >> 8) % count;
		if (leaf >= count) /* all are WT_NEVER, and the last of them wins */
			continue;
		/* few different times, so that ties are common */
		due[leaf] = (draw >> 32) % 3 == 0 ? WT_NEVER : (wt_time)((draw >> 40) % 20);
		wt_winner_set(&winner, leaf, due[leaf]);
		assert_true(wt_winner_due(&winner) == due[earliest(due, count, last)]);
		if (wt_winner_due(&winner) != WT_NEVER)
			assert_int_equal(wt_winner_leaf(&winner), earliest(due, count, last));
	}
	wt_winner_finish(&winner);
	wt_winner_finish(&winner);
}

static void random_times_agree_with_a_walk_over_all(void **state)
{
	agree(false);
	agree(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_times_agree_with_a_walk_over_all),
	};

	return cmocka_run_group_tests_name("winner", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/drive/rhythm.h"

static void frames_in_turn_are_expected_after_a_while(void **state)
{
	static const unsigned frames[] = {1, 2};
	struct wt_rhythm rhythm = {0};
	unsigned known = 0, asked = 0;

	for (unsigned i = 0; i < 160; i++) {
		unsigned expected = wt_rhythm_next(&rhythm);

		if (i < 8)
			assert_int_equal(expected, 0);
		else if (expected)
			assert_int_equal(expected, frames[i % 2]);
		known += expected != 0;
		asked += i >= 12 && !expected;
		wt_rhythm_note(&rhythm, frames[i % 2]);
	}
	assert_true(known >= 130);
	assert_in_range(asked, 9, 10); /* every sixteenth reading goes on */
}

static void a_rhythm_that_breaks_is_forgotten_and_many_frames_have_none(void **state)
{
	struct wt_rhythm rhythm = {0};

	for (unsigned i = 0; i < 10; i++)
		wt_rhythm_note(&rhythm, 1);
	assert_int_equal(wt_rhythm_next(&rhythm), 1);
	wt_rhythm_note(&rhythm, 3);
	wt_rhythm_note(&rhythm, 1);
	assert_int_equal(wt_rhythm_next(&rhythm), 0);
	for (unsigned i = 0; i < 13; i++) {
		wt_rhythm_note(&rhythm, WT_RHYTHM_FEW + 1);
		assert_int_equal(wt_rhythm_next(&rhythm), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_in_turn_are_expected_after_a_while),
		cmocka_unit_test(a_rhythm_that_breaks_is_forgotten_and_many_frames_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

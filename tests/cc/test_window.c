/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of the greatest and the least value of a window, against all values kept. */
#include "tests/cc/cc_test.h"
#include "tools/modules/trial.h"

#include "cc/shared/window.h"

#define STEPS 5000u
#define LENGTH 40u

static void a_rising_value_is_the_greatest_at_once_and_a_lone_peak_goes_after_the_window(void **state)
{
	struct wt_window w = {0};

	assert_int_equal(wt_window_value(&w), 0);
	assert_int_equal(wt_window_max(&w, 10, 0, 7), 7);
	assert_int_equal(wt_window_max(&w, 10, 1, 9), 9);
	assert_int_equal(wt_window_max(&w, 10, 2, 5), 9);
	assert_int_equal(wt_window_max(&w, 10, 11, 4), 9); /* ten after the peak: still of the window */
	assert_true(wt_window_max(&w, 10, 12, 3) < 9);
	assert_int_equal(wt_window_max(&w, 10, 40, 1), 1); /* nothing of the window is left */
}

/* Never above the greatest of the window, never below that of its newest quarter; the least alike. */
static void it_lies_between_the_extremes_of_the_window_and_of_its_newest_quarter(void **state)
{
	struct dice d = {wt_key_derive(3, "window"), 0};
	static uint64_t time[STEPS], value[STEPS];
	struct wt_window high = {0}, low = {0};
	uint64_t now = 5;

	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t most = 0, recent = 0, least = UINT64_MAX, recent_least = UINT64_MAX;

		now += roll(&d, 3);
		time[i] = now;
		value[i] = 1000 + roll(&d, 1000) + (roll(&d, 50) ? 0 : roll(&d, 5000));
		wt_window_max(&high, LENGTH, now, value[i]);
		wt_window_min(&low, LENGTH, now, value[i]);
		for (unsigned j = i + 1; j-- > 0 && now - time[j] <= LENGTH;) {
			most = value[j] > most ? value[j] : most;
			least = value[j] < least ? value[j] : least;
			if (now - time[j] <= LENGTH / 4) {
				recent = value[j] > recent ? value[j] : recent;
				recent_least = value[j] < recent_least ? value[j] : recent_least;
			}
		}
		assert_true(wt_window_value(&high) <= most && wt_window_value(&high) >= recent);
		assert_true(wt_window_value(&low) >= least && wt_window_value(&low) <= recent_least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rising_value_is_the_greatest_at_once_and_a_lone_peak_goes_after_the_window),
		cmocka_unit_test(it_lies_between_the_extremes_of_the_window_and_of_its_newest_quarter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

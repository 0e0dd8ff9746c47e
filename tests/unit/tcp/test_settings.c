/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "stack/tcp/settings.h"
#include "tests/unit/tcp/cmocka_head.h"

static void every_preset_lies_within_the_bounds_of_its_parameters(void **state)
{
	for (unsigned p = 0; wt_tcp_preset_names[p]; p++) {
		struct wt_tcp_settings settings, again;
		char err[200];

		assert_int_equal(wt_tcp_preset(wt_tcp_preset_names[p], &settings, NULL, 0), 0);
		again = settings;
		for (size_t i = 0; i < wt_tcp_param_count; i++) {
			char text[64];

			wt_param_format(&wt_tcp_params[i], &settings, text, sizeof(text));
			assert_int_equal(wt_param_set(wt_tcp_params, wt_tcp_param_count, &again, wt_tcp_params[i].name, text,
						      err, sizeof(err)), 0);
		}
		assert_memory_equal(&settings, &again, sizeof(settings));
	}
}

static void an_unknown_preset_is_refused_with_the_known_names(void **state)
{
	struct wt_tcp_settings settings;
	char err[200] = "";

	assert_true(wt_tcp_preset("bsd80", &settings, err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "bsd80"));
	assert_non_null(strstr(err, "bsd90"));
}

static void the_bsd90_preset_has_the_ticks_of_the_paper(void **state)
{
	struct wt_tcp_settings settings;

	wt_tcp_preset("bsd90", &settings, NULL, 0);
	assert_int_equal(settings.tick, 500 * WT_MS);
	assert_int_equal(settings.rto_min, 2 * settings.tick);
	assert_int_equal(settings.rto_max, 64 * WT_S);
	assert_true(settings.increment_mss8 && settings.rto_hold_backoff && settings.rtt_one_at_a_time);
	assert_false(settings.window_scaling || settings.timestamps || settings.sack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_lies_within_the_bounds_of_its_parameters),
		cmocka_unit_test(an_unknown_preset_is_refused_with_the_known_names),
		cmocka_unit_test(the_bsd90_preset_has_the_ticks_of_the_paper),
	};

	return cmocka_run_group_tests_name("host_settings", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include "tools/lab_run.h"

#define PORTS(a, b) "\"ports\":[{\"late\":{\"p99_ns\":" a "}},{\"late\":{\"p99_ns\":" b "}}]"
#define FAULTS(list) "\"verdict\":{\"valid\":false,\"faults\":[" list "]}"
#define LATE "{\"fault\":\"late\",\"first_ns\":5}"
#define DROPS "{\"fault\":\"kernel-drops\",\"first_ns\":5}"

static void a_run_is_valid_by_the_emulators_verdict_or_by_the_runs_own_bound_of_lateness(void **state)
{
	static const struct {
		const char *record;
		wt_time late;
		bool valid;
		const char *why;
	} cases[] = {
		{"{" PORTS("400000", "500000") "," FAULTS("") "}", 0, true, ""},
		{"{" PORTS("4000000", "500000") "," FAULTS(LATE) "}", 0, false, "late"},
		{"{" PORTS("4000000", "500000") "," FAULTS(LATE) "}", 5000000, true, ""},
		{"{" PORTS("500000", "6000000") "," FAULTS(LATE) "}", 5000000, false, "6 ms late"},
		{"{" PORTS("500000", "600000") "," FAULTS("") "}", 100000, false, "0.6 ms late"},
		{"{" PORTS("4000000", "500000") "," FAULTS(LATE "," DROPS) "}", 5000000, false, "kernel-drops"},
		{"{" PORTS("4", "5") "," FAULTS(DROPS) "}", 0, false, "kernel-drops"},
		{"", 0, false, "no record"},
		{"no JSON", 5000000, false, "no record"},
		{"{\"record\":\"end\"}", 0, false, "no record"},
		{"[1,2]", 0, false, "no record"},
	};
	char why[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *record = json_loads(cases[i].record, 0, NULL);

		if (wt_lab_valid(record, cases[i].late, why, sizeof(why)) != cases[i].valid || !strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].record, why);
		json_decref(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_valid_by_the_emulators_verdict_or_by_the_runs_own_bound_of_lateness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

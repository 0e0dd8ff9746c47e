/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "tools/lab/run.h"

#define PORTS(a, b) "\"ports\":[{\"late\":{\"judged_ns\":" a ",\"worst_ns\":9000000}},{\"late\":{\"judged_ns\":" b "}}]"
#define FAULTS(list) "\"verdict\":{\"valid\":false,\"steal_share\":0.12,\"faults\":[" list "]}"
#define LATE "{\"fault\":\"late\",\"first_ns\":5}"
#define DROPS "{\"fault\":\"kernel-drops\",\"first_ns\":5}"

static void a_run_is_valid_by_the_emulators_verdict_and_every_fault_is_named(void **state)
{
	static const struct {
		const char *record;
		bool valid;
		const char *why;
	} cases[] = {
		{"{" PORTS("400000", "500000") "," FAULTS("") "}", true, ""},
		{"{" PORTS("4000000", "500000") "," FAULTS("") "}", true, ""}, /* the bounds were the emulator's to judge by */
		{"{" PORTS("500000", "6000000") "," FAULTS(LATE) "}", false, "busy: late; 99 % of the frames were less than 6 ms late, 12 %"},
		{"{" PORTS("6000000", "500000") "," FAULTS(LATE) "}", false, "6 ms late"},
		{"{" PORTS("6000000", "500000") "," FAULTS(LATE "," DROPS) "}", false, "late, kernel-drops; "},
		{"{" PORTS("4", "5") "," FAULTS(DROPS) "}", false, "busy: kernel-drops; "},
		{"{" PORTS("4", "5") "," FAULTS("{}," DROPS) "}", false, "?, kernel-drops; "},
		{"", false, "no record"},
		{"no JSON", false, "no record"},
		{"{\"record\":\"end\"}", false, "no record"},
		{"[1,2]", false, "no record"},
	};
	char why[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *record = json_loads(cases[i].record, 0, NULL);

		if (wt_lab_valid(record, why, sizeof(why)) != cases[i].valid || !strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].record, why);
		json_decref(record);
	}
}

/* Counted as failed, such a transfer would never be repeated, and what only a busy host did would stand as a result. */
static void what_failed_on_a_busy_host_is_invalid_and_not_failed(void **state)
{
	static const char good[] = "{" PORTS("4", "5") "," FAULTS("") "}", busy[] = "{" PORTS("4", "5") "," FAULTS(DROPS) "}";
	static const struct {
		const char *record, *emulator, *why;
		enum wt_lab_outcome outcome;
	} cases[] = {
		{"{}", good, "", WT_LAB_OK}, {"{}", busy, "", WT_LAB_INVALID}, {"", good, "send: timed out", WT_LAB_FAILED},
		{"", busy, "send: timed out", WT_LAB_INVALID}, {"", "", "lab up: no such thing", WT_LAB_FAILED}, {"{}", "", "", WT_LAB_INVALID},
		{"{\"noise\":{\"kernel_drops\":3}}", good, "", WT_LAB_INVALID},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_lab_result result = {.record = json_loads(cases[i].record, 0, NULL), .emulator = json_loads(cases[i].emulator, 0, NULL)};

		strcpy(result.why, cases[i].why);
		if (wt_lab_judge(&result) != cases[i].outcome)
			fail_msg("case %zu: %s", i, result.why);
		if (cases[i].outcome == WT_LAB_FAILED)
			assert_string_equal(result.why, cases[i].why);
		if (cases[i].outcome == WT_LAB_INVALID) /* not with what a busy host made of it */
			assert_true(strstr(result.why, "host was too busy") || strstr(result.why, "no record"));
		wt_lab_result_finish(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_valid_by_the_emulators_verdict_and_every_fault_is_named),
		cmocka_unit_test(what_failed_on_a_busy_host_is_invalid_and_not_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

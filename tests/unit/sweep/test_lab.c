/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "tools/sweep/lab.h"

#define PORTS(a, b) "\"ports\":[{\"late\":{\"judged_ns\":" a ",\"worst_ns\":9000000}},{\"late\":{\"judged_ns\":" b "}}]"
#define FAULTS(list) "\"verdict\":{\"valid\":false,\"steal_share\":0.12,\"faults\":[" list "]}"
#define LATE "{\"fault\":\"late\",\"first_ns\":5}"
#define DROPS "{\"fault\":\"kernel-drops\",\"first_ns\":5}"

static void a_run_is_valid_by_the_emulators_verdict_and_every_fault_is_named(void **state)
{
	static const struct {
		const char *result;
		enum wt_sweep_outcome outcome;
		const char *why;
	} cases[] = {
		{"{\"ok\":true," PORTS("400000", "500000") "," FAULTS("") "}", WT_SWEEP_OK, ""},
		{"{\"ok\":true," PORTS("4000000", "500000") "," FAULTS("") "}", WT_SWEEP_OK, ""}, /* the bounds were the emulator's to judge by */
		{"{" PORTS("500000", "6000000") "," FAULTS(LATE) "}", WT_SWEEP_INVALID, "busy: late; 99 % of the frames left less than 6 ms late, 12 %"},
		{"{" PORTS("6000000", "500000") "," FAULTS(LATE) "}", WT_SWEEP_INVALID, "6 ms late"},
		{"{" PORTS("6000000", "500000") "," FAULTS(LATE "," DROPS) "}", WT_SWEEP_INVALID, "late, kernel-drops; "},
		{"{" PORTS("4", "5") "," FAULTS(DROPS) "}", WT_SWEEP_INVALID, "busy: kernel-drops; "},
		{"{" PORTS("4", "5") "," FAULTS("{}," DROPS) "}", WT_SWEEP_INVALID, "?, kernel-drops; "},
		{"", WT_SWEEP_FAILED, "no result"},
		{"no JSON", WT_SWEEP_FAILED, "no result"},
		{"{\"record\":\"end\"}", WT_SWEEP_FAILED, "no result"},
		{"{\"ok\":true}", WT_SWEEP_FAILED, "no result"},
		{"[1,2]", WT_SWEEP_FAILED, "no result"},
	};
	char why[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *result = json_loads(cases[i].result, 0, NULL);

		*why = '\0';
		if (wt_sweep_lab_judge(result, why, sizeof(why)) != cases[i].outcome || !strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].result, why);
		json_decref(result);
	}
}

/* Counted as failed, such a transfer would never be repeated, and what only a busy host did would stand as a result. */
static void what_failed_on_a_busy_host_is_invalid_and_not_failed(void **state)
{
	static const char good[] = "{\"ok\":false," PORTS("4", "5") "," FAULTS("") "}", busy[] = "{\"ok\":false," PORTS("4", "5") "," FAULTS(DROPS) "}";
	static const struct {
		const char *result, *why;
		enum wt_sweep_outcome outcome;
	} cases[] = {
		{good, "tcp1: timed out", WT_SWEEP_FAILED}, {busy, "tcp1: timed out", WT_SWEEP_INVALID}, {"", "lab run: no such thing", WT_SWEEP_FAILED},
		{"{\"ok\":true,\"flows\":[{\"kernel_drops\":0},{\"kernel_drops\":3}]," FAULTS("") "}", "", WT_SWEEP_INVALID},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *result = json_loads(cases[i].result, 0, NULL);
		char why[300];

		strcpy(why, cases[i].why);
		if (wt_sweep_lab_judge(result, why, sizeof(why)) != cases[i].outcome)
			fail_msg("case %zu: %s", i, why);
		if (cases[i].outcome == WT_SWEEP_FAILED)
			assert_string_equal(why, cases[i].why);
		if (cases[i].outcome == WT_SWEEP_INVALID) /* not with what a busy host made of it */
			assert_non_null(strstr(why, "host was too busy"));
		json_decref(result);
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

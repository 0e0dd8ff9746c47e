/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/script/language/expression.h"

static char error[512];

static bool lookup(void *context, const char *name, struct wt_expression_value *value, char *why, size_t len)
{
	if (!strcmp(name, "cwnd")) {
		value->number = 14600;
	} else if (!strcmp(name, "state") || !strcmp(name, "ESTABLISHED")) {
		value->is_text = true;
		strcpy(value->text, "ESTABLISHED");
	} else if (!strcmp(name, "big")) {
		value->number = 4294967295.0;
	} else {
		snprintf(why, len, "unknown name '%s'", name);
		return false;
	}
	return true;
}

static int check(const char *code)
{
	error[0] = 0;
	return wt_expression_check("x.pkt", 7, code, strlen(code), lookup, NULL, error, sizeof(error));
}

static void what_holds_holds(void **state)
{
	static const char *const truths[] = {
		"1", "cwnd == 14600", "cwnd == 10 * 1460", "1 < 2 < 3", "not 0", "!0", "1 and 1", "0 or 1", "0 || 1 && 1",
		"(1 + 2) * 3 == 9", "1 + 2 * 3 == 7", "7 / 2 == 3.5", "7 % 4 == 3", "6 & 3 == 2", "-1 < 0", "- -1 == 1",
		"min(3, 1, 2) == 1", "max(3, 1, 2) == 3", "abs(-4) == 4", "state == ESTABLISHED", "state == 'ESTABLISHED'",
		"state != \"LISTEN\"", "100ms == 100000000", "64KiB == 65536", "1.5 == 3 / 2", "True", "not False",
		"assert cwnd == 14600", "assert cwnd > 0, 'a message'", "cwnd > 1, cwnd > 2; cwnd > 3\ncwnd > 4", "big == 4294967295",
		"cwnd # a comment\n== 14600", "0x10 == 16", "2 >= 2", "1 <= 2", "1 != 2",
	};

	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
		if (check(truths[i]) != 1)
			fail_msg("'%s': %s", truths[i], error);
}

static void what_does_not_hold_is_told_with_its_values(void **state)
{
	assert_int_equal(check("cwnd == 10"), 0);
	assert_string_equal(error, "x.pkt:7: cwnd == 10 does not hold: cwnd is 14600");
	assert_int_equal(check("1,\ncwnd < 5 and state == ESTABLISHED"), 0);
	assert_string_equal(error, "x.pkt:8: cwnd < 5 and state == ESTABLISHED does not hold: cwnd is 14600, state is 'ESTABLISHED'");
	assert_int_equal(check("3 < 2 < 1"), 0);
	assert_int_equal(check("1 < 2 < 1"), 0);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	static const struct {
		const char *code, *says;
	} wrong[] = {
		{"", "expected a question"}, {"cwnd = 1", "write '=='"}, {"nope == 1", "unknown name 'nope'"},
		{"state == 1", "cannot be compared"}, {"state + 1", "is text"}, {"1 / 0", "division by zero"},
		{"1 % 0", "division by zero"}, {"(1", "')'"}, {"1 +", "expected a number"}, {"sqrt(4)", "unknown function"},
		{"'abc", "never comes"}, {"5parsecs", "not a number"}, {"-1 & 1", "whole numbers"}, {")", "expected a number"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(check(wrong[i].code), -EINVAL);
		if (!strstr(error, wrong[i].says))
			fail_msg("'%s' says '%s'", wrong[i].code, error);
	}
}

static void depth_is_bounded(void **state)
{
	static const char *const units[] = {"(", "-", "not ", "!", "abs("};
	char code[20001];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		code[0] = 0;
		for (size_t n = 0; n + strlen(units[i]) < sizeof(code); n += strlen(units[i]))
			memcpy(code + n, units[i], strlen(units[i]) + 1);
		assert_int_equal(check(code), -EINVAL);
	}
}

static void without_a_lookup_only_the_syntax_counts(void **state)
{
	const char *code = "anything == 3, 5 / anything > 'x'";

	assert_int_equal(wt_expression_check("x", 1, code, strlen(code), NULL, NULL, error, sizeof(error)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds_holds),
		cmocka_unit_test(what_does_not_hold_is_told_with_its_values),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(without_a_lookup_only_the_syntax_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/script/language/scan.h"

static struct wt_scan scan;

static void start(const char *text)
{
	wt_scan_init(&scan, "x.pkt", text, strlen(text));
}

static void blanks_and_all_three_comments_are_skipped_and_lines_counted(void **state)
{
	start("  # one\n// two\n/* three\nfour */ word");
	assert_int_equal(wt_scan_peek(&scan), 'w');
	assert_int_equal(scan.line, 4);
}

static void a_comment_that_never_ends_is_an_error_where_it_begins(void **state)
{
	start("\n\n/* for ever\n");
	assert_true(wt_scan_done(&scan));
	assert_true(scan.failed);
	assert_string_equal(scan.error, "x.pkt:3: '*/' never comes");
}

static void a_literal_that_is_a_word_must_end_there(void **state)
{
	start("windows");
	assert_false(wt_scan_is(&scan, "win"));
	start("win 5");
	assert_true(wt_scan_is(&scan, "win"));
}

static void numbers_are_decimal_or_hexadecimal_and_bounded(void **state)
{
	uint64_t value = 0;

	start("4294967295");
	assert_true(wt_scan_number(&scan, UINT32_MAX, &value));
	assert_int_equal(value, UINT32_MAX);
	start("0xfF");
	assert_true(wt_scan_number(&scan, 255, &value));
	assert_int_equal(value, 255);
	start("4294967296");
	assert_false(wt_scan_number(&scan, UINT32_MAX, &value));
	assert_true(scan.failed);
	start("99999999999999999999999999");
	assert_false(wt_scan_number(&scan, UINT64_MAX, &value));
	assert_true(scan.failed);
	start("18446744073709551615");
	assert_true(wt_scan_number(&scan, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
}

static void seconds_are_exact_to_the_nanosecond(void **state)
{
	wt_time time = 0;

	start("0.3625");
	assert_true(wt_scan_seconds(&scan, &time));
	assert_int_equal(time, 362500000);
	start(".000000001");
	assert_true(wt_scan_seconds(&scan, &time));
	assert_int_equal(time, 1);
	start("7");
	assert_true(wt_scan_seconds(&scan, &time));
	assert_int_equal(time, 7 * WT_S);
	start(".0000000001");
	assert_false(wt_scan_seconds(&scan, &time));
	assert_true(scan.failed);
	start(".");
	assert_false(wt_scan_seconds(&scan, &time));
}

static void three_dots_end_a_time(void **state)
{
	wt_time time = 1;

	start("0...0.2");
	assert_true(wt_scan_seconds(&scan, &time));
	assert_int_equal(time, 0);
	assert_true(wt_scan_is(&scan, "..."));
	assert_true(wt_scan_seconds(&scan, &time));
	assert_int_equal(time, 200 * WT_MS);
}

static void bytes_come_in_pairs_and_fit(void **state)
{
	uint8_t bytes[4];

	start("0x00fF10");
	assert_int_equal(wt_scan_bytes(&scan, bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, "\x00\xff\x10", 3);
	start("0x123");
	assert_int_equal(wt_scan_bytes(&scan, bytes, sizeof(bytes)), -1);
	start("0x0102030405");
	assert_int_equal(wt_scan_bytes(&scan, bytes, sizeof(bytes)), -1);
	start("12");
	assert_int_equal(wt_scan_bytes(&scan, bytes, sizeof(bytes)), -1);
}

static void a_word_longer_than_its_room_is_an_error(void **state)
{
	char text[WT_SCAN_WORD + 2], word[WT_SCAN_WORD];

	memset(text, 'a', sizeof(text));
	text[WT_SCAN_WORD - 1] = 0;
	start(text);
	assert_true(wt_scan_word(&scan, word));
	assert_int_equal(strlen(word), WT_SCAN_WORD - 1);
	text[WT_SCAN_WORD - 1] = 'a';
	text[WT_SCAN_WORD] = 0;
	start(text);
	assert_false(wt_scan_word(&scan, word));
	assert_true(scan.failed);
}

static void the_first_error_wins_and_ends_everything(void **state)
{
	start("abc");
	assert_false(wt_scan_need(&scan, "x"));
	assert_string_equal(scan.error, "x.pkt:1: expected 'x' before 'abc'");
	assert_false(wt_scan_is(&scan, "abc"));
	wt_scan_fail(&scan, "another");
	assert_string_equal(scan.error, "x.pkt:1: expected 'x' before 'abc'");
}

static void a_very_long_file_name_does_not_overflow_the_message(void **state)
{
	char name[4000];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = 0;
	wt_scan_init(&scan, name, "", 0);
	assert_false(wt_scan_need(&scan, "x"));
	assert_true(strlen(scan.error) < WT_SCRIPT_ERROR);
	assert_non_null(strstr(scan.error, "the script ends here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_and_all_three_comments_are_skipped_and_lines_counted),
		cmocka_unit_test(a_comment_that_never_ends_is_an_error_where_it_begins),
		cmocka_unit_test(a_literal_that_is_a_word_must_end_there),
		cmocka_unit_test(numbers_are_decimal_or_hexadecimal_and_bounded),
		cmocka_unit_test(seconds_are_exact_to_the_nanosecond),
		cmocka_unit_test(three_dots_end_a_time),
		cmocka_unit_test(bytes_come_in_pairs_and_fit),
		cmocka_unit_test(a_word_longer_than_its_room_is_an_error),
		cmocka_unit_test(the_first_error_wins_and_ends_everything),
		cmocka_unit_test(a_very_long_file_name_does_not_overflow_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

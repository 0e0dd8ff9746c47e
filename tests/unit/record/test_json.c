/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stack/record/json.h"

static char *text;
static size_t size;
static FILE *file;
static struct wt_json json;

static int setup(void **state)
{
	file = open_memstream(&text, &size);
	wt_json_init(&json, file);
	return !file;
}

static int teardown(void **state)
{
	if (file)
		fclose(file);
	free(text);
	return 0;
}

static const char *written(void)
{
	fclose(file);
	file = NULL;
	return text;
}

static void nesting_gets_its_commas_and_every_top_level_value_a_line(void **state)
{
	wt_json_object(&json, NULL);
	wt_json_string(&json, "name", "a");
	wt_json_array(&json, "list");
	wt_json_u64(&json, NULL, 1);
	wt_json_object(&json, NULL);
	wt_json_end(&json);
	wt_json_array(&json, NULL);
	wt_json_end(&json);
	wt_json_bool(&json, NULL, true);
	wt_json_end(&json);
	wt_json_bool(&json, "done", false);
	wt_json_raw(&json, "raw", "[1,2]");
	wt_json_end(&json);
	wt_json_array(&json, NULL);
	wt_json_end(&json);
	wt_json_u64(&json, NULL, 7);
	assert_string_equal(written(), "{\"name\":\"a\",\"list\":[1,{},[],true],\"done\":false,\"raw\":[1,2]}\n[]\n7\n");
}

static void strings_are_escaped_and_bytes_that_are_not_utf8_replaced(void **state)
{
	wt_json_array(&json, NULL);
	wt_json_string(&json, NULL, "q\" b\\ n\n t\t r\r x\x01 d\x7f");
	wt_json_string(&json, NULL, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a");
	wt_json_string(&json, NULL, "\xff \xc3 \xc0\xaf \xed\xa0\x80");
	wt_json_string(&json, NULL, NULL);
	wt_json_string(&json, NULL, "");
	wt_json_end(&json);
	assert_string_equal(written(), "[\"q\\\" b\\\\ n\\n t\\t r\\r x\\u0001 d\\u007f\",\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a\","
				       "\"\\ufffd \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\",null,\"\"]\n");
}

/* Around the length of the writer's own buffer, with an escape at each place. */
static void a_text_of_any_length_is_whole(void **state)
{
	static char value[2300], expected[2400];

	for (unsigned len = 900; len < 1100; len++) {
		unsigned at = (unsigned)sprintf(expected, "[\"");

		for (unsigned i = 0; i < 2 * len; i++) {
			value[i] = i == len ? '\n' : (char)('a' + i % 26);
			at += (unsigned)sprintf(expected + at, i == len ? "\\n" : "%c", value[i]);
		}
		value[2 * len] = 0;
		sprintf(expected + at, "\",%u]\n", len);
		if (!file)
			assert_int_equal(setup(state), 0);
		wt_json_array(&json, NULL);
		wt_json_string(&json, NULL, value);
		wt_json_u64(&json, NULL, len);
		wt_json_end(&json);
		assert_string_equal(written(), expected);
		free(text);
		text = NULL;
	}
	memset(value, '7', 2000);
	value[2000] = 0;
	assert_int_equal(setup(state), 0);
	wt_json_raw(&json, NULL, value);
	assert_memory_equal(written(), value, 2000);
	assert_string_equal(text + 2000, "\n");
}

static void whole_numbers_are_written_digit_by_digit(void **state)
{
	static char expected[8192];
	unsigned at = 0;

	for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10) {
		uint64_t values[] = {power - 1, power, power + 1, 7 * (power / 5), UINT64_MAX / power};

		for (unsigned k = 0; k < 5; k++) {
			wt_json_u64(&json, NULL, values[k]);
			wt_json_i64(&json, NULL, (int64_t)values[k]);
			at += (unsigned)sprintf(expected + at, "%" PRIu64 "\n%" PRId64 "\n", values[k], (int64_t)values[k]);
		}
	}
	assert_string_equal(written(), expected);
}

static void numbers_are_the_shortest_that_read_back(void **state)
{
	wt_json_array(&json, NULL);
	wt_json_number(&json, NULL, 0.1);
	wt_json_number(&json, NULL, 1.0 / 3);
	wt_json_number(&json, NULL, 1e300);
	wt_json_number(&json, NULL, -2);
	wt_json_number(&json, NULL, NAN);
	wt_json_number(&json, NULL, INFINITY);
	wt_json_u64(&json, NULL, UINT64_MAX);
	wt_json_i64(&json, NULL, INT64_MIN);
	wt_json_end(&json);
	assert_string_equal(written(), "[0.1,0.3333333333333333,1e+300,-2,null,null,18446744073709551615,-9223372036854775808]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(nesting_gets_its_commas_and_every_top_level_value_a_line),
		CASE(strings_are_escaped_and_bytes_that_are_not_utf8_replaced),
		CASE(a_text_of_any_length_is_whole),
		CASE(whole_numbers_are_written_digit_by_digit),
		CASE(numbers_are_the_shortest_that_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

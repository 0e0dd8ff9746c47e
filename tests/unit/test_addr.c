/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/addr.h"

static void an_address_reads_back_as_it_was_written(void **state)
{
	static const char *const texts[] = {"10.0.0.1", "0.0.0.0", "255.255.255.255", "192.168.1.20", "::1", "fe80::1:2"};
	char text[WT_ADDR_TEXT];
	struct wt_addr addr;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_true(wt_addr_parse(texts[i], &addr));
		assert_string_equal(wt_addr_format(&addr, text), texts[i]);
	}
}

static void what_is_no_address_is_refused_and_leaves_none(void **state)
{
	static const char *const texts[] = {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "10.0.0.01x", " 10.0.0.1", "10.0.0.1 ",
					    "a.b.c.d", "-1.0.0.0", "10..0.1", ":::1", "1::2::3", "10.0.0.1/24"};
	struct wt_addr addr;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memset(&addr, 0xff, sizeof(addr));
		assert_false(wt_addr_parse(texts[i], &addr));
		assert_int_equal(addr.family, WT_FAMILY_NONE);
	}
}

static void parsed_and_built_addresses_are_equal_byte_for_byte(void **state)
{
	struct wt_addr built = wt_addr_ipv4(10, 1, 2, 3), parsed;

	memset(&parsed, 0xff, sizeof(parsed));
	assert_true(wt_addr_parse("10.1.2.3", &parsed));
	assert_true(wt_addr_eq(&built, &parsed));
	parsed.bytes[3]++;
	assert_false(wt_addr_eq(&built, &parsed));
}

static void an_unset_address_prints_as_none(void **state)
{
	char text[WT_ADDR_TEXT];

	assert_string_equal(wt_addr_format(&(struct wt_addr){0}, text), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_reads_back_as_it_was_written),
		cmocka_unit_test(what_is_no_address_is_refused_and_leaves_none),
		cmocka_unit_test(parsed_and_built_addresses_are_equal_byte_for_byte),
		cmocka_unit_test(an_unset_address_prints_as_none),
	};

	return cmocka_run_group_tests_name("addr", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/text/addr.h"

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

static void an_address_lies_in_a_network_by_its_first_bits(void **state)
{
	static const struct {
		const char *addr, *network;
		unsigned common;
	} pairs[] = {
		{"10.1.2.3", "10.1.2.3", 32}, {"10.1.2.3", "10.1.2.2", 31}, {"10.1.2.3", "10.1.3.3", 23}, {"10.1.2.3", "138.1.2.3", 0},
		{"2001:db8::1", "2001:db8::1", 128}, {"2001:db8::1", "2001:db8::", 127}, {"2001:db8::1", "2001:db9::1", 31},
		{"::", "8000::", 0},
	};
	struct wt_addr four, six;

	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct wt_addr addr, network;

		assert_true(wt_addr_parse(pairs[i].addr, &addr) && wt_addr_parse(pairs[i].network, &network));
		for (unsigned prefix = 0; prefix <= (addr.family == WT_FAMILY_IPV4 ? 32u : 128u); prefix++)
			assert_int_equal(wt_addr_in(&addr, &network, prefix), prefix <= pairs[i].common);
	}
	assert_true(wt_addr_parse("0.0.0.0", &four) && wt_addr_parse("::", &six));
	assert_false(wt_addr_in(&four, &six, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_reads_back_as_it_was_written),
		cmocka_unit_test(what_is_no_address_is_refused_and_leaves_none),
		cmocka_unit_test(an_address_lies_in_a_network_by_its_first_bits),
		cmocka_unit_test(parsed_and_built_addresses_are_equal_byte_for_byte),
		cmocka_unit_test(an_unset_address_prints_as_none),
	};

	return cmocka_run_group_tests_name("addr", tests, NULL, NULL);
}

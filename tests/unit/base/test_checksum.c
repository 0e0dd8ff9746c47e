/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/random.h"
#include "stack/wire/checksum.h"

/* The definition of RFC 1071 1, word by word. */
static uint16_t by_definition(const uint8_t *data, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i++) {
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
		while (sum >> 16)
			sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)~sum;
}

static void the_example_of_rfc_1071_section_3_sums_to_ddf2(void **state)
{
	static const uint8_t data[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

	assert_int_equal((uint16_t)~wt_csum_fold(wt_csum_add(0, data, sizeof(data))), 0xddf2);
}

static void a_known_ip_header_verifies_to_zero(void **state)
{
	static const uint8_t header[] = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
					 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};

	assert_int_equal(wt_csum_fold(wt_csum_add(0, header, sizeof(header))), 0);
}

static void every_length_and_alignment_agrees_with_the_definition(void **state)
{
	struct wt_key key = wt_key_derive(1, "checksum");
	uint8_t data[1600];

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)wt_siphash_u64(&key, i);
	for (unsigned shift = 0; shift < 9; shift++)
		for (size_t len = 0; len <= 1500; len++)
			assert_int_equal(wt_csum_fold(wt_csum_add(0, data + shift, len)), by_definition(data + shift, len));
}

static void carries_survive_all_ones(void **state)
{
	uint8_t data[1501];

	memset(data, 0xff, sizeof(data));
	for (size_t len = 0; len <= sizeof(data); len++)
		assert_int_equal(wt_csum_fold(wt_csum_add(0, data, len)), by_definition(data, len));
}

static void pieces_of_even_length_sum_to_the_whole(void **state)
{
	struct wt_key key = wt_key_derive(2, "pieces");
	uint8_t data[300];

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)wt_siphash_u64(&key, i);
	for (unsigned cut = 0; cut <= 298; cut += 2)
		assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_add(0, data, cut), data + cut, sizeof(data) - 1 - cut)),
				 by_definition(data, sizeof(data) - 1));
}

static void a_16_bit_field_may_be_added_to_a_running_sum_by_value(void **state)
{
	static const uint8_t data[] = {0x12, 0x34, 0xab, 0xcd};

	assert_int_equal(wt_csum_fold(wt_csum_add(0xabcd, data, 2)), wt_csum_fold(wt_csum_add(0, data, 4)));
}

static void the_pseudo_header_sums_its_fields(void **state)
{
	static const uint8_t bytes[] = {10, 0, 0, 1, 192, 168, 3, 4, 0, 6, 0x12, 0x34};
	static const uint8_t bytes6[] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, 1, 0xd, 0xb8,
					 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x12, 0x34, 0, 0, 0, 6};
	struct wt_addr a = wt_addr_ipv4(10, 0, 0, 1), b = wt_addr_ipv4(192, 168, 3, 4), c, d;

	assert_int_equal(wt_csum_fold(wt_csum_pseudo(&a, &b, 6, 0x1234)), by_definition(bytes, sizeof(bytes)));
	assert_true(wt_addr_parse("2001:db8::1", &c) && wt_addr_parse("2001:db8::2", &d));
	assert_int_equal(wt_csum_fold(wt_csum_pseudo(&c, &d, 6, 0x11234)), by_definition(bytes6, sizeof(bytes6)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_rfc_1071_section_3_sums_to_ddf2),
		cmocka_unit_test(a_known_ip_header_verifies_to_zero),
		cmocka_unit_test(every_length_and_alignment_agrees_with_the_definition),
		cmocka_unit_test(carries_survive_all_ones),
		cmocka_unit_test(pieces_of_even_length_sum_to_the_whole),
		cmocka_unit_test(a_16_bit_field_may_be_added_to_a_running_sum_by_value),
		cmocka_unit_test(the_pseudo_header_sums_its_fields),
	};

	return cmocka_run_group_tests_name("checksum", tests, NULL, NULL);
}

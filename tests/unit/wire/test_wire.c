/* SPDX-License-Identifier: BSD-2-Clause */
/* Ethernet, ARP, IPv4, ICMP, IPv6 and neighbour discovery: parse and emit are inverse, and lies about lengths are caught. */
#include "tests/unit/unit.h"

#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/wire/arp.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/nd.h"
#include "stack/wire/udp.h"

static void an_ethernet_header_survives_and_short_ones_do_not_parse(void **state)
{
	struct wt_eth out = {{{1, 2, 3, 4, 5, 6}}, {{7, 8, 9, 10, 11, 12}}, WT_ETH_IPV6}, in;
	uint8_t data[14];

	wt_eth_emit(data, &out);
	assert_true(wt_eth_parse(data, 14, &in));
	assert_memory_equal(&in, &out, sizeof(in));
	assert_int_equal(data[12], 0x86);
	for (uint32_t len = 0; len < 14; len++)
		assert_false(wt_eth_parse(data, len, &in));
}

static void an_arp_message_survives_and_others_do_not_parse(void **state)
{
	struct wt_arp out = {WT_ARP_REPLY, {{1, 2, 3, 4, 5, 6}}, {{7, 8, 9, 10, 11, 12}}, wt_addr_ipv4(10, 0, 0, 1),
			     wt_addr_ipv4(10, 0, 0, 2)}, in;
	uint8_t data[28];

	wt_arp_emit(data, &out);
	memset(&in, 0, sizeof(in));
	assert_true(wt_arp_parse(data, 28, &in));
	assert_memory_equal(&in, &out, sizeof(in));
	for (uint32_t len = 0; len < 28; len++)
		assert_false(wt_arp_parse(data, len, &in));
	for (unsigned i = 0; i < 6; i++) { /* hardware, protocol, their lengths */
		data[i] ^= 1;
		assert_false(wt_arp_parse(data, 28, &in));
		data[i] ^= 1;
	}
}

static void random_ip_headers_survive(void **state)
{
	struct wt_key key = wt_key_derive(1, "ip headers");
	static uint8_t data[65536];

	for (uint64_t n = 0; n < 20000; n++) {
		uint64_t a = wt_siphash_u64(&key, 2 * n), b = wt_siphash_u64(&key, 2 * n + 1);
		struct wt_ipv4 out = {.src = wt_addr_ipv4((uint8_t)a, (uint8_t)(a >> 8), 3, 4), .dst = wt_addr_ipv4(9, 8, (uint8_t)b, 6),
				      .id = (uint16_t)(a >> 16), .total_len = (uint16_t)(20 + (a >> 32) % 60000),
				      .frag_offset = (uint16_t)((b >> 16) & 0xfff8), .dont_fragment = b >> 8 & 1,
				      .more_fragments = b >> 9 & 1, .ttl = (uint8_t)(b >> 32), .protocol = (uint8_t)(b >> 40),
				      .tos = (uint8_t)(b >> 48)}, in;

		wt_ipv4_emit(data, &out);
		assert_int_equal(wt_csum_fold(wt_csum_add(0, data, 20)), 0);
		assert_int_equal(wt_ipv4_parse(data, out.total_len, true, &in), WT_IPV4_OK);
		assert_int_equal(wt_ipv4_parse(data, out.total_len - 1u, true, &in), WT_IPV4_SHORT);
		assert_int_equal(wt_ipv4_parse(data, sizeof(data), true, &in), WT_IPV4_OK); /* link padding */
		assert_int_equal(in.header_len, 20);
		assert_true(wt_addr_eq(&in.src, &out.src) && wt_addr_eq(&in.dst, &out.dst));
		assert_true(in.id == out.id && in.total_len == out.total_len && in.frag_offset == out.frag_offset);
		assert_true(in.dont_fragment == out.dont_fragment && in.more_fragments == out.more_fragments);
		assert_true(in.ttl == out.ttl && in.protocol == out.protocol && in.tos == out.tos);
	}
}

static void any_single_bit_error_in_an_ip_header_is_caught(void **state)
{
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 0, 0, 1), .dst = wt_addr_ipv4(10, 0, 0, 2), .total_len = 60, .ttl = 64}, in;
	uint8_t data[64] = {0};

	wt_ipv4_emit(data, &ip);
	for (unsigned bit = 0; bit < 160; bit++) {
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_not_equal(wt_ipv4_parse(data, 60, true, &in), WT_IPV4_OK);
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void lengths_that_contradict_each_other_are_caught(void **state)
{
	struct wt_ipv4 ip = {.total_len = 60}, in;
	uint8_t data[64] = {0};

	wt_ipv4_emit(data, &ip);
	for (uint32_t len = 0; len < 60; len++)
		assert_int_equal(wt_ipv4_parse(data, len, false, &in), WT_IPV4_SHORT);
	data[0] = 0x65; /* version 6 */
	assert_int_equal(wt_ipv4_parse(data, 60, false, &in), WT_IPV4_MALFORMED);
	for (uint8_t words = 0; words < 5; words++) {
		data[0] = 0x40 | words;
		assert_int_equal(wt_ipv4_parse(data, 60, false, &in), WT_IPV4_MALFORMED);
	}
	data[0] = 0x4f; /* 60 bytes of header */
	assert_int_equal(wt_ipv4_parse(data, 60, false, &in), WT_IPV4_OK);
	assert_int_equal(in.header_len, 60);
	wt_put16(data + 2, 59); /* total length ends inside the header */
	assert_int_equal(wt_ipv4_parse(data, 60, false, &in), WT_IPV4_MALFORMED);
	wt_put16(data + 2, 0);
	assert_int_equal(wt_ipv4_parse(data, 60, false, &in), WT_IPV4_MALFORMED);
}

static void an_icmp_message_survives_and_a_wrong_checksum_does_not(void **state)
{
	struct wt_icmp out = {WT_ICMP_ECHO_REQUEST, 0, 0x12345678}, in;
	uint8_t data[41];

	memset(data, 0x77, sizeof(data));
	wt_icmp_emit(data, sizeof(data), &out);
	assert_true(wt_icmp_parse(data, sizeof(data), &in));
	assert_true(in.type == out.type && in.code == out.code && in.rest == out.rest);
	data[40] ^= 1;
	assert_false(wt_icmp_parse(data, sizeof(data), &in));
	for (uint32_t len = 0; len < 8; len++)
		assert_false(wt_icmp_parse(data, len, &in));
}

static void random_ipv6_headers_survive_and_short_ones_do_not_parse(void **state)
{
	struct wt_key key = wt_key_derive(1, "ipv6 headers");
	static uint8_t data[65536 + 40];

	for (uint64_t n = 0; n < 20000; n++) {
		uint64_t a = wt_siphash_u64(&key, 2 * n), b = wt_siphash_u64(&key, 2 * n + 1), bytes[4] = {a, b, b, a};
		struct wt_ipv6 out = {.src = wt_addr_ipv6((uint8_t *)bytes), .dst = wt_addr_ipv6((uint8_t *)(bytes + 2)),
				      .payload_len = (uint16_t)a, .next_header = (uint8_t)(a >> 16), .hop_limit = (uint8_t)(a >> 24),
				      .class = (uint8_t)b}, in = {0};

		wt_ipv6_emit(data, &out);
		assert_true(wt_ipv6_parse(data, 40u + out.payload_len, &in));
		assert_true(wt_addr_eq(&in.src, &out.src) && wt_addr_eq(&in.dst, &out.dst));
		assert_true(in.payload_len == out.payload_len && in.next_header == out.next_header);
		assert_true(in.hop_limit == out.hop_limit && in.class == out.class);
		assert_false(wt_ipv6_parse(data, 39u + out.payload_len, &in));
		data[0] ^= 0x20;
		assert_false(wt_ipv6_parse(data, sizeof(data), &in));
	}
}

static struct wt_addr address(const char *text)
{
	struct wt_addr addr;

	assert_true(wt_addr_parse(text, &addr));
	return addr;
}

/* Changes a message of neighbour discovery, makes the checksum right again, and asks whether it still is one. */
static bool holds(struct wt_ipv6 ip, const uint8_t *good, uint32_t len, int at, uint8_t value)
{
	uint8_t data[64] = {0};
	struct wt_nd nd;

	memcpy(data, good, WT_ND_LEN);
	if (at >= 0)
		data[at] = value;
	wt_put16(data + 2, 0);
	wt_put16(data + 2, wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip.src, &ip.dst, WT_IP_ICMPV6, len), data, len)));
	return wt_nd_parse(&ip, data, len, &nd);
}

static void a_message_of_neighbour_discovery_survives_and_each_condition_is_asked_for(void **state)
{
	struct wt_nd out = {.target = address("2001:db8::1"), .has_mac = true, .mac = {{2, 3, 4, 5, 6, 7}}}, in;
	struct wt_ipv6 ip = {.src = address("2001:db8::2"), .dst = address("ff02::1:ff00:1"), .hop_limit = 255}, anonymous = ip, other = ip;
	uint8_t data[WT_ND_LEN];

	anonymous.src = address("::");
	other.dst = address("ff02::1");
	for (unsigned i = 0; i < 8; i++) {
		out.type = i ? WT_ND_ADVERTISEMENT : WT_ND_SOLICITATION;
		out.router = i & 1, out.solicited = false, out.override = i & 4;
		wt_nd_emit(data, &ip.src, &ip.dst, &out);
		assert_true(wt_nd_parse(&ip, data, WT_ND_LEN, &in));
		assert_true(in.type == out.type && in.router == out.router && in.override == out.override && !in.solicited && in.has_mac);
		assert_true(wt_addr_eq(&in.target, &out.target) && !memcmp(&in.mac, &out.mac, 6));
		assert_true(holds(ip, data, WT_ND_LEN, -1, 0) && holds(ip, data, 24, -1, 0));
		for (uint32_t len = 0; len < WT_ND_LEN; len++)
			assert_int_equal(holds(ip, data, len, -1, 0), len == 24);
		assert_false(holds(ip, data, WT_ND_LEN, 0, 133) || holds(ip, data, WT_ND_LEN, 1, 1)); /* type, code */
		assert_false(holds(ip, data, WT_ND_LEN, 8, 0xff));      /* a group as target */
		assert_false(holds(ip, data, WT_ND_LEN, 25, 0) || holds(ip, data, WT_ND_LEN, 25, 2)); /* an option without end */
		assert_true(holds(ip, data, WT_ND_LEN, 24, 99));        /* an unknown one is passed over */
		data[2] ^= 1;
		assert_false(wt_nd_parse(&ip, data, WT_ND_LEN, &in));   /* the checksum */
		data[2] ^= 1;
		ip.hop_limit = 254;
		assert_false(holds(ip, data, WT_ND_LEN, -1, 0));
		ip.hop_limit = 255;
		if (i) {
			assert_false(holds(ip, data, WT_ND_LEN, 4, 0x40)); /* an answer to all */
			continue;
		}
		assert_false(holds(anonymous, data, WT_ND_LEN, -1, 0)); /* who has no address yet gives none away */
		assert_true(holds(anonymous, data, 24, -1, 0));
		anonymous.dst = other.dst;
		assert_false(holds(anonymous, data, 24, -1, 0)); /* and asks where the owner listens */
	}
}

static void groups_and_addresses_of_the_link_are_those_of_the_texts(void **state)
{
	struct wt_addr group = address("ff02::1:ff28:9c5a"), target = address("fe80::2aa:ff:fe28:9c5a"), made = wt_nd_group(&target);
	struct wt_mac mac = {{0x00, 0xaa, 0x00, 0x28, 0x9c, 0x5a}}, heard = wt_nd_group_mac(&group);

	assert_true(wt_addr_eq(&made, &group));
	assert_memory_equal(&heard, "\x33\x33\xff\x28\x9c\x5a", 6);
	made = wt_nd_link_local(&mac);
	assert_true(wt_addr_eq(&made, &target));
}

/* The sums were worked out apart from this code, in Python, word by word as RFC 768 says. */
static void datagrams_have_the_sums_of_the_text_and_lies_about_lengths_are_caught(void **state)
{
	struct wt_addr src = wt_addr_ipv4(10, 0, 0, 1), dst = wt_addr_ipv4(10, 0, 0, 2), src6, dst6;
	struct wt_udp_header out = {40000, 9, 11}, in;
	uint8_t data[16] = "________abc";

	assert_true(wt_addr_parse("2001:db8::1", &src6) && wt_addr_parse("2001:db8::2", &dst6));
	wt_udp_emit(data, &src6, &dst6, &out);
	assert_int_equal(wt_get16(data + 6), 0x43b7);
	assert_true(wt_udp_parse(data, 11, &src6, &dst6, true, &in));
	wt_udp_emit(data, &src, &dst, &out);
	assert_int_equal(wt_get16(data + 6), 0x8b29);
	assert_true(wt_udp_parse(data, 16, &src, &dst, true, &in)); /* padding behind it */
	assert_memory_equal(&in, &out, sizeof(in));
	for (uint32_t len = 0; len < 11; len++)
		assert_false(wt_udp_parse(data, len, &src, &dst, true, &in));
	for (unsigned bit = 0; bit < 88; bit++) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(wt_udp_parse(data, 11, &src, &dst, true, &in));
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_false(wt_udp_parse(data, 11, &src, &src, true, &in));
	assert_true(wt_udp_parse(data, 11, &src, &src, false, &in));
	wt_put16(data + 6, 0);
	assert_true(wt_udp_parse(data, 11, &src, &dst, true, &in));
	assert_false(wt_udp_parse(data, 11, &src6, &dst6, true, &in));
	wt_put16(data + 8, 0x4f8e); /* with these two bytes the sum comes to 0 */
	out.len = 10;
	wt_udp_emit(data, &src, &dst, &out);
	assert_int_equal(wt_get16(data + 6), 0xffff);
	assert_true(wt_udp_parse(data, 10, &src, &dst, true, &in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ethernet_header_survives_and_short_ones_do_not_parse),
		cmocka_unit_test(an_arp_message_survives_and_others_do_not_parse),
		cmocka_unit_test(random_ip_headers_survive),
		cmocka_unit_test(any_single_bit_error_in_an_ip_header_is_caught),
		cmocka_unit_test(lengths_that_contradict_each_other_are_caught),
		cmocka_unit_test(an_icmp_message_survives_and_a_wrong_checksum_does_not),
		cmocka_unit_test(random_ipv6_headers_survive_and_short_ones_do_not_parse),
		cmocka_unit_test(a_message_of_neighbour_discovery_survives_and_each_condition_is_asked_for),
		cmocka_unit_test(datagrams_have_the_sums_of_the_text_and_lies_about_lengths_are_caught),
		cmocka_unit_test(groups_and_addresses_of_the_link_are_those_of_the_texts),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}

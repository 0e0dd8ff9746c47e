/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "stack/base/bytes.h"
#include "stack/net/lookup.h"
#include "stack/net/net.h"

enum { NETWORKS = 1000, QUESTIONS = 20000 };

static uint64_t state_of_chance = 88172645463325252u;

static uint32_t chance(uint32_t below)
{
	state_of_chance ^= state_of_chance << 13;
	state_of_chance ^= state_of_chance >> 7;
	state_of_chance ^= state_of_chance << 17;
	return (uint32_t)(state_of_chance >> 20) % below;
}

/* Few different bytes, so that networks lie in each other. */
static struct wt_addr some_address(void)
{
	struct wt_addr addr = {.family = chance(2) ? WT_FAMILY_IPV4 : WT_FAMILY_IPV6};

	for (unsigned i = 0; i < (addr.family == WT_FAMILY_IPV4 ? 4 : 16); i++)
		addr.bytes[i] = (uint8_t)(chance(3) * 0x55);
	return addr;
}

static unsigned some_length(uint8_t family)
{
	return chance(family == WT_FAMILY_IPV4 ? 33 : 129);
}

/* The rule as it is said: the longest of the networks that an address lies in, of equal ones the first. */
static void the_longest_match_is_that_of_a_walk_over_all(void **state)
{
	static struct wt_addr network[NETWORKS];
	static unsigned length[NETWORKS];
	struct wt_lookup lookup = {0};
	unsigned found = 0;

	for (uint32_t i = 0; i < NETWORKS; i++) {
		network[i] = some_address();
		length[i] = some_length(network[i].family);
		assert_int_equal(wt_lookup_add(&lookup, &network[i], (uint8_t)length[i], i), 0);
	}
	for (unsigned q = 0; q < QUESTIONS; q++) {
		/* by chance hardly ever an address that is itself a network of all its bits */
		struct wt_addr addr = q % 2 ? some_address() : network[chance(NETWORKS)];
		uint32_t best = WT_LOOKUP_NONE;

		for (uint32_t i = 0; i < NETWORKS; i++)
			if ((best == WT_LOOKUP_NONE || length[i] > length[best]) && wt_addr_in(&addr, &network[i], length[i]))
				best = i;
		found += best != WT_LOOKUP_NONE;
		assert_int_equal(wt_lookup_longest(&lookup, &addr), best);
	}
	assert_true(found > QUESTIONS / 2);
	wt_lookup_finish(&lookup);
}

static void an_empty_table_knows_nothing(void **state)
{
	struct wt_addr addr = wt_addr_ipv4(10, 0, 0, 1), none = {0};
	struct wt_lookup lookup = {0};

	assert_int_equal(wt_lookup_longest(&lookup, &addr), WT_LOOKUP_NONE);
	assert_int_equal(wt_lookup_exact(&lookup, &addr, WT_LOOKUP_OWN), WT_LOOKUP_NONE);
	assert_int_equal(wt_lookup_add(&lookup, &addr, WT_LOOKUP_OWN, 7), 0);
	assert_int_equal(wt_lookup_exact(&lookup, &addr, WT_LOOKUP_OWN), 7);
	assert_int_equal(wt_lookup_exact(&lookup, &addr, WT_LOOKUP_BROADCAST), WT_LOOKUP_NONE);
	assert_int_equal(wt_lookup_longest(&lookup, &addr), WT_LOOKUP_NONE);
	assert_int_equal(wt_lookup_longest(&lookup, &none), WT_LOOKUP_NONE);
	wt_lookup_finish(&lookup);
}

/* RFC 1122 3.2.1.3 and RFC 3021, by the walk over all addresses. */
static void the_edges_of_our_networks_are_no_hosts(void **state)
{
	static const struct {
		struct wt_addr addr;
		unsigned prefix;
		const char *edges[2]; /* NULL: none */
	} of[] = {
		{{WT_FAMILY_IPV4, {10, 1, 2, 3}}, 24, {"10.1.2.0", "10.1.2.255"}},
		{{WT_FAMILY_IPV4, {10, 1, 3, 77}}, 27, {"10.1.3.64", "10.1.3.95"}},
		{{WT_FAMILY_IPV4, {172, 16, 200, 1}}, 12, {"172.16.0.0", "172.31.255.255"}},
		{{WT_FAMILY_IPV4, {10, 9, 0, 1}}, 30, {"10.9.0.0", "10.9.0.3"}},
		{{WT_FAMILY_IPV4, {10, 9, 1, 1}}, 31, {NULL, NULL}},
		{{WT_FAMILY_IPV4, {10, 9, 2, 1}}, 32, {NULL, NULL}},
		{{WT_FAMILY_IPV4, {9, 9, 9, 9}}, 0, {"0.0.0.0", "255.255.255.255"}},
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct wt_net net;
		struct wt_addr edge;

		assert_int_equal(wt_net_init(&net, &(struct wt_net_config){.interfaces = 1}), 0);
		assert_int_equal(wt_net_add_address(&net, 0, &of[i].addr, of[i].prefix), 0);
		for (unsigned e = 0; e < 2; e++)
			if (of[i].edges[e]) {
				assert_true(wt_addr_parse(of[i].edges[e], &edge));
				assert_true(wt_net_is_broadcast(&net, &edge));
			}
		assert_false(wt_net_is_broadcast(&net, &of[i].addr));
		edge = of[i].addr;
		edge.bytes[3] ^= 1; /* beside it: no edge of any of these, and of a link of two the other end */
		if (of[i].prefix != 30)
			assert_false(wt_net_is_broadcast(&net, &edge));
		assert_true(wt_net_is_ours(&net, &of[i].addr) && wt_net_is_here(&net, 0, &of[i].addr) && !wt_net_is_ours(&net, &edge));
		wt_net_finish(&net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_match_is_that_of_a_walk_over_all),
		cmocka_unit_test(an_empty_table_knows_nothing),
		cmocka_unit_test(the_edges_of_our_networks_are_no_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A mesh node: forwarding, TTL, ICMP, ARP of its host, wires; and what must hold of every routing module. */
#include "tests/unit/mesh/toy_mesh.h"

#include "stack/base/random.h"
#include "stack/wire/arp.h"

static void static_string(struct toy_mesh *mesh, unsigned stations)
{
	toy_mesh_init(mesh, stations, "static", 1);
	toy_string(mesh);
	for (unsigned at = 0; at < stations; at++)
		for (unsigned to = 0; to < stations; to++) {
			struct wt_addr dst = toy_addr(to), next = toy_addr(to > at ? at + 1 : at - 1);
			struct wt_mesh_route route = {.dst = wt_mesh_number(&dst), .next = wt_mesh_number(&next), .interface = 1, .valid = true,
						      .hops = to > at ? to - at : at - to, .expires = WT_NEVER};

			if (to != at)
				assert_true(wt_mesh_set_route(wt_mesh_of(mesh->node[at]), 0, &route));
		}
}

static void test_static_routes_forward_and_lower_the_ttl_between_stations(void **state)
{
	struct toy_mesh mesh;

	static_string(&mesh, 6);
	toy_send(&mesh, 0, 5, 64, 7);
	toy_run(&mesh, WT_S, true);
	assert_int_equal(mesh.sink[5].count, 1);
	assert_int_equal(mesh.sink[5].last_ttl, 60); /* four stations between: the first and the last are the ends themselves */
	assert_int_equal(mesh.sink[5].last_number, 7);
	toy_mesh_finish(&mesh);
}

static void test_traceroute_sees_each_station_between(void **state)
{
	struct toy_mesh mesh;

	static_string(&mesh, 6);
	for (uint8_t ttl = 1; ttl <= 4; ttl++) {
		toy_send(&mesh, 0, 5, ttl, ttl);
		toy_run(&mesh, wt_graph_now(mesh.graph) + WT_S, true);
		assert_int_equal(mesh.sink[0].icmp, ttl);
		assert_int_equal(mesh.sink[0].icmp_type, 11);
	}
	toy_send(&mesh, 0, 5, 5, 5);
	toy_run(&mesh, wt_graph_now(mesh.graph) + WT_S, true);
	assert_int_equal(mesh.sink[5].count, 1);
	toy_mesh_finish(&mesh);
}

static void test_no_route_is_told_to_the_host(void **state)
{
	struct toy_mesh mesh;

	toy_mesh_init(&mesh, 2, "static", 1);
	toy_send(&mesh, 0, 1, 64, 1);
	toy_run(&mesh, WT_S, true);
	assert_int_equal(mesh.sink[0].icmp, 1);
	assert_int_equal(mesh.sink[0].icmp_type, 3);
	assert_int_equal(mesh.node[0]->audit.dropped[WT_DROP_NO_ROUTE], 1);
	toy_mesh_finish(&mesh);
}

static void test_a_link_that_fails_loses_the_packets_of_static_routes(void **state)
{
	struct toy_mesh mesh;

	static_string(&mesh, 3);
	toy_link(&mesh, 1, 2, false);
	toy_send(&mesh, 0, 2, 64, 1);
	toy_run(&mesh, WT_S, true);
	assert_int_equal(toy_counts(&mesh, 1)->link_failures, 1);
	assert_int_equal(mesh.node[1]->audit.dropped[WT_DROP_NO_ACK], 1);
	toy_mesh_finish(&mesh);
}

static void test_to_its_host_every_station_is_behind_the_node(void **state)
{
	struct wt_addr own = toy_addr(0);
	struct wt_arp ask = {.op = WT_ARP_REQUEST, .sender_mac = wt_addr_mac(&own), .sender = own, .target = toy_addr(1)}, answer;
	struct wt_eth eth = {.dst = {{255, 255, 255, 255, 255, 255}}, .src = ask.sender_mac, .type = WT_ETH_ARP};
	struct wt_mac mac = wt_mesh_mac(&own, 0);
	struct toy_mesh mesh;
	struct wt_frame *frame;
	unsigned port;

	toy_mesh_init(&mesh, 2, "static", 1);
	frame = wt_frame_new(mesh.pool);
	frame->len = 60;
	memset(wt_frame_own_bytes(frame), 0, 60);
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ask);
	mesh.node[0]->ops->input(mesh.node[0], 0, 0, frame);
	frame = mesh.node[0]->ops->output(mesh.node[0], 0, &port);
	assert_non_null(frame);
	assert_int_equal(port, 0);
	assert_true(wt_arp_parse(wt_frame_own_bytes(frame) + WT_ETH_HEADER, WT_ARP_LEN, &answer));
	assert_memory_equal(&answer.sender_mac, &mac, 6);
	assert_true(wt_addr_eq(&answer.sender, &ask.target));
	/* its own address belongs to nobody else */
	ask.target = own;
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ask);
	mesh.node[0]->ops->input(mesh.node[0], 0, 0, frame);
	assert_null(mesh.node[0]->ops->output(mesh.node[0], 0, &port));
	toy_mesh_finish(&mesh);
}

/* A kernel and engines on one device: a second address behind port 0 is found, reached, and answers. */
static void test_a_station_may_have_further_addresses(void **state)
{
	static const char *const all[] = {"dsdv:period=2s", "aodv", "dsr", "olsr"};

	for (unsigned k = 0; k < 4; k++) {
		struct wt_addr more = wt_addr_ipv4(10, 0, 0, 104);
		struct toy_mesh mesh;

		toy_mesh_init(&mesh, 4, all[k], 1);
		toy_string(&mesh);
		assert_int_equal(wt_mesh_add_network(mesh.node[3], 0, &more, 32), 0);
		toy_run(&mesh, 60 * WT_S, false);
		toy_send(&mesh, 0, 103, 64, 9);
		toy_run(&mesh, 62 * WT_S, false);
		assert_int_equal(mesh.sink[3].count, 1);
		assert_int_equal(mesh.sink[3].last_number, 9);
		toy_mesh_finish(&mesh);
	}
}

static void test_the_loop_check_refuses_ways_over_ourselves_and_older_or_longer_ones(void **state)
{
	struct wt_addr dst = toy_addr(5), one = toy_addr(1), two = toy_addr(2), own = toy_addr(0);
	struct wt_mesh_route route = {.dst = wt_mesh_number(&dst), .next = wt_mesh_number(&one), .interface = 1, .valid = true, .seq_known = true,
				      .seq = UINT32_MAX, .hops = 4, .expires = 10 * WT_S};
	struct toy_mesh mesh;
	struct wt_mesh *node;

	toy_mesh_init(&mesh, 2, "aodv", 1);
	node = wt_mesh_of(mesh.node[0]);
	assert_true(wt_mesh_set_route(node, 0, &route));
	route.next = wt_mesh_number(&own);
	assert_false(wt_mesh_set_route(node, 0, &route));
	route.next = wt_mesh_number(&two);
	assert_false(wt_mesh_set_route(node, 0, &route)); /* as new and as long, another way */
	route.hops = 5;
	assert_false(wt_mesh_set_route(node, 0, &route));
	route.hops = 3;
	assert_true(wt_mesh_set_route(node, 0, &route));
	route.seq = 0; /* newer: numbers wrap */
	route.hops = 9;
	assert_true(wt_mesh_set_route(node, 0, &route));
	route.seq = UINT32_MAX;
	route.hops = 1;
	assert_false(wt_mesh_set_route(node, 0, &route));
	route.seq_known = false;
	assert_false(wt_mesh_set_route(node, 0, &route));
	assert_int_equal(toy_counts(&mesh, 0)->routes_refused, 5);
	toy_mesh_finish(&mesh);
}

static void test_words_of_routing(void **state)
{
	struct wt_routing_choice choice;
	char err[300];

	assert_int_equal(wt_routing_choose("aodv:hello=on,diameter=35,active=3s", &choice, err, sizeof(err)), 0);
	assert_string_equal(choice.ops->name, "aodv");
	assert_int_equal(wt_routing_choose("aodw", &choice, err, sizeof(err)), -22);
	assert_non_null(strstr(err, "did you mean 'aodv'"));
	assert_int_equal(wt_routing_choose("aodv:helo=on", &choice, err, sizeof(err)), -22);
	assert_non_null(strstr(err, "hello"));
}

/* ---- what holds of every module that finds ways ----------------------------------------------------------- */

struct kind {
	const char *words;
	wt_time settle; /* after this time of quiet ways are there */
	bool ordered;
};

static const struct kind kinds[] = {
	{"dsdv:period=2s,settling=500ms", 2 * WT_S, true},
	{"olsr", 2 * WT_S, false},
	{"olsr:feedback=on", 2 * WT_S, false},
	{"dsr", 2 * WT_S, false},
	{"dsr:ring-zero=off,cached-replies=off,salvage=0", 2 * WT_S, false},
	{"aodv", 2 * WT_S, true},
	{"aodv:hello=on,feedback=off", 10 * WT_S, true},
	{"aodv:weight=on", 2 * WT_S, true},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void test_strings_and_grids_are_crossed(void **state)
{
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned shape = 0; shape < 2; shape++) {
			struct toy_mesh mesh;

			toy_mesh_init(&mesh, shape ? 25 : 8, kinds[k].words, 1 + k);
			if (shape)
				toy_grid(&mesh, 5);
			else
				toy_string(&mesh);
			toy_run(&mesh, 60 * WT_S, false);
			for (unsigned i = 0; i < 20; i++) {
				toy_send(&mesh, 0, mesh.stations - 1, 64, i);
				toy_run(&mesh, (61 + i) * WT_S, kinds[k].ordered);
			}
			assert_int_equal(mesh.sink[mesh.stations - 1].count, 20);
			assert_int_equal(mesh.sink[mesh.stations - 1].last_ttl, shape ? 64 - 7 : 64 - 6);
			toy_mesh_finish(&mesh);
		}
}

static void test_a_partition_is_told_and_heals(void **state)
{
	for (unsigned k = 0; k < KINDS; k++) {
		struct toy_mesh mesh;
		unsigned before;

		toy_mesh_init(&mesh, 6, kinds[k].words, 3);
		toy_string(&mesh);
		toy_run(&mesh, 60 * WT_S, kinds[k].ordered);
		toy_send(&mesh, 0, 5, 64, 0);
		toy_run(&mesh, 62 * WT_S, kinds[k].ordered);
		assert_int_equal(mesh.sink[5].count, 1);
		toy_link(&mesh, 2, 3, false);
		for (unsigned i = 0; i < 60; i++) {
			toy_send(&mesh, 0, 5, 64, i);
			toy_run(&mesh, (63 + i) * WT_S, kinds[k].ordered);
		}
		assert_int_equal(mesh.sink[5].count, 1);
		toy_run(&mesh, 180 * WT_S, kinds[k].ordered); /* what waited is given up */
		before = mesh.sink[5].count;
		toy_link(&mesh, 2, 3, true);
		toy_run(&mesh, 220 * WT_S, kinds[k].ordered);
		for (unsigned i = 0; i < 10; i++) {
			toy_send(&mesh, 0, 5, 64, i);
			toy_run(&mesh, (221 + i) * WT_S + kinds[k].settle, kinds[k].ordered);
		}
		assert_true(mesh.sink[5].count >= before + 9);
		toy_mesh_finish(&mesh);
	}
}

struct lives {
	unsigned most;
};

static void watch_ttl(const struct wt_frame *frame, void *arg)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER;
	struct lives *lives = arg;

	if (ip[9] == TOY_PROTOCOL && 64u - ip[8] > lives->most)
		lives->most = 64u - ip[8];
}

/* Links that come and go at random for ten minutes: no way ever leads in a circle, the books hold after every step (the graph checks
 * them), no packet is sent more often than its TTL allows; and when the links rest, ways are found. */
static void test_random_links_never_make_a_loop(void **state)
{
	for (unsigned k = 0; k < KINDS; k++)
		for (uint64_t seed = 1; seed <= 6; seed++) {
			const struct wt_key key = wt_key_derive(seed, "links");
			struct lives lives = {0};
			struct toy_mesh mesh;
			uint64_t n = 0;

			toy_mesh_init(&mesh, 10, kinds[k].words, seed);
			mesh.air.saw = watch_ttl;
			mesh.air.arg = &lives;
			for (unsigned step = 0; step < 600; step++) {
				unsigned a = (unsigned)wt_random_below(&key, n++, 10), b = (unsigned)wt_random_below(&key, n++, 10);
				bool up = wt_random_below(&key, n++, 100) < 45;

				if (a != b)
					toy_link(&mesh, a, b, up);
				a = (unsigned)wt_random_below(&key, n++, 10);
				b = (unsigned)wt_random_below(&key, n++, 10);
				if (a != b)
					toy_send(&mesh, a, b, 64, step);
				toy_run(&mesh, (step + 1) * WT_S / 2, kinds[k].ordered);
			}
			assert_true(lives.most < 64);
			for (unsigned i = 0; i < 9; i++)
				toy_link(&mesh, i, i + 1, true);
			toy_run(&mesh, 400 * WT_S, kinds[k].ordered);
			mesh.sink[9].count = 0;
			for (unsigned i = 0; i < 10; i++) {
				toy_send(&mesh, 0, 9, 64, i);
				toy_run(&mesh, (401 + i) * WT_S + kinds[k].settle, kinds[k].ordered);
			}
			assert_true(mesh.sink[9].count >= 9);
			toy_mesh_finish(&mesh);
		}
}

static void test_malformed_messages_are_counted_and_dropped(void **state)
{
	for (unsigned k = 0; k < KINDS; k++) {
		struct wt_routing_choice choice;
		struct toy_mesh mesh;
		struct wt_addr from = toy_addr(1), all = wt_addr_ipv4(255, 255, 255, 255);
		struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
		struct wt_frame *frame;
		uint8_t *ip;

		wt_routing_choose(kinds[k].words, &choice, NULL, 0);
		toy_mesh_init(&mesh, 1, kinds[k].words, 1);
		frame = wt_frame_new(mesh.pool);
		ip = wt_frame_own_bytes(frame) + WT_ETH_HEADER;
		frame->len = WT_ETH_HEADER + 31;
		memset(wt_frame_own_bytes(frame), 0, frame->len);
		wt_eth_emit(wt_frame_own_bytes(frame), &(struct wt_eth){everyone, wt_addr_mac(&from), WT_ETH_IPV4});
		wt_ipv4_emit(ip, &(struct wt_ipv4){.src = from, .dst = all, .total_len = 31, .ttl = 1,
						   .protocol = choice.ops->port ? WT_IP_UDP : choice.ops->protocol});
		if (choice.ops->port) {
			wt_put16(ip + 20, choice.ops->port);
			wt_put16(ip + 22, choice.ops->port);
			wt_put16(ip + 24, 11);
		}
		memset(ip + (choice.ops->port ? 28 : 20), 0xff, 3);
		wt_graph_input(mesh.graph, mesh.node[0], 1, 0, frame);
		assert_int_equal(toy_counts(&mesh, 0)->malformed, 1);
		assert_int_equal(mesh.node[0]->audit.dropped[WT_DROP_ROUTING], 1);
		toy_mesh_finish(&mesh);
	}
}

static void test_equal_seeds_make_equal_runs_and_others_do_not_hang_on_order(void **state)
{
	uint64_t messages[2];

	for (unsigned k = 0; k < KINDS; k++) {
		for (unsigned run = 0; run < 2; run++) {
			struct toy_mesh mesh;

			toy_mesh_init(&mesh, 16, kinds[k].words, 5);
			toy_grid(&mesh, 4);
			for (unsigned i = 0; i < 30; i++) {
				toy_send(&mesh, i % 16, (i * 7 + 3) % 16 == i % 16 ? (i + 1) % 16 : (i * 7 + 3) % 16, 64, i);
				toy_run(&mesh, (i + 1) * WT_S, false);
			}
			messages[run] = toy_messages(&mesh) * 1000 + mesh.air.unicasts;
			toy_mesh_finish(&mesh);
		}
		assert_int_equal(messages[0], messages[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static_routes_forward_and_lower_the_ttl_between_stations),
		cmocka_unit_test(test_traceroute_sees_each_station_between),
		cmocka_unit_test(test_no_route_is_told_to_the_host),
		cmocka_unit_test(test_a_link_that_fails_loses_the_packets_of_static_routes),
		cmocka_unit_test(test_to_its_host_every_station_is_behind_the_node),
		cmocka_unit_test(test_a_station_may_have_further_addresses),
		cmocka_unit_test(test_the_loop_check_refuses_ways_over_ourselves_and_older_or_longer_ones),
		cmocka_unit_test(test_words_of_routing),
		cmocka_unit_test(test_strings_and_grids_are_crossed),
		cmocka_unit_test(test_a_partition_is_told_and_heals),
		cmocka_unit_test(test_random_links_never_make_a_loop),
		cmocka_unit_test(test_malformed_messages_are_counted_and_dropped),
		cmocka_unit_test(test_equal_seeds_make_equal_runs_and_others_do_not_hang_on_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

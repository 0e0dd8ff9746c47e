/* SPDX-License-Identifier: BSD-2-Clause */
/* DSDV, DSR and OLSR against their texts: bytes written by hand from the figures, times, relays, costs that arithmetic gives. */
#include "tests/unit/mesh/toy_mesh.h"

#include "stack/wire/dsdv.h"
#include "stack/wire/dsr.h"
#include "stack/wire/olsr.h"

static struct toy_mesh mesh;

/* ---- DSDV ------------------------------------------------------------------------------------------------- */

static void test_dsdv_updates_have_one_form(void **state)
{
	static const uint8_t bytes[] = {2, 0, 0, 2, 10, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 10, 0, 0, 3, 0, 0, 0, 7, 255, 0, 0, 0};
	struct wt_dsdv_entry entry;
	uint8_t data[sizeof(bytes)];

	assert_int_equal(wt_dsdv_count(bytes, sizeof(bytes)), 2);
	for (uint32_t len = 0; len < sizeof(bytes); len++)
		assert_int_equal(wt_dsdv_count(bytes, len), -1);
	for (unsigned i = 0; i < 2; i++) {
		wt_dsdv_parse(bytes, i, &entry);
		wt_dsdv_emit(data, i, &entry);
	}
	assert_int_equal(entry.seq, 7);
	assert_int_equal(entry.metric, WT_DSDV_NO_WAY);
	assert_int_equal(wt_dsdv_finish(data, WT_DSDV_PART, 2), sizeof(bytes));
	assert_memory_equal(data, bytes, sizeof(bytes));
}

/* Nothing changes: each station sends one full update a period, a sixteenth more or less. */
static void test_dsdv_in_peace_costs_one_update_a_period(void **state)
{
	uint64_t before;

	toy_mesh_init(&mesh, 6, "dsdv", 1);
	toy_string(&mesh);
	toy_run(&mesh, 60 * WT_S, true);
	before = toy_messages(&mesh);
	toy_run(&mesh, (60 + 20 * 15) * WT_S, true);
	assert_in_range(toy_messages(&mesh) - before, 6 * 19, 6 * 22);
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < 6; k++)
			assert_true(i == k || toy_route(&mesh, i, k)->hops == (i > k ? i - k : k - i));
	toy_mesh_finish(&mesh);
}

/* A neighbour is lost after three silent periods; its number becomes odd at who noticed, and all learn it from the update at once. */
static void test_dsdv_tells_of_a_lost_link_by_odd_numbers(void **state)
{
	struct wt_addr last = toy_addr(5);
	const struct wt_mesh_route *route;

	toy_mesh_init(&mesh, 6, "dsdv", 1);
	toy_string(&mesh);
	toy_run(&mesh, 60 * WT_S, true);
	toy_link(&mesh, 4, 5, false);
	toy_run(&mesh, (60 + 25) * WT_S, true);
	assert_non_null(toy_route(&mesh, 0, 5));
	toy_run(&mesh, (60 + 46 + 6) * WT_S, true);
	for (unsigned i = 0; i < 5; i++) {
		assert_null(toy_route(&mesh, i, 5));
		route = wt_mesh_route(wt_mesh_of(mesh.node[i]), wt_mesh_number(&last));
		assert_int_equal(route->seq & 1, 1);
	}
	toy_mesh_finish(&mesh);
}

/* ---- OLSR ------------------------------------------------------------------------------------------------- */

/* The values of section 18.3, by its formula. */
static void test_olsr_times_in_one_byte(void **state)
{
	assert_int_equal(wt_olsr_time_code(2 * WT_S), 0x05);
	assert_int_equal(wt_olsr_time_code(5 * WT_S), 0x46);
	assert_int_equal(wt_olsr_time_code(6 * WT_S), 0x86);
	assert_int_equal(wt_olsr_time_code(15 * WT_S), 0xe7);
	assert_int_equal(wt_olsr_time_code(30 * WT_S), 0xe8);
	for (unsigned code = 0; code < 256; code++)
		assert_int_equal(wt_olsr_time(wt_olsr_time_code(wt_olsr_time((uint8_t)code))), wt_olsr_time((uint8_t)code));
}

/* The figures of 3.3 and 6.1: a HELLO that names one symmetric neighbour and one relay. */
static void test_olsr_hello_has_the_bytes_of_the_figures(void **state)
{
	static uint8_t bytes[] = {0, 36, 0, 9, 1, 0x86, 0, 32, 10, 0, 0, 1, 1, 0, 0, 5, 0, 0, 5, 3, 6, 0, 0, 8, 10, 0, 0, 2, 10, 0, 0, 8, 10, 0, 0, 3};
	struct wt_olsr_message message;
	struct wt_olsr_group group;
	uint32_t at = 0, in = 0;

	assert_int_equal(wt_olsr_next(bytes, sizeof(bytes), &at, &message), 1);
	assert_int_equal(message.type, WT_OLSR_HELLO);
	assert_int_equal(message.validity, 6 * WT_S);
	assert_int_equal(message.orig, 0x0a000001);
	assert_int_equal(wt_olsr_next_group(message.body, message.len, &in, &group), 1);
	assert_int_equal(group.link, WT_OLSR_SYM_LINK);
	assert_int_equal(group.neighbour, WT_OLSR_SYM_NEIGHBOUR);
	assert_int_equal(wt_olsr_next_group(message.body, message.len, &in, &group), 1);
	assert_int_equal(group.neighbour, WT_OLSR_MPR_NEIGHBOUR);
	assert_int_equal(wt_olsr_next_group(message.body, message.len, &in, &group), 0);
	assert_int_equal(wt_olsr_next(bytes, sizeof(bytes), &at, &message), 0);
	for (uint32_t len = 0; len < sizeof(bytes); len++) {
		at = 0;
		assert_int_equal(wt_olsr_next(bytes, len, &at, &message), -1);
	}
}

static bool told[TOY_MOST]; /* whose TCs were seen */
static uint64_t topologies;

static void saw_topology(const struct wt_frame *frame, void *arg)
{
	uint8_t data[1500];
	struct wt_olsr_message message;
	uint32_t at = 0, len = frame->len - 42;

	memcpy(data, wt_frame_look(frame) + 42, len);
	if (wt_frame_look(frame)[23] != WT_IP_UDP || wt_olsr_next(data, len, &at, &message) != 1 || message.type != WT_OLSR_TC)
		return;
	topologies++;
	told[(message.orig & 0xffff) - 1] = true;
}

static void watch_topology(const char *words, unsigned stations)
{
	memset(told, 0, sizeof(told));
	topologies = 0;
	toy_mesh_init(&mesh, stations, words, 1);
	mesh.air.saw = saw_topology;
}

/* Only relays tell of links: the inner stations of a string, the middle of a star (8.3.1). */
static void test_olsr_relays_alone_tell_of_links(void **state)
{
	watch_topology("olsr", 6);
	toy_string(&mesh);
	toy_run(&mesh, 60 * WT_S, false);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(told[i], i > 0 && i < 5);
	toy_mesh_finish(&mesh);
	watch_topology("olsr", 7);
	for (unsigned i = 1; i < 7; i++)
		toy_link(&mesh, 0, i, true);
	toy_run(&mesh, 60 * WT_S, false);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(told[i], i == 0);
	toy_mesh_finish(&mesh);
}

/* All hear all: no relays, no TCs, once they know each other and the last ones have been told that nothing is left (9.3). */
static void test_olsr_needs_no_relay_where_all_are_neighbours(void **state)
{
	watch_topology("olsr", 6);
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < i; k++)
			toy_link(&mesh, i, k, true);
	toy_run(&mesh, 40 * WT_S, false);
	topologies = 0;
	toy_run(&mesh, 80 * WT_S, false);
	assert_int_equal(topologies, 0);
	toy_mesh_finish(&mesh);
}

/* 0 reaches 4 and 5 by 1 alone, 6 by 2 or 3, of which 3 has more neighbours: relays of 0 are 1 and 3, and 2 is relay of nobody. */
static void test_olsr_chooses_few_relays(void **state)
{
	static const unsigned links[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {2, 6}, {3, 6}, {3, 5}};

	watch_topology("olsr", 7);
	for (unsigned i = 0; i < 8; i++)
		toy_link(&mesh, links[i][0], links[i][1], true);
	toy_run(&mesh, 60 * WT_S, false);
	assert_true(told[1] && told[3]);
	assert_int_equal(toy_route(&mesh, 4, 6)->hops, 4);
	toy_mesh_finish(&mesh);
}

static void test_olsr_of_no_will_relays_nothing(void **state)
{
	watch_topology("olsr:willingness=0", 3);
	toy_string(&mesh);
	toy_run(&mesh, 60 * WT_S, false);
	assert_int_equal(topologies, 0);
	assert_null(toy_route(&mesh, 0, 2));
	toy_mesh_finish(&mesh);
}

/* ---- DSR -------------------------------------------------------------------------------------------------- */

/* The figures of 6.1, 6.2, 6.3, 6.4 and 6.7. */
static void test_dsr_options_have_the_bytes_of_the_figures(void **state)
{
	static const uint8_t request[] = {59, 0, 0, 12, 1, 10, 0, 7, 10, 0, 0, 5, 10, 0, 0, 2};
	static const uint8_t reply[] = {59, 0, 0, 20, 224, 2, 9, 0, 10, 0, 0, 2, 10, 0, 0, 5, 96, 6, 0, 1, 10, 0, 0, 2};
	static const uint8_t error[] = {6, 0, 0, 28, 3, 14, 1, 2, 10, 0, 0, 2, 10, 0, 0, 1, 10, 0, 0, 3, 96, 10, 0, 0x81, 10, 0, 0, 2, 10, 0, 0, 3};
	static const struct {
		const uint8_t *bytes;
		uint32_t len;
	} all[] = {{request, sizeof(request)}, {reply, sizeof(reply)}, {error, sizeof(error)}};
	uint8_t data[WT_DSR_ROOM];
	struct wt_dsr dsr;

	for (unsigned i = 0; i < 3; i++) {
		for (uint32_t len = 0; len < all[i].len; len++)
			assert_false(wt_dsr_parse(all[i].bytes, len, &dsr));
		assert_true(wt_dsr_parse(all[i].bytes, all[i].len, &dsr));
		assert_int_equal(wt_dsr_emit(data, &dsr), all[i].len);
		assert_memory_equal(data, all[i].bytes, all[i].len);
	}
	assert_int_equal(dsr.error.unreachable, 0x0a000003);
	assert_int_equal(dsr.route.salvage, 2);
	assert_int_equal(dsr.route.left, 1);
	wt_dsr_step(data, &dsr.route);
	assert_true(wt_dsr_parse(data, sizeof(error), &dsr));
	assert_int_equal(dsr.route.left, 0);
	assert_int_equal(dsr.route.salvage, 2);
	data[1] = 0x80; /* flow state */
	assert_false(wt_dsr_parse(data, sizeof(error), &dsr));
}

/* First the neighbours alone, then everybody: of a string of n, one request and n - 1 requests; n - 1 times the answer. A neighbour: one, one. */
static void test_dsr_asks_neighbours_first(void **state)
{
	for (unsigned n = 2; n <= 6; n++) {
		toy_mesh_init(&mesh, n, "dsr", 1);
		toy_string(&mesh);
		toy_send(&mesh, 0, n - 1, 64, 1);
		toy_run(&mesh, WT_S, false);
		assert_int_equal(mesh.sink[n - 1].count, 1);
		assert_int_equal(mesh.air.broadcasts, n == 2 ? 1 : 1 + n - 1);
		assert_int_equal(mesh.air.unicasts, 2 * (n - 1)); /* answer and packet */
		toy_mesh_finish(&mesh);
	}
}

static wt_time asked_at[16];
static unsigned asked;

static void saw_request(const struct wt_frame *frame, void *arg)
{
	if (wt_frame_look(frame)[23] == WT_IP_DSR && asked < 16)
		asked_at[asked++] = wt_graph_now(mesh.graph);
}

/* Nobody is there. By 4.3 half a second after the first request through the net, then twice as long each time; ns-2: 2 s, four times; both to 10 s. */
static void test_dsr_asks_again_after_times_that_grow(void **state)
{
	static const char *const routing[] = {"dsr", "dsr:wait=2s,backoff=4"};
	static const wt_time at[][8] = {{0, 30, 530, 1530, 3530, 7530, 15530, 25530}, {0, 30, 2030, 10030, 20030, 30030}};
	static const unsigned count[] = {8, 5}; /* the packet waits for 30 s */

	for (unsigned i = 0; i < 2; i++) {
		toy_mesh_init(&mesh, 2, routing[i], 1);
		mesh.air.saw = saw_request;
		asked = 0;
		toy_send(&mesh, 0, 1, 64, 1);
		toy_run(&mesh, 40 * WT_S, false);
		assert_int_equal(asked, count[i]);
		for (unsigned k = 0; k < count[i]; k++)
			assert_int_equal(asked_at[k], at[i][k] * WT_MS);
		toy_mesh_finish(&mesh);
	}
}

static unsigned header_bytes;

static void saw_header(const struct wt_frame *frame, void *arg)
{
	if (wt_frame_look(frame)[23] == WT_IP_DSR && wt_frame_look(frame)[34] == TOY_PROTOCOL)
		header_bytes = frame->len - WT_ETH_HEADER - WT_IPV4_HEADER - 100;
}

/* A packet over n hops carries the n - 1 stations between: 4 bytes, 4 of the option, 4 for each; to a neighbour none. */
static void test_dsr_headers_are_as_long_as_the_way(void **state)
{
	for (unsigned n = 2; n <= 8; n++) {
		toy_mesh_init(&mesh, n, "dsr", 1);
		toy_string(&mesh);
		mesh.air.saw = saw_header;
		header_bytes = 0;
		toy_send(&mesh, 0, n - 1, 64, 1);
		toy_run(&mesh, 2 * WT_S, false);
		assert_int_equal(mesh.sink[n - 1].count, 1);
		assert_int_equal(header_bytes, n == 2 ? 0 : 8 + 4 * (n - 2));
		toy_mesh_finish(&mesh);
	}
}

/* 0 asked once and heard of both ways to 3. One breaks: an error comes back, and the other is used without asking. */
static void test_dsr_has_a_second_way(void **state)
{
	toy_mesh_init(&mesh, 4, "dsr", 1);
	toy_link(&mesh, 0, 1, true);
	toy_link(&mesh, 0, 2, true);
	toy_link(&mesh, 1, 3, true);
	toy_link(&mesh, 2, 3, true);
	toy_send(&mesh, 0, 3, 64, 1);
	toy_run(&mesh, WT_S, false);
	assert_int_equal(mesh.sink[3].count, 1);
	toy_link(&mesh, 1, 3, false);
	mesh.air.broadcasts = 0;
	for (unsigned i = 0; i < 3; i++) {
		toy_send(&mesh, 0, 3, 64, 2 + i);
		toy_run(&mesh, (2 + i) * WT_S, false);
	}
	toy_link(&mesh, 1, 3, true);
	toy_link(&mesh, 2, 3, false);
	assert_true(mesh.sink[3].count >= 3); /* one may be lost with the link */
	assert_int_equal(mesh.air.broadcasts, 0);
	assert_int_equal(toy_counts(&mesh, 0)->discoveries, 2);
	toy_mesh_finish(&mesh);
}

/* 3 knows two ways to 4; the packet that comes from 0 goes the other one when the first breaks (8.3.6). */
static void test_dsr_salvages(void **state)
{
	for (unsigned salvage = 0; salvage < 2; salvage++) {
		toy_mesh_init(&mesh, 6, salvage ? "dsr" : "dsr:salvage=0", 1);
		for (unsigned i = 0; i < 3; i++)
			toy_link(&mesh, i, i + 1, true);
		toy_link(&mesh, 3, 5, true);
		toy_link(&mesh, 5, 4, true);
		toy_send(&mesh, 3, 4, 64, 1); /* 3-5-4 */
		toy_run(&mesh, WT_S, false);
		toy_link(&mesh, 3, 4, true);
		toy_send(&mesh, 4, 3, 64, 2); /* 4 asks its neighbours: 3 answers, and knows 3-4 from the request */
		toy_run(&mesh, 2 * WT_S, false);
		toy_send(&mesh, 4, 0, 64, 3); /* 0 learns 0-1-2-3-4 or 0-...-3-5-4 */
		toy_run(&mesh, 4 * WT_S, false);
		toy_link(&mesh, 3, 4, false);
		mesh.sink[4].count = 0;
		toy_send(&mesh, 0, 4, 64, 4);
		toy_run(&mesh, 6 * WT_S, false);
		if (toy_counts(&mesh, 3)->link_failures)
			assert_int_equal(mesh.sink[4].count, salvage);
		assert_true(!salvage || mesh.sink[4].count == 1);
		toy_mesh_finish(&mesh);
	}
}

static unsigned replies; /* packets without data */

static void saw_reply(const struct wt_frame *frame, void *arg)
{
	replies += wt_frame_look(frame)[23] == WT_IP_DSR && wt_frame_look(frame)[34] == WT_IP_NO_NEXT && !(wt_frame_look(frame)[0] & 1);
	saw_header(frame, arg);
}

/* A string of five, and 2 comes near to 0: it hears what is for 1 and was to come to it later. It says so once a second (4.4), and two
 * packets on the way is one station shorter. Who does not listen, or does not say so, leaves the way as it is. */
static void test_dsr_shortens_ways_by_overhearing(void **state)
{
	static const char *const routing[] = {"dsr:learn=off", "dsr:learn=off,shorten=off", "dsr:overhear=off"};

	for (unsigned i = 0; i < 3; i++) {
		toy_mesh_init(&mesh, 5, routing[i], 1);
		toy_string(&mesh);
		toy_send(&mesh, 0, 4, 64, 1);
		toy_run(&mesh, 2 * WT_S, false);
		toy_link(&mesh, 0, 2, true);
		mesh.air.saw = saw_reply;
		replies = 0;
		for (unsigned k = 0; k < 4; k++)
			toy_send(&mesh, 0, 4, 64, 2 + k);
		toy_run(&mesh, 3 * WT_S, false);
		assert_int_equal(header_bytes, 8 + 4 * 3);
		assert_int_equal(replies, i == 0);
		toy_send(&mesh, 0, 4, 64, 6);
		toy_run(&mesh, 4 * WT_S, false);
		assert_int_equal(header_bytes, 8 + 4 * (i == 0 ? 2 : 3));
		assert_int_equal(mesh.sink[4].count, 6);
		toy_mesh_finish(&mesh);
	}
}

/* 3 hears 1 tell 0 of the way to 2, or later what 0 sends over it, and needs to ask nobody; not so if it does not listen. */
static void test_dsr_keeps_ways_it_overhears(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		bool listens = i & 1, later = i & 2;

		toy_mesh_init(&mesh, 4, listens ? "dsr" : "dsr:overhear=off", 1);
		toy_link(&mesh, 0, 1, true);
		toy_link(&mesh, 1, 2, true);
		toy_send(&mesh, 0, 2, 64, 1);
		toy_run(&mesh, later ? WT_S : 20 * WT_MS, false); /* the request went out; 3 comes */
		toy_link(&mesh, later ? 0 : 1, 3, true);
		toy_send(&mesh, 0, 2, 64, 2);
		toy_run(&mesh, 2 * WT_S, false);
		assert_int_equal(mesh.sink[2].count, 2);
		toy_send(&mesh, 3, 2, 64, 3);
		toy_run(&mesh, 3 * WT_S, false);
		assert_int_equal(mesh.sink[2].count, 3);
		assert_int_equal(toy_counts(&mesh, 3)->discoveries, !listens);
		toy_mesh_finish(&mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dsdv_updates_have_one_form),
		cmocka_unit_test(test_dsdv_in_peace_costs_one_update_a_period),
		cmocka_unit_test(test_dsdv_tells_of_a_lost_link_by_odd_numbers),
		cmocka_unit_test(test_olsr_times_in_one_byte),
		cmocka_unit_test(test_olsr_hello_has_the_bytes_of_the_figures),
		cmocka_unit_test(test_olsr_relays_alone_tell_of_links),
		cmocka_unit_test(test_olsr_needs_no_relay_where_all_are_neighbours),
		cmocka_unit_test(test_olsr_chooses_few_relays),
		cmocka_unit_test(test_olsr_of_no_will_relays_nothing),
		cmocka_unit_test(test_dsr_options_have_the_bytes_of_the_figures),
		cmocka_unit_test(test_dsr_asks_neighbours_first),
		cmocka_unit_test(test_dsr_asks_again_after_times_that_grow),
		cmocka_unit_test(test_dsr_headers_are_as_long_as_the_way),
		cmocka_unit_test(test_dsr_has_a_second_way),
		cmocka_unit_test(test_dsr_salvages),
		cmocka_unit_test(test_dsr_shortens_ways_by_overhearing),
		cmocka_unit_test(test_dsr_keeps_ways_it_overhears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

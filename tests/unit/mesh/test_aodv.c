/* SPDX-License-Identifier: BSD-2-Clause */
/* AODV against the figures of RFC 3561: its bytes, its rings, who answers, how errors travel, how a way is mended. */
#include "tests/unit/mesh/toy_mesh.h"

#include "stack/wire/aodv.h"

/* Bytes written by hand from the figures of sections 5.1 to 5.3. */
static void test_messages_have_the_bytes_of_the_figures(void **state)
{
	static const uint8_t rreq[] = {1, 0x18, 0, 3, 0, 0, 1, 2, 10, 0, 0, 9, 0, 0, 0, 7, 10, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe};
	static const uint8_t rrep[] = {2, 0x40, 24, 2, 10, 0, 0, 9, 0, 0, 0, 8, 10, 0, 0, 1, 0, 0, 0x27, 0x10};
	static const uint8_t rerr[] = {3, 0x80, 0, 2, 10, 0, 0, 9, 0, 0, 0, 8, 10, 0, 0, 8, 0, 0, 0, 1};
	uint8_t data[WT_AODV_RERR_LEN];
	struct wt_aodv_rreq q;
	struct wt_aodv_rrep p;
	struct wt_aodv_rerr e;

	assert_int_equal(wt_aodv_type(rreq, sizeof(rreq)), WT_AODV_RREQ);
	wt_aodv_parse_rreq(rreq, &q);
	assert_int_equal(q.flags, WT_AODV_DESTINATION_ONLY | WT_AODV_UNKNOWN_SEQ);
	assert_int_equal(q.hops, 3);
	assert_int_equal(q.id, 0x102);
	assert_int_equal(q.dst, 0x0a000009);
	assert_int_equal(q.orig_seq, 0xfffffffe);
	wt_aodv_emit_rreq(data, &q);
	assert_memory_equal(data, rreq, sizeof(rreq));
	assert_int_equal(wt_aodv_type(rrep, sizeof(rrep)), WT_AODV_RREP);
	wt_aodv_parse_rrep(rrep, &p);
	assert_int_equal(p.prefix, 24);
	assert_int_equal(p.lifetime_ms, 10000);
	wt_aodv_emit_rrep(data, &p);
	assert_memory_equal(data, rrep, sizeof(rrep));
	assert_int_equal(wt_aodv_type(rerr, sizeof(rerr)), WT_AODV_RERR);
	wt_aodv_parse_rerr(rerr, &e);
	assert_int_equal(e.count, 2);
	assert_int_equal(e.lost[1].dst, 0x0a000008);
	assert_int_equal(wt_aodv_emit_rerr(data, &e), sizeof(rerr));
	assert_memory_equal(data, rerr, sizeof(rerr));
}

static void test_short_messages_and_extensions(void **state)
{
	uint8_t data[40] = {WT_AODV_RREQ};

	for (uint32_t len = 0; len < WT_AODV_RREQ_LEN; len++)
		assert_int_equal(wt_aodv_type(data, len), 0);
	data[WT_AODV_RREQ_LEN] = 1; /* a hello interval (9), */
	data[WT_AODV_RREQ_LEN + 1] = 4;
	assert_int_equal(wt_aodv_type(data, WT_AODV_RREQ_LEN + 6), WT_AODV_RREQ);
	assert_int_equal(wt_aodv_type(data, WT_AODV_RREQ_LEN + 5), 0); /* cut off */
	data[0] = WT_AODV_RERR;
	assert_int_equal(wt_aodv_type(data, 40), 0); /* no destination */
	data[0] = 9;
	assert_int_equal(wt_aodv_type(data, 40), 0);
}

static unsigned requests_ttl[64], requests;
static wt_time requests_at[64];
static struct toy_mesh mesh;

static void saw(const struct wt_frame *frame, void *arg)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER;

	if (ip[9] == WT_IP_UDP && ip[28] == WT_AODV_RREQ && !memcmp(wt_frame_look(frame) + 6 + 5, (const uint8_t[]){1}, 1) && requests < 64) {
		requests_at[requests] = wt_graph_now(mesh.graph);
		requests_ttl[requests++] = ip[8];
	}
}

/* Nobody answers. Section 6.4 with the usual parameters: rings of 5 and 7 hops, then the whole net, which is asked once more
 * and again, as often as `retries` says, with twice the time each. A ring of h hops lasts 2 x 30 ms x (h + 2), the net 2 x 30 ms x 30. */
static void test_rings_grow_as_section_6_4_says(void **state)
{
	static const unsigned ttl[] = {5, 7, 30, 30, 30, 30};
	static const wt_time at[] = {0, 420, 960, 960 + 1800, 960 + 1800 + 3600, 960 + 1800 + 3600 + 7200};

	toy_mesh_init(&mesh, 3, "aodv", 1);
	toy_link(&mesh, 0, 1, true);
	mesh.air.saw = saw;
	requests = 0;
	toy_send(&mesh, 0, 2, 64, 1);
	toy_run(&mesh, 100 * WT_S, true);
	assert_int_equal(requests, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(requests_ttl[i], ttl[i]);
		assert_int_equal(requests_at[i], at[i] * WT_MS);
	}
	/* the host is told that nobody is there (6.3) */
	assert_int_equal(mesh.sink[0].icmp, 1);
	assert_int_equal(mesh.sink[0].icmp_type, 3);
	assert_int_equal(mesh.sink[0].icmp_code, 1);
	assert_int_equal(mesh.node[0]->audit.dropped[WT_DROP_NO_ROUTE], 1);
	toy_mesh_finish(&mesh);
}

/* A way of seven hops is lost: by 6.4 it is looked for in a ring of 9, in ns-2 at once in the whole net, since 7 is the threshold. */
static void test_the_first_ring_behind_a_lost_way(void **state)
{
	static const char *const routing[] = {"aodv:repair=off,again-threshold=on", "aodv:repair=off"};
	static const unsigned ttl[] = {30, 9};

	for (unsigned i = 0; i < 2; i++) {
		toy_mesh_init(&mesh, 8, routing[i], 1);
		toy_string(&mesh);
		toy_send(&mesh, 0, 7, 64, 1);
		toy_run(&mesh, 5 * WT_S, true);
		assert_int_equal(mesh.sink[7].count, 1);
		toy_link(&mesh, 6, 7, false);
		toy_send(&mesh, 0, 7, 64, 2);
		toy_run(&mesh, 6 * WT_S, true);
		mesh.air.saw = saw;
		requests = 0;
		toy_send(&mesh, 0, 7, 64, 3);
		toy_run(&mesh, 6 * WT_S + 100 * WT_MS, true);
		assert_true(requests >= 1);
		assert_int_equal(requests_ttl[0], ttl[i]);
		toy_mesh_finish(&mesh);
	}
}

/* One discovery over a string of n: each station but the last sends the request once, each but the first the answer. */
static void test_a_discovery_over_a_string_costs_what_it_must(void **state)
{
	for (unsigned n = 2; n <= 6; n++) {
		toy_mesh_init(&mesh, n, "aodv", 1);
		toy_string(&mesh);
		toy_send(&mesh, 0, n - 1, 64, 1);
		toy_run(&mesh, WT_S, true);
		assert_int_equal(mesh.sink[n - 1].count, 1);
		assert_int_equal(toy_messages(&mesh), (n - 1) + (n - 1));
		assert_int_equal(mesh.air.broadcasts, n - 1);
		assert_int_equal(mesh.air.unicasts, n - 1 + n - 1); /* answers and the packet */
		toy_mesh_finish(&mesh);
	}
}

static void test_one_on_the_way_answers(void **state)
{
	toy_mesh_init(&mesh, 6, "aodv", 1);
	toy_string(&mesh);
	toy_send(&mesh, 2, 5, 64, 1);
	toy_run(&mesh, WT_S, true);
	assert_int_equal(mesh.sink[5].count, 1);
	mesh.air.broadcasts = 0;
	toy_send(&mesh, 0, 5, 64, 2);
	toy_run(&mesh, 2 * WT_S, true);
	assert_int_equal(mesh.sink[5].count, 2);
	assert_int_equal(mesh.air.broadcasts, 2); /* stations 0 and 1 asked; 2 knew */
	toy_mesh_finish(&mesh);
}

/* A link breaks far from the end: an error goes back to the source, hop by hop, and no way over it is left (6.11). */
static void test_errors_reach_the_source(void **state)
{
	toy_mesh_init(&mesh, 6, "aodv:repair=off", 1);
	toy_string(&mesh);
	toy_send(&mesh, 0, 5, 64, 1);
	toy_run(&mesh, WT_S, true);
	toy_link(&mesh, 3, 4, false);
	toy_send(&mesh, 0, 5, 64, 2);
	toy_run(&mesh, 2 * WT_S, true);
	for (unsigned i = 0; i < 4; i++)
		assert_null(toy_route(&mesh, i, 5));
	assert_int_equal(mesh.node[3]->audit.dropped[WT_DROP_NO_ACK], 1);
	toy_mesh_finish(&mesh);
}

/* 0-1-2-3-4, and 5 beside the link 3-4: station 3 finds the way over 5 by itself, and the packet is not lost (6.12). */
static void test_a_way_is_mended_where_it_broke(void **state)
{
	for (unsigned repair = 0; repair < 2; repair++) {
		toy_mesh_init(&mesh, 6, repair ? "aodv" : "aodv:repair=off", 1);
		for (unsigned i = 0; i < 4; i++)
			toy_link(&mesh, i, i + 1, true);
		toy_link(&mesh, 3, 5, true);
		toy_link(&mesh, 5, 4, true);
		toy_send(&mesh, 0, 4, 64, 1);
		toy_run(&mesh, WT_S, true);
		toy_link(&mesh, 3, 4, false);
		toy_send(&mesh, 0, 4, 64, 2);
		toy_run(&mesh, 2 * WT_S, true);
		assert_int_equal(mesh.sink[4].count, repair ? 2 : 1);
		assert_int_equal(toy_counts(&mesh, 3)->discoveries, repair);
		toy_mesh_finish(&mesh);
	}
}

static void test_the_buffer_holds_64_and_the_oldest_goes(void **state)
{
	toy_mesh_init(&mesh, 2, "aodv", 1);
	for (unsigned i = 0; i < 70; i++)
		toy_send(&mesh, 0, 1, 64, i);
	assert_int_equal(mesh.node[0]->audit.dropped[WT_DROP_WAITED], 6);
	assert_int_equal(mesh.node[0]->audit.queued, 64);
	toy_link(&mesh, 0, 1, true);
	toy_run(&mesh, WT_S, true);
	assert_int_equal(mesh.sink[1].count, 64);
	assert_int_equal(mesh.sink[1].last_number, 69);
	toy_mesh_finish(&mesh);
}

static void test_a_way_not_used_ends(void **state)
{
	toy_mesh_init(&mesh, 3, "aodv:active=3s,my-route=6s", 1);
	toy_string(&mesh);
	toy_send(&mesh, 0, 2, 64, 1);
	toy_run(&mesh, 5 * WT_S, true);
	assert_non_null(toy_route(&mesh, 0, 2));
	toy_run(&mesh, 7 * WT_S, true);
	assert_null(toy_route(&mesh, 0, 2));
	toy_mesh_finish(&mesh);
}

/*
 * 0-1-5 has two hops, 0-2-3-5 three. The link 1-5 loses three frames, then it is whole again: by hops the way leads over it, by weights (1 + 4
 * against 3) it does not, until that is long ago.
 */
static void test_a_link_that_lost_frames_weighs_more(void **state)
{
	static const char *const routing[] = {"aodv:repair=off", "aodv:repair=off,weight=on"};

	for (unsigned weight = 0; weight < 2; weight++) {
		toy_mesh_init(&mesh, 6, routing[weight], 1);
		toy_link(&mesh, 0, 1, true);
		toy_link(&mesh, 0, 2, true);
		toy_link(&mesh, 2, 3, true);
		toy_link(&mesh, 3, 5, true);
		toy_link(&mesh, 1, 5, true);
		toy_send(&mesh, 0, 5, 64, 1);
		toy_run(&mesh, WT_S, true);
		assert_int_equal(mesh.sink[5].last_ttl, 63);
		toy_link(&mesh, 1, 5, false);
		for (unsigned i = 0; i < 3; i++)
			toy_send(&mesh, 0, 5, 64, 2 + i);
		toy_run(&mesh, 2 * WT_S, true);
		toy_link(&mesh, 1, 5, true);
		assert_int_equal(toy_counts(&mesh, 1)->link_failures, 3);
		toy_send(&mesh, 0, 5, 64, 8); /* takes the way that is found first */
		toy_run(&mesh, 3 * WT_S, true);
		toy_send(&mesh, 0, 5, 64, 9);
		toy_run(&mesh, 4 * WT_S, true);
		assert_int_equal(mesh.sink[5].last_number, 9);
		assert_int_equal(mesh.sink[5].last_ttl, weight ? 62 : 63);
		assert_int_equal(toy_route(&mesh, 0, 5)->hops, weight ? 3 : 2);
		toy_run(&mesh, 40 * WT_S, true); /* the way is forgotten, and the losses */
		toy_send(&mesh, 0, 5, 64, 10);
		toy_run(&mesh, 41 * WT_S, true);
		assert_int_equal(mesh.sink[5].last_ttl, 63);
		toy_mesh_finish(&mesh);
	}
}

/* At most ten requests in a second (RREQ_RATELIMIT). */
static void test_requests_are_limited(void **state)
{
	toy_mesh_init(&mesh, 40, "aodv", 1);
	toy_link(&mesh, 0, 1, true);
	mesh.air.saw = saw;
	requests = 0;
	for (unsigned i = 2; i < 32; i++)
		toy_send(&mesh, 0, i, 64, i);
	toy_run(&mesh, WT_S - 1, false);
	assert_int_equal(requests, 10);
	toy_mesh_finish(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_have_the_bytes_of_the_figures),
		cmocka_unit_test(test_short_messages_and_extensions),
		cmocka_unit_test(test_rings_grow_as_section_6_4_says),
		cmocka_unit_test(test_the_first_ring_behind_a_lost_way),
		cmocka_unit_test(test_a_discovery_over_a_string_costs_what_it_must),
		cmocka_unit_test(test_one_on_the_way_answers),
		cmocka_unit_test(test_errors_reach_the_source),
		cmocka_unit_test(test_a_way_is_mended_where_it_broke),
		cmocka_unit_test(test_the_buffer_holds_64_and_the_oldest_goes),
		cmocka_unit_test(test_a_way_not_used_ends),
		cmocka_unit_test(test_a_link_that_lost_frames_weighs_more),
		cmocka_unit_test(test_requests_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

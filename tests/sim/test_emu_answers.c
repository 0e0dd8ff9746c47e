/* SPDX-License-Identifier: BSD-2-Clause */
/* Traceroutes in virtual time, of both families, through the stages of a link in a graph, which is changed while it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "emu/world/link.h"
#include "stack/wire/packet.h"
#include "stack/base/bytes.h"
#include "stack/drive/graph.h"
#include "tests/end_node.h"

enum { UDP = 17, IP = 14 };

static const char host4[] = "10.1.0.2", peer4[] = "10.2.0.2", host6[] = "2001:db8:1::2", peer6[] = "2001:db8:2::2";

/* An end of the path: keeps what it was told last, and counts what arrived. */
struct end {
	struct wt_node node;
	unsigned told, arrived;
	uint8_t ip[80];
	wt_time at;
};

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct end *end = (struct end *)node;
	bool six = wt_packet_version(frame) == 6;

	if (wt_frame_own_bytes(frame)[IP + (six ? 6 : 9)] == (six ? 58 : 1)) {
		end->told++;
		end->at = now;
		memcpy(end->ip, wt_frame_own_bytes(frame) + IP, frame->len - IP < sizeof(end->ip) ? frame->len - IP : sizeof(end->ip));
	} else {
		end->arrived++;
	}
	end_node_take(node, frame);
}

static const struct wt_node_ops end_ops = END_NODE_OPS(end_input);

struct run {
	struct wt_pool *pool;
	struct wt_graph *graph;
	struct wt_link link;
	struct end end[2];
	wt_time now;
};

static struct wt_addr address(const char *text)
{
	struct wt_addr addr;

	assert_true(wt_addr_parse(text, &addr));
	return addr;
}

static void start(struct run *run, const char *fwd, const char *rev)
{
	const char *words[2] = {fwd, rev};
	char err[300];

	memset(run, 0, sizeof(*run));
	run->pool = wt_pool_create(500, 2048);
	run->graph = wt_graph_create();
	wt_graph_set_checked(run->graph, true);
	if (wt_link_init(&run->link, "main", true, words, 1, NULL, err, sizeof(err)))
		fail_msg("%s", err);
	for (unsigned i = 0; i < 2; i++) {
		run->end[i].node = (struct wt_node){.ops = &end_ops, .ports = 1};
		snprintf(run->end[i].node.name, sizeof(run->end[i].node.name), "end %u", i);
		assert_int_equal(wt_graph_add(run->graph, &run->end[i].node), 0);
	}
	assert_int_equal(wt_link_add(&run->link, run->graph), 0);
	wt_direction_join(&run->link.way[0], run->graph, &run->end[0].node, 0, &run->end[1].node, 0);
	wt_direction_join(&run->link.way[1], run->graph, &run->end[1].node, 0, &run->end[0].node, 0);
}

static void finish(struct run *run)
{
	wt_graph_destroy(run->graph);
	wt_link_finish(&run->link);
	assert_int_equal(wt_pool_free_count(run->pool), wt_pool_count(run->pool));
	wt_pool_destroy(run->pool);
}

static struct wt_frame *probe(struct run *run, bool six, uint8_t ttl, uint32_t len)
{
	struct wt_addr src = address(six ? host6 : host4), dst = address(six ? peer6 : peer4);
	struct wt_frame *frame = wt_frame_new(run->pool);
	uint8_t *ip = wt_frame_own_bytes(frame) + IP;

	memset(wt_frame_own_bytes(frame), 0, len + IP);
	memset(wt_frame_own_bytes(frame), 2, 12);
	wt_put16(wt_frame_own_bytes(frame) + 12, six ? 0x86dd : 0x0800);
	frame->len = IP + len;
	ip[0] = six ? 0x60 : 0x45;
	ip[six ? 7 : 8] = ttl;
	ip[six ? 6 : 9] = UDP;
	wt_put16(ip + (six ? 4 : 2), (uint16_t)(six ? len - 40 : len));
	memcpy(ip + (six ? 8 : 12), src.bytes, six ? 16 : 4);
	memcpy(ip + (six ? 24 : 16), dst.bytes, six ? 16 : 4);
	if (!six) {
		wt_put16(ip + 6, 0x4000);
		wt_packet_ipv4_checksum(ip);
	}
	return frame;
}

/* A probe from end 0, a second after the last one: by whom it is told, of what, and after how long. NULL: it arrives. */
static void expect(struct run *run, bool six, uint8_t ttl, uint32_t len, const char *from, unsigned type, unsigned code, wt_time after)
{
	struct end *end = &run->end[0];
	unsigned told = end->told, arrived = run->end[1].arrived;
	struct wt_addr source = address(from ? from : host4);

	run->now += WT_S;
	wt_graph_input(run->graph, run->link.way[0].node[0], 0, run->now, probe(run, six, ttl, len));
	wt_graph_run(run->graph, run->now + WT_S - 1);
	assert_int_equal(end->told, told + !!from);
	assert_int_equal(run->end[1].arrived, arrived + !from);
	if (!from)
		return;
	assert_int_equal(end->at, run->now + after);
	assert_int_equal(end->ip[0] >> 4, six ? 6 : 4);
	assert_memory_equal(end->ip + (six ? 8 : 12), source.bytes, six ? 16 : 4);
	assert_int_equal(end->ip[six ? 40 : 20], type);
	assert_int_equal(end->ip[six ? 41 : 21], code);
}

static void a_string_of_routers_a_narrow_link_and_an_outage_tell_both_families(void **state)
{
	struct run run;
	char from[50];

	start(&run, "hops 3 from 10.9.0.1 2001:db8:9::1 | delay 5ms | mtu 1400B from 10.9.0.3 | hops 2 from 10.9.0.4 2001:db8:9::4 | "
		    "outage at 100s for 1h unreachable from 2001:db8:9::5 | delay 5ms", "delay 20ms loss 100%");
	for (unsigned six = 0; six < 2; six++) {
		for (uint8_t ttl = 1; ttl <= 5; ttl++) {
			snprintf(from, sizeof(from), six ? "2001:db8:9::%u" : "10.9.0.%u", ttl);
			expect(&run, six, ttl, 100, from, six ? 3 : 11, 0, ttl > 3 ? 5 * WT_MS : 0);
		}
		expect(&run, six, 6, 100, NULL, 0, 0, 0);
		expect(&run, six, 6, 1400, NULL, 0, 0, 0);
		expect(&run, six, 6, 1401, six ? peer6 : "10.9.0.3", six ? 2 : 3, six ? 0 : 4, 5 * WT_MS);
	}
	run.now = 200 * WT_S;
	expect(&run, false, 6, 100, peer4, 3, 1, 5 * WT_MS);
	expect(&run, true, 6, 100, "2001:db8:9::5", 1, 3, 5 * WT_MS);
	finish(&run);
}

static void a_change_gives_routers_other_addresses_and_no_new_bucket(void **state)
{
	static const char *const words[] = {"hops 2 from 10.8.0.1 2001:db8:8::1", NULL};
	struct run run;
	char err[300];

	start(&run, "hops 2 from 10.9.0.1 2001:db8:9::1", "");
	expect(&run, true, 2, 100, "2001:db8:9::2", 3, 0, 0);
	assert_int_equal(wt_link_change(&run.link, words, run.now + WT_S - 1, false, err, sizeof(err)), 0);
	expect(&run, true, 2, 100, "2001:db8:8::2", 3, 0, 0);
	expect(&run, false, 1, 100, "10.8.0.1", 11, 0, 0);
	run.now += WT_S;
	for (unsigned i = 0; i < 150; i++) {
		if (i == 60)
			assert_int_equal(wt_link_change(&run.link, words, run.now, false, err, sizeof(err)), 0);
		wt_graph_input(run.graph, run.link.way[0].node[0], 0, run.now, probe(&run, i & 1, 1, 100));
	}
	wt_graph_run(run.graph, run.now);
	assert_int_equal(run.link.way[0].node[0]->audit.withheld, 50);
	assert_int_equal(run.end[0].told, 3 + 100);
	finish(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_of_routers_a_narrow_link_and_an_outage_tell_both_families),
		cmocka_unit_test(a_change_gives_routers_other_addresses_and_no_new_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

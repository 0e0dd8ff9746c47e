/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stations on a toy channel: links between pairs that are up or down. A frame takes 1 ms; to all, it reaches every neighbour; to one, it
 * arrives, or comes back after 8 ms as one that was not acknowledged. Nothing collides: what routing does is seen by itself. A module
 * that listens hears what its neighbours send to others.
 */
#ifndef WT_TESTS_UNIT_MESH_TOY_MESH_H
#define WT_TESTS_UNIT_MESH_TOY_MESH_H

#include <stdio.h>
#include <stdlib.h>

#include "stack/base/bytes.h"
#include "stack/base/node.h"
#include "stack/drive/graph.h"
#include "stack/mesh/mesh.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/packet.h"
#include "tests/unit/unit.h"

#define TOY_MOST 64
#define TOY_PROTOCOL 253 /* for experiments (RFC 3692) */

struct toy_air {
	struct wt_node node;
	struct wt_pool *pool;
	unsigned stations;
	bool link[TOY_MOST][TOY_MOST];
	bool silent;              /* frames that are lost do not come back */
	bool heard;               /* by others than those they are for */
	struct wt_frame *waiting; /* in order of time */
	uint64_t broadcasts, unicasts, lost;
	void (*saw)(const struct wt_frame *frame, void *arg); /* each that is sent */
	void *arg;
};

struct toy_sink {
	struct wt_node node;
	unsigned count, icmp;
	uint8_t icmp_type, icmp_code, last_ttl;
	uint32_t last_number;
};

struct toy_mesh {
	struct toy_air air;
	struct toy_sink sink[TOY_MOST];
	struct wt_node *node[TOY_MOST];
	struct wt_graph *graph;
	struct wt_pool *pool;
	unsigned stations;
};

static inline struct wt_addr toy_addr(unsigned i)
{
	return wt_addr_ipv4(10, 0, (uint8_t)((i + 1) >> 8), (uint8_t)(i + 1));
}

static inline void toy_air_wait(struct toy_air *air, struct wt_frame *frame, wt_time time)
{
	struct wt_frame **at = &air->waiting;

	frame->time = time;
	while (*at && (*at)->time <= time)
		at = &(*at)->next;
	frame->next = *at;
	*at = frame;
	air->node.audit.queued++;
}

/* All neighbours of a station but one hear it. */
static inline void toy_air_spread(struct toy_air *air, unsigned port, unsigned but, wt_time now, const struct wt_frame *frame)
{
	for (unsigned i = 0; i < air->stations; i++) {
		struct wt_frame *copy = i != but && air->link[port][i] ? wt_frame_copy(frame) : NULL;

		if (!copy)
			continue;
		air->node.audit.made++;
		copy->mark = (uint8_t)i;
		toy_air_wait(air, copy, now + WT_MS);
	}
}

static inline void toy_air_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct toy_air *air = (struct toy_air *)node;
	unsigned to = wt_get16(wt_frame_own_bytes(frame) + 4) - 1u;

	node->audit.in++;
	if (air->saw)
		air->saw(frame, air->arg);
	if (wt_frame_own_bytes(frame)[0] & 1) {
		air->broadcasts++;
		toy_air_spread(air, port, port, now, frame);
		node->audit.taken++;
		wt_frame_free(frame);
		return;
	}
	air->unicasts++;
	if (air->heard)
		toy_air_spread(air, port, to, now, frame);
	if (to < air->stations && air->link[port][to]) {
		frame->mark = (uint8_t)to;
		toy_air_wait(air, frame, now + WT_MS);
		return;
	}
	air->lost++;
	frame->fate = WT_FATE_NO_ACK;
	frame->mark = (uint8_t)port;
	if (air->silent)
		wt_node_drop(node, now, frame, WT_DROP_LOSS);
	else
		toy_air_wait(air, frame, now + 8 * WT_MS);
}

static inline struct wt_frame *toy_air_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct toy_air *air = (struct toy_air *)node;
	struct wt_frame *frame = air->waiting;

	if (!frame || frame->time > now)
		return NULL;
	air->waiting = frame->next;
	*port = frame->mark;
	node->audit.queued--;
	node->audit.out++;
	return frame;
}

static inline wt_time toy_air_deadline(const struct wt_node *node)
{
	const struct toy_air *air = (const struct toy_air *)node;

	return air->waiting ? air->waiting->time : WT_NEVER;
}

static inline void toy_sink_take(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct toy_sink *sink = (struct toy_sink *)node;
	const uint8_t *ip = wt_frame_own_bytes(frame) + WT_ETH_HEADER;

	node->audit.in++;
	node->audit.taken++;
	assert_int_equal(wt_get16(wt_frame_own_bytes(frame) + 12), WT_ETH_IPV4);
	assert_true(wt_packet_ipv4_checksum_holds(ip));
	if (ip[9] == 1) {
		sink->icmp++;
		sink->icmp_type = ip[20];
		sink->icmp_code = ip[21];
	} else {
		assert_int_equal(ip[9], TOY_PROTOCOL);
		sink->count++;
		sink->last_ttl = ip[8];
		sink->last_number = wt_get32(ip + 20);
	}
	wt_frame_free(frame);
}

static inline struct wt_frame *toy_sink_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return NULL;
}

static inline wt_time toy_sink_deadline(const struct wt_node *node)
{
	return WT_NEVER;
}

static inline void toy_link(struct toy_mesh *mesh, unsigned a, unsigned b, bool up)
{
	mesh->air.link[a][b] = mesh->air.link[b][a] = up;
}

/* Stations without links, of this routing. */
static inline void toy_mesh_init(struct toy_mesh *mesh, unsigned stations, const char *routing, uint64_t seed)
{
	static const struct wt_node_ops air_ops = {toy_air_input, toy_air_output, toy_air_deadline, NULL};
	static const struct wt_node_ops sink_ops = {toy_sink_take, toy_sink_output, toy_sink_deadline, NULL};
	struct wt_routing_choice choice;
	char err[300] = "", name[24];

	memset(mesh, 0, sizeof(*mesh));
	mesh->stations = mesh->air.stations = stations;
	assert_int_equal(wt_routing_choose(routing, &choice, err, sizeof(err)), 0);
	mesh->air.heard = choice.ops->overhears && choice.ops->overhears(choice.params);
	mesh->pool = wt_pool_create(4096, 2048);
	mesh->graph = wt_graph_create();
	mesh->air.node = (struct wt_node){.ops = &air_ops, .name = "air", .ports = stations};
	wt_graph_set_checked(mesh->graph, true);
	assert_int_equal(wt_graph_add(mesh->graph, &mesh->air.node), 0);
	for (unsigned i = 0; i < stations; i++) {
		struct wt_mesh_config config = {.name = name, .address = toy_addr(i), .ports = 2, .kind = {WT_MESH_HOST, WT_MESH_LINK}, .seed = seed,
						.pool = mesh->pool, .routing = &choice};

		snprintf(name, sizeof(name), "mesh%u", i);
		mesh->node[i] = wt_mesh_create(&config);
		assert_non_null(mesh->node[i]);
		mesh->sink[i].node = (struct wt_node){.ops = &sink_ops, .ports = 1};
		snprintf(mesh->sink[i].node.name, sizeof(mesh->sink[i].node.name), "host%u", i);
		wt_graph_add(mesh->graph, mesh->node[i]);
		wt_graph_add(mesh->graph, &mesh->sink[i].node);
		wt_graph_join_both(mesh->graph, mesh->node[i], 0, &mesh->sink[i].node, 0);
		wt_graph_join_both(mesh->graph, mesh->node[i], 1, &mesh->air.node, i);
	}
}

static inline void toy_string(struct toy_mesh *mesh)
{
	for (unsigned i = 0; i + 1 < mesh->stations; i++)
		toy_link(mesh, i, i + 1, true);
}

static inline void toy_grid(struct toy_mesh *mesh, unsigned width)
{
	for (unsigned i = 0; i < mesh->stations; i++) {
		if ((i + 1) % width && i + 1 < mesh->stations)
			toy_link(mesh, i, i + 1, true);
		if (i + width < mesh->stations)
			toy_link(mesh, i, i + width, true);
	}
}

/* A packet of data from the host of one station to another. */
static inline void toy_send(struct toy_mesh *mesh, unsigned from, unsigned to, uint8_t ttl, uint32_t number)
{
	struct wt_frame *frame = wt_frame_new(mesh->pool);
	struct wt_addr src = toy_addr(from);
	struct wt_ipv4 ip = {.src = src, .dst = toy_addr(to), .total_len = WT_IPV4_HEADER + 100, .ttl = ttl, .protocol = TOY_PROTOCOL};
	struct wt_eth eth = {.dst = wt_mesh_mac(&src, 0), .src = wt_addr_mac(&src), .type = WT_ETH_IPV4};

	assert_non_null(frame);
	frame->len = WT_ETH_HEADER + ip.total_len;
	memset(wt_frame_own_bytes(frame), 0, frame->len);
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ip);
	wt_put32(wt_frame_own_bytes(frame) + WT_ETH_HEADER + WT_IPV4_HEADER, number);
	wt_graph_input(mesh->graph, mesh->node[from], 0, wt_graph_now(mesh->graph), frame);
}

static inline const struct wt_mesh_route *toy_route(const struct toy_mesh *mesh, unsigned at, unsigned to)
{
	struct wt_addr addr = toy_addr(to);

	return wt_mesh_valid_route(wt_mesh_of(mesh->node[at]), wt_graph_now(mesh->graph), wt_mesh_number(&addr));
}

/* Follows the ways of all stations to all: none comes back to where it was. */
static inline void toy_no_loops(const struct toy_mesh *mesh)
{
	for (unsigned to = 0; to < mesh->stations; to++)
		for (unsigned from = 0; from < mesh->stations; from++) {
			unsigned at = from, steps = 0;
			const struct wt_mesh_route *route;

			while (at != to && (route = toy_route(mesh, at, to))) {
				at = (route->next & 0xffff) - 1;
				assert_true(at < mesh->stations);
				assert_true(++steps <= mesh->stations); /* else: a loop */
			}
		}
}

static inline void toy_run(struct toy_mesh *mesh, wt_time until, bool loops)
{
	while (loops && wt_graph_deadline(mesh->graph) <= until) {
		wt_graph_step(mesh->graph);
		toy_no_loops(mesh);
	}
	wt_graph_run(mesh->graph, until);
}

static inline struct wt_mesh_counts *toy_counts(const struct toy_mesh *mesh, unsigned i)
{
	return wt_mesh_counts(wt_mesh_of(mesh->node[i]));
}

static inline uint64_t toy_messages(const struct toy_mesh *mesh)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < mesh->stations; i++)
		sum += toy_counts(mesh, i)->messages_sent;
	return sum;
}

static inline void toy_mesh_finish(struct toy_mesh *mesh)
{
	struct wt_frame *frame;

	wt_graph_destroy(mesh->graph);
	while ((frame = mesh->air.waiting)) {
		mesh->air.waiting = frame->next;
		wt_frame_free(frame);
	}
	assert_int_equal(wt_pool_free_count(mesh->pool), wt_pool_count(mesh->pool));
	wt_pool_destroy(mesh->pool);
}

#endif

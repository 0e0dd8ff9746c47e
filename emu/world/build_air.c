/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The air and the mesh nodes of stations, joined to hosts and wires:
 *
 *   host ──► [tap] ──► ... ──0 mesh node 1── port of the air
 *                                       2─── its first link, to a router
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/router/router.h"
#include "emu/world/build.h"
#include "stack/mesh/mesh.h"

enum { FIRST_WIRE = 2 };

/* Links of a station before `link`; of all: WT_MESH_PORTS. */
static unsigned wires(const struct wt_world *world, unsigned host, unsigned link)
{
	unsigned count = 0;

	for (unsigned i = 0; i < world->links && i < link; i++)
		for (unsigned k = 0; k < 2; k++)
			count += !world->link[i].end[k].router && world->link[i].end[k].index == host;
	return count;
}

unsigned wt_network_wire(const struct wt_world *world, unsigned host, unsigned link)
{
	return FIRST_WIRE + wires(world, host, link);
}

/* The journal has the whole way at the start: a corner is where its speed changes. */
static void tell_way(struct wt_mesh *mesh, const struct wt_world_host *host)
{
	for (unsigned i = 0; i < host->track.pieces; i++) {
		const struct wt_piece *piece = &host->track.piece[i];

		wt_mesh_tell(mesh, 0, WT_TRACE_CORNER,
			     (uint64_t[5]){wt_mesh_address(mesh), (uint64_t)wt_time_max(piece->from, 0), (uint64_t)llround(1e3 * fmax(piece->at.x, 0)),
					   (uint64_t)llround(1e3 * fmax(piece->at.y, 0))});
	}
}

static int make_mesh(struct wt_network *net, unsigned i)
{
	const struct wt_world *world = net->world;
	const struct wt_world_host *host = &world->host[i];
	struct wt_routing_choice choice;
	struct wt_mesh_config config = {
		.address = host->address, .towards_host = wt_world_air_gateway(), .ports = wt_network_wire(world, i, world->links), .kind = {WT_MESH_HOST, WT_MESH_LINK}, .seed = world->seed,
		.pool = net->pool, .routing = &choice, .rate = world->icmp_limit,
		.trace = net->build.trace ? net->build.trace(net->build.arg, i) : NULL,
	};
	char name[WT_WORLD_NAME + 8];
	struct wt_addr engine;

	if (wt_routing_choose(wt_world_routing(world, host), &choice, NULL, 0)) /* the checker has read them */
		return -EINVAL;
	for (unsigned port = FIRST_WIRE; port < config.ports; port++)
		config.kind[port] = WT_MESH_WIRE;
	snprintf(name, sizeof(name), "mesh.%s", host->name);
	config.name = name;
	net->mesh[i] = wt_mesh_create(&config);
	if (net->mesh[i] && config.trace)
		tell_way(wt_mesh_of(net->mesh[i]), host);
	if (!net->mesh[i] || host->placement == WT_INSIDE || world->air.stations >= WT_AIR_LAB_MOST)
		return net->mesh[i] ? 0 : -ENOMEM;
	engine = wt_world_air_engine(&host->address);
	return wt_mesh_add_network(net->mesh[i], 0, &engine, 32);
}

/* What lies behind a router: the networks of all hosts it has ways to. */
static int tell_wire(struct wt_network *net, unsigned i, unsigned link, unsigned router)
{
	const struct wt_world *world = net->world;
	unsigned port = wt_network_wire(world, i, link), other;
	struct wt_mac mac = wt_mesh_mac(&world->host[i].address, port), peer = wt_router_mac(router, wt_world_router_port(world, router, link));
	int error = 0;

	wt_mesh_set_wire(net->mesh[i], port, &mac, &peer);
	for (unsigned k = 0; k < world->hosts && !error; k++) {
		const struct wt_world_host *host = &world->host[k];
		struct wt_world_end next = wt_world_next(world, k, &other);

		if (!host->station && next.router && host->gateway[WT_FAMILY_IPV4].family && wt_world_distance(world, router, next.index) != UINT32_MAX)
			error = wt_mesh_add_network(net->mesh[i], port, &host->gateway[WT_FAMILY_IPV4], host->prefix[WT_FAMILY_IPV4]);
	}
	return error;
}

static int tell_wires(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	int error = 0;

	for (unsigned i = 0; i < world->links && !error; i++)
		for (unsigned k = 0; k < 2 && !error; k++) {
			const struct wt_world_end *here = &world->link[i].end[k], *far = &world->link[i].end[!k];

			if (!here->router && world->host[here->index].station && far->router)
				error = tell_wire(net, here->index, i, far->index);
		}
	return error;
}

/* ---- routes as told --------------------------------------------------------------------------------------- */

/* By the fewest hops between the places at the start; of equals, by the station written first. */
static void write_routes_to(struct wt_network *net, const unsigned *host, unsigned count, unsigned to, unsigned *hops, unsigned *queue)
{
	const struct wt_world *world = net->world;
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < count; i++)
		hops[i] = UINT32_MAX;
	hops[to] = 0;
	queue[tail++] = to;
	while (head < tail) {
		unsigned next = queue[head++];
		struct wt_point here = wt_track_at(&world->host[host[next]].track, 0, NULL);

		for (unsigned i = 0; i < count; i++) {
			struct wt_point there = wt_track_at(&world->host[host[i]].track, 0, NULL);
			struct wt_mesh_route route = {.dst = wt_mesh_number(&world->host[host[to]].address),
						      .next = wt_mesh_number(&world->host[host[next]].address), .hops = hops[next] + 1,
						      .interface = 1, .valid = true, .expires = WT_NEVER};

			if (hops[i] != UINT32_MAX ||
			    wt_radio_power(&world->air.config.radio, wt_square_distance(here, there)) < world->air.config.radio.receive)
				continue;
			hops[i] = hops[next] + 1;
			queue[tail++] = i;
			wt_mesh_set_route(wt_mesh_of(net->mesh[host[i]]), 0, &route);
		}
	}
}

static bool is_told(const struct wt_world *world, const struct wt_world_host *host)
{
	struct wt_routing_choice choice;

	return !wt_routing_choose(wt_world_routing(world, host), &choice, NULL, 0) && !choice.ops->deadline && !choice.ops->on_no_route;
}

/* A module that asks nobody has its routes from here. */
static int tell_routes(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	unsigned stations = world->air.stations, count = 0, *host = calloc(3 * (size_t)stations, sizeof(*host));

	if (!host)
		return -ENOMEM;
	for (unsigned i = 0; i < world->hosts; i++)
		if (world->host[i].station && is_told(world, &world->host[i]))
			host[count++] = i;
	for (unsigned to = 0; to < count; to++)
		write_routes_to(net, host, count, to, host + stations, host + 2 * stations);
	free(host);
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static bool overhears(const struct wt_world *world, const struct wt_world_host *host)
{
	struct wt_routing_choice choice;

	return !wt_routing_choose(wt_world_routing(world, host), &choice, NULL, 0) && choice.ops->overhears && choice.ops->overhears(choice.params);
}

static int make_air(struct wt_network *net)
{
	const struct wt_world *world = net->world;

	net->air = wt_air_create(&world->air.config, world->air.stations);
	for (unsigned i = 0; i < world->hosts && net->air; i++) {
		const struct wt_world_host *host = &world->host[i];

		if (!host->station)
			continue;
		wt_air_place(net->air, host->number, host->mac.bytes, &host->track);
		if (overhears(world, host))
			wt_air_listen(net->air, host->number);
	}
	return net->air ? 0 : -ENOMEM;
}

int wt_network_make_air(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	int error = 0;

	if (!world->air.there)
		return 0;
	for (unsigned i = 0; i < world->hosts && !error; i++) {
		if (!world->host[i].station)
			continue;
		error = make_mesh(net, i);
		if (!error)
			net->node[net->nodes++] = net->mesh[i];
	}
	if (!error)
		error = make_air(net);
	if (!error)
		net->node[net->nodes++] = wt_air_node(net->air);
	if (!error)
		error = tell_wires(net);
	return error ? error : tell_routes(net);
}

void wt_network_join_air(struct wt_network *net)
{
	for (unsigned i = 0; i < net->world->hosts && net->air; i++)
		if (net->mesh[i])
			wt_graph_join_both(net->graph, net->mesh[i], 1, wt_air_node(net->air), net->world->host[i].number);
}

static const char *name_of(void *arg, unsigned station)
{
	const struct wt_world *world = ((struct wt_network *)arg)->world;

	for (unsigned i = 0; i < world->hosts; i++)
		if (world->host[i].station && world->host[i].number == station)
			return world->host[i].name;
	return "";
}

void wt_network_record_air(struct wt_network *net, struct wt_capture *capture, struct wt_journal *log)
{
	if (!net->air || (!capture && !log))
		return;
	wt_air_record_init(&net->record);
	net->record.capture = capture;
	net->record.log = log;
	net->record.name = name_of;
	net->record.arg = net;
	wt_air_set_sink(net->air, &net->record.sink);
}

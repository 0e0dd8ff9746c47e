/* SPDX-License-Identifier: BSD-2-Clause */
/* Static routes: the fewest links; of equals, those written first. */
#include <errno.h>
#include <stdlib.h>

#include "emu/router/router.h"
#include "emu/world/build.h"

/* distance[r]: links between r and the router `from`; UINT32_MAX: no way. */
static void measure(const struct wt_world *world, unsigned from, uint32_t *distance)
{
	bool further = true;

	for (unsigned i = 0; i < world->routers; i++)
		distance[i] = i == from ? 0 : UINT32_MAX;
	for (uint32_t round = 0; further; round++) {
		further = false;
		for (unsigned i = 0; i < world->links; i++) {
			const struct wt_world_end *end = world->link[i].end;

			for (unsigned k = 0; k < 2 && end[0].router && end[1].router; k++)
				if (distance[end[k].index] == round && distance[end[!k].index] > round + 1) {
					distance[end[!k].index] = round + 1;
					further = true;
				}
		}
	}
}

uint32_t wt_world_distance(const struct wt_world *world, unsigned from, unsigned to)
{
	uint32_t *distance = calloc(world->routers, sizeof(*distance)), links = UINT32_MAX;

	if (distance) {
		measure(world, from, distance);
		links = distance[to];
	}
	free(distance);
	return links;
}

/* At each router the port of the first link that is on a shortest way to `first`, where the networks are, of each family at most one. */
static int add_routes_to(struct wt_network *net, const struct wt_addr network[WT_FAMILIES], const unsigned prefix[WT_FAMILIES],
			 const uint32_t *distance, bool *done)
{
	const struct wt_world *world = net->world;
	int error = 0;

	for (unsigned i = 0; i < world->routers; i++)
		done[i] = false;
	for (unsigned i = 0; i < world->links; i++) {
		const struct wt_world_end *end = world->link[i].end;

		for (unsigned k = 0; k < 2 && end[0].router && end[1].router; k++) {
			unsigned here = end[k].index, next = end[!k].index;

			if (done[here] || distance[here] == UINT32_MAX || distance[next] + 1 != distance[here])
				continue;
			done[here] = true;
			for (unsigned family = 0; family < WT_FAMILIES && !error; family++)
				if (network[family].family)
					error = wt_router_add_route(net->router[here], &network[family], prefix[family],
								    wt_world_router_port(world, here, i));
		}
	}
	return error;
}

/* All stations are one network, behind the first gateway of the file, until a packet comes from another (let_roam()). */
static int add_stations(struct wt_network *net, unsigned link, unsigned router, const uint32_t *distance, bool *done)
{
	const struct wt_addr network[WT_FAMILIES] = {[WT_FAMILY_IPV4] = wt_addr_ipv4(10, 128, 0, 0)};
	const unsigned prefix[WT_FAMILIES] = {[WT_FAMILY_IPV4] = WT_AIR_PREFIX};
	int error = wt_router_add_route(net->router[router], &network[WT_FAMILY_IPV4], WT_AIR_PREFIX, wt_world_router_port(net->world, router, link));

	return error ? error : add_routes_to(net, network, prefix, distance, done);
}

static unsigned gateways(const struct wt_world *world)
{
	unsigned count = 0;

	for (unsigned i = 0; i < world->links; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct wt_world_end *end = &world->link[i].end[k], *far = &world->link[i].end[!k];

			count += far->router && !end->router && world->host[end->index].station;
		}
	return count;
}

/* Where the air has several gateways, each router follows each station. */
static int let_roam(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	int error = 0;

	for (unsigned r = 0; r < world->routers; r++)
		for (unsigned i = 0; i < world->hosts && !error; i++) {
			const struct wt_world_host *host = &world->host[i];
			struct wt_addr engine = wt_world_air_engine(&host->address);

			if (host->station)
				error = wt_router_let_roam(net->router[r], &host->address);
			if (host->station && !error && host->placement != WT_INSIDE)
				error = wt_router_let_roam(net->router[r], &engine);
		}
	return error;
}

/* Hosts of one router one after the other: ways are measured once for each. */
int wt_network_add_routes(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	uint32_t *distance = calloc(world->routers + 1, sizeof(*distance));
	bool *done = calloc(world->routers + 1, sizeof(*done));
	int error = distance && done ? 0 : -ENOMEM;
	unsigned measured = UINT32_MAX;
	bool stations = false;

	for (unsigned i = 0; i < world->links && !error; i++)
		for (unsigned k = 0; k < 2 && !error; k++) {
			const struct wt_world_end *end = &world->link[i].end[k], *far = &world->link[i].end[!k];

			if (end->router || !far->router)
				continue;
			if (measured != far->index)
				measure(world, far->index, distance);
			measured = far->index;
			if (!world->host[end->index].station)
				error = add_routes_to(net, world->host[end->index].gateway, world->host[end->index].prefix, distance, done);
			else if (!stations)
				error = add_stations(net, i, far->index, distance, done);
			stations |= world->host[end->index].station;
		}
	free(distance);
	free(done);
	return error || gateways(world) < 2 ? error : let_roam(net);
}

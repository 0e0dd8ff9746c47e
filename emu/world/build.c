/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/router/router.h"
#include "emu/world/flow_delay.h"
#include "stack/mesh/mesh.h"
#include "stack/record/digest.h"

enum { SOURCE_ROUTE = 256 /* bytes that routing may put in front of a packet */, FRAME_ROOM = 2048, FRAMES_PER_BIG = 8, MTU = 1500, ETHERNET = 14 };

/* ---- what is at a host ------------------------------------------------------------------------------------ */

static int open_port(struct wt_network *net, unsigned i, char *err, size_t err_len)
{
	const struct wt_world_host *host = &net->world->host[i];
	struct wt_port *port = wt_interface_ref_open(&host->where, net->build.stamps, net->pool, net->big_pool, err, err_len);

	if (!port)
		return -errno;
	/* two interfaces of one name may stand in two namespaces; nodes are told apart by the host's name */
	snprintf(port->node.name, sizeof(port->node.name), "port.%s", host->name);
	net->port[i] = port;
	if (net->build.gather)
		wt_port_gather(port);
	port->merges = net->build.merge;
	return 0;
}

/* Its one neighbour: the gateway, or the host at the other end. */
static void set_neighbour(const struct wt_world *world, unsigned i, struct wt_host_config *config)
{
	unsigned link = 0;
	struct wt_world_end next = wt_world_next(world, i, &link);

	if (next.router) {
		config->gateway = config->neighbours[0].addr = world->host[i].gateway[WT_FAMILY_IPV4];
		config->neighbours[0].mac = wt_router_mac(next.index, wt_world_router_port(world, next.index, link));
	} else {
		config->gateway = world->host[i].gateway[WT_FAMILY_IPV4]; /* on a wire to a port, whoever that leads to */
		config->neighbours[0].addr = world->host[next.index].address;
		config->neighbours[0].mac = world->host[next.index].mac;
	}
}

/* All others are behind its mesh node. */
static void set_mesh(const struct wt_world_host *host, struct wt_host_config *config)
{
	config->prefix_len = 32;
	config->gateway = config->neighbours[0].addr = wt_world_air_gateway();
	config->neighbours[0].mac = wt_mesh_mac(&host->address, 0);
}

/* All flows may have one host at their end, and may begin at one instant. A listener has half of the entries of half-open connections. */
static void set_limits(const struct wt_world *world, struct wt_host_config *config)
{
	enum { USUAL = 1024, EACH = 4 };

	if (EACH * world->flows > USUAL)
		config->max_connections = config->max_half_open = EACH * (uint32_t)world->flows;
}

static int make_engine(struct wt_network *net, unsigned i)
{
	const struct wt_world_host *host = &net->world->host[i];
	struct wt_host_config config = {
		.mac = host->mac,
		.addr = host->address,
		.prefix_len = host->prefix_len,
		.mtu = host->mtu,
		.pool = net->pool,
		.trace = net->build.trace ? net->build.trace(net->build.arg, i) : NULL,
		.memory = UINT64_MAX, /* nobody attacks, and a world may have large windows */
	};
	char name[24];

	snprintf(name, sizeof(name), "host.%s", host->name);
	set_limits(net->world, &config);
	config.secret = wt_key_derive(net->world->seed, name);
	snprintf(config.name, sizeof(config.name), "%s", host->name);
	if (host->station)
		set_mesh(host, &config);
	else
		set_neighbour(net->world, i, &config);
	if (net->build.engine)
		net->build.engine(net->build.arg, net, &config);
	net->host[i] = wt_host_create(&config);
	return net->host[i] ? 0 : -ENOMEM;
}

static uint32_t frame_room(const struct wt_world *world)
{
	uint32_t room = 0;

	for (unsigned i = 0; i < world->hosts; i++) {
		uint32_t mtu = world->host[i].placement != WT_INSIDE ? FRAME_ROOM - ETHERNET : world->host[i].mtu ? world->host[i].mtu : MTU;

		mtu += world->host[i].station ? WT_MESH_HEADROOM : 0;
		room = mtu + ETHERNET > room ? mtu + ETHERNET : room;
	}
	return room + (world->air.there ? SOURCE_ROUTE : 0);
}

static int make_lists(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	unsigned hosts = world->hosts;

	net->pool = wt_pool_create((uint32_t)net->build.frames, frame_room(world));
	if (net->pool && net->build.whole)
		wt_pool_make_whole(net->pool);
	if (net->build.offload)
		net->big_pool = wt_pool_create((uint32_t)net->build.frames / FRAMES_PER_BIG, WT_PORT_BIG);
	net->graph = wt_graph_create();
	net->port = calloc(hosts, sizeof(*net->port));
	net->host = calloc(hosts, sizeof(*net->host));
	net->tap = calloc(hosts, sizeof(*net->tap));
	net->digest = calloc(hosts, sizeof(*net->digest));
	net->delay = calloc(hosts, sizeof(*net->delay));
	net->mesh = calloc(hosts, sizeof(*net->mesh));
	net->router = calloc(world->routers + 1, sizeof(*net->router));
	net->link = calloc(world->links + 1, sizeof(*net->link));
	net->node = calloc(5 * hosts + world->routers + 1, sizeof(*net->node));
	return net->pool && (net->big_pool || !net->build.offload) && net->graph && net->port && net->host && net->tap && net->digest &&
	       net->delay && net->mesh && net->router && net->link && net->node ? 0 : -ENOMEM;
}

int wt_network_open(struct wt_network *net, const struct wt_world *world, const struct wt_world_build *build, char *err, size_t err_len)
{
	int error;

	*net = (struct wt_network){.world = world, .build = *build};
	snprintf(err, err_len, "out of memory");
	error = make_lists(net);
	for (unsigned i = 0; i < world->links && !error; i++) {
		error = wt_world_make_link(world, i, &net->link[i], err, err_len);
		net->link[i].pool = net->big_pool ? net->pool : NULL;
	}
	for (unsigned i = 0; i < world->hosts && !error; i++)
		error = world->host[i].placement == WT_INSIDE ? 0 : open_port(net, i, err, err_len);
	for (unsigned i = 0; i < world->hosts && !error; i++)
		error = world->host[i].placement == WT_INSIDE ? make_engine(net, i) : 0;
	return error;
}

/* ---- adding: the graph then owns the nodes ---------------------------------------------------------------- */

static struct wt_node *end_of(const struct wt_network *net, unsigned i)
{
	return net->port[i] ? &net->port[i]->node : wt_host_node(net->host[i]);
}

/* To be added, in its turn. */
static int list(struct wt_network *net, struct wt_node *node)
{
	if (!node)
		return -ENOMEM;
	net->node[net->nodes++] = node;
	return 0;
}

static int make_delays(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	char name[24];
	int error = 0;

	for (unsigned i = 0; i < world->flows && !error; i++) {
		const struct wt_world_flow *flow = &world->flow[i];
		unsigned host = flow->host[0];

		if (!flow->delay || world->host[host].placement == WT_OUTSIDE)
			continue;
		snprintf(name, sizeof(name), "%s.delay", world->host[host].name);
		if (!net->delay[host])
			error = list(net, net->delay[host] = wt_flow_delay_create(name));
		if (!error)
			error = wt_flow_delay_add(net->delay[host], flow->local_port, flow->delay);
	}
	return error;
}

/* Where its frames are captured: at the engine, or at the end of the emulated path. */
static void point_of(const struct wt_world *world, unsigned i, char name[WT_CAPTURE_POINT])
{
	snprintf(name, WT_CAPTURE_POINT, "%s%s", world->host[i].placement == WT_INSIDE ? "host-" : "", world->host[i].name);
}

struct wt_capture *wt_world_capture(const struct wt_world *world, const char *path, int64_t epoch, char *err, size_t err_len)
{
	char (*points)[WT_CAPTURE_POINT] = calloc(world->hosts, sizeof(*points));
	struct wt_capture *capture = NULL;

	snprintf(err, err_len, "out of memory");
	errno = ENOMEM;
	for (unsigned i = 0; i < world->hosts && points; i++)
		point_of(world, i, points[i]);
	if (points)
		capture = wt_capture_open(path, epoch, points, world->hosts, err, err_len);
	free(points);
	if (capture && world->air.there && wt_capture_open_air(capture, path, err, err_len)) {
		int error = errno;

		wt_capture_close(capture);
		errno = error;
		return NULL;
	}
	return capture;
}

static int list_hosts(struct wt_network *net, struct wt_capture *capture)
{
	const struct wt_world *world = net->world;
	char name[WT_CAPTURE_POINT];
	int error = 0;

	for (unsigned i = 0; i < world->hosts && !error; i++)
		error = list(net, end_of(net, i));
	for (unsigned i = 0; i < world->hosts && !error; i++) {
		if (net->build.own)
			snprintf(name, sizeof(name), "%s", world->host[i].name);
		else
			point_of(world, i, name);
		if (capture && (!net->build.own || net->host[i]))
			error = list(net, net->tap[i] = wt_capture_tap(capture, name));
		snprintf(name, sizeof(name), "digest.%s", world->host[i].name);
		if (net->build.digest && !error)
			error = list(net, net->digest[i] = wt_digest_tap(name));
	}
	return error ? error : make_delays(net);
}

/* What lies behind one end of a link, to a router there. */
static int tell_router(struct wt_network *net, unsigned link, const struct wt_world_end *here, const struct wt_world_end *far)
{
	const struct wt_world *world = net->world;
	unsigned port = wt_world_router_port(world, here->index, link);
	const struct wt_world_host *host;
	struct wt_mac mac;
	int error = 0;

	if (far->router) {
		mac = wt_router_mac(far->index, wt_world_router_port(world, far->index, link));
		wt_router_set_peer(net->router[here->index], port, &mac);
		return 0;
	}
	host = &world->host[far->index];
	if (host->station) {
		mac = wt_mesh_mac(&host->address, wt_network_wire(world, far->index, link));
		wt_router_set_peer(net->router[here->index], port, &mac);
		return 0;
	}
	for (unsigned family = 0; family < WT_FAMILIES && !error; family++)
		if (host->gateway[family].family)
			error = wt_router_set_network(net->router[here->index], port, &host->gateway[family], host->prefix[family]);
	if (host->placement != WT_OUTSIDE)
		wt_router_know_hosts(net->router[here->index], port);
	return error;
}

static int list_routers(struct wt_network *net)
{
	const struct wt_world *world = net->world;
	int error = 0;

	for (unsigned i = 0; i < world->routers && !error; i++) {
		net->router[i] = wt_router_create(world->router[i].name, i, wt_world_router_ports(world, i), world->router[i].address, net->pool);
		error = list(net, net->router[i]);
		if (!error)
			wt_router_limit_answers(net->router[i], &world->icmp_limit);
	}
	for (unsigned i = 0; i < world->links && !error; i++)
		for (unsigned k = 0; k < 2 && !error; k++)
			if (world->link[i].end[k].router)
				error = tell_router(net, i, &world->link[i].end[k], &world->link[i].end[!k]);
	return error ? error : wt_network_add_routes(net);
}

static int add_nodes(struct wt_network *net)
{
	int error = 0;

	for (; net->in_graph < net->nodes && !error; net->in_graph += !error)
		error = wt_graph_add(net->graph, net->node[net->in_graph]);
	return error;
}

static int add_links(struct wt_network *net)
{
	int error = 0;

	for (unsigned i = 0; i < net->world->links && !error; i++)
		error = wt_link_add(&net->link[i], net->graph);
	return error;
}

/* ---- joining ---------------------------------------------------------------------------------------------- */

/* The node at one end of a link, and its port that faces the link. */
static struct wt_node *end_node(const struct wt_network *net, unsigned link, unsigned k, unsigned *port)
{
	const struct wt_world_end *end = &net->world->link[link].end[k];
	struct wt_node *beside[] = {net->delay[end->router ? 0 : end->index], net->digest[end->router ? 0 : end->index],
				    net->tap[end->router ? 0 : end->index]};

	if (end->router) {
		*port = wt_world_router_port(net->world, end->index, link);
		return net->router[end->index];
	}
	if (net->mesh[end->index]) {
		*port = wt_network_wire(net->world, end->index, link);
		return net->mesh[end->index];
	}
	*port = 1;
	for (unsigned i = 0; i < 3; i++)
		if (beside[i])
			return beside[i];
	*port = 0;
	return end_of(net, end->index);
}

static void join_beside(struct wt_network *net, unsigned i)
{
	struct wt_node *beside[] = {net->tap[i], net->digest[i], net->delay[i]}, *at = end_of(net, i);
	unsigned port = 0;

	for (unsigned k = 0; k < 3; k++)
		if (beside[k]) {
			wt_graph_join_both(net->graph, at, port, beside[k], 0);
			at = beside[k];
			port = 1;
		}
	if (net->mesh[i])
		wt_graph_join_both(net->graph, at, port, net->mesh[i], 0);
}

int wt_network_join(struct wt_network *net, struct wt_capture *capture)
{
	int error = list_hosts(net, capture);

	if (!error)
		error = wt_network_make_air(net);
	if (!error)
		error = list_routers(net);
	if (!error)
		error = add_nodes(net);
	if (!error)
		error = add_links(net);
	if (error)
		return error;
	for (unsigned i = 0; i < net->world->hosts; i++)
		join_beside(net, i);
	wt_network_join_air(net);
	for (unsigned i = 0; i < net->world->links; i++) {
		unsigned a_port, b_port;
		struct wt_node *a = end_node(net, i, 0, &a_port), *b = end_node(net, i, 1, &b_port);

		wt_direction_join(&net->link[i].way[0], net->graph, a, a_port, b, b_port);
		wt_direction_join(&net->link[i].way[1], net->graph, b, b_port, a, a_port);
	}
	wt_network_tell_ports(net);
	return 0;
}

/* A router looks at packets. On an ideal wire nothing hangs on when frames came, unless somebody writes it down. */
void wt_network_tell_ports(struct wt_network *net)
{
	for (unsigned i = 0; i < net->world->links; i++) {
		const struct wt_world_end *end = net->world->link[i].end;
		bool routed = end[0].router || end[1].router;

		for (unsigned d = 0; d < 2; d++) {
			const struct wt_direction *way = &net->link[i].way[d];
			struct wt_port *port = end[d].router ? NULL : net->port[end[d].index];

			if (!port)
				continue;
			port->whole = !routed && net->big_pool && !net->build.merge && wt_direction_whole(way) && !net->delay[end[d].index];
			if (routed || way->path.text[0] || net->tap[end[d].index] || net->delay[end[d].index])
				wt_port_hear(port);
		}
	}
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

/* What the graph does not own: nodes that were not added, among them all that is not in the list yet. */
static void finish_hosts(struct wt_network *net)
{
	for (unsigned i = 0; i < net->world->hosts && net->port && net->host; i++) {
		bool owned = false;

		for (unsigned k = 0; k < net->in_graph; k++)
			owned |= (net->port[i] || net->host[i]) && net->node[k] == end_of(net, i);
		if (owned)
			continue;
		wt_port_close(net->port[i]);
		wt_host_destroy(net->host[i]);
	}
}

static bool is_end(const struct wt_network *net, const struct wt_node *node)
{
	for (unsigned i = 0; i < net->world->hosts; i++)
		if ((net->port[i] || net->host[i]) && node == end_of(net, i))
			return true;
	return false;
}

void wt_network_finish(struct wt_network *net)
{
	if (!net->world)
		return;
	for (unsigned i = net->in_graph; i < net->nodes; i++)
		if (!is_end(net, net->node[i]))
			net->node[i]->ops->destroy(net->node[i]);
	finish_hosts(net);
	wt_graph_destroy(net->graph);
	for (unsigned i = 0; net->link && i < net->world->links; i++)
		wt_link_finish(&net->link[i]);
	free(net->port);
	free(net->host);
	free(net->tap);
	free(net->digest);
	free(net->delay);
	free(net->mesh);
	free(net->router);
	free(net->link);
	free(net->node);
	wt_pool_destroy(net->pool);
	wt_pool_destroy(net->big_pool);
	*net = (struct wt_network){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/router/router.h"

enum { FRAME_ROOM = 2048, FRAMES_PER_BIG = 8 };

static int open_ports(struct wt_net *net, char *err, size_t err_len)
{
	for (unsigned i = 0; i < net->plan->ports; i++) {
		struct wt_port *port = wt_where_open(&net->plan->port[i].where, net->plan->stamps, net->pool, net->big_pool, err, err_len);

		if (!port)
			return -errno;
		/* two interfaces of one name may stand in two namespaces; nodes are told apart by the port's name */
		snprintf(port->node.name, sizeof(port->node.name), "port.%s", net->plan->port[i].name);
		net->port[i] = port;
		/* what a ring is asked to do is hidden from a filter of system calls */
		if (net->plan->gather && !net->plan->seccomp && net->plan->port[i].where.kind == WT_WHERE_TAP)
			wt_port_gather(port);
	}
	return 0;
}

int wt_net_open(struct wt_net *net, const struct wt_plan *plan, char *err, size_t err_len)
{
	int error;

	*net = (struct wt_net){.plan = plan};
	snprintf(err, err_len, "out of memory");
	net->pool = wt_pool_create((uint32_t)plan->frames, FRAME_ROOM);
	if (plan->offload)
		net->big_pool = wt_pool_create((uint32_t)plan->frames / FRAMES_PER_BIG, WT_PORT_BIG);
	net->graph = wt_graph_create();
	net->link = calloc(plan->links, sizeof(*net->link));
	if (!net->pool || (plan->offload && !net->big_pool) || !net->graph || !net->link)
		return -ENOMEM;
	for (unsigned i = 0; i < plan->links; i++) {
		error = wt_plan_make_link(plan, i, &net->link[i], err, err_len);
		if (error)
			return error;
		net->link[i].pool = net->big_pool ? net->pool : NULL;
	}
	return open_ports(net, err, err_len);
}

/* ---- adding: the graph then owns the nodes --------------------------------------------------------------- */

static int add(struct wt_net *net, struct wt_node *node)
{
	int error = node ? wt_graph_add(net->graph, node) : -ENOMEM;

	if (error && node)
		node->ops->destroy(node);
	return error;
}

static int add_ports(struct wt_net *net, struct wt_capture *capture)
{
	int error = 0;

	for (unsigned i = 0; i < net->plan->ports; i++) {
		error = wt_graph_add(net->graph, &net->port[i]->node);
		if (error)
			return error;
		net->ports_in_graph++;
	}
	for (unsigned i = 0; i < net->plan->ports && capture && !error; i++) {
		net->tap[i] = wt_capture_tap(capture, net->plan->port[i].name);
		error = add(net, net->tap[i]);
	}
	return error;
}

static unsigned router_ports(const struct wt_plan *plan, unsigned router)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->links; i++)
		for (unsigned k = 0; k < 2; k++)
			count += plan->link[i].end[k].router && plan->link[i].end[k].index == router;
	return count;
}

/* The port of a router that a link ends at: links in their order. */
static unsigned router_port(const struct wt_plan *plan, unsigned router, unsigned link)
{
	unsigned port = 0;

	for (unsigned i = 0; i < link; i++)
		for (unsigned k = 0; k < 2; k++)
			port += plan->link[i].end[k].router && plan->link[i].end[k].index == router;
	return port;
}

static int add_routers(struct wt_net *net)
{
	const struct wt_plan *plan = net->plan;
	int error = 0;

	for (unsigned i = 0; i < plan->routers && !error; i++) {
		net->router[i] = wt_router_create(plan->router[i].name, i, router_ports(plan, i), plan->router[i].address, net->pool);
		error = add(net, net->router[i]);
		if (!error)
			wt_router_limit_answers(net->router[i], &plan->icmp_limit);
	}
	for (unsigned i = 0; i < plan->links && !error; i++) {
		for (unsigned k = 0; k < 2; k++) {
			const struct wt_plan_end *end = &plan->link[i].end[k], *far = &plan->link[i].end[!k];
			struct wt_mac mac = wt_router_mac(far->index, router_port(plan, far->index, i));

			if (!end->router)
				continue;
			if (far->router)
				wt_router_set_peer(net->router[end->index], router_port(plan, end->index, i), &mac);
			for (unsigned family = 0; !far->router && family < WT_FAMILIES; family++)
				if (plan->port[far->index].gateway[family].family)
					wt_router_set_network(net->router[end->index], router_port(plan, end->index, i),
							      &plan->port[far->index].gateway[family], plan->port[far->index].prefix[family]);
		}
	}
	return error;
}

/* ---- routes: the fewest links; of equals, those written first ----------------------------------------------- */

/* distance[r]: routers between r and the one the port's link leads to; UINT_MAX: no way. */
static void measure(const struct wt_plan *plan, unsigned from, unsigned distance[WT_PLAN_ROUTERS])
{
	for (unsigned i = 0; i < WT_PLAN_ROUTERS; i++)
		distance[i] = i == from ? 0 : UINT32_MAX;
	for (unsigned round = 0; round < plan->routers; round++) {
		for (unsigned i = 0; i < plan->links; i++) {
			const struct wt_plan_end *end = plan->link[i].end;

			for (unsigned k = 0; k < 2 && end[0].router && end[1].router; k++)
				if (distance[end[k].index] == round && distance[end[!k].index] > round + 1)
					distance[end[!k].index] = round + 1;
		}
	}
}

static void add_routes_to(struct wt_net *net, unsigned port, unsigned first)
{
	const struct wt_plan *plan = net->plan;
	unsigned distance[WT_PLAN_ROUTERS];
	bool done[WT_PLAN_ROUTERS] = {false};

	measure(plan, first, distance);
	for (unsigned i = 0; i < plan->links; i++) {
		const struct wt_plan_end *end = plan->link[i].end;

		for (unsigned k = 0; k < 2 && end[0].router && end[1].router; k++) {
			unsigned here = end[k].index, next = end[!k].index;

			if (done[here] || distance[here] == UINT32_MAX || distance[next] + 1 != distance[here])
				continue;
			done[here] = true;
			for (unsigned family = 0; family < WT_FAMILIES; family++)
				if (plan->port[port].gateway[family].family)
					wt_router_add_route(net->router[here], &plan->port[port].gateway[family],
							    plan->port[port].prefix[family], router_port(plan, here, i));
		}
	}
}

static void add_routes(struct wt_net *net)
{
	const struct wt_plan *plan = net->plan;

	for (unsigned i = 0; i < plan->links; i++)
		for (unsigned k = 0; k < 2; k++)
			if (!plan->link[i].end[k].router && plan->link[i].end[!k].router)
				add_routes_to(net, plan->link[i].end[k].index, plan->link[i].end[!k].index);
}

/* ---- joining --------------------------------------------------------------------------------------------- */

/* The node at one end of a link, and its port that faces the link. */
static struct wt_node *end_node(const struct wt_net *net, unsigned link, unsigned k, unsigned *port)
{
	const struct wt_plan_end *end = &net->plan->link[link].end[k];

	if (end->router) {
		*port = router_port(net->plan, end->index, link);
		return net->router[end->index];
	}
	*port = net->tap[end->index] ? 1 : 0;
	return net->tap[end->index] ? net->tap[end->index] : &net->port[end->index]->node;
}

int wt_net_join(struct wt_net *net, struct wt_capture *capture)
{
	int error = add_ports(net, capture);

	if (!error)
		error = add_routers(net);
	for (unsigned i = 0; i < net->plan->links && !error; i++)
		error = wt_span_add(&net->link[i], net->graph);
	if (error)
		return error;
	for (unsigned i = 0; i < net->plan->ports; i++)
		if (net->tap[i])
			wt_graph_join_both(net->graph, &net->port[i]->node, 0, net->tap[i], 0);
	for (unsigned i = 0; i < net->plan->links; i++) {
		unsigned a_port, b_port;
		struct wt_node *a = end_node(net, i, 0, &a_port), *b = end_node(net, i, 1, &b_port);

		wt_leg_join(&net->link[i].leg[0], net->graph, a, a_port, b, b_port);
		wt_leg_join(&net->link[i].leg[1], net->graph, b, b_port, a, a_port);
	}
	add_routes(net);
	wt_net_tell_ports(net);
	return 0;
}

/* A router looks at packets. On an ideal wire nothing hangs on when frames came, unless somebody writes it down. */
void wt_net_tell_ports(struct wt_net *net)
{
	for (unsigned i = 0; i < net->plan->links; i++) {
		const struct wt_plan_end *end = net->plan->link[i].end;
		bool routed = end[0].router || end[1].router;

		for (unsigned d = 0; d < 2; d++) {
			const struct wt_leg *leg = &net->link[i].leg[d];

			if (end[d].router)
				continue;
			net->port[end[d].index]->whole = !routed && net->big_pool && wt_leg_whole(leg);
			if (routed || leg->path.text[0] || net->tap[end[d].index])
				wt_port_hear(net->port[end[d].index]);
		}
	}
}

void wt_net_finish(struct wt_net *net)
{
	wt_graph_destroy(net->graph);
	for (unsigned i = 0; net->link && i < net->plan->links; i++)
		wt_span_finish(&net->link[i]);
	for (unsigned i = net->ports_in_graph; net->plan && i < net->plan->ports; i++)
		wt_port_close(net->port[i]);
	free(net->link);
	wt_pool_destroy(net->pool);
	wt_pool_destroy(net->big_pool);
	*net = (struct wt_net){0};
}

/* ---- books ------------------------------------------------------------------------------------------------ */

/* Frames that came to a port, and whether they came further. */
static void add_arrivals(struct wt_net_books *books, const struct wt_port *port)
{
	const struct wt_audit *audit = &port->node.audit;
	uint64_t lost = audit->dropped[WT_DROP_POOL] + audit->dropped[WT_DROP_MALFORMED] + port->oversize;

	books->offered += audit->out + lost + port->kernel_drops;
	books->lost += lost;
	books->kernel += port->kernel_drops;
}

static void add_departures(struct wt_net_books *books, const struct wt_port *port)
{
	const struct wt_audit *audit = &port->node.audit;

	books->delivered += audit->taken;
	books->dropped += audit->dropped[WT_DROP_WIRE] + audit->dropped[WT_DROP_OFFLOAD];
	books->queued += wt_port_holds(port);
}

static bool balanced(const struct wt_net_books *books)
{
	return books->offered + books->made ==
	       books->delivered + books->taken + books->dropped + books->lost + books->kernel + books->queued;
}

void wt_net_books(const struct wt_net *net, struct wt_net_books *books)
{
	*books = (struct wt_net_books){0};
	for (unsigned i = 0; i < net->plan->ports; i++) {
		add_arrivals(books, net->port[i]);
		add_departures(books, net->port[i]);
		books->dropped += net->port[i]->node.audit.dropped[WT_DROP_UNROUTED];
	}
	for (unsigned i = 0; i < net->plan->routers; i++) {
		const struct wt_audit *audit = &net->router[i]->audit;

		books->made += audit->made;
		books->taken += audit->taken;
		books->dropped += wt_audit_dropped(audit);
		books->queued += audit->queued;
	}
	for (unsigned i = 0; i < net->plan->links; i++) {
		for (unsigned d = 0; d < 2; d++) {
			for (unsigned n = 0; n < net->link[i].leg[d].count; n++) {
				const struct wt_audit *audit = &net->link[i].leg[d].node[n]->audit;

				books->made += audit->made;
				books->dropped += wt_audit_dropped(audit);
				books->queued += audit->queued;
			}
		}
	}
	books->hold = balanced(books);
}

bool wt_net_link_books(const struct wt_net *net, unsigned link, unsigned direction, struct wt_net_books *books)
{
	const struct wt_plan_end *end = net->plan->link[link].end;
	const struct wt_leg *leg = &net->link[link].leg[direction];
	const struct wt_port *from, *to;

	if (end[0].router || end[1].router)
		return false;
	from = net->port[end[direction].index];
	to = net->port[end[!direction].index];
	*books = (struct wt_net_books){
		/* answers of the other direction's stages come in here past the stages; those of our own went back */
		.offered = wt_path_sent_back(&net->link[link].leg[!direction].path),
		.taken = wt_path_sent_back(&leg->path),
	};
	add_arrivals(books, from);
	add_departures(books, to);
	for (unsigned n = 0; n < leg->count; n++) {
		const struct wt_audit *audit = &leg->node[n]->audit;

		books->made += audit->made;
		books->dropped += wt_audit_dropped(audit);
		books->queued += audit->queued;
	}
	books->hold = balanced(books);
	return true;
}

bool wt_net_audit(const struct wt_net *net)
{
	struct wt_net_books books;
	const struct wt_node *broken;

	wt_net_books(net, &books);
	for (unsigned i = 0; i < net->plan->links && books.hold; i++) {
		struct wt_net_books link;

		for (unsigned d = 0; d < 2 && wt_net_link_books(net, i, d, &link); d++)
			books.hold &= link.hold;
	}
	return books.hold && wt_graph_audit(net->graph, &broken);
}

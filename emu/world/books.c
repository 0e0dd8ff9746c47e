/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/books.h"

#include "emu/stage.h"

/* Frames that came to a host's end, and whether they came further. */
static void add_arrivals(struct wt_network_books *books, const struct wt_network *net, unsigned host)
{
	const struct wt_port *port = net->port[host];
	const struct wt_audit *audit = port ? &port->node.audit : &wt_host_node(net->host[host])->audit;
	uint64_t lost;

	books->offered += audit->out;
	if (!port)
		return;
	lost = audit->dropped[WT_DROP_POOL] + audit->dropped[WT_DROP_MALFORMED] + port->oversize;
	books->offered += lost + port->kernel_drops;
	books->lost += lost;
	books->kernel += port->kernel_drops;
}

static void add_departures(struct wt_network_books *books, const struct wt_network *net, unsigned host)
{
	const struct wt_port *port = net->port[host];

	if (!port) {
		books->delivered += wt_host_node(net->host[host])->audit.in;
		return;
	}
	books->delivered += port->node.audit.taken;
	books->dropped += port->node.audit.dropped[WT_DROP_WIRE] + port->node.audit.dropped[WT_DROP_OFFLOAD];
	books->queued += wt_port_holds(port);
}

static void add_node(struct wt_network_books *books, const struct wt_audit *audit)
{
	books->made += audit->made;
	books->taken += audit->taken;
	books->dropped += wt_audit_dropped(audit);
	books->queued += audit->queued;
}

static bool balanced(const struct wt_network_books *books)
{
	return books->offered + books->made ==
	       books->delivered + books->taken + books->dropped + books->lost + books->kernel + books->queued;
}

void wt_network_books(const struct wt_network *net, struct wt_network_books *books)
{
	const struct wt_world *world = net->world;

	*books = (struct wt_network_books){0};
	for (unsigned i = 0; i < world->hosts; i++) {
		add_arrivals(books, net, i);
		add_departures(books, net, i);
		if (net->port[i])
			books->dropped += net->port[i]->node.audit.dropped[WT_DROP_UNROUTED];
		if (net->delay[i])
			add_node(books, &net->delay[i]->audit);
		if (net->mesh[i])
			add_node(books, &net->mesh[i]->audit);
	}
	if (net->air)
		add_node(books, &wt_air_node(net->air)->audit);
	for (unsigned i = 0; i < world->routers; i++)
		add_node(books, &net->router[i]->audit);
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			for (unsigned n = 0; n < net->link[i].way[d].count; n++)
				add_node(books, &net->link[i].way[d].node[n]->audit);
	books->hold = balanced(books);
}

bool wt_network_link_books(const struct wt_network *net, unsigned link, unsigned direction, struct wt_network_books *books)
{
	const struct wt_world_end *end = net->world->link[link].end;
	const struct wt_direction *way = &net->link[link].way[direction];

	if (end[0].router || end[1].router)
		return false;
	*books = (struct wt_network_books){
		/* answers of the other direction's stages come in here past the stages; those of our own went back */
		.offered = wt_path_sent_back(&net->link[link].way[!direction].path),
		.taken = wt_path_sent_back(&way->path),
	};
	add_arrivals(books, net, end[direction].index);
	add_departures(books, net, end[!direction].index);
	if (net->delay[end[direction].index]) /* frames pass it both ways: what it holds is of this one */
		books->queued += net->delay[end[direction].index]->audit.queued;
	for (unsigned n = 0; n < way->count; n++)
		add_node(books, &way->node[n]->audit);
	books->hold = balanced(books);
	return true;
}

/* Frames only move between the nodes of a line, those that a change took away too: so the sums of all and what passed the ends are the law. */
void wt_network_hop_books(const struct wt_network *net, unsigned link, unsigned direction, struct wt_hop_books *books)
{
	const struct wt_direction *way = &net->link[link].way[direction];
	uint64_t dropped = 0;

	*books = (struct wt_hop_books){.stages = way->count, .back = wt_path_sent_back(&way->path), .hold = true};
	for (unsigned n = 0; n < way->count; n++) {
		const struct wt_audit *audit = &way->node[n]->audit;

		books->made += audit->made;
		books->queued += audit->queued;
		books->marked += audit->marked;
		for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
			books->dropped[cause] += audit->dropped[cause];
		books->hold &= wt_audit_holds(audit);
	}
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		dropped += books->dropped[cause];
	wt_direction_passed(way, &books->in, &books->out);
	books->hold &= books->in + books->made == books->out + dropped + books->queued + books->back;
}

bool wt_network_audit(const struct wt_network *net)
{
	struct wt_network_books books;
	const struct wt_node *broken;

	wt_network_books(net, &books);
	for (unsigned i = 0; i < net->world->links && books.hold; i++) {
		struct wt_network_books link;

		for (unsigned d = 0; d < 2 && wt_network_link_books(net, i, d, &link); d++)
			books.hold &= link.hold;
	}
	return books.hold && wt_graph_audit(net->graph, &broken);
}

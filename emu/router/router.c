/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/router/router.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "stack/net/books.h"
#include "stack/net/icmp.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/udp.h"

struct wt_router {
	struct wt_node node;
	struct wt_net net;
	bool follows; /* there are hosts that roam */
};

enum { ANY_MTU = UINT16_MAX }; /* the stages of a link say what it carries */

struct wt_mac wt_router_mac(unsigned number, unsigned port)
{
	return (struct wt_mac){{0x02, 0x77, 0x74, 0x10, (uint8_t)number, (uint8_t)port}};
}

/* UDP for the router itself: nobody listens to any port, and its sender is told (RFC 1812 5.2.7.1). */
static void datagram(struct wt_router *router, wt_time now, struct wt_ip_packet *packet)
{
	struct wt_udp_header header;

	wt_frame_finish_csum(packet->frame);
	if (wt_udp_parse(packet->payload, packet->len, &packet->ip.src, &packet->ip.dst, true, &header))
		wt_icmp_refuse(&router->net, now, packet, WT_REFUSAL_PORT, WT_DROP_UDP_PORT);
	else
		wt_node_drop(&router->node, now, packet->frame, WT_DROP_UDP);
}

/* Where is the sender of this packet now? */
static void follow(struct wt_router *router, unsigned port, struct wt_frame *frame)
{
	const uint8_t *head = wt_frame_head(frame);
	struct wt_eth eth;
	struct wt_ipv4 ip;

	if (wt_eth_parse(head, frame->len, &eth) && eth.type == WT_ETH_IPV4 &&
	    wt_ipv4_parse(head + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, frame->csum == WT_CSUM_NONE, &ip) == WT_IPV4_OK)
		wt_net_follow(&router->net, &ip.src, port);
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_router *router = (struct wt_router *)node;
	struct wt_ip_packet packet;
	struct wt_icmp_error error; /* about what we send: we send nothing that hears of it */

	node->audit.in++;
	if (router->follows)
		follow(router, port, frame);
	switch (wt_net_input(&router->net, port, now, frame, &packet)) {
	case WT_IP_IS_ICMP:
		wt_icmp_input(&router->net, now, &packet, &error);
		break;
	case WT_IP_IS_UDP:
		datagram(router, now, &packet);
		break;
	case WT_IP_IS_TCP:
	case WT_IP_IS_OTHER:
		wt_books_take(node, packet.frame);
		break;
	case WT_IP_DONE:
		break;
	}
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_router *router = (struct wt_router *)node;
	struct wt_frame *frame;

	wt_net_expire(&router->net, now);
	frame = wt_books_release(node, &router->net.ready);
	if (!frame)
		return NULL;
	node->audit.out++;
	*port = frame->mark;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_net *net = &((const struct wt_router *)node)->net;

	return net->ready.head ? 0 : wt_net_deadline(net);
}

static void destroy(struct wt_node *node)
{
	wt_net_finish(&((struct wt_router *)node)->net);
	free(node);
}

struct wt_node *wt_router_create(const char *name, unsigned number, unsigned ports, const struct wt_addr address[WT_FAMILIES],
				 struct wt_pool *pool)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, NULL};
	struct wt_net_config config = {.interfaces = ports, .forwards = true, .lifetime = WT_NEIGHBOUR_REACHABLE, .pool = pool};
	struct wt_router *router = ports <= WT_ROUTER_PORTS ? calloc(1, sizeof(*router)) : NULL;

	if (!router)
		return NULL;
	config.node = &router->node;
	config.secret = wt_key_derive(number, name);
	if (wt_net_init(&router->net, &config)) {
		destroy(&router->node);
		return NULL;
	}
	router->node.ops = &ops;
	router->node.ports = ports;
	snprintf(router->node.name, sizeof(router->node.name), "%s", name);
	for (unsigned family = 0; family < WT_FAMILIES; family++) {
		router->net.own[family] = address[family];
		router->net.speaks[family] = address[family].family;
	}
	for (unsigned i = 0; i < ports; i++) {
		struct wt_mac mac = wt_router_mac(number, i);

		wt_net_set_mac(&router->net, i, &mac, ANY_MTU);
		router->net.interface[i].wire = true;
	}
	return &router->node;
}

static struct wt_net *net_of(struct wt_node *node)
{
	return &((struct wt_router *)node)->net;
}

void wt_router_limit_answers(struct wt_node *node, const struct wt_refusal_rate *rate)
{
	net_of(node)->limit.rate = *rate;
}

int wt_router_set_network(struct wt_node *node, unsigned port, const struct wt_addr *gateway, unsigned prefix)
{
	net_of(node)->interface[port].wire = false;
	return wt_net_add_address(net_of(node), port, gateway, prefix);
}

void wt_router_know_hosts(struct wt_node *node, unsigned port)
{
	net_of(node)->interface[port].known = true;
}

void wt_router_set_peer(struct wt_node *node, unsigned port, const struct wt_mac *peer)
{
	net_of(node)->interface[port].peer = *peer;
}

int wt_router_add_route(struct wt_node *node, const struct wt_addr *network, unsigned prefix, unsigned port)
{
	return wt_net_add_route(net_of(node), network, prefix, port, NULL);
}

int wt_router_let_roam(struct wt_node *node, const struct wt_addr *host)
{
	((struct wt_router *)node)->follows = true;
	return wt_net_let_roam(net_of(node), host);
}

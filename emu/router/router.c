/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/router/router.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/router/parts.h"
#include "emu/packet.h"
#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/nd.h"

enum { UDP_HEADER = 8 };

struct wt_mac wt_router_mac(unsigned number, unsigned port)
{
	return (struct wt_mac){{0x02, 0x77, 0x74, 0x10, (uint8_t)number, (uint8_t)port}};
}

void wt_router_send(struct wt_router *router, struct wt_frame *frame, unsigned port, const struct wt_mac *to, uint16_t type)
{
	struct wt_eth eth = {.dst = *to, .src = router->port[port].mac, .type = type};

	wt_eth_emit(frame->data, &eth);
	frame->mark = (uint8_t)port;
	router->node.audit.queued++;
	wt_frame_queue_push(&router->ready, frame);
}

struct wt_frame *wt_router_make(struct wt_router *router, uint32_t len)
{
	struct wt_frame *frame = wt_frame_new(router->pool);

	router->node.audit.made++;
	if (frame && frame->room >= len) {
		memset(frame->data, 0, len);
		frame->len = len;
		return frame;
	}
	wt_frame_free(frame);
	router->node.audit.dropped[WT_DROP_POOL]++; /* an answer that could not be made */
	return NULL;
}

void wt_router_take(struct wt_router *router, struct wt_frame *frame)
{
	router->node.audit.taken++;
	wt_frame_free(frame);
}

const struct wt_router_route *wt_router_look_up(const struct wt_router *router, const struct wt_addr *address)
{
	const struct wt_router_route *best = NULL;

	for (unsigned i = 0; i < router->routes; i++)
		if ((!best || router->route[i].prefix > best->prefix) &&
		    wt_addr_in(address, &router->route[i].network, router->route[i].prefix))
			best = &router->route[i];
	return best;
}

bool wt_router_is_mine(const struct wt_router *router, const struct wt_addr *address)
{
	bool mine = wt_addr_eq(&router->address[address->family], address);

	for (unsigned i = 0; i < router->node.ports; i++)
		mine |= wt_addr_eq(&router->port[i].gateway[address->family], address);
	return mine && address->family;
}

bool wt_router_is_broadcast(const struct wt_router_port *port, const struct wt_addr *address)
{
	const struct wt_addr *gateway = &port->gateway[WT_FAMILY_IPV4];
	unsigned prefix = port->prefix[WT_FAMILY_IPV4];

	return gateway->family && prefix < 31 && wt_addr_in(address, gateway, prefix) &&
	       (uint32_t)(wt_get32(address->bytes) << prefix) == (uint32_t)(UINT32_MAX << prefix);
}

bool wt_router_knows_broadcast(const struct wt_router *router, const struct wt_addr *address)
{
	bool is = false;

	for (unsigned i = 0; i < router->node.ports; i++)
		is |= wt_router_is_broadcast(&router->port[i], address);
	return is;
}

bool wt_router_may_be_from(const struct wt_router *router, const struct wt_frame *frame, const struct wt_addr *address)
{
	return wt_source_usable(address) && (frame->told || !wt_router_is_mine(router, address)) &&
	       !wt_router_knows_broadcast(router, address);
}

static struct wt_addr sender_of(const struct wt_frame *frame)
{
	const uint8_t *ip = frame->data + WT_ROUTER_IP_AT;

	return ip[0] >> 4 == 6 ? wt_addr_ipv6(ip + 8) : wt_addr_ipv4(ip[12], ip[13], ip[14], ip[15]);
}

/* The answer to `to` and the route it takes; NULL: none. */
static struct wt_frame *complain(struct wt_router *router, wt_time now, struct wt_frame *about, enum wt_refusal_kind kind,
				 struct wt_addr *to, const struct wt_router_route **back)
{
	struct wt_refusal refusal = {.kind = kind};
	const struct wt_addr *from;

	*to = sender_of(about);
	*back = wt_router_look_up(router, to);
	if (!*back || wt_router_is_mine(router, to))
		return NULL;
	from = &router->port[(*back)->port].gateway[to->family];
	if (!from->family)
		from = &router->address[to->family];
	if (!from->family)
		return NULL;
	*(to->family == WT_FAMILY_IPV4 ? &refusal.from.ipv4 : &refusal.from.ipv6) = *from;
	return wt_refuse(&router->node, &router->limit, now, about, &refusal);
}

void wt_router_refuse(struct wt_router *router, wt_time now, struct wt_frame *frame, enum wt_refusal_kind kind, enum wt_drop cause)
{
	const struct wt_router_route *back;
	struct wt_addr to;
	struct wt_frame *answer = complain(router, now, frame, kind, &to, &back);

	wt_node_drop(&router->node, now, frame, cause);
	if (answer)
		wt_router_deliver(router, answer, back->port, &to, now);
}

/* RFC 768; the checksum may be left out of IPv4 alone (RFC 8200 8.1). */
static bool is_datagram(const struct wt_addr *src, const struct wt_addr *dst, const uint8_t *udp, uint32_t len)
{
	uint32_t said = len < UDP_HEADER ? 0 : wt_get16(udp + 4);

	if (said < UDP_HEADER || said > len)
		return false;
	if (!wt_get16(udp + 6))
		return src->family == WT_FAMILY_IPV4;
	return !wt_csum_fold(wt_csum_add(wt_csum_pseudo(src, dst, WT_IP_UDP, said), udp, said));
}

void wt_router_datagram(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_addr *src,
			const struct wt_addr *dst, const uint8_t *udp, uint32_t len)
{
	const struct wt_refusal refusal = {.kind = WT_REFUSAL_PORT}; /* from the address it was for (RFC 4443 2.2(a)) */
	bool neighbour = src->family == WT_FAMILY_IPV6 && wt_ipv6_is_link_local(src->bytes);
	const struct wt_router_route *back = wt_router_look_up(router, src);
	struct wt_frame *answer = NULL;

	wt_frame_finish_csum(frame);
	if ((neighbour ? router->port[port].network : back != NULL) && is_datagram(src, dst, udp, len))
		answer = wt_refuse(&router->node, &router->limit, now, frame, &refusal);
	if (answer)
		wt_router_deliver(router, answer, neighbour ? port : back->port, src, now);
	wt_router_take(router, frame);
}

/* ---- the verbs ----------------------------------------------------------------------------------------- */

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_router *router = (struct wt_router *)node;
	const struct wt_mac *here = &router->port[port].mac;
	struct wt_eth eth;

	node->audit.in++;
	if (!wt_eth_parse(frame->data, frame->len, &eth))
		wt_node_drop(node, now, frame, WT_DROP_SHORT);
	else if (eth.type == WT_ETH_ARP)
		wt_router_arp(router, port, now, frame);
	else if ((eth.type != WT_ETH_IPV4 || !router->speaks[WT_FAMILY_IPV4]) &&
		 (eth.type != WT_ETH_IPV6 || !router->speaks[WT_FAMILY_IPV6]))
		wt_node_drop(node, now, frame, WT_DROP_PROTOCOL);
	else if (memcmp(&eth.dst, here, sizeof(*here)) && (eth.type != WT_ETH_IPV6 || wt_get16(eth.dst.bytes) != 0x3333))
		wt_node_drop(node, now, frame, WT_DROP_NOT_OURS);
	else if (eth.type == WT_ETH_IPV4)
		wt_router_ipv4(router, port, now, frame);
	else
		wt_router_ipv6(router, port, now, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_router *router = (struct wt_router *)node;
	struct wt_frame *frame;

	if (router->asking)
		wt_router_ask_again(router, now);
	frame = wt_frame_queue_pop(&router->ready);
	if (!frame)
		return NULL;
	node->audit.queued--;
	node->audit.out++;
	*port = frame->mark;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_router *router = (const struct wt_router *)node;

	if (router->ready.head)
		return 0;
	return router->asking ? wt_router_next_ask(router) : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	struct wt_router *router = (struct wt_router *)node;

	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		wt_frame_queue_clear(&router->neighbour[i].wait);
	wt_frame_queue_clear(&router->ready);
	free(router->port);
	free(router->route);
	free(router);
}

struct wt_node *wt_router_create(const char *name, unsigned number, unsigned ports, const struct wt_addr address[WT_FAMILIES],
				 struct wt_pool *pool)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, NULL};
	struct wt_router *router = ports <= WT_ROUTER_PORTS ? calloc(1, sizeof(*router)) : NULL;

	if (router)
		router->port = calloc(ports, sizeof(*router->port));
	if (!router || !router->port) {
		free(router);
		return NULL;
	}
	router->node.ops = &ops;
	router->node.ports = ports;
	snprintf(router->node.name, sizeof(router->node.name), "%s", name);
	router->pool = pool;
	for (unsigned family = 0; family < WT_FAMILIES; family++) {
		router->address[family] = address[family];
		router->speaks[family] = address[family].family;
	}
	for (unsigned i = 0; i < ports; i++) {
		router->port[i].mac = wt_router_mac(number, i);
		router->port[i].link_local = wt_nd_link_local(&router->port[i].mac);
	}
	return &router->node;
}

void wt_router_limit_answers(struct wt_node *node, const struct wt_refusal_rate *rate)
{
	((struct wt_router *)node)->limit.rate = *rate;
}

int wt_router_set_network(struct wt_node *node, unsigned port, const struct wt_addr *gateway, unsigned prefix)
{
	struct wt_router_port *here = &((struct wt_router *)node)->port[port];

	here->network = true;
	here->gateway[gateway->family] = *gateway;
	here->prefix[gateway->family] = prefix;
	return wt_router_add_route(node, gateway, prefix, port);
}

void wt_router_know_hosts(struct wt_node *node, unsigned port)
{
	((struct wt_router *)node)->port[port].known = true;
}

void wt_router_set_peer(struct wt_node *node, unsigned port, const struct wt_mac *peer)
{
	((struct wt_router *)node)->port[port].peer = *peer;
}

int wt_router_add_route(struct wt_node *node, const struct wt_addr *network, unsigned prefix, unsigned port)
{
	struct wt_router *router = (struct wt_router *)node;

	router->speaks[network->family] = true;
	if (router->routes == router->route_room) {
		unsigned room = router->route_room ? 2 * router->route_room : 16;
		struct wt_router_route *more = realloc(router->route, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		router->route = more;
		router->route_room = room;
	}
	router->route[router->routes++] = (struct wt_router_route){*network, prefix, port};
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/router.h"

#include <stdio.h>
#include <stdlib.h>

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/wire/arp.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"

enum { TTL = 64, QUOTED = 8, IP_AT = WT_ETH_HEADER, MIN_FRAME = 60 };

#define ASK_AGAIN WT_S /* RFC 1122 2.3.2.1: at most one request per second and address */
#define ASK_TIMES 3

struct neighbour {
	uint32_t address; /* 0: free */
	unsigned port;
	bool known;
	struct wt_mac mac;
	wt_time heard; /* or first asked */
	wt_time ask;   /* when to ask again */
	unsigned asked;
};

struct route {
	uint32_t network, mask;
	unsigned port;
};

struct router_port {
	struct wt_mac mac, peer;
	uint32_t gateway, mask; /* 0: another router is there */
};

struct router {
	struct wt_node node;
	struct wt_pool *pool;
	uint32_t address;
	struct router_port port[WT_ROUTER_PORTS];
	struct route route[WT_ROUTER_ROUTES];
	unsigned routes;
	struct neighbour neighbour[WT_ROUTER_NEIGHBOURS];
	struct wt_frame_queue wait; /* for ARP; mark: the port they will leave by */
	struct wt_frame_queue ready; /* mark: the port */
	uint16_t id;
};

struct wt_mac wt_router_mac(unsigned number, unsigned port)
{
	return (struct wt_mac){{0x02, 0x77, 0x74, 0x10, (uint8_t)number, (uint8_t)port}};
}

static void send(struct router *router, struct wt_frame *frame, unsigned port, const struct wt_mac *to, uint16_t type)
{
	struct wt_eth eth = {.dst = *to, .src = router->port[port].mac, .type = type};

	wt_eth_emit(frame->data, &eth);
	frame->mark = (uint8_t)port;
	router->node.audit.queued++;
	wt_frame_queue_push(&router->ready, frame);
}

static struct wt_frame *make(struct router *router, uint32_t len)
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

/* ---- ARP ----------------------------------------------------------------------------------------------- */

static struct wt_addr addr_of(uint32_t address)
{
	return wt_addr_ipv4((uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address);
}

static void ask(struct router *router, struct neighbour *neighbour, wt_time now)
{
	static const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	const struct router_port *port = &router->port[neighbour->port];
	struct wt_arp arp = {.op = WT_ARP_REQUEST, .sender_mac = port->mac, .sender = addr_of(port->gateway),
			     .target = addr_of(neighbour->address)};
	struct wt_frame *frame = make(router, MIN_FRAME);

	neighbour->asked++;
	neighbour->ask = now + ASK_AGAIN;
	if (!frame)
		return;
	wt_arp_emit(frame->data + WT_ETH_HEADER, &arp);
	send(router, frame, neighbour->port, &everyone, WT_ETH_ARP);
}

static struct neighbour *find(struct router *router, uint32_t address, unsigned port)
{
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		if (router->neighbour[i].address == address && router->neighbour[i].port == port)
			return &router->neighbour[i];
	return NULL;
}

/* Frames that wait for a neighbour: sent if it is known now, dropped if it will not be. */
static void release(struct router *router, const struct neighbour *neighbour, wt_time now, bool give_up)
{
	struct wt_frame_queue kept = {0};
	struct wt_frame *frame;

	while ((frame = wt_frame_queue_pop(&router->wait))) {
		if (frame->mark != neighbour->port || wt_get32(frame->data + IP_AT + 16) != neighbour->address) {
			wt_frame_queue_push(&kept, frame);
			continue;
		}
		router->node.audit.queued--;
		if (give_up)
			wt_node_drop(&router->node, now, frame, WT_DROP_NEIGHBOUR);
		else
			send(router, frame, neighbour->port, &neighbour->mac, WT_ETH_IPV4);
	}
	router->wait = kept;
}

static struct neighbour *claim(struct router *router, uint32_t address, unsigned port, wt_time now)
{
	struct neighbour *oldest = &router->neighbour[0];

	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS && oldest->address; i++)
		if (!router->neighbour[i].address || router->neighbour[i].heard < oldest->heard)
			oldest = &router->neighbour[i];
	if (oldest->address && !oldest->known)
		release(router, oldest, now, true);
	*oldest = (struct neighbour){.address = address, .port = port, .heard = now, .ask = WT_NEVER};
	return oldest;
}

static void learn(struct router *router, unsigned port, uint32_t address, const struct wt_mac *mac, wt_time now)
{
	const struct router_port *here = &router->port[port];
	struct neighbour *neighbour = find(router, address, port);

	if (!address || (address & here->mask) != (here->gateway & here->mask) || address == here->gateway)
		return;
	if (!neighbour)
		neighbour = claim(router, address, port, now);
	neighbour->mac = *mac;
	neighbour->heard = now;
	neighbour->ask = WT_NEVER;
	neighbour->asked = 0;
	if (!neighbour->known) {
		neighbour->known = true;
		release(router, neighbour, now, false);
	}
}

/* The frame of a question to us becomes the answer. */
static void arp_input(struct router *router, unsigned port, wt_time now, struct wt_frame *frame)
{
	const struct router_port *here = &router->port[port];
	struct wt_arp arp;
	struct wt_mac asker;

	if (!here->gateway || !wt_arp_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_PROTOCOL);
		return;
	}
	learn(router, port, wt_get32(arp.sender.bytes), &arp.sender_mac, now);
	if (arp.op != WT_ARP_REQUEST || wt_get32(arp.target.bytes) != here->gateway) {
		router->node.audit.taken++;
		wt_frame_free(frame);
		return;
	}
	asker = arp.sender_mac;
	arp.op = WT_ARP_REPLY;
	arp.target_mac = arp.sender_mac;
	arp.target = arp.sender;
	arp.sender_mac = here->mac;
	arp.sender = addr_of(here->gateway);
	wt_arp_emit(frame->data + WT_ETH_HEADER, &arp);
	send(router, frame, port, &asker, WT_ETH_ARP);
}

/* ---- IPv4 ---------------------------------------------------------------------------------------------- */

static const struct route *look_up(const struct router *router, uint32_t address)
{
	const struct route *best = NULL;

	for (unsigned i = 0; i < router->routes; i++)
		if ((address & router->route[i].mask) == router->route[i].network && (!best || router->route[i].mask > best->mask))
			best = &router->route[i];
	return best;
}

/* On its way to where `address`, its destination, lies. */
static void send_ip(struct router *router, struct wt_frame *frame, const struct route *route, uint32_t address, wt_time now)
{
	const struct router_port *out = &router->port[route->port];
	struct neighbour *neighbour;

	if (!out->gateway) {
		send(router, frame, route->port, &out->peer, WT_ETH_IPV4);
		return;
	}
	neighbour = find(router, address, route->port);
	if (neighbour && neighbour->known) {
		send(router, frame, route->port, &neighbour->mac, WT_ETH_IPV4);
		return;
	}
	if (router->wait.frames >= WT_ROUTER_WAITING) {
		wt_node_drop(&router->node, now, frame, WT_DROP_NEIGHBOUR);
		return;
	}
	frame->mark = (uint8_t)route->port;
	router->node.audit.queued++;
	wt_frame_queue_push(&router->wait, frame);
	if (!neighbour)
		ask(router, claim(router, address, route->port, now), now);
}

static bool is_mine(const struct router *router, uint32_t address)
{
	bool mine = address && address == router->address;

	for (unsigned i = 0; i < router->node.ports; i++)
		mine |= router->port[i].gateway && router->port[i].gateway == address;
	return mine;
}

/* RFC 1812 4.3.2.7: not about an ICMP error, not about a fragment but the first, not to what is no single host. */
static bool may_complain(const struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	uint8_t type = frame->data[IP_AT + ip->header_len];

	if (ip->frag_offset || ip->src.bytes[0] >= 224 || !wt_get32(ip->src.bytes) || ip->dst.bytes[0] >= 224)
		return false;
	return ip->protocol != WT_IP_ICMP || (ip->total_len > ip->header_len && (type == WT_ICMP_ECHO_REQUEST || type == WT_ICMP_ECHO_REPLY));
}

static void complain(struct router *router, unsigned port, const struct wt_frame *about, const struct wt_ipv4 *ip, uint8_t type,
		     wt_time now)
{
	uint32_t quoted = ip->header_len + QUOTED > ip->total_len ? ip->total_len : ip->header_len + QUOTED;
	const struct route *back = look_up(router, wt_get32(ip->src.bytes));
	uint32_t from = router->port[port].gateway ? router->port[port].gateway : router->address;
	struct wt_icmp icmp = {.type = type};
	struct wt_ipv4 head = {.src = addr_of(from), .dst = ip->src, .ttl = TTL, .protocol = WT_IP_ICMP, .id = router->id++,
			       .total_len = (uint16_t)(WT_IPV4_HEADER + WT_ICMP_HEADER + quoted)};
	struct wt_frame *frame;

	if (!back || !from || !may_complain(about, ip))
		return;
	frame = make(router, WT_ETH_HEADER + head.total_len);
	if (!frame)
		return;
	memcpy(frame->data + IP_AT + WT_IPV4_HEADER + WT_ICMP_HEADER, about->data + IP_AT, quoted);
	wt_icmp_emit(frame->data + IP_AT + WT_IPV4_HEADER, WT_ICMP_HEADER + quoted, &icmp);
	wt_ipv4_emit(frame->data + IP_AT, &head);
	send_ip(router, frame, back, wt_get32(ip->src.bytes), now);
}

/* A packet for the router itself: pings are answered in their own frame. */
static void mine(struct router *router, wt_time now, struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	uint8_t *body = frame->data + IP_AT + ip->header_len;
	uint32_t len = ip->total_len - ip->header_len;
	const struct route *back = look_up(router, wt_get32(ip->src.bytes));
	struct wt_icmp icmp;
	struct wt_ipv4 head = *ip;

	if (ip->protocol != WT_IP_ICMP || ip->frag_offset || ip->more_fragments || ip->header_len != WT_IPV4_HEADER || !back ||
	    !wt_icmp_parse(body, len, &icmp) || icmp.type != WT_ICMP_ECHO_REQUEST) {
		router->node.audit.taken++;
		wt_frame_free(frame);
		return;
	}
	icmp.type = WT_ICMP_ECHO_REPLY;
	wt_icmp_emit(body, len, &icmp);
	head.src = ip->dst;
	head.dst = ip->src;
	head.ttl = TTL;
	wt_ipv4_emit(frame->data + IP_AT, &head);
	send_ip(router, frame, back, wt_get32(head.dst.bytes), now);
}

static void ip_input(struct router *router, unsigned port, wt_time now, struct wt_frame *frame)
{
	uint8_t *head = frame->data + IP_AT;
	const struct route *route;
	struct wt_ipv4 ip;

	if (wt_ipv4_parse(head, frame->len - IP_AT, true, &ip) != WT_IPV4_OK) {
		wt_node_drop(&router->node, now, frame, WT_DROP_IP_HEADER);
		return;
	}
	if (router->port[port].gateway)
		learn(router, port, wt_get32(ip.src.bytes), (const struct wt_mac *)(frame->data + 6), now);
	if (is_mine(router, wt_get32(ip.dst.bytes))) {
		mine(router, now, frame, &ip);
		return;
	}
	if (ip.ttl <= 1) {
		complain(router, port, frame, &ip, WT_ICMP_TIME_EXCEEDED, now);
		wt_node_drop(&router->node, now, frame, WT_DROP_TTL);
		return;
	}
	route = ip.dst.bytes[0] < 224 ? look_up(router, wt_get32(ip.dst.bytes)) : NULL;
	if (!route) {
		complain(router, port, frame, &ip, WT_ICMP_UNREACHABLE, now);
		wt_node_drop(&router->node, now, frame, WT_DROP_UNROUTED);
		return;
	}
	head[8]--;
	wt_put16(head + 10, 0);
	wt_put16(head + 10, wt_csum_fold(wt_csum_add(0, head, ip.header_len)));
	send_ip(router, frame, route, wt_get32(ip.dst.bytes), now);
}

/* ---- the verbs ----------------------------------------------------------------------------------------- */

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct router *router = (struct router *)node;
	struct wt_eth eth;

	node->audit.in++;
	if (!wt_eth_parse(frame->data, frame->len, &eth))
		wt_node_drop(node, now, frame, WT_DROP_SHORT);
	else if (eth.type == WT_ETH_ARP)
		arp_input(router, port, now, frame);
	else if (eth.type != WT_ETH_IPV4)
		wt_node_drop(node, now, frame, WT_DROP_PROTOCOL);
	else if (memcmp(eth.dst.bytes, router->port[port].mac.bytes, sizeof(eth.dst.bytes)))
		wt_node_drop(node, now, frame, WT_DROP_NOT_OURS);
	else
		ip_input(router, port, now, frame);
}

static void ask_again(struct router *router, wt_time now)
{
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++) {
		struct neighbour *neighbour = &router->neighbour[i];

		if (!neighbour->address || neighbour->known || neighbour->ask > now)
			continue;
		if (neighbour->asked < ASK_TIMES) {
			ask(router, neighbour, now);
			continue;
		}
		release(router, neighbour, now, true);
		*neighbour = (struct neighbour){0};
	}
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct router *router = (struct router *)node;
	struct wt_frame *frame;

	if (router->wait.head)
		ask_again(router, now);
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
	const struct router *router = (const struct router *)node;
	wt_time due = WT_NEVER;

	if (router->ready.head)
		return 0;
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS && router->wait.head; i++)
		if (router->neighbour[i].address && !router->neighbour[i].known)
			due = wt_time_min(due, router->neighbour[i].ask);
	return due;
}

static void destroy(struct wt_node *node)
{
	struct router *router = (struct router *)node;

	wt_frame_queue_clear(&router->wait);
	wt_frame_queue_clear(&router->ready);
	free(router);
}

struct wt_node *wt_router_create(const char *name, unsigned number, unsigned ports, const struct wt_addr *address,
				 struct wt_pool *pool)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, NULL};
	struct router *router = ports <= WT_ROUTER_PORTS ? calloc(1, sizeof(*router)) : NULL;

	if (!router)
		return NULL;
	router->node.ops = &ops;
	router->node.ports = ports;
	snprintf(router->node.name, sizeof(router->node.name), "%s", name);
	router->pool = pool;
	router->address = address->family ? wt_get32(address->bytes) : 0;
	for (unsigned i = 0; i < ports; i++)
		router->port[i].mac = wt_router_mac(number, i);
	return &router->node;
}

void wt_router_set_network(struct wt_node *node, unsigned port, const struct wt_addr *gateway, unsigned prefix)
{
	struct router_port *here = &((struct router *)node)->port[port];

	here->gateway = wt_get32(gateway->bytes);
	here->mask = prefix ? ~(uint32_t)0 << (32 - prefix) : 0;
	wt_router_add_route(node, gateway, prefix, port);
}

void wt_router_set_peer(struct wt_node *node, unsigned port, const struct wt_mac *peer)
{
	((struct router *)node)->port[port].peer = *peer;
}

void wt_router_add_route(struct wt_node *node, const struct wt_addr *network, unsigned prefix, unsigned port)
{
	struct router *router = (struct router *)node;
	uint32_t mask = prefix ? ~(uint32_t)0 << (32 - prefix) : 0;

	if (router->routes < WT_ROUTER_ROUTES)
		router->route[router->routes++] = (struct route){wt_get32(network->bytes) & mask, mask, port};
}

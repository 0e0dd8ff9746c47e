/* SPDX-License-Identifier: BSD-2-Clause */
/* ARP (RFC 826) and IPv4 (RFC 1812) in a router. */
#include "emu/router/parts.h"
#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/wire/arp.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"

enum { MIN_FRAME = 60 };

void wt_router_ask_arp(struct wt_router *router, const struct wt_neighbour *neighbour)
{
	static const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	const struct wt_router_port *port = &router->port[neighbour->port];
	struct wt_arp arp = {.op = WT_ARP_REQUEST, .sender_mac = port->mac, .sender = port->gateway[WT_FAMILY_IPV4],
			     .target = neighbour->address};
	struct wt_frame *frame = wt_router_make(router, MIN_FRAME);

	if (!frame)
		return;
	wt_arp_emit(frame->data + WT_ETH_HEADER, &arp);
	wt_router_send(router, frame, neighbour->port, &everyone, WT_ETH_ARP);
}

/* The frame of a question to us becomes the answer. */
void wt_router_arp(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame)
{
	const struct wt_router_port *here = &router->port[port];
	const struct wt_addr *gateway = &here->gateway[WT_FAMILY_IPV4];
	struct wt_arp arp;
	struct wt_mac asker;

	if (!gateway->family || !wt_arp_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_PROTOCOL);
		return;
	}
	wt_router_learn(router, port, &arp.sender, &arp.sender_mac, now);
	if (arp.op != WT_ARP_REQUEST || !wt_addr_eq(&arp.target, gateway)) {
		wt_router_take(router, frame);
		return;
	}
	asker = arp.sender_mac;
	arp.op = WT_ARP_REPLY;
	arp.target_mac = arp.sender_mac;
	arp.target = arp.sender;
	arp.sender_mac = here->mac;
	arp.sender = *gateway;
	wt_arp_emit(frame->data + WT_ETH_HEADER, &arp);
	wt_router_send(router, frame, port, &asker, WT_ETH_ARP);
}

/* A packet for the router itself: pings are answered in their own frame. */
static void mine(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	uint8_t *body = frame->data + WT_ROUTER_IP_AT + ip->header_len;
	uint32_t len = ip->total_len - ip->header_len;
	const struct wt_router_route *back = wt_router_look_up(router, &ip->src);
	struct wt_icmp icmp;
	struct wt_ipv4 head = *ip;

	if (ip->protocol == WT_IP_UDP && !ip->frag_offset && !ip->more_fragments) {
		wt_router_datagram(router, port, now, frame, &ip->src, &ip->dst, body, len);
		return;
	}
	if (ip->protocol != WT_IP_ICMP || ip->frag_offset || ip->more_fragments || ip->header_len != WT_IPV4_HEADER || !back ||
	    !wt_icmp_parse(body, len, &icmp) || icmp.type != WT_ICMP_ECHO_REQUEST) {
		wt_router_take(router, frame);
		return;
	}
	icmp.type = WT_ICMP_ECHO_REPLY;
	wt_icmp_emit(body, len, &icmp);
	head.src = ip->dst;
	head.dst = ip->src;
	head.ttl = WT_ROUTER_TTL;
	wt_ipv4_emit(frame->data + WT_ROUTER_IP_AT, &head);
	wt_router_deliver(router, frame, back->port, &head.dst, now);
}

void wt_router_ipv4(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame)
{
	uint8_t *head = frame->data + WT_ROUTER_IP_AT;
	const struct wt_router_route *route;
	struct wt_ipv4 ip;

	if (wt_ipv4_parse(head, frame->len - WT_ROUTER_IP_AT, true, &ip) != WT_IPV4_OK) {
		wt_node_drop(&router->node, now, frame, WT_DROP_IP_HEADER);
		return;
	}
	if (!wt_router_may_be_from(router, frame, &ip.src)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_IP_SOURCE);
		return;
	}
	if (!frame->told) /* nobody was heard from: a link answered for him */
		wt_router_learn(router, port, &ip.src, (const struct wt_mac *)(frame->data + 6), now);
	if (wt_router_is_mine(router, &ip.dst)) {
		mine(router, port, now, frame, &ip);
		return;
	}
	/* To a broadcast address, a group or where no host is: neither passed on (RFC 2644 section 4, RFC 1812 5.3.7) nor answered (4.3.2.7). */
	if (wt_router_knows_broadcast(router, &ip.dst) || !wt_source_usable(&ip.dst)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_UNROUTED);
		return;
	}
	if (ip.ttl <= 1) {
		wt_router_refuse(router, now, frame, WT_REFUSAL_HOPS, WT_DROP_TTL);
		return;
	}
	route = wt_router_look_up(router, &ip.dst);
	if (!route) {
		wt_router_refuse(router, now, frame, WT_REFUSAL_ROUTE, WT_DROP_UNROUTED);
		return;
	}
	head[8]--;
	wt_put16(head + 10, 0);
	wt_put16(head + 10, wt_csum_fold(wt_csum_add(0, head, ip.header_len)));
	wt_router_deliver(router, frame, route->port, &ip.dst, now);
}

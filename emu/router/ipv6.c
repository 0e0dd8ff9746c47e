/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv6 (RFC 8200) and neighbour discovery (RFC 4861) in a router. It advertises no prefixes (hosts are told their addresses, as
 * their IPv4 ones) and tries none of its own for duplicates (they come from a file that has no two alike).
 */
#include "emu/router/parts.h"
#include "emu/packet.h"
#include "stack/base/bytes.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/nd.h"

enum { ECHO_REQUEST = 128, ECHO_REPLY = 129 };

static const struct wt_addr all_nodes = {WT_FAMILY_IPV6, {0xff, 0x02, [15] = 1}};

/* In a frame of its own length; `frame` may be that of the question. */
static void send_nd(struct wt_router *router, struct wt_frame *frame, unsigned port, const struct wt_mac *to, const struct wt_addr *src,
		    const struct wt_addr *dst, const struct wt_nd *nd)
{
	struct wt_ipv6 ip = {.src = *src, .dst = *dst, .payload_len = WT_ND_LEN, .next_header = WT_IP_ICMPV6, .hop_limit = WT_ND_HOP_LIMIT};

	wt_ipv6_emit(frame->data + WT_ROUTER_IP_AT, &ip);
	wt_nd_emit(frame->data + WT_ROUTER_IP_AT + WT_IPV6_HEADER, src, dst, nd);
	frame->len = WT_ROUTER_IP_AT + WT_IPV6_HEADER + WT_ND_LEN;
	frame->csum = WT_CSUM_VALID;
	wt_router_send(router, frame, port, to, WT_ETH_IPV6);
}

/* Of who was known before it is only asked whether it still is there (7.3.3). */
void wt_router_ask_nd(struct wt_router *router, const struct wt_neighbour *neighbour)
{
	const struct wt_router_port *port = &router->port[neighbour->port];
	struct wt_nd nd = {.type = WT_ND_SOLICITATION, .target = neighbour->address, .mac = port->mac};
	struct wt_addr group = wt_nd_group(&neighbour->address);
	struct wt_mac group_mac = wt_nd_group_mac(&group);
	struct wt_frame *frame = wt_router_make(router, WT_ROUTER_IP_AT + WT_IPV6_HEADER + WT_ND_LEN);

	if (frame)
		send_nd(router, frame, neighbour->port, neighbour->known ? &neighbour->mac : &group_mac, &port->link_local,
			neighbour->known ? &neighbour->address : &group, &nd);
}

/* RFC 4861 7.2.3, 7.2.4. The frame of a question becomes the answer. */
static void solicited(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip,
		      const struct wt_nd *nd)
{
	const struct wt_router_port *here = &router->port[port];
	struct wt_nd answer = {.type = WT_ND_ADVERTISEMENT, .router = true, .override = true, .target = nd->target, .mac = here->mac};
	struct wt_mac asker = *(const struct wt_mac *)(frame->data + 6);
	bool anonymous = !wt_source_usable(&ip->src); /* somebody tries whether our address is free */

	if (!wt_addr_eq(&nd->target, &here->gateway[WT_FAMILY_IPV6]) && !wt_addr_eq(&nd->target, &here->link_local)) {
		wt_router_take(router, frame);
		return;
	}
	if (nd->has_mac)
		wt_router_learn(router, port, &ip->src, &nd->mac, now);
	answer.solicited = !anonymous;
	if (anonymous)
		asker = wt_nd_group_mac(&all_nodes);
	else if (nd->has_mac)
		asker = nd->mac;
	if (frame->room < WT_ROUTER_IP_AT + WT_IPV6_HEADER + WT_ND_LEN) {
		wt_node_drop(&router->node, now, frame, WT_DROP_POOL);
		return;
	}
	if (!anonymous && asker.bytes[0] & 1) { /* nobody's address */
		wt_router_take(router, frame);
		return;
	}
	send_nd(router, frame, port, &asker, &nd->target, anonymous ? &all_nodes : &ip->src, &answer);
}

/* RFC 4861 7.2.5: only about neighbours that are asked for or known; a known one keeps its address unless told to give it up. */
static void advertised(struct wt_router *router, unsigned port, wt_time now, const struct wt_nd *nd)
{
	struct wt_neighbour *neighbour = wt_router_find(router, &nd->target, port);
	bool other;

	if (!neighbour || (nd->has_mac && nd->mac.bytes[0] & 1) || (!neighbour->known && !nd->has_mac))
		return;
	other = nd->has_mac && memcmp(&neighbour->mac, &nd->mac, sizeof(nd->mac));
	if (neighbour->known && other && !nd->override)
		return;
	if (nd->has_mac)
		neighbour->mac = nd->mac;
	if (nd->solicited || !neighbour->known)
		wt_router_heard(router, neighbour, now);
}

static void echo(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip)
{
	uint8_t *head = frame->data + WT_ROUTER_IP_AT;
	const struct wt_router_route *back = wt_router_look_up(router, &ip->src);
	struct wt_ipv6 answer = {.src = ip->dst, .dst = ip->src, .payload_len = ip->payload_len, .next_header = WT_IP_ICMPV6,
				 .hop_limit = WT_ROUTER_TTL, .class = ip->class};

	if (wt_ipv6_is_link_local(ip->src.bytes) ? !router->port[port].network : !back) {
		wt_router_take(router, frame);
		return;
	}
	wt_ipv6_emit(head, &answer);
	head[WT_IPV6_HEADER] = ECHO_REPLY;
	wt_ipv6_icmp_checksum(head, WT_IPV6_HEADER, ip->payload_len);
	wt_router_deliver(router, frame, wt_ipv6_is_link_local(ip->src.bytes) ? port : back->port, &answer.dst, now);
}

/* For the router or for a group: pings to its own addresses are answered, and neighbours spoken with where it has an address. */
static void mine(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip)
{
	const uint8_t *head = frame->data + WT_ROUTER_IP_AT;
	struct wt_ipv6_upper upper;
	struct wt_nd nd;

	wt_frame_finish_csum(frame);
	/* nor what comes in fragments, neighbour discovery above all (RFC 6980 section 5) */
	if (!wt_ipv6_upper(head, frame->len - WT_ROUTER_IP_AT, &upper) || upper.fragment ||
	    (upper.protocol != WT_IP_ICMPV6 && upper.protocol != WT_IP_UDP)) {
		wt_router_take(router, frame);
		return;
	}
	if (upper.protocol == WT_IP_UDP) {
		wt_router_datagram(router, port, now, frame, &ip->src, &ip->dst, head + upper.at, upper.end - upper.at);
		return;
	}
	if (upper.end - upper.at < 4 || wt_ipv6_icmp_sum(head, upper.at, upper.end - upper.at)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_ICMP);
		return;
	}
	if (head[upper.at] == ECHO_REQUEST && upper.at == WT_IPV6_HEADER && upper.end - upper.at >= 8 && ip->dst.bytes[0] != 0xff) {
		echo(router, port, now, frame, ip);
		return;
	}
	if (router->port[port].gateway[WT_FAMILY_IPV6].family && wt_nd_parse(ip, head + upper.at, upper.end - upper.at, &nd)) {
		if (nd.type == WT_ND_SOLICITATION) {
			solicited(router, port, now, frame, ip, &nd);
			return;
		}
		advertised(router, port, now, &nd);
	}
	wt_router_take(router, frame);
}

void wt_router_ipv6(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame)
{
	static const struct wt_addr unspecified = {.family = WT_FAMILY_IPV6};
	uint8_t *head = frame->data + WT_ROUTER_IP_AT;
	bool group = frame->data[0] & 1;
	const struct wt_router_route *route;
	struct wt_ipv6 ip;

	if (!wt_ipv6_parse(head, frame->len - WT_ROUTER_IP_AT, &ip)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_IP_HEADER);
		return;
	}
	if (!wt_router_may_be_from(router, frame, &ip.src) && !wt_addr_eq(&ip.src, &unspecified)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_IP_SOURCE);
		return;
	}
	if (ip.dst.bytes[0] == 0xff || wt_router_is_mine(router, &ip.dst) || wt_addr_eq(&ip.dst, &router->port[port].link_local)) {
		mine(router, port, now, frame, &ip);
		return;
	}
	/* to many on the link but to one above it; and what RFC 4291 2.5 forbids to pass on */
	if (group || !wt_source_usable(&ip.src) || !wt_source_usable(&ip.dst) || wt_ipv6_is_link_local(ip.src.bytes) ||
	    wt_ipv6_is_link_local(ip.dst.bytes)) {
		wt_node_drop(&router->node, now, frame, WT_DROP_NOT_OURS);
		return;
	}
	if (ip.hop_limit <= 1) {
		wt_router_refuse(router, now, frame, WT_REFUSAL_HOPS, WT_DROP_TTL);
		return;
	}
	route = wt_router_look_up(router, &ip.dst);
	if (!route) {
		wt_router_refuse(router, now, frame, WT_REFUSAL_ROUTE, WT_DROP_UNROUTED);
		return;
	}
	head[7]--;
	wt_router_deliver(router, frame, route->port, &ip.dst, now);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv6 (RFC 8200) and neighbour discovery (RFC 4861), of routers so far: no transport of ours speaks it. A router advertises no prefixes (hosts are told their addresses, as
 * their IPv4 ones) and tries none of its own for duplicates (they come from a file that has no two alike).
 */
#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/net/net.h"
#include "stack/wire/nd.h"
#include "stack/wire/packet.h"
#include "stack/wire/udp.h"

enum { ECHO_REQUEST = 128, ECHO_REPLY = 129, IP_AT = WT_ETH_HEADER, UPPER_AT = IP_AT + WT_IPV6_HEADER };

static const struct wt_addr all_nodes = {WT_FAMILY_IPV6, {0xff, 0x02, [15] = 1}};

/* In a frame of its own length; `frame` may be that of the question. */
static void send_nd(struct wt_net *net, struct wt_frame *frame, unsigned interface, const struct wt_mac *to, const struct wt_addr *src,
		    const struct wt_addr *dst, const struct wt_nd *nd)
{
	struct wt_ipv6 ip = {.src = *src, .dst = *dst, .payload_len = WT_ND_LEN, .next_header = WT_IP_ICMPV6, .hop_limit = WT_ND_HOP_LIMIT};

	wt_ipv6_emit(wt_frame_own_bytes(frame) + IP_AT, &ip);
	wt_nd_emit(wt_frame_own_bytes(frame) + UPPER_AT, src, dst, nd);
	frame->len = UPPER_AT + WT_ND_LEN;
	frame->csum = WT_CSUM_VALID;
	wt_net_transmit(net, frame, interface, to, WT_ETH_IPV6);
}

/* Of who was known before it is only asked whether it still is there (7.3.3). */
void wt_nd_ask(struct wt_net *net, wt_time now, const struct wt_neighbour *neighbour)
{
	const struct wt_net_interface *here = &net->interface[neighbour->interface];
	struct wt_nd nd = {.type = WT_ND_SOLICITATION, .target = neighbour->addr, .mac = here->mac};
	struct wt_addr group = wt_nd_group(&neighbour->addr);
	struct wt_mac group_mac = wt_nd_group_mac(&group);
	struct wt_frame *frame = wt_books_make(net->config.node, net->config.pool, now);

	if (!frame)
		return;
	if (frame->room < UPPER_AT + WT_ND_LEN) {
		wt_net_drop(net, now, frame, WT_DROP_POOL);
		return;
	}
	send_nd(net, frame, neighbour->interface, neighbour->known ? &neighbour->mac : &group_mac, &here->link_local,
		neighbour->known ? &neighbour->addr : &group, &nd);
}

/* Does it have this address at this interface? */
static bool is_here(const struct wt_net *net, unsigned interface, const struct wt_addr *addr)
{
	return wt_net_is_here(net, interface, addr) ||
	       (wt_net_address_at(net, interface, WT_FAMILY_IPV6, addr) && wt_addr_eq(addr, &net->interface[interface].link_local));
}

/* RFC 4861 7.2.3, 7.2.4. The frame of a question becomes the answer. */
static void solicited(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip,
		      const struct wt_nd *nd)
{
	const struct wt_net_interface *here = &net->interface[interface];
	struct wt_nd answer = {.type = WT_ND_ADVERTISEMENT, .router = net->config.forwards, .override = true, .target = nd->target, .mac = here->mac};
	struct wt_mac asker = *(const struct wt_mac *)(wt_frame_look(frame) + 6);
	bool anonymous = !wt_source_usable(&ip->src); /* somebody tries whether our address is free */

	if (!is_here(net, interface, &nd->target)) {
		wt_books_take(net->config.node, frame);
		return;
	}
	if (nd->has_mac)
		wt_neighbours_learn(&net->neighbours, now, interface, &ip->src, &nd->mac);
	answer.solicited = !anonymous;
	if (anonymous)
		asker = wt_nd_group_mac(&all_nodes);
	else if (nd->has_mac)
		asker = nd->mac;
	if (frame->room < UPPER_AT + WT_ND_LEN) {
		wt_net_drop(net, now, frame, WT_DROP_POOL);
		return;
	}
	if (!anonymous && asker.bytes[0] & 1) { /* nobody's address */
		wt_books_take(net->config.node, frame);
		return;
	}
	send_nd(net, frame, interface, &asker, &nd->target, anonymous ? &all_nodes : &ip->src, &answer);
}

/* RFC 4861 7.2.5: only about neighbours that are asked for or known; a known one keeps its address unless told to give it up. */
static void advertised(struct wt_net *net, unsigned interface, wt_time now, const struct wt_nd *nd)
{
	struct wt_neighbour *neighbour = wt_neighbours_entry(&net->neighbours, interface, &nd->target);
	bool other;

	if (!neighbour || neighbour->fixed || (nd->has_mac && nd->mac.bytes[0] & 1) || (!neighbour->known && !nd->has_mac))
		return;
	other = nd->has_mac && memcmp(&neighbour->mac, &nd->mac, sizeof(nd->mac));
	if (neighbour->known && other && !nd->override)
		return;
	if (nd->has_mac)
		neighbour->mac = nd->mac;
	if (nd->solicited || !neighbour->known)
		wt_neighbours_confirm(&net->neighbours, now, neighbour);
}

static void echo(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip)
{
	uint8_t *head = wt_frame_own_bytes(frame) + IP_AT;
	const struct wt_route *back = wt_net_look_up(net, &ip->src);
	struct wt_ipv6 answer = {.src = ip->dst, .dst = ip->src, .payload_len = ip->payload_len, .next_header = WT_IP_ICMPV6,
				 .hop_limit = WT_IP_TTL, .class = ip->class};

	if (wt_ipv6_is_link_local(ip->src.bytes) ? net->interface[interface].wire : !back) {
		wt_books_take(net->config.node, frame);
		return;
	}
	wt_ipv6_emit(head, &answer);
	head[WT_IPV6_HEADER] = ECHO_REPLY;
	wt_ipv6_icmp_checksum(head, WT_IPV6_HEADER, ip->payload_len);
	if (wt_ipv6_is_link_local(ip->src.bytes))
		wt_net_deliver(net, now, frame, interface, &answer.dst);
	else
		wt_net_forward(net, now, frame, back, &answer.dst);
}

/* UDP for the net itself, whole: nobody listens to any port of IPv6, and its sender is told (RFC 4443 3.1). */
static void datagram(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip, const uint8_t *data,
		     uint32_t len)
{
	const struct wt_refusal refusal = {.kind = WT_REFUSAL_PORT}; /* from the address it was for (RFC 4443 2.2(a)) */
	bool neighbour = wt_ipv6_is_link_local(ip->src.bytes);
	const struct wt_route *back = wt_net_look_up(net, &ip->src);
	struct wt_frame *answer = NULL;
	struct wt_udp_header header;
	struct wt_addr src = ip->src;

	if ((neighbour ? !net->interface[interface].wire : back != NULL) && wt_udp_parse(data, len, &ip->src, &ip->dst, true, &header))
		answer = wt_refuse(net->config.node, &net->limit, now, frame, &refusal);
	if (answer && neighbour)
		wt_net_deliver(net, now, answer, interface, &src);
	else if (answer)
		wt_net_forward(net, now, answer, back, &src);
	wt_books_take(net->config.node, frame);
}

/* For the net or for a group: pings to its own addresses are answered, and neighbours spoken with where it has an address. */
static void mine(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, const struct wt_ipv6 *ip)
{
	const uint8_t *head = wt_frame_look(frame) + IP_AT;
	struct wt_ipv6_upper upper;
	struct wt_nd nd;

	wt_frame_finish_csum(frame);
	/* nor what comes in fragments, neighbour discovery above all (RFC 6980 section 5) */
	if (!wt_ipv6_upper(head, frame->len - IP_AT, &upper) || upper.fragment ||
	    (upper.protocol != WT_IP_ICMPV6 && upper.protocol != WT_IP_UDP)) {
		wt_books_take(net->config.node, frame);
		return;
	}
	if (upper.protocol == WT_IP_UDP) {
		datagram(net, interface, now, frame, ip, head + upper.at, upper.end - upper.at);
		return;
	}
	if (upper.end - upper.at < 4 || wt_ipv6_icmp_sum(head, upper.at, upper.end - upper.at)) {
		wt_net_drop(net, now, frame, WT_DROP_ICMP);
		return;
	}
	if (head[upper.at] == ECHO_REQUEST && upper.at == WT_IPV6_HEADER && upper.end - upper.at >= 8 && ip->dst.bytes[0] != 0xff) {
		echo(net, interface, now, frame, ip);
		return;
	}
	if (wt_net_address_at(net, interface, WT_FAMILY_IPV6, NULL) && wt_nd_parse(ip, head + upper.at, upper.end - upper.at, &nd)) {
		if (nd.type == WT_ND_SOLICITATION) {
			solicited(net, interface, now, frame, ip, &nd);
			return;
		}
		advertised(net, interface, now, &nd);
	}
	wt_books_take(net->config.node, frame);
}

void wt_net_input_ipv6(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame)
{
	static const struct wt_addr unspecified = {.family = WT_FAMILY_IPV6};
	uint8_t *head = wt_frame_own_bytes(frame) + IP_AT;
	bool group = wt_frame_look(frame)[0] & 1;
	const struct wt_route *route;
	struct wt_ipv6 ip;

	if (!wt_ipv6_parse(head, frame->len - IP_AT, &ip)) {
		wt_net_drop(net, now, frame, WT_DROP_IP_HEADER);
		return;
	}
	if (!wt_net_may_be_from(net, frame, &ip.src) && !wt_addr_eq(&ip.src, &unspecified)) {
		wt_net_drop(net, now, frame, WT_DROP_IP_SOURCE);
		return;
	}
	if (ip.dst.bytes[0] == 0xff || wt_net_is_ours(net, &ip.dst) || wt_addr_eq(&ip.dst, &net->interface[interface].link_local)) {
		mine(net, interface, now, frame, &ip);
		return;
	}
	/* to many on the link but to one above it; and what RFC 4291 2.5 forbids to pass on */
	if (group || !wt_source_usable(&ip.src) || !wt_source_usable(&ip.dst) || wt_ipv6_is_link_local(ip.src.bytes) ||
	    wt_ipv6_is_link_local(ip.dst.bytes)) {
		wt_net_drop(net, now, frame, WT_DROP_NOT_OURS);
		return;
	}
	if (!net->config.forwards) {
		wt_net_drop(net, now, frame, WT_DROP_NOT_OURS);
		return;
	}
	if (ip.hop_limit <= 1) {
		wt_net_refuse(net, now, frame, WT_REFUSAL_HOPS, WT_DROP_TTL);
		return;
	}
	route = wt_net_look_up(net, &ip.dst);
	if (!route) {
		wt_net_refuse(net, now, frame, WT_REFUSAL_ROUTE, WT_DROP_UNROUTED);
		return;
	}
	head[7]--;
	wt_net_forward(net, now, frame, route, &ip.dst);
}

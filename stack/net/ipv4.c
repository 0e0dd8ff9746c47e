/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv4 of a host (RFC 1122 3.2) and of a router (RFC 1812). */
#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/net/net.h"
#include "stack/wire/packet.h"

/* ---- input -------------------------------------------------------------------------------------------- */

static enum wt_ip_verdict local(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	struct wt_ipv4 *header = &packet->ip;

	if (header->more_fragments || header->frag_offset) {
		if (!net->fragments) { /* nobody here puts them together */
			wt_books_take(net->config.node, frame);
			return WT_IP_DONE;
		}
		frame = wt_fragments_input(net->fragments, now, frame, header);
		if (!frame)
			return WT_IP_DONE;
		/* our own header, right by construction */
		wt_ipv4_parse(wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, header);
	}
	packet->interface = interface;
	packet->frame = frame;
	packet->payload = (header->protocol == WT_IP_TCP ? wt_frame_head(frame) : wt_frame_own_bytes(frame)) + WT_ETH_HEADER + header->header_len;
	packet->len = (uint32_t)header->total_len - header->header_len;
	switch (header->protocol) {
	case WT_IP_TCP:
		wt_usual_heard(net, interface, frame, packet);
		return WT_IP_IS_TCP;
	case WT_IP_ICMP:
		return WT_IP_IS_ICMP;
	case WT_IP_UDP:
		return WT_IP_IS_UDP;
	default:
		return WT_IP_IS_OTHER;
	}
}

static void forward(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	uint8_t *head = wt_frame_own_head(frame) + WT_ETH_HEADER;
	const struct wt_route *route;

	/* To a broadcast address, a group or where no host is: neither passed on (RFC 2644 section 4, RFC 1812 5.3.7) nor answered (4.3.2.7). */
	if (wt_net_is_broadcast(net, &ip->dst) || !wt_source_usable(&ip->dst)) {
		wt_net_drop(net, now, frame, WT_DROP_UNROUTED);
		return;
	}
	if (ip->ttl <= 1) {
		wt_net_refuse(net, now, frame, WT_REFUSAL_HOPS, WT_DROP_TTL);
		return;
	}
	route = wt_net_look_up(net, &ip->dst);
	if (!route) {
		wt_net_refuse(net, now, frame, WT_REFUSAL_ROUTE, WT_DROP_UNROUTED);
		return;
	}
	head[8]--;
	wt_packet_ipv4_checksum(head);
	wt_net_forward(net, now, frame, route, &ip->dst);
}

enum wt_ip_verdict wt_net_input_ipv4(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	static const enum wt_drop causes[] = {
		[WT_IPV4_SHORT] = WT_DROP_SHORT,
		[WT_IPV4_MALFORMED] = WT_DROP_IP_HEADER,
		[WT_IPV4_BAD_CSUM] = WT_DROP_IP_CSUM,
	};
	struct wt_ipv4 *header = &packet->ip;
	enum wt_ipv4_error error = wt_ipv4_parse(wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER,
						 frame->csum == WT_CSUM_NONE, header);
	bool ours;

	if (error != WT_IPV4_OK)
		return wt_net_drop(net, now, frame, causes[error]);
	ours = wt_net_is_ours(net, &header->dst);
	if (!ours && !net->config.forwards)
		return wt_net_drop(net, now, frame, WT_DROP_NOT_OURS);
	if (!wt_net_may_be_from(net, frame, &header->src))
		return wt_net_drop(net, now, frame, WT_DROP_IP_SOURCE);
	if (net->config.forwards && !frame->from_path) /* else nobody was heard from: a link answered for him */
		wt_neighbours_learn(&net->neighbours, now, interface, &header->src, (const struct wt_mac *)(wt_frame_head(frame) + 6));
	if (ours)
		return local(net, interface, now, frame, packet);
	forward(net, now, frame, header);
	return WT_IP_DONE;
}

/* ---- output ------------------------------------------------------------------------------------------- */

/*
 * RFC 6864 4.1 lets a datagram with DF carry any identification; ours repeats late for a pair of hosts and tells
 * nobody how much we send to others (RFC 7739 5.3: a keyed start per destination, counters shared by few).
 */
void wt_net_id_of(struct wt_net *net, const struct wt_addr *dst)
{
	if (!wt_addr_eq(dst, &net->id_peer)) {
		net->id_peer = *dst;
		net->id_hash = wt_siphash_u64(&net->config.secret, wt_get32(dst->bytes));
	}
}

uint16_t wt_net_next_id(struct wt_net *net, const struct wt_addr *dst)
{
	wt_net_id_of(net, dst);
	return wt_net_id_after(net, net->id_hash);
}

struct wt_frame *wt_net_output(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
			       uint8_t protocol, uint8_t tos)
{
	const struct wt_route *route;
	struct wt_eth eth = {.type = WT_ETH_IPV4};
	struct wt_ipv4 header;

	if (wt_usual_output(net, frame, src, dst, protocol, tos))
		return frame;
	route = wt_net_route(net, dst);
	header = (struct wt_ipv4){
		.src = *src,
		.dst = *dst,
		.total_len = (uint16_t)(frame->len - WT_ETH_HEADER),
		.dont_fragment = true,
		.ttl = WT_IP_TTL,
		.protocol = protocol,
		.tos = tos,
	};

	if (!route) {
		wt_node_drop(net->config.node, now, frame, WT_DROP_UNROUTED);
		return NULL;
	}
	eth.src = net->interface[route->interface].mac;
	frame->mark = (uint8_t)route->interface;
	header.id = wt_net_next_id(net, dst);
	wt_eth_emit(wt_frame_own_head(frame), &eth);
	wt_ipv4_emit(wt_frame_own_head(frame) + WT_ETH_HEADER, &header);
	frame = wt_neighbours_send(&net->neighbours, now, frame, route->interface, route->next.family ? &route->next : dst);
	if (frame && wt_neighbours_given(&net->neighbours, route->interface, route->next.family ? &route->next : dst))
		wt_usual_sent(net, frame, src, dst);
	return frame;
}

void wt_net_send(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
		 uint8_t protocol, uint8_t tos)
{
	frame = wt_net_output(net, now, frame, src, dst, protocol, tos);
	if (frame)
		wt_books_keep(net->config.node, &net->ready, frame);
}

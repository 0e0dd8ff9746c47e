/* SPDX-License-Identifier: BSD-2-Clause */
/* ARP (RFC 826) of any interface. */
#include "stack/net/books.h"
#include "stack/net/net.h"
#include "stack/wire/arp.h"

enum { FRAME_LEAST = 60 }; /* of Ethernet, without its checksum */

void wt_arp_ask(struct wt_net *net, wt_time now, const struct wt_neighbour *neighbour)
{
	static const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	const struct wt_net_address *from = wt_net_address_at(net, neighbour->interface, WT_FAMILY_IPV4, &neighbour->addr);
	struct wt_frame *frame = wt_books_make(net->config.node, net->config.pool, now);
	struct wt_arp arp = {.op = WT_ARP_REQUEST, .sender_mac = net->interface[neighbour->interface].mac, .target = neighbour->addr};

	if (!frame)
		return;
	if (frame->room < FRAME_LEAST) {
		wt_node_drop(net->config.node, now, frame, WT_DROP_POOL);
		return;
	}
	arp.sender = from ? from->addr : wt_addr_ipv4(0, 0, 0, 0);
	memset(wt_frame_own_bytes(frame), 0, FRAME_LEAST);
	frame->len = FRAME_LEAST;
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &arp);
	wt_net_transmit(net, frame, neighbour->interface, &everyone, WT_ETH_ARP);
}

/* A sender nobody should learn from: a probe without address (RFC 5227), ourselves, or a group address. */
static bool credible(const struct wt_net *net, const struct wt_arp *arp)
{
	return !(arp->sender_mac.bytes[0] & 1) && arp->sender.bytes[0] != 0 && arp->sender.bytes[0] < 224 && !wt_net_is_ours(net, &arp->sender);
}

/* The frame of a question becomes the answer. */
static void answer(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, const struct wt_arp *question)
{
	struct wt_arp arp = {.op = WT_ARP_REPLY, .sender_mac = net->interface[interface].mac, .sender = question->target,
			     .target_mac = question->sender_mac, .target = question->sender};

	frame->time = now;
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &arp);
	wt_net_transmit(net, frame, interface, &arp.target_mac, WT_ETH_ARP);
}

void wt_arp_input(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame)
{
	bool ours, learned = false;
	struct wt_arp arp;

	if (frame->len < WT_ETH_HEADER + WT_ARP_LEN) {
		wt_net_drop(net, now, frame, WT_DROP_SHORT);
		return;
	}
	if (!wt_net_address_at(net, interface, WT_FAMILY_IPV4, NULL) ||
	    !wt_arp_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp)) {
		wt_net_drop(net, now, frame, WT_DROP_PROTOCOL);
		return;
	}
	/* RFC 826, "Packet Reception": update what is there; make an entry only if the target is us */
	ours = wt_net_is_here(net, interface, &arp.target);
	if (credible(net, &arp))
		learned = wt_neighbours_hear(&net->neighbours, now, interface, &arp.sender, &arp.sender_mac, ours);
	if (ours && arp.op == WT_ARP_REQUEST)
		answer(net, interface, now, frame, &arp);
	else if (ours || learned)
		wt_books_take(net->config.node, frame);
	else
		wt_net_drop(net, now, frame, WT_DROP_NOT_OURS);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The internet layer of a node, host or router (docs/net.md): interfaces, addresses, routes, neighbours, reassembly, forwarding, and the
 * FIFO of frames that are ready to leave.
 *
 * The node's verbs use it so:
 *
 *   input():  audit.in++; switch (wt_net_input(...)) { what is for a protocol of ours is the caller's; the rest was done inside }
 *   output(): wt_net_expire(); frame = wt_books_release(node, &net->ready), by the port in frame->mark; audit.out++
 *   deadline(): wt_net_deadline() among others (in the past while something is ready)
 */
#ifndef WT_STACK_NET_NET_H
#define WT_STACK_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/node.h"
#include "stack/base/random.h"
#include "stack/net/fragment.h"
#include "stack/net/lookup.h"
#include "stack/net/neighbour.h"
#include "stack/net/refusal.h"
#include "stack/net/usual.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/ipv6.h"

/* Where the payload of IPv4 stands in a frame we send: a segment is written there, then its headers in front. */
#define WT_IP_PAYLOAD (WT_ETH_HEADER + WT_IPV4_HEADER)
/* The same of an address family, for those above who do not care which: TCP's segments and their size follow it. */
static inline uint32_t wt_net_headroom(uint8_t family)
{
	return WT_ETH_HEADER + (family == WT_FAMILY_IPV6 ? WT_IPV6_HEADER : WT_IPV4_HEADER);
}

#define WT_IP_TTL 64
#define WT_IP_ID_COUNTERS 64
#define WT_NET_INTERFACES 256 /* a byte of a frame's mark says by which it leaves */

/* ICMP errors of a host: at most ten at once, and one more after each 100 ms. */
#define WT_ICMP_BURST 10
#define WT_ICMP_INTERVAL (100 * WT_MS)

struct wt_icmp_error;

struct wt_net_config {
	unsigned interfaces;     /* 1 to WT_NET_INTERFACES: the ports of the node */
	bool forwards;           /* a router: what is not for it goes on, and what neighbours send tells where they are */
	bool reassembles;        /* there is a transport that takes what came in fragments */
	wt_time lifetime;        /* of what is known of a neighbour: then it is asked again; 0: WT_NEIGHBOUR_LIFETIME */
	struct wt_refusal_rate rate; /* of ICMP errors */
	uint32_t quote;          /* bytes of a packet that an ICMP error quotes (RFC 1812 4.3.2.3); 0: header and 8 (RFC 792) */
	struct wt_key secret;    /* keys the identification field */
	struct wt_node *node;    /* whose books and drops */
	/* A packet of our own found nobody at its next hop; NULL: nobody is to know. As if a router had said so: RFC 1122 2.3.2.2 */
	void (*lost)(void *arg, wt_time now, const struct wt_icmp_error *error);
	void *arg;
	struct wt_pool *pool;
	struct wt_pool *big_pool; /* of frames that the device cuts into segments; NULL: it cuts none */
};

struct wt_net_interface {
	struct wt_mac mac;
	uint32_t mtu;
	bool wire;            /* not a link with neighbours: one peer at the other end, */
	struct wt_mac peer;   /* this one */
	bool known;           /* neighbours of IPv4 have the hardware addresses that wt_addr_mac() makes */
	struct wt_addr link_local;
};

struct wt_net_address {
	struct wt_addr addr;
	unsigned prefix, interface;
};

struct wt_route {
	struct wt_addr network;
	unsigned prefix, interface;
	struct wt_addr next; /* family NONE: the destination itself is on the link */
	bool roams;          /* of one host: see wt_net_follow() */
};

struct wt_net {
	struct wt_net_config config;
	struct wt_net_interface *interface;
	struct wt_net_address *address; /* in the order they were added */
	unsigned addresses, address_room;
	struct wt_route *route;
	unsigned routes, route_room;
	struct wt_lookup lookup; /* places in both lists: networks, own addresses, broadcasts */
	struct wt_addr peer;          /* the last other host there was a way to, family NONE: nobody; most hosts talk to one */
	const struct wt_route *peer_route;
	struct wt_addr id_peer;       /* and the one that id_hash is of */
	uint64_t id_hash;
	bool speaks[WT_FAMILIES]; /* it has an address of this family, or a route */
	struct wt_addr own[WT_FAMILIES]; /* its source where an interface has no address; reached from everywhere; family NONE: it has none */
	struct wt_neighbours neighbours;
	struct wt_fragments *fragments; /* NULL: it does not reassemble */
	struct wt_frame_queue ready; /* complete frames; counted as queued; mark: the interface */
	struct wt_refusal_limit limit;
	uint16_t id_counter[WT_IP_ID_COUNTERS];
	struct wt_usual usual;
};

/* An accepted packet. */
struct wt_ip_packet {
	struct wt_ipv4 ip;
	unsigned interface;     /* it came in by */
	struct wt_frame *frame; /* the one that holds it: not the one given in if it was reassembled */
	const uint8_t *payload; /* in the frame; of TCP its headers, and behind them what wt_frame_rest() does not name */
	uint32_t len;           /* of the payload, by the IP header: link padding excluded */
};

enum wt_ip_verdict {
	WT_IP_DONE,    /* the frame is gone: ARP, IPv6, forwarded, a fragment of something unfinished, or dropped and counted */
	WT_IP_IS_TCP,  /* the caller owns packet->frame: wt_books_take() or wt_node_drop() ends it */
	WT_IP_IS_ICMP, /* for wt_icmp_input(), which takes it */
	WT_IP_IS_UDP,  /* for wt_udp_input(), which takes it */
	WT_IP_IS_OTHER, /* of a protocol nobody speaks: for wt_icmp_refuse(), which takes it */
};

/* 0 or -ENOMEM. Interfaces are given their values before anything is sent. */
int wt_net_init(struct wt_net *net, const struct wt_net_config *config);
/* Frees what it holds, not counted. Also after a failed init. */
void wt_net_finish(struct wt_net *net);
/* With the link-local address of IPv6 that follows from it. */
void wt_net_set_mac(struct wt_net *net, unsigned interface, const struct wt_mac *mac, uint32_t mtu);
/* One more address of an interface, and the route to its network. 0, -EEXIST (the net has it), or -ENOMEM. */
int wt_net_add_address(struct wt_net *net, unsigned interface, const struct wt_addr *addr, unsigned prefix);
/* next NULL: whoever it is for is on the link. Of networks of equal length the first one added counts. 0 or -ENOMEM. */
int wt_net_add_route(struct wt_net *net, const struct wt_addr *network, unsigned prefix, unsigned interface, const struct wt_addr *next);

/* ---- questions ------------------------------------------------------------------------------------------ */

/* Is it one of ours, by any interface; by this one? */
bool wt_net_is_ours(const struct wt_net *net, const struct wt_addr *addr);
bool wt_net_is_here(const struct wt_net *net, unsigned interface, const struct wt_addr *addr);
/* Neither of the two addresses of a subnet of IPv4 that are no hosts (RFC 1122 3.2.1.3); a link of two has none (RFC 3021). */
bool wt_net_is_broadcast(const struct wt_net *net, const struct wt_addr *addr);
/* The first address of this family of an interface: in the network of `near`, else any. NULL: there is none. */
const struct wt_net_address *wt_net_address_at(const struct wt_net *net, unsigned interface, uint8_t family, const struct wt_addr *near);
/* The way to this host alone is from now on the one there is, and wt_net_follow() may change its interface. 0 or -ENOMEM; 0 where there is none. */
int wt_net_let_roam(struct wt_net *net, const struct wt_addr *host);
/* A packet of this sender came in here: if it roams, this is where it is. */
void wt_net_follow(struct wt_net *net, const struct wt_addr *src, unsigned interface);
/* The longest match, whoever asks; NULL: none. */
const struct wt_route *wt_net_look_up(const struct wt_net *net, const struct wt_addr *dst);
/* The way to another host: NULL also for our own addresses, and for those that no host has. */
const struct wt_route *wt_net_route(struct wt_net *net, const struct wt_addr *dst);
/* Fills in the address from which packets to `dst` leave, if *src has the family NONE (RFC 1122 3.3.4.3). False: there is no way. */
bool wt_net_source(struct wt_net *net, const struct wt_addr *dst, struct wt_addr *src);

/* ---- frames --------------------------------------------------------------------------------------------- */

/* Checks in the order of drop.def: Ethernet, IP header, checksum (unless the frame's is vouched for), destination, source. */
enum wt_ip_verdict wt_net_input(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet);
/*
 * Sends a frame whose payload stands at WT_IP_PAYLOAD (frame->len includes the room in front). Writes both headers of IPv4
 * (DF set). The frame, to leave at once by the interface in its mark; or NULL: it waits for ARP or was dropped.
 */
struct wt_frame *wt_net_output(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
			       uint8_t protocol, uint8_t tos);
/* The same, but what may leave at once is put at the end of `ready`. */
void wt_net_send(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
		 uint8_t protocol, uint8_t tos);
/* A frame with a complete IP packet of either family goes to `next` on an interface, or waits for its hardware address. */
void wt_net_deliver(struct wt_net *net, wt_time now, struct wt_frame *frame, unsigned interface, const struct wt_addr *next);
/* The same by the way to `dst`, which must be there. */
void wt_net_forward(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_route *route, const struct wt_addr *dst);
/* Drops a packet, and tells its sender from the address of the interface that leads there (RFC 1812 4.3.2.4). */
void wt_net_refuse(struct wt_net *net, wt_time now, struct wt_frame *frame, enum wt_refusal_kind kind, enum wt_drop cause);
/* To a hardware address, at the end of `ready`. */
void wt_net_transmit(struct wt_net *net, struct wt_frame *frame, unsigned interface, const struct wt_mac *to, uint16_t type);

static inline wt_time wt_net_deadline(const struct wt_net *net)
{
	if (net->ready.head)
		return net->ready.head->time;
	return wt_time_min(wt_neighbours_deadline(&net->neighbours), net->fragments ? wt_fragments_deadline(net->fragments) : WT_NEVER);
}

void wt_net_expire(struct wt_net *net, wt_time now);

/* ---- among the files of the layer ----------------------------------------------------------------------- */

/* May a packet be from there: an address of one host, and not one of ours? (RFC 1812 5.3.7, RFC 4291 2.5) Those who answer by ICMP on a
 * link (frame->from_path) may have ours: they do so in the name of the router in front of them. */
bool wt_net_may_be_from(const struct wt_net *net, const struct wt_frame *frame, const struct wt_addr *addr);
/* The identification of a packet to `dst`. */
uint16_t wt_net_next_id(struct wt_net *net, const struct wt_addr *dst);
void wt_net_id_of(struct wt_net *net, const struct wt_addr *dst); /* net->id_hash is that of this destination */
static inline uint16_t wt_net_id_after(struct wt_net *net, uint64_t id_hash)
{
	return (uint16_t)((id_hash >> 16) + net->id_counter[id_hash % WT_IP_ID_COUNTERS]++);
}

enum wt_ip_verdict wt_net_drop(struct wt_net *net, wt_time now, struct wt_frame *frame, enum wt_drop cause);
enum wt_ip_verdict wt_net_input_ipv4(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet);
void wt_net_input_ipv6(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame);
void wt_arp_input(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame);
/* Asks who has an address: all that may have it, or the one who had. */
void wt_arp_ask(struct wt_net *net, wt_time now, const struct wt_neighbour *neighbour);
void wt_nd_ask(struct wt_net *net, wt_time now, const struct wt_neighbour *neighbour);

#endif

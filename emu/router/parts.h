/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the router share: router.c ports and routes, router_neighbour.c who is behind them, and each family's packets. */
#ifndef WT_EMU_ROUTER_PARTS_H
#define WT_EMU_ROUTER_PARTS_H

#include "emu/router/router.h"
#include "emu/refusal.h"
#include "stack/wire/ethernet.h"

enum { WT_ROUTER_TTL = 64, WT_ROUTER_IP_AT = WT_ETH_HEADER };

struct wt_neighbour {
	struct wt_addr address; /* family none: free */
	unsigned port;
	bool known;
	struct wt_mac mac;
	wt_time heard; /* or first asked for */
	wt_time ask;   /* when to ask again; WT_NEVER: nobody asks */
	unsigned asked;
	struct wt_frame_queue wait; /* for its hardware address: empty where that is known */
};

struct wt_router_route {
	struct wt_addr network;
	unsigned prefix, port;
};

struct wt_router_port {
	struct wt_mac mac, peer;
	bool network; /* hosts are there, not another router */
	bool known;   /* and their hardware addresses follow from their others */
	struct wt_addr gateway[WT_FAMILIES];
	unsigned prefix[WT_FAMILIES];
	struct wt_addr link_local;
};

struct wt_router {
	struct wt_node node;
	struct wt_pool *pool;
	struct wt_addr address[WT_FAMILIES];
	bool speaks[WT_FAMILIES];
	struct wt_router_port *port; /* as many as the node has ports */
	struct wt_router_route *route;
	unsigned routes, route_room;
	struct wt_neighbour neighbour[WT_ROUTER_NEIGHBOURS];
	unsigned asking;             /* neighbours that are asked for */
	unsigned waiting;            /* frames, for all of them */
	struct wt_frame_queue ready; /* mark: the port */
	struct wt_refusal_limit limit;
};

/* ---- router.c */

/* To a hardware address, by a port. */
void wt_router_send(struct wt_router *router, struct wt_frame *frame, unsigned port, const struct wt_mac *to, uint16_t type);
/* A frame of `len` zero bytes, counted as made; NULL where there is no memory. */
struct wt_frame *wt_router_make(struct wt_router *router, uint32_t len);
/* It came to its end here. */
void wt_router_take(struct wt_router *router, struct wt_frame *frame);
/* The longest match, or NULL. */
const struct wt_router_route *wt_router_look_up(const struct wt_router *router, const struct wt_addr *address);
/* One of its own that is reached from everywhere? */
bool wt_router_is_mine(const struct wt_router *router, const struct wt_addr *address);
/* May a packet be from there: an address of one host, and not one of ours? (RFC 1812 5.3.7, RFC 4291 2.5) The stages of a link may
 * have ours: they answer in the name of the router in front of them. */
bool wt_router_may_be_from(const struct wt_router *router, const struct wt_frame *frame, const struct wt_addr *address);
/* All ones behind the prefix of a network of IPv4; of 31 bits and more none is (RFC 3021). */
bool wt_router_knows_broadcast(const struct wt_router *router, const struct wt_addr *address); /* of any of its networks */
bool wt_router_is_broadcast(const struct wt_router_port *port, const struct wt_addr *address);
/* Tells the sender of a packet, from the address of the port that leads there (RFC 1812 4.3.2.4), and drops it. */
void wt_router_refuse(struct wt_router *router, wt_time now, struct wt_frame *frame, enum wt_refusal_kind kind, enum wt_drop cause);
/* UDP for the router itself, whole: nobody listens to any port, and its sender is told (RFC 1812 5.2.7.1, RFC 4443 3.1). */
void wt_router_datagram(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame, const struct wt_addr *src,
			const struct wt_addr *dst, const uint8_t *udp, uint32_t len);

/* ---- router_neighbour.c */

/* On its way to `next`, whose packet it is or who is its next hop, by a port; waits where the hardware address is not known. */
void wt_router_deliver(struct wt_router *router, struct wt_frame *frame, unsigned port, const struct wt_addr *next, wt_time now);
struct wt_neighbour *wt_router_find(struct wt_router *router, const struct wt_addr *address, unsigned port);
/* It was heard from at a port, if it may be there. Who is new takes a free place, nobody else's: anyone can write any source. */
void wt_router_learn(struct wt_router *router, unsigned port, const struct wt_addr *address, const struct wt_mac *mac, wt_time now);
/* It answered: what waits for it leaves. */
void wt_router_heard(struct wt_router *router, struct wt_neighbour *neighbour, wt_time now);
void wt_router_ask_again(struct wt_router *router, wt_time now);
wt_time wt_router_next_ask(const struct wt_router *router);

/* ---- router_ipv4.c, router_ipv6.c: a frame that came in by a port */

void wt_router_arp(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame);
void wt_router_ipv4(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame);
void wt_router_ipv6(struct wt_router *router, unsigned port, wt_time now, struct wt_frame *frame);
/* Asks who has an address: all that may have it, or the one who had. */
void wt_router_ask_arp(struct wt_router *router, const struct wt_neighbour *neighbour);
void wt_router_ask_nd(struct wt_router *router, const struct wt_neighbour *neighbour);

#endif

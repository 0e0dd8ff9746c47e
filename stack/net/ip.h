/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The IPv4 side of a host's one interface: what comes in is checked and sorted, what goes out gets its headers
 * and its next hop. Owns the neighbours, the reassembly and the FIFO of frames that are ready to leave.
 *
 * The host's verbs use it so:
 *
 *   input():  audit.in++; switch (wt_ip_input(...)) { TCP: ours; ICMP: wt_icmp_input(); ARP, fragments: done inside }
 *   output(): wt_ip_expire(); frame = wt_books_release(node, &ip->ready), or a TCP segment by wt_ip_output(); audit.out++
 *   deadline(): wt_ip_deadline() among others (in the past while something is ready)
 */
#ifndef WT_STACK_NET_IP_H
#define WT_STACK_NET_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/node.h"
#include "stack/base/random.h"
#include "stack/net/fragment.h"
#include "stack/net/neighbour.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"

/* Where the payload of IP stands in a frame we send: a segment is written there, then its headers in front. */
#define WT_IP_PAYLOAD (WT_ETH_HEADER + WT_IPV4_HEADER)
#define WT_IP_TTL 64
#define WT_IP_ID_COUNTERS 64

/* ICMP errors we send: at most ten at once, refilled at one per 100 ms. */
#define WT_ICMP_BURST 10
#define WT_ICMP_INTERVAL (100 * WT_MS)

struct wt_ip_config {
	struct wt_mac mac;
	struct wt_addr addr, gateway; /* gateway: family NONE if there is none */
	unsigned prefix_len;
	uint32_t mtu;
	struct wt_key secret; /* keys the identification field */
	struct wt_node *node; /* whose books and drops */
	struct wt_pool *pool;
};

struct wt_ip {
	struct wt_ip_config config;
	struct wt_frame_queue ready; /* complete frames; counted as queued */
	struct wt_neighbours neighbours;
	struct wt_fragments fragments;
	uint16_t id_counter[WT_IP_ID_COUNTERS];
	uint32_t icmp_tokens;
	wt_time icmp_filled; /* up to when the bucket was filled */
};

/* An accepted packet. */
struct wt_ip_packet {
	struct wt_ipv4 ip;
	struct wt_frame *frame; /* the one that holds it: not the one given in if it was reassembled */
	uint8_t *payload;       /* in frame->data */
	uint32_t len;           /* of the payload, by the IP header: link padding excluded */
};

enum wt_ip_verdict {
	WT_IP_DONE,    /* the frame is gone: ARP, a fragment of something unfinished, or dropped and counted */
	WT_IP_IS_TCP,  /* the caller owns packet->frame: wt_books_take() or wt_node_drop() ends it */
	WT_IP_IS_ICMP, /* for wt_icmp_input(), which takes it */
	WT_IP_IS_UDP,  /* for wt_udp_input(), which takes it */
	WT_IP_IS_OTHER, /* of a protocol nobody speaks: for wt_icmp_refuse(), which takes it */
};

void wt_ip_init(struct wt_ip *ip, const struct wt_ip_config *config);
/* Frees what it holds, not counted. */
void wt_ip_finish(struct wt_ip *ip);

/* Checks in the order of drop.def: Ethernet, IP header, checksum (unless the frame's is vouched for), source, destination. */
enum wt_ip_verdict wt_ip_input(struct wt_ip *ip, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet);

/* Is it one of the host's? */
bool wt_ip_is_ours(const struct wt_ip *ip, const struct wt_addr *addr);
/* Fills in the address from which packets to `dst` leave, if *src has the family NONE. False: there is no way to `dst`. */
bool wt_ip_source(const struct wt_ip *ip, const struct wt_addr *dst, struct wt_addr *src);
/* Is there a next hop for `dst`? *next_hop may be NULL. */
bool wt_ip_route(const struct wt_ip *ip, const struct wt_addr *dst, struct wt_addr *next_hop);
/*
 * Sends a frame whose payload stands at WT_IP_PAYLOAD (frame->len includes the room in front). Writes both headers
 * (DF set). The frame, to leave at once; or NULL: it waits for ARP or was dropped.
 */
struct wt_frame *wt_ip_output(struct wt_ip *ip, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
			      uint8_t protocol, uint8_t tos);
/* The same, but what may leave at once is put at the end of `ready`. */
void wt_ip_send(struct wt_ip *ip, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
		uint8_t protocol, uint8_t tos);

wt_time wt_ip_deadline(const struct wt_ip *ip);
void wt_ip_expire(struct wt_ip *ip, wt_time now);

#endif

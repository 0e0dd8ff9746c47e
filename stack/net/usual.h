/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The usual packet: one between the same two hosts as the one before. A host remembers what all the checks and look-ups of that one came to,
 * and spares them for the next, if what decides them is byte for byte the same. What they rest on may change: then nothing is remembered.
 */
#ifndef WT_STACK_NET_USUAL_H
#define WT_STACK_NET_USUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/node.h"
#include "stack/text/addr.h"

#define WT_USUAL_HEAD 34 /* Ethernet and IPv4 without options */

/* A packet that left for a neighbour whose hardware address is given, not asked for. */
struct wt_usual_out {
	uint64_t id_hash; /* where identifications of packets to dst are counted (wt_net_next_id()) */
	uint64_t sum;     /* of the IP header below */
	bool known;
	uint8_t protocol, interface;
	uint8_t head[WT_USUAL_HEAD]; /* but for length, identification, TOS and checksum, which are 0 */
	struct wt_addr src, dst;
};

struct wt_usual {
	uint32_t age; /* how often all was forgotten: what others know by what is remembered here holds for one of them */
	struct { /* the last segment of TCP that was for us */
		bool known;
		unsigned interface;
		uint8_t head[WT_USUAL_HEAD];
		struct wt_addr src, dst;
	} in;
	struct wt_usual_out out; /* the last one */
};

struct wt_net;
struct wt_ip_packet;

static inline void wt_usual_forget(struct wt_usual *usual)
{
	usual->in.known = usual->out.known = false;
	usual->age++;
}

/* Is it one? Then *packet is filled in, and all checks of wt_net_input() are done. */
bool wt_usual_input(const struct wt_usual *usual, unsigned interface, struct wt_frame *frame, struct wt_ip_packet *packet);
/* This one was taken. */
void wt_usual_heard(struct wt_net *net, unsigned interface, const struct wt_frame *frame, const struct wt_ip_packet *packet);
/* The same for packets that leave: writes both headers. */
bool wt_usual_output(struct wt_net *net, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol,
		     uint8_t tos);
/* Is it for this destination, and remembered? Then what is needed for those that follow, as long as net->usual.age stays. */
const struct wt_usual_out *wt_usual_way(const struct wt_net *net, const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol);
void wt_usual_write(const struct wt_usual_out *out, uint8_t *head, uint16_t length, uint16_t id, uint8_t tos); /* length: of the IP packet */
void wt_usual_sent(struct wt_net *net, const struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst);

#endif

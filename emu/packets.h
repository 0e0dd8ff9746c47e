/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of a packet, which random decisions are drawn by (docs/emulation-model.md, Random decisions).
 *
 *   class  IP version and protocol number. A loss process acts between TCP and IP, so it decides about IP packets alone: ARP neither meets
 *          it nor shifts the fate of what follows, and a ping has numbers of its own. Behind VLAN tags stands the class of the packet inside.
 *   flow   addresses and ports, one direction, within a class. A packet of one flow does not shift the numbers of another.
 *
 * The first flow of a class has the numbers of the class itself, so a path that carries one flow draws by class and place. Each further flow
 * begins where a keyed hash of its addresses and ports says, 64 bits wide.
 */
#ifndef WT_EMU_PACKETS_H
#define WT_EMU_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/wire/packet.h"
#include "stack/base/frame.h"
#include "stack/base/random.h"

#define WT_CLASSES 512
#define WT_CLASS_SHIFT 48
#define WT_FLOWS_MAX 32768u /* that a stage tells apart; later ones share the places of their class. 1.5 MB, taken as flows come */

struct wt_flow {
	uint64_t hash;  /* of class and tuple; 0: a free place */
	uint64_t first; /* number of its first packet */
	uint64_t count;
};

#define WT_FLOWS_SEEN 1024u

/* A flow of TCP or UDP by its addresses and ports as they stand in a packet. */
struct wt_flow_seen {
	uint8_t ends[36];
	unsigned class;
	struct wt_flow *flow; /* NULL: none */
};

/* Zero-initialised there are no flows yet. wt_packets_finish() frees the table. */
struct wt_packets {
	uint64_t count[WT_CLASSES];
	struct wt_flow *flow; /* open addressing, at most half full */
	uint32_t room, flows;
	struct wt_flow_seen *seen; /* as many places as the table has, or WT_FLOWS_SEEN: most packets are of a flow that was seen lately */
};

/* Each takes the next number: both counts go on. False: not an IP packet. */

/* Class in the high bits, the packet's place in its class below: for lists, and for chains and queues that all packets of a class share. */
bool wt_packets_next(struct wt_packets *packets, const struct wt_frame *frame, uint64_t *number);
/* The packet's place in its flow: for decisions about this packet alone. */
bool wt_packets_draw(struct wt_packets *packets, const struct wt_frame *frame, uint64_t *number);

/* Counted where nothing is drawn for it: a frame in one piece (offload) as the packets it stands for. */
void wt_packets_pass_over(struct wt_packets *packets, const struct wt_frame *frame);
void wt_packets_take_back(struct wt_packets *packets, const struct wt_frame *frame); /* the last that were passed over were not met after all */
/* Is this frame in a share of them? IP packets by their numbers; what is not IP only in a share of 1. */
bool wt_packets_share(struct wt_packets *packets, struct wt_stream *stream, const struct wt_frame *frame, double share);
void wt_packets_finish(struct wt_packets *packets);

#endif

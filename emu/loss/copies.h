/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity of a packet: which segment of its flow it is, and which copy of it.
 *
 * Packet N of a flow is the N-th segment of TCP whose payload reaches further than any before it, from 1. Its copies are the segments whose
 * payload begins in it, in their order: the first is the packet itself, the second what is sent again. So a sender that cuts anew what it
 * sends again still sends copies. Segments without payload have no identity, and neither has what is not TCP.
 */
#ifndef WT_EMU_LOSS_COPIES_H
#define WT_EMU_LOSS_COPIES_H

#include "emu/packets.h"

#define WT_COPIES_LAST 1000000u /* packets of a flow that are told apart, 16 bytes each */

struct wt_copies_flow;

/* Zero-initialised it has met nothing. wt_copies_finish() frees it. */
struct wt_copies {
	struct wt_copies_flow *flow; /* open addressing, at most half full */
	uint32_t room, flows;
	uint64_t refused; /* packets whose place there was no memory for: they have no identity */
};

struct wt_copy {
	uint64_t packet; /* from 1 */
	uint32_t copy;   /* from 1 */
};

/* Of the packet that passes now, the first `last` of each flow being counted. False: it has no identity, or a later one. */
bool wt_copies_next(struct wt_copies *copies, const struct wt_frame *frame, uint64_t last, struct wt_copy *copy);
void wt_copies_finish(struct wt_copies *copies);

#endif

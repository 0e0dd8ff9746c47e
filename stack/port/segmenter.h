/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting a big frame of a sender with segmentation offload (TSO, UDP segmentation) into the packets it stands for. */
#ifndef WT_STACK_PORT_SEGMENTER_H
#define WT_STACK_PORT_SEGMENTER_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/frame.h"

/* Its bytes lie in two pieces: as much as a frame of the pool holds, and the rest. Ethernet header first. */
struct wt_big_frame {
	const uint8_t *head, *rest;
	uint32_t head_len, rest_len;
	uint16_t segment; /* payload per packet */
	uint8_t protocol; /* WT_IP_TCP or WT_IP_UDP: what it is said to be */
};

/* Where its headers are, as offsets. */
struct wt_big_layout {
	bool ipv6;
	uint16_t csum; /* of the checksum, in the transport header */
	uint32_t network, transport, payload;
};

/* False: it is not a whole, well-formed TCP segment or UDP datagram over IPv4 or IPv6 (behind at most one VLAN tag) of the length its
 * headers say, or has no payload. */
bool wt_big_layout(const struct wt_big_frame *big, struct wt_big_layout *layout);
/* 4 or 6, whose header begins at *network; 0: neither. `data` holds an Ethernet header and a VLAN tag. */
unsigned wt_big_version(const uint8_t *data, uint32_t *network);

/*
 * Appends the packets to `into`, with right headers and WT_CSUM_PARTIAL. Returns how many could not be made because the pool
 * was empty, or -EINVAL if it has no layout or its packets do not fit frames of the pool.
 */
int wt_segment_frame(const struct wt_big_frame *big, struct wt_pool *pool, struct wt_frame_queue *into);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting a big TCP frame of a sender with segmentation offload (TSO, GSO) into the packets it stands for. */
#ifndef WT_STACK_DRIVE_CUT_H
#define WT_STACK_DRIVE_CUT_H

#include <stdint.h>

#include "stack/base/frame.h"

/* Its bytes lie in two pieces: as much as a frame of the pool holds, and the rest. Ethernet header first. */
struct wt_big_frame {
	const uint8_t *head, *rest;
	uint32_t head_len, rest_len;
	uint16_t segment; /* payload per packet */
};

/*
 * Appends the packets to `into`, with right headers and WT_CSUM_PARTIAL. Returns how many could not be made because the pool
 * was empty, or -EINVAL if it is not a well-formed TCP segment over IPv4 or IPv6 whose packets fit frames of the pool.
 */
int wt_cut(const struct wt_big_frame *big, struct wt_pool *pool, struct wt_frame_queue *into);

#endif

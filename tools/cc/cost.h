/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that a sender module takes per ACK, counted one by one: a child process is single-stepped (ptrace) through the hooks that
 * an ACK and the segment it lets out call. The count is exact, the same in every run of a build, and needs no privilege.
 */
#ifndef WT_TOOLS_CC_COST_H
#define WT_TOOLS_CC_COST_H

#include "cc/choose.h"

struct wt_cc_cost {
	double mean;   /* instructions per ACK */
	uint32_t most; /* of a single ACK */
	uint32_t acks; /* counted: every 37th, so that each part of a round trip has its share */
};

/*
 * The path: 100 Mbit/s, 40 ms, a queue of as much, segments of 1448 bytes, an ACK for each; a loss whenever the window is larger than both.
 * `acks` of them are counted after the window has had two thousand to settle. 0, or -errno where the process may not be traced.
 */
int wt_cc_cost(const struct wt_sender_choice *choice, uint32_t acks, struct wt_cc_cost *cost);

#endif

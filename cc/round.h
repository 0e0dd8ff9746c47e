/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips, counted once for all modules: a round ends with the first ACK of data that was sent after the round began.
 * Karn's definition by sequence numbers, as in Vegas, HyStart++ (RFC 9406 4.2) and BBR's packet-timed rounds.
 */
#ifndef WT_CC_ROUND_H
#define WT_CC_ROUND_H

#include "cc/cc.h"

struct wt_round {
	bool running;
	wt_seq end;     /* the round is over when SEG.ACK lies above it */
	uint32_t count; /* rounds that are over */
};

/* Begins anew: with the next ACK. */
static inline void wt_round_restart(struct wt_round *round)
{
	round->running = false;
}

/* True for the ACK that ends a round; the next one begins with it. The first ACK of data only begins the first round. */
static inline bool wt_round_over(struct wt_round *round, const struct wt_ack *ack)
{
	bool over = round->running && wt_seq_gt(ack->ack, round->end);

	if (round->running ? !over : !ack->acked)
		return false;
	round->count += over;
	round->end = ack->snd_nxt;
	round->running = true;
	return over;
}

#endif

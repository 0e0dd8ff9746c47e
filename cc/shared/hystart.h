/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HyStart++ (RFC 9406): slow start ends before it overshoots. When the least round-trip time of a round has grown by an eighth
 * (at least 4 ms, at most 16 ms) over that of the round before, growth goes on at a quarter of its pace (conservative slow
 * start) for five rounds; if the delay goes back meanwhile, the rise was noise and slow start resumes, else it is over.
 */
#ifndef WT_CC_SHARED_HYSTART_H
#define WT_CC_SHARED_HYSTART_H

#include "cc/round.h"

#define WT_HYSTART_LIMIT 8 /* segments that one ACK may add while nothing is paced (L, RFC 9406 4.2) */

/* All zero: slow start begins, with a connection, or after a timeout (where RFC 9406 4.3 leaves it out: then set `over`). */
struct wt_hystart {
	bool over; /* from here slow start is the plain one, for the rest of the connection (4.3) */
	bool conservative;
	struct wt_round round;
	wt_time last_min, current_min, baseline; /* least RTT of the last round, of this one, before the rise; 0: none */
	uint32_t samples, rounds;                /* of this round; of conservative slow start */
};

/* An ACK of new data in slow start: bytes by which the window grows. *leave: slow start is over, ssthresh becomes cwnd. Once HyStart++ is
 * `over` this is plain slow start, which the caller bounds. */
uint32_t wt_hystart_grow(struct wt_hystart *hystart, const struct wt_ack *ack, uint32_t mss, bool paced, bool *leave);

#endif

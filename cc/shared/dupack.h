/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast retransmit and fast recovery by duplicate ACKs (RFC 5681 3.2, RFC 6582, RFC 3042), with the points in which
 * Reno, NewReno and TCP-Real differ as a rule.
 */
#ifndef WT_CC_SHARED_DUPACK_H
#define WT_CC_SHARED_DUPACK_H

#include "cc/cc.h"

struct wt_dupack_rule {
	bool partial;          /* a partial ACK resends the next hole and stays in recovery (RFC 6582) */
	bool once;             /* no second fast retransmit below `recover` (RFC 6582 3.2 step 2) */
	bool heuristic;        /* unless the ACK heuristic of RFC 6582 4.1 finds a real loss there */
	bool whole_window;     /* resend everything outstanding, not the first segment */
	bool no_inflation;
	bool limited_transmit; /* RFC 3042 */
	bool early;            /* fewer duplicates are enough for a flight of less than four segments (RFC 5827) */
	bool impatient;        /* only the first partial ACK restarts the retransmission timer (RFC 6582 4) */
	bool one_window;       /* inflation at most cwnd (TCP-Real specification 7.3); else the flight at entry */
};

struct wt_dupack {
	uint32_t dupthresh;
	bool in, has_recover, had_partial;
	wt_seq recover;         /* what must be acknowledged to end recovery */
	uint32_t inflation;     /* by duplicate ACKs and partial ACKs, before SACK is taken into account */
	uint32_t inflation_max;
	bool has_previous;
	wt_seq previous, highest; /* the last two values of snd_una, for the ACK heuristic */
};

void wt_dupack_init(struct wt_dupack *fast, const struct wt_cc_env *env);
void wt_dupack_on_ack(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_ack *ack,
		    const struct wt_outstanding *view, struct wt_recovery_out *out);
void wt_dupack_on_rto(struct wt_dupack *fast, const struct wt_outstanding *view, struct wt_recovery_out *out);
/* ESTABLISHED and UNDO; the others do nothing. */
void wt_dupack_on_event(struct wt_dupack *fast, enum wt_cc_event event, const struct wt_cc_env *env);

/*
 * RFC 5827 2.2: duplicate ACKs that mean loss where fewer than four segments are outstanding and nothing new can go: one less than
 * those; else dupthresh.
 */
uint32_t wt_dupack_early(const struct wt_outstanding *view, uint32_t dupthresh);

/* Marks the first outstanding segment lost, sent again or not; nothing if nothing is outstanding. */
void wt_dupack_mark_first(const struct wt_outstanding *view, struct wt_recovery_out *out);
/* The same for all that is outstanding. */
void wt_dupack_mark_all(const struct wt_outstanding *view, struct wt_recovery_out *out);

#endif

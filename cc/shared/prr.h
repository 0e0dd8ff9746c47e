/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proportional Rate Reduction (RFC 9937): in recovery each ACK lets so much go that the flight comes down to ssthresh in step
 * with what was delivered, and where losses took it below that, grows back no faster than slow start.
 *
 *   inflight above ssthresh   ceil(prr_delivered * ssthresh / RecoverFS) - prr_out
 *   else                      what was delivered, and one segment more if the ACK is safe, up to ssthresh
 *
 * A recovery module that uses it calls wt_prr_enter() when it enters, wt_prr_allow() from its hook `allow`, wt_prr_sent() from
 * on_sent, and wt_prr_end() when it leaves or a timeout ends recovery. `limit` is then the flight that RFC 9937 6.2 calls cwnd.
 */
#ifndef WT_CC_SHARED_PRR_H
#define WT_CC_SHARED_PRR_H

#include "cc/cc.h"

struct wt_prr {
	bool on;
	uint64_t delivered, out, flight; /* bytes: prr_delivered, prr_out, RecoverFS */
};

/* Recovery begins with this ACK. view: before anything is marked for it. */
void wt_prr_enter(struct wt_prr *prr, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out);
/* Sets out->limit for this ACK of recovery. view: after marks, with the ssthresh that the sender module chose. */
void wt_prr_allow(struct wt_prr *prr, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out);
void wt_prr_sent(struct wt_prr *prr, const struct wt_sent *sent);
void wt_prr_end(struct wt_prr *prr, struct wt_recovery_out *out);

#endif

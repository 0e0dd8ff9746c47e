/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reduction of the window is undone when the loss that it answered proves spurious: what was sent again had only been late.
 * Two proofs are taken:
 *
 *   timestamps  the first ACK of new data echoes a timestamp from before the first copy, so the original was the one that
 *               arrived (Eifel: RFC 3522 3.2), unless it is a D-SACK, too: then only ACKs were lost, and all copies must be
 *               duplicates. So may it be if the ACK covers all that is outstanding and the peer has never sent a D-SACK.
 *               While a copy of an earlier loss is out, its time counts, as in Linux
 *   D-SACK      the receiver reports every copy as a duplicate (RFC 2883, RFC 3708 3)
 *
 * The answer is the module's (WT_CC_UNDO: RFC 4015 3.2 without its pacing), the end of recovery, and that what waits to be
 * sent again does not. A reduction for a mark (ECN) is never undone. A path that duplicates a copy fools the D-SACK rule, as
 * it fools Linux.
 */
#include "stack/tcp/tcb.h"

#define LONG_AGO (1u << 31) /* octets: twice the largest window. Later the numbers of that flight are others' */

bool wt_undo_begin(struct wt_tcp *tcp, enum wt_loss_why why)
{
	/* A timeout in recovery, or another one, is the same event as in Linux: its copies are counted on. */
	if (why == WT_LOSS_RTO && (tcp->go_backs > 1 || tcp->in_recovery))
		return false;
	tcp->undo = (struct wt_tcp_undo){
		.first_ts = tcp->undo.first_ts,
		.resent_to = tcp->undo.resent_to,
		.copied = tcp->undo.copied,
		.tells = tcp->undo.tells,
		.armed = why != WT_LOSS_ECN && tcp->config->settings.undo,
		.from = tcp->snd_una,
		.to = tcp->snd_nxt,
		.since = tcp->tally.bytes_acked,
	};
	return true;
}

void wt_undo_resent(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq end, bool again)
{
	struct wt_tcp_undo *undo = &tcp->undo;
	bool earlier = undo->copied;

	/* while a copy of an earlier loss is not acknowledged, its ACK comes first and echoes its own time */
	if (!earlier)
		undo->first_ts = seg->tsval;
	undo->resent_to = earlier ? wt_seq_max(undo->resent_to, end) : end;
	undo->copied = true;
	if (!undo->armed)
		return;
	if (undo->resent++ == 0)
		undo->by_time = seg->has_ts;
	undo->copies++;
	undo->again |= again;
}

/* All copies were duplicates, and this ACK reports the last of them. */
static bool all_reported(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t dsacked)
{
	struct wt_tcp_undo *undo = &tcp->undo;
	uint32_t mss = wt_tcp_send_mss(tcp), count;

	if (!undo->copies || !dsacked || tcp->tally.bytes_acked - undo->since > LONG_AGO)
		return false;
	if (wt_seq_lt(seg->sack[0].start, undo->from) || wt_seq_gt(seg->sack[0].end, undo->to))
		return false;
	/* a path that duplicates an ACK repeats its report; two copies of one segment give two equal ones */
	if (!undo->again && undo->counted.start == seg->sack[0].start && undo->counted.end == seg->sack[0].end)
		return false;
	undo->counted = (struct wt_range){seg->sack[0].start, seg->sack[0].end};
	count = (dsacked + mss - 1) / mss;
	undo->copies -= count < undo->copies ? count : undo->copies;
	return undo->copies == 0;
}

/* The first ACK of new data after the first copy decides; later ones may be of either. */
static bool echoed_from_before(struct wt_tcp *tcp, const struct wt_tcp_header *seg, bool advanced, uint32_t dsacked)
{
	struct wt_tcp_undo *undo = &tcp->undo;

	if (!undo->by_time || !advanced)
		return false;
	undo->by_time = false;
	if (dsacked || (tcp->snd_una == tcp->snd_nxt && !undo->tells))
		return false;
	return tcp->ts_ok && seg->has_ts && (int32_t)(seg->tsecr - undo->first_ts) < 0;
}

/* The timer may have been set with the back-off of a timeout that was needless. */
static void end_backoff(struct wt_tcp *tcp)
{
	wt_time due;

	tcp->rtt.backoff = 0;
	due = wt_tcp_ticks_from_now(tcp, wt_rtt_timeout(&tcp->rtt, &tcp->config->settings));
	if (tcp->timer[WT_TIMER_REXMT] != WT_NEVER && tcp->timer[WT_TIMER_REXMT] > due)
		wt_tcp_set_timer(tcp, WT_TIMER_REXMT, due);
}

void wt_undo(struct wt_tcp *tcp, bool by_dsack)
{
	tcp->undo.armed = false;
	tcp->in_recovery = tcp->after_rto = tcp->reopened = tcp->force = false;
	end_backoff(tcp);
	tcp->verdict = (struct wt_recovery_out){0};
	wt_order_unmark(&tcp->order, tcp->stack->chunks, &tcp->board);
	wt_ecn_undone(tcp);
	wt_cc_event(tcp, WT_CC_UNDO);
	wt_tcp_wants_output(tcp); /* an ACK that only reports a duplicate opens the window, too */
	wt_trace(tcp->stack, tcp->conn, UNDONE, tcp->snd_una, tcp->out.cwnd, tcp->out.ssthresh, by_dsack);
}

void wt_undo_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, bool advanced, uint32_t dsacked)
{
	bool timestamp, dsack;

	tcp->undo.tells |= dsacked > 0;
	tcp->undo.copied &= wt_seq_gt(tcp->undo.resent_to, tcp->snd_una);
	if (!tcp->undo.armed)
		return;
	timestamp = echoed_from_before(tcp, seg, advanced, dsacked);
	dsack = all_reported(tcp, seg, dsacked);
	if (timestamp || dsack)
		wt_undo(tcp, dsack);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the RFCs make of a segment that enters the host: RFC 9293 3.10.7.4 in its order, PAWS, the window, SACK; and what the host owes
 * for it: an ACK at once, or in time.
 */
#include <inttypes.h>

#include "tests/swarm/watch.h"

static bool mod_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* An ACK at once, if the receiver is the standard one and the setting says nothing else. */
static void owe_now(const struct watch *watch, struct conn *conn)
{
	conn->reason = true;
	if (watch->run->plan->standard && !settings_of(watch)->ack_delay_all)
		conn->owed = watch->now;
}

static void owe_later(const struct watch *watch, struct conn *conn)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	wt_time due = watch->now + settings->ack_delay;

	if (settings->ack_delay_tick && settings->ack_delay)
		due = (watch->now / settings->ack_delay + 1) * settings->ack_delay;
	if (watch->run->plan->standard && conn->owed > due)
		conn->owed = due;
	conn->held = true;
}

/* The segment that came starts the retransmission timer (RFC 6298 5.3). */
static void timer_starts(const struct watch *watch, struct conn *conn)
{
	conn->moved = conn->advanced = watch->now;
	conn->advanced_by = watch->frames;
	conn->armed = conn->rtos;
	conn->running = 0;
}

static void learn_syn(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	conn->doubt |= conn->in && ((conn->syn[1].flags ^ seen->tcp.flags) & (WT_ECE | WT_CWR));
	if (!conn->in) {
		conn->in = true;
		conn->irs = seen->tcp.seq;
		conn->syn[1] = seen->tcp;
		conn->next = 1;
		conn->last_ack = 1;
		conn->has_ts_recent = seen->tcp.has_ts;
		conn->ts_recent = seen->tcp.tsval;
		conn->wnd = conn->wnd_most = seen->tcp.window;
		conn->edge = conn->edge_most = 1 + conn->wnd;
		conn->wl2 = watch->side == 0;
	}
	if (seen->tcp.flags & WT_ACK && conn->out && seen->tcp.ack == conn->iss + 1 && !conn->open) {
		conn->open = true;
		conn->una = 1;
		conn->heard = true;
		timer_starts(watch, conn);
		conn->first = conn->count = 0;
	}
	conn->reason = true;
}

/* What both SYNs say. */
void watch_agree(struct conn *conn)
{
	const struct wt_tcp_header *ours = &conn->syn[0], *theirs = &conn->syn[1];
	unsigned both = WT_ECE | WT_CWR, first = ours->flags & WT_ACK ? theirs->flags : ours->flags, second = ours->flags & WT_ACK ? ours->flags : theirs->flags;

	conn->ts = ours->has_ts && theirs->has_ts;
	conn->sack = ours->has_sack_permitted && theirs->has_sack_permitted;
	conn->ecn = (first & both) == both && (second & both) == WT_ECE;
	conn->scale[0] = ours->has_wscale && theirs->has_wscale ? (ours->wscale > 14 ? 14 : ours->wscale) : 0;
	conn->scale[1] = ours->has_wscale && theirs->has_wscale ? (theirs->wscale > 14 ? 14 : theirs->wscale) : 0;
}

/* ---- ACK -------------------------------------------------------------------------------------------------------- */

static void take_off(struct conn *conn, struct piece *piece)
{
	conn->oldest = piece->first < conn->oldest ? piece->first : conn->oldest;
	if (piece->last > conn->newest || (piece->last == conn->newest && piece->times == 1)) {
		conn->newest = piece->last;
		conn->ambiguous_newest = piece->times > 1;
	}
}

static void take_sack(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t ack, uint64_t before)
{
	uint64_t had = spans_bytes(&conn->sacked);
	struct spans old;

	for (unsigned i = 0; i < seen->tcp.sack_count && conn->sack; i++) {
		uint64_t from = place(seen->tcp.sack[i].start, conn->iss, conn->una), to = place(seen->tcp.sack[i].end, conn->iss, conn->una);

		if (from >= to || from < before || from < ack || to > conn->top)
			continue;
		old = conn->sacked;
		spans_add(&conn->sacked, from, to);
		for (unsigned k = 0; k < conn->count; k++) {
			struct piece *piece = watch_piece(conn, k);

			if (spans_cover(&conn->sacked, piece->from, piece->to) && !spans_cover(&old, piece->from, piece->to))
				take_off(conn, piece);
		}
	}
	if (spans_bytes(&conn->sacked) > had && ack == conn->una) {
		conn->dups++;
		conn->strict_dups++;
	}
	(void)watch;
}

static void take_window(struct conn *conn, const struct seen *seen, uint64_t seq, uint64_t ack)
{
	uint32_t window = (uint32_t)seen->tcp.window << conn->scale[1];

	if (ack < conn->una || !(conn->wl1 < seq || (conn->wl1 == seq && conn->wl2 <= ack)))
		return;
	if (!conn->wnd && window) {
		conn->again = conn->gone = conn->top;
		conn->rtos = 0;
	}
	conn->wnd = window;
	conn->wnd_most = window > conn->wnd_most ? window : conn->wnd_most;
	conn->wl1 = seq;
	conn->wl2 = ack;
}

/* Are three duplicates, or as many bytes above it, a reason to hold something lost? */
static void weigh_evidence(struct watch *watch, struct conn *conn)
{
	uint64_t thresh = settings_of(watch)->dupthresh, mss = conn->syn[1].has_mss ? conn->syn[1].mss : 536;

	if (conn->una == conn->top)
		return;
	mss = mss < settings_of(watch)->mss ? mss : settings_of(watch)->mss;
	if (conn->dups < thresh && spans_bytes(&conn->sacked) <= (thresh - 1) * (mss < 52 ? 1 : mss - 12 - 40))
		return;
	conn->again = conn->top;
	if (conn->strict_dups == thresh && conn->count && watch_piece(conn, 0)->times == 1 && !settings_of(watch)->dupacks_strict && watch->run->plan->classic && watch->run->plan->reno && !conn->lied && conn->una > conn->recover &&
	    !conn->fin_out && conn->wnd) {
		conn->must_resend = true;
		conn->recover = conn->top;
	}
}

static void take_ack(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t seq, uint64_t ack)
{
	uint64_t before = conn->una;

	conn->heard = true;
	conn->since_rto = 0;
	conn->oldest = WT_NEVER;
	conn->newest = 0;
	conn->ambiguous = conn->ambiguous_newest = false;
	conn->acked_now = 0;
	take_sack(watch, conn, seen, ack, before);
	if (ack == conn->una && !conn->sack && !seen->len && !(seen->tcp.flags & WT_FIN) && conn->una != conn->top &&
	    (uint32_t)seen->tcp.window << conn->scale[1] == conn->wnd && conn->wnd) {
		conn->dups++;
		conn->strict_dups++;
	}
	if (ack > conn->una) {
		for (; conn->count && watch_piece(conn, 0)->from < ack; conn->first = (conn->first + 1) % FLIGHT, conn->count--) {
			struct piece *piece = watch_piece(conn, 0);

			if (!spans_cover(&conn->sacked, piece->from, piece->to))
				take_off(conn, piece);
			conn->ambiguous |= piece->times > 1;
			if (piece->to > ack) {
				piece->from = ack;
				break;
			}
		}
		conn->acked_now = ack - conn->una;
		conn->in_avoidance += conn->acked_now;
		conn->una = ack;
		conn->dups = conn->strict_dups = 0;
		timer_starts(watch, conn);
		spans_trim(&conn->sacked, ack);
	}
	take_window(conn, seen, seq, ack);
	conn->edge = conn->una + conn->wnd; /* SND.WND counts from SND.UNA, also where the ACK may not move the window */
	conn->edge_most = conn->edge > conn->edge_most ? conn->edge : conn->edge_most;
	weigh_evidence(watch, conn);
	conn->ambiguous |= conn->ambiguous_newest;
}

/* ---- payload ---------------------------------------------------------------------------------------------------- */

/* RFC 3168 6.1.3: the receiver tells of a mark until the sender says that it has reduced its window. */
static void take_mark(struct conn *conn, const struct seen *seen)
{
	if (!seen->len)
		return;
	if (seen->tcp.flags & WT_CWR)
		conn->echo = false;
	if (seen->ecn == 3)
		conn->echo = true;
	if (seen->ecn == 3 || seen->tcp.flags & WT_CWR)
		conn->reason = true;
}

static void take_payload(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t seq)
{
	uint64_t end = seq + seen->len, from = seq;
	bool fin = seen->tcp.flags & WT_FIN, was_waiting = conn->waiting.n;

	if (!seen->len && !fin)
		return;
	if (conn->fin_taken || app_of(watch, conn)->over) {
		conn->reason = true;
		return;
	}
	if (end > conn->right) {
		end = conn->right;
		fin = false;
	}
	if (from < conn->next)
		from = conn->next;
	if (from < end)
		take_mark(conn, seen);
	if (fin && !conn->fin)
		conn->fin = end;
	if (from >= end && !(fin && end >= conn->next)) { /* beyond the edge, or nothing new */
		owe_now(watch, conn);
		return;
	}
	if (conn->sack && seq < conn->next && from < end) { /* RFC 2883 4: old octets in front of new ones */
		conn->dsack = true;
		conn->dsack_from = seq;
		conn->dsack_to = conn->next;
	}
	if (from < end && (from > seq || spans_touch(&conn->waiting, from, end)))
		conn->reason = true;
	if (from < end && from == conn->next && !spans_cover(&conn->waiting, from, end)) {
		conn->segs++;
		spans_add(&conn->waiting, from, end);
		conn->next = conn->waiting.at[0].to;
		spans_trim(&conn->waiting, conn->next);
		if (was_waiting || conn->quick || conn->segs >= settings_of(watch)->ack_every)
			owe_now(watch, conn);
		else
			owe_later(watch, conn);
		conn->quick = was_waiting ? settings_of(watch)->ack_quick : conn->quick ? conn->quick - 1 : 0;
	} else if (from < end) {
		if (!spans_cover(&conn->waiting, from, end))
			conn->newest_block = from;
		spans_add(&conn->waiting, from, end);
		conn->newest_block = from;
		owe_now(watch, conn);
	}
	if (fin && conn->fin == end && conn->next < conn->fin) { /* it waits above a hole, and is SACKed as an octet is */
		spans_add(&conn->waiting, end, end + 1);
		conn->newest_block = from < end ? from : end;
	}
	if (conn->fin && conn->next >= conn->fin) {
		conn->fin_taken = true;
		conn->next = conn->fin + 1;
		spans_trim(&conn->waiting, conn->next);
		conn->reason = true;
		conn->owed = watch->now;
	} else if (fin) {
		owe_now(watch, conn);
	}
}

static bool paws(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	if (!conn->ts)
		return true;
	if (!seen->tcp.has_ts)
		return false;
	if (!mod_lt(seen->tcp.tsval, conn->ts_recent))
		return true;
	if (seen->len || seen->tcp.flags & WT_FIN)
		owe_now(watch, conn);
	conn->reason = true;
	return false;
}

static bool acceptable(const struct conn *conn, uint64_t seq, uint64_t len)
{
	if (conn->right == conn->next)
		return seq == conn->next;
	if (!len) /* and at the right edge, from where a peer that has filled the window acknowledges (docs/deviations.md) */
		return seq >= conn->next && seq <= conn->right;
	return (seq >= conn->next && seq < conn->right) || (seq + len - 1 >= conn->next && seq + len - 1 < conn->right);
}

static void refused(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t seq, uint64_t ack, bool ack_good)
{
	conn->reason = true;
	if (!seen->len && !(seen->tcp.flags & WT_FIN))
		return;
	if (seen->len && seq + seen->len <= conn->next && ack_good && !(seen->tcp.flags & WT_FIN)) {
		conn->dsack = conn->sack;
		conn->dsack_from = seq;
		conn->dsack_to = seq + seen->len;
	}
	(void)ack;
	owe_now(watch, conn);
}

void watch_in(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	uint64_t seq, ack, len = seen->len + !!(seen->tcp.flags & WT_FIN);
	bool ack_good;

	if (seen->tcp.flags & WT_SYN && !(seen->tcp.flags & WT_RST) && (!conn->in || seen->tcp.seq == conn->irs) && !conn->open) {
		if (!conn->in || !seen->len)
			learn_syn(watch, conn, seen);
		return;
	}
	if (!conn->in || !conn->out || conn->off)
		return;
	watch_window(watch, conn);
	seq = place(seen->tcp.seq, conn->irs, conn->next);
	ack = place(seen->tcp.ack, conn->iss, conn->una);
	watch_agree(conn);
	if (seen->tcp.flags & (WT_RST | WT_SYN)) {
		conn->reason = true;
		if (seen->tcp.flags & WT_RST && (seq == conn->next || !conn->open))
			conn->off = true;
		return;
	}
	if (!paws(watch, conn, seen))
		return;
	ack_good = seen->tcp.flags & WT_ACK && ack <= conn->top && ack + conn->wnd_most >= conn->una;
	if (!acceptable(conn, seq, len)) {
		refused(watch, conn, seen, seq, ack, ack_good);
		return;
	}
	if (!(seen->tcp.flags & WT_ACK))
		return;
	if (!ack_good || (!conn->open && ack == 0)) {
		conn->reason = true;
		return;
	}
	if (!conn->open) { /* the handshake's third: its window is taken whatever it says */
		conn->open = true;
		conn->wl1 = 0;
		conn->wl2 = 0;
		timer_starts(watch, conn);
	}
	if (conn->ts && seq <= conn->last_ack && !mod_lt(seen->tcp.tsval, conn->ts_recent))
		conn->ts_recent = seen->tcp.tsval;
	take_ack(watch, conn, seen, seq, ack);
	take_payload(watch, conn, seen, seq);
}

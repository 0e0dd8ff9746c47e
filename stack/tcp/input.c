/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SEGMENT ARRIVES: RFC 9293 3.10.7, check by check in its order, with RFC 5961 (blind attacks) and RFC 7323 (PAWS, first).
 *
 * Each check either lets the segment pass on or ends its processing. Answers are wishes (ack_now, a LOST mark) that
 * output.c turns into segments; only resets for nobody's connections are built here at once.
 */
#include <errno.h>

#include "stack/tcp/tcb.h"

/*
 * RFC 5961 7, and against ACK storms: one of these per connection in half a second. The limit is of the connection alone:
 * with one for the whole host a stranger could count the challenges of other connections (CVE-2016-5696).
 */
__attribute__((cold)) static void challenge(struct wt_tcp *tcp)
{
	if (tcp->stack->now < tcp->challenge_at)
		return;
	tcp->challenge_at = tcp->stack->now + 500 * WT_MS;
	tcp->ack_now = true;
	wt_tcp_wants_output(tcp);
}

void wt_tcp_enter_time_wait(struct wt_tcp *tcp)
{
	wt_wait_begin(tcp);
	wt_tcp_notify(tcp, WT_TCP_EV_CLOSED);
}

/* RFC 7323 3.2: what a SYN-ACK echoes must be the timestamp of a SYN that we sent. */
static bool echo_ok(const struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	uint32_t first = tcp->ts_offset + (uint32_t)(tcp->syn_at / WT_MS), now = tcp->ts_offset + (uint32_t)(tcp->stack->now / WT_MS);

	return !tcp->config->settings.timestamps || !seg->has_ts ||
	       ((int32_t)(seg->tsecr - first) >= 0 && (int32_t)(now - seg->tsecr) >= 0);
}

/* ---- first: sequence number, after PAWS (RFC 7323 5.3) --------------------------------------------------- */

#define PAWS_IDLE (24 * 86400 * WT_S) /* RFC 7323 5.5: an older ts_recent proves nothing */

static bool timestamp_ok(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	if (!tcp->ts_ok || (seg->flags & WT_RST))
		return true;
	if (!seg->has_ts)
		return false; /* 3.2: silently */
	if ((int32_t)(seg->tsval - tcp->ts_recent) >= 0)
		return true;
	if (tcp->stack->now - tcp->ts_recent_at > PAWS_IDLE)
		return true;
	if (!len && !(seg->flags & (WT_SYN | WT_FIN))) {
		challenge(tcp); /* if the peer finds our clock old too, ACKs would answer ACKs for ever */
		return false;
	}
	tcp->ack_now = true;
	wt_tcp_wants_output(tcp);
	return false;
}

static void remember_timestamp(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	/* 4.3 (2): only the segment that spans the last ACK sent; a segment from the future cannot poison it */
	if (tcp->ts_ok && seg->has_ts && wt_seq_le(seg->seq, tcp->last_ack_sent) &&
	    ((int32_t)(seg->tsval - tcp->ts_recent) >= 0 || tcp->stack->now - tcp->ts_recent_at > PAWS_IDLE)) {
		tcp->ts_recent = seg->tsval;
		tcp->ts_recent_at = tcp->stack->now;
	}
}

/* RFC 5961 5.2: SND.UNA - MAX.SND.WND =< SEG.ACK =< SND.NXT. A stranger has to guess this number too. */
static bool ack_in_range(const struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	return (seg->flags & WT_ACK) && wt_seq_le(seg->ack, tcp->snd_nxt) &&
	       wt_seq_ge(seg->ack, tcp->snd_una - tcp->max_snd_wnd);
}

/*
 * Not acceptable: an ACK, unless it is a reset. Old payload is news to the receiver module and to D-SACK, if the ACK may be
 * the peer's.
 */
__attribute__((cold)) static void refuse(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	if (seg->flags & WT_RST)
		return;
	if (len && tcp->state >= WT_TCP_ESTABLISHED && wt_seq_le(seg->seq + len, tcp->rcv_nxt) && ack_in_range(tcp, seg)) {
		wt_tcp_old_data(tcp, seg, len);
	} else if (len || (seg->flags & WT_FIN)) {
		tcp->ack_now = true; /* no storm: what answers it has no payload */
	} else {
		challenge(tcp);
	}
	wt_tcp_wants_output(tcp);
}

/* ---- second: RST, RFC 5961 3; fourth: SYN, RFC 5961 4 ----------------------------------------------------- */

__attribute__((cold)) static void reset_arrived(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	if (seg->seq != tcp->rcv_nxt) {
		challenge(tcp);
		return;
	}
	wt_tcb_end(tcp, tcp->state == WT_TCP_SYN_RECEIVED && !tcp->listener ? -ECONNREFUSED : -ECONNRESET);
}

/* ---- fifth: ACK -------------------------------------------------------------------------------------------- */

/* May this segment be the peer's? Until here it has changed nothing. A wrong ACK is reset in SYN-RECEIVED, challenged later. */
static bool ack_believed(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	if (tcp->state == WT_TCP_SYN_RECEIVED) {
		if (wt_seq_gt(seg->ack, tcp->snd_una) && wt_seq_le(seg->ack, tcp->snd_nxt))
			return true;
		wt_tcp_reset(tcp, seg->ack, 0, WT_RST);
		return false;
	}
	if (ack_in_range(tcp, seg))
		return true;
	challenge(tcp);
	return false;
}

/* Our FIN is acknowledged: the closing states move. False: the connection is gone. */
__attribute__((cold)) static bool fin_acknowledged(struct wt_tcp *tcp)
{
	switch (tcp->state) {
	case WT_TCP_FIN_WAIT_1:
		wt_tcb_set_state(tcp, WT_TCP_FIN_WAIT_2);
		if (tcp->handle == WT_HANDLE_NONE)
			wt_tcp_set_timer(tcp, WT_TIMER_WAIT,
					 wt_time_add(tcp->stack->now, tcp->config->settings.fin_wait_2));
		return true;
	case WT_TCP_CLOSING:
		wt_tcp_enter_time_wait(tcp);
		return true;
	case WT_TCP_LAST_ACK:
		wt_tcb_end(tcp, 0);
		return false;
	default:
		return true;
	}
}

static bool take_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	bool handshake = tcp->state == WT_TCP_SYN_RECEIVED;

	if (handshake)
		tcp->snd_wl1 = seg->seq - 1; /* so that this segment's (scaled) window is taken */
	wt_tcp_ack(tcp, seg, len);
	if (handshake)
		wt_tcp_established(tcp);
	return tcp->fin_acked ? fin_acknowledged(tcp) : true;
}

/* ---- seventh and eighth: payload and FIN -------------------------------------------------------------------- */

/*
 * A big frame is the segments that its sender would have had cut: each is taken, and told to the receiver module, by itself. Their boundaries
 * are counted from the frame's first octet, also if octets in front are old.
 */
__attribute__((noinline)) static void take_slices(struct wt_tcp *tcp, const struct wt_tcp_header *whole, wt_seq seq, const struct wt_extent *payload, uint32_t len, bool fin)
{
	uint32_t slice = tcp->stack->slice, n = slice - (seq - whole->seq) % slice;
	struct wt_tcp_header seg = *whole;
	struct wt_extent text = *payload;

	for (; len > n && !tcp->stack->no_memory; n = slice) {
		seg.flags = whole->flags & (uint8_t)~(WT_PSH | WT_FIN);
		wt_tcp_data(tcp, &seg, seq, &text, n, false);
		text = wt_extent_from(&text, n);
		seg.seq = seq += n;
		len -= n;
		tcp->tally.segs_received++;
	}
	seg.flags = whole->flags;
	if (!tcp->stack->no_memory)
		wt_tcp_data(tcp, &seg, seq, &text, len, fin);
}

static void take_payload(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	bool fin = seg->flags & WT_FIN;
	struct wt_extent text;
	wt_seq seq = seg->seq;

	if (!len && !fin)
		return;
	if (tcp->state == WT_TCP_TIME_WAIT || tcp->fin_taken) {
		challenge(tcp); /* nothing can follow a FIN */
		return;
	}
	/* the handle is closed: nobody will ever read this (RFC 9293 3.6.1, RFC 2525 2.17) */
	if (len && tcp->handle == WT_HANDLE_NONE && wt_seq_gt(seq + len, tcp->rcv_nxt)) {
		wt_tcp_reset(tcp, tcp->snd_nxt, tcp->rcv_nxt, WT_RST | WT_ACK);
		wt_tcb_end(tcp, -ECONNRESET);
		return;
	}
	if (wt_seq_lt(seq, tcp->rcv_nxt)) { /* old bytes in front */
		uint32_t old = tcp->rcv_nxt - seq;

		old = old < len ? old : len;
		text = wt_extent_from(payload, old);
		payload = &text;
		len -= old;
		seq += old;
		if (len) {
			tcp->has_dsack = tcp->sack_ok;
			tcp->dsack = (struct wt_range){seq - old, seq};
		}
	}
	if (wt_seq_gt(seq + len, tcp->rcv_adv)) { /* beyond the right edge: not taken, so never acknowledged */
		len = wt_seq_gt(tcp->rcv_adv, seq) ? tcp->rcv_adv - seq : 0;
		fin = false;
		if (!len) {
			tcp->ack_now = true;
			wt_tcp_wants_output(tcp);
			return;
		}
	}
	if (tcp->fin_seen && wt_seq_gt(seq + len, tcp->fin_seq)) { /* bytes after a FIN that waits above a hole */
		len = wt_seq_gt(tcp->fin_seq, seq) ? tcp->fin_seq - seq : 0;
		fin = false;
	}
	if (fin && tcp->fin_seen && tcp->fin_seq != seq + len)
		fin = false; /* a second FIN elsewhere is a lie */
	if (tcp->stack->slice && len)
		take_slices(tcp, seg, seq, payload, len, fin);
	else
		wt_tcp_data(tcp, seg, seq, payload, len, fin);
}

/* ---- SYN-SENT: 3.10.7.3 --------------------------------------------------------------------------------- */

/*
 * Fourth and fifth: the peer's SYN, and what else the segment brings, which goes on at the sixth step of 3.10.7.4. Of a crossing SYN
 * the text waits until the connection is open; its FIN will come again.
 */
__attribute__((cold)) static void take_syn(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len, bool acked)
{
	struct wt_tcp_header rest = *seg;

	wt_tcp_learn_syn(tcp, seg);
	rest.flags &= (uint8_t)~WT_SYN;
	rest.seq++;
	if (acked) {
		wt_tcp_ack(tcp, seg, 0);
		wt_tcp_established(tcp);
		tcp->ack_now = true;
	} else { /* simultaneous open: our SYN goes again, now with ACK */
		wt_tcb_set_state(tcp, WT_TCP_SYN_RECEIVED);
		wt_board_mark_all(&tcp->board);
		tcp->force = true;
	}
	wt_tcp_wants_output(tcp);
	take_payload(tcp, &rest, payload, len);
}

__attribute__((cold)) static void syn_sent(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	bool acceptable = (seg->flags & WT_ACK) && wt_seq_gt(seg->ack, tcp->iss) && wt_seq_le(seg->ack, tcp->snd_nxt);

	if ((seg->flags & WT_ACK) && !(seg->flags & WT_RST) && !echo_ok(tcp, seg))
		acceptable = false;
	if ((seg->flags & WT_ACK) && !acceptable) {
		if (!(seg->flags & WT_RST))
			wt_tcp_reset(tcp, seg->ack, 0, WT_RST);
		return;
	}
	if (seg->flags & WT_RST) {
		if (acceptable)
			wt_tcb_end(tcp, -ECONNREFUSED);
		return;
	}
	if (!(seg->flags & WT_SYN))
		return;
	wt_tcb_receive(tcp, seg->seq);
	take_syn(tcp, seg, payload, len, acceptable);
}

/* ---- 3.10.7.4 ------------------------------------------------------------------------------------------------ */

/* Behind the check for a SYN: one that is expected has been taken off the numbers, and the flag says that the window is not scaled. */
static void without_syn(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	if (!timestamp_ok(tcp, seg, len))
		return;
	if (!wt_seq_acceptable(tcp->rcv_nxt, tcp->rcv_adv, seg->seq, len + !!(seg->flags & WT_FIN)) &&
	    /* 3.10.7.4: with a closed window valid ACKs, URGs and RSTs are still taken; so is what brings nothing new in front */
	    !(tcp->rcv_adv == tcp->rcv_nxt && seg->seq == tcp->rcv_nxt)) {
		refuse(tcp, seg, len);
		return;
	}
	if (seg->flags & WT_RST) {
		reset_arrived(tcp, seg);
		return;
	}
	if (!(seg->flags & WT_ACK) || !ack_believed(tcp, seg))
		return;
	wt_tcp_heard(tcp);
	remember_timestamp(tcp, seg);
	if (!take_ack(tcp, seg, len))
		return;
	take_payload(tcp, seg, payload, len);
}

static void synchronized(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	/* fourth, RFC 5961 4: whatever its number and its timestamp, or a peer that starts anew never learns of this connection */
	if ((seg->flags & (WT_SYN | WT_RST)) == WT_SYN)
		challenge(tcp);
	else
		without_syn(tcp, seg, payload, len);
}

/* A SYN-ACK for the SYN-ACK of a simultaneous open, or the peer's SYN again. */
__attribute__((cold)) static void syn_again(struct wt_tcp *tcp, const struct wt_tcp_header *arrived, const struct wt_extent *payload, uint32_t len)
{
	struct wt_tcp_header seg = *arrived;

	wt_ecn_syn_arrived(tcp, seg.flags);
	if (!(seg.flags & WT_ACK)) {
		wt_board_mark_all(&tcp->board);
		tcp->force = true;
		wt_tcp_wants_output(tcp);
		return;
	}
	seg.seq++;
	without_syn(tcp, &seg, payload, len);
}

void wt_tcp_connection_input(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	tcp->tally.segs_received++;
	wt_trace(tcp->stack, tcp->conn, RECEIVED, seg->seq, len, seg->flags, seg->ack, (uint64_t)seg->window << tcp->snd_wscale,
		 seg->ecn);
	if (tcp->state == WT_TCP_SYN_SENT)
		syn_sent(tcp, seg, payload, len);
	else if (tcp->state == WT_TCP_SYN_RECEIVED && (seg->flags & WT_SYN) && seg->seq == tcp->irs && !(seg->flags & WT_RST))
		syn_again(tcp, seg, payload, len);
	else
		synchronized(tcp, seg, payload, len);
}

/* A segment for a TIME-WAIT. True: a SYN that ended it, if somebody listens and has room; it is the listener's now. */
static bool ended_wait(struct wt_tcp_stack *stack, struct wt_wait *wait, struct wt_tcp *listener, const struct wt_tcp_header *seg,
		       uint32_t len, wt_seq *last)
{
	if (!listener || !wt_wait_reopens(wait, seg) || !wt_syn_has_room(listener) || wt_tcp_no_room(listener)) {
		wt_wait_input(stack, wait, seg, len);
		return false;
	}
	*last = wait->snd_nxt;
	wt_wait_end(stack, wait);
	return true;
}

void wt_tcp_input(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, const struct wt_extent *payload,
		  uint32_t len)
{
	struct wt_demux_entry *entry = wt_demux_find(stack, tuple);
	struct wt_tcp *listener;
	const wt_seq *above = NULL;
	wt_seq last;

	if (entry && entry->kind == WT_DEMUX_CONNECTION) {
		wt_tcp_connection_input((struct wt_tcp *)entry, seg, payload, len);
		return;
	}
	if (entry && entry->kind == WT_DEMUX_SYN) {
		wt_syn_input(stack, (struct wt_syn *)entry, seg, payload, len);
		return;
	}
	listener = wt_demux_listener(stack, &tuple->local);
	if (entry) {
		if (!ended_wait(stack, (struct wt_wait *)entry, listener, seg, len, &last))
			return;
		above = &last;
	}
	if (listener)
		wt_tcp_input_listen(listener, tuple, seg, payload, len, above);
	else
		wt_tcp_input_closed(stack, tuple, seg, len);
}

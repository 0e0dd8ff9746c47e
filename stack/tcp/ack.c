/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an acknowledgment does, in this order:
 *
 *   SACK blocks mark records -> cumulative ACK pops records -> RTT sample -> window update
 *     -> recovery module says what is lost -> sender module says how much may fly -> timers, application
 *
 * and what a retransmission timeout does. Nothing is sent from here.
 */
#include <assert.h>
#include <errno.h>

#include "stack/tcp/tcb.h"

/* What one ACK told, gathered before the modules are asked. */
struct ack_news {
	uint32_t acked, sacked, delivered, dsacked, pipe_before;
	bool duplicate, retransmitted; /* retransmitted: it covers a segment sent more than once */
	bool window_moved, window_opened; /* opened: it was closed */
	bool advanced;  /* SEG.ACK moved snd_una */
	bool new_block; /* a SACK block reports octets that none did before, if only a part of a segment */
	wt_time rtt, unsure; /* unsure: the round trip may have been so much longer, by the clock that was read */
	struct wt_tx_record newest; /* most recently sent record that it covers, len 0: none */
};

/* RFC 2018 8, RFC 2883: blocks outside what is outstanding are lies, reneging or D-SACK: no loss information. */
static bool block_valid(const struct wt_tcp *tcp, wt_seq start, wt_seq end)
{
	return wt_seq_lt(start, end) && wt_seq_ge(start, tcp->snd_una) && wt_seq_le(end, tcp->snd_nxt);
}

static void take_sack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, struct ack_news *news)
{
	if (!tcp->sack_ok)
		return;
	for (unsigned i = 0; i < seg->sack_count; i++) {
		wt_seq start = seg->sack[i].start, end = seg->sack[i].end;

		/* the first block may repeat bytes of a later one: a D-SACK (RFC 2883 4), then it marks nothing new anyway */
		if (!block_valid(tcp, start, end) || wt_seq_lt(start, seg->ack))
			continue;
		news->sacked += wt_board_sack(&tcp->board, start, end, &news->newest, &news->new_block);
	}
	if (news->newest.len && (news->newest.flags & WT_TX_RETRANSMITTED))
		news->retransmitted = true;
}

/* RFC 2883 4: the first block repeats what was received if it lies below SEG.ACK or within the second block. */
static uint32_t dsack_of(const struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	wt_seq start = seg->sack[0].start, end = seg->sack[0].end;

	if (!tcp->sack_ok || !seg->sack_count || !wt_seq_lt(start, end) || wt_seq_gt(end, tcp->snd_nxt) ||
	    tcp->snd_nxt - start > 1u << 30)
		return 0;
	if (wt_seq_le(end, seg->ack))
		return end - start;
	return seg->sack_count > 1 && wt_seq_ge(start, seg->sack[1].start) && wt_seq_le(end, seg->sack[1].end) ? end - start : 0;
}

/* Takes everything below SEG.ACK off the board. */
static void pop_acked(struct wt_tcp *tcp, wt_seq ack, struct ack_news *news)
{
	struct wt_scoreboard *board = &tcp->board;
	struct wt_outstanding *view = &board->view;

	for (const struct wt_tx_record *record; (record = wt_board_first(board)) && wt_seq_gt(ack, record->seq);) {
		uint32_t covered = ack - record->seq;

		if (record->flags & WT_TX_RETRANSMITTED)
			news->retransmitted = true;
		if (!(record->flags & WT_TX_DELIVERED) && (!news->newest.len || record->sent >= news->newest.sent))
			news->newest = *record;
		if (covered > record->len)
			covered = record->len;
		if (!(record->flags & WT_TX_DELIVERED)) {
			board->delivered += covered;
			wt_board_reported(board, record);
		}
		wt_board_pop(board, covered);
	}
	if (!view->count)
		wt_order_finish(&tcp->order, tcp->stack->chunks);
	tcp->snd_una = view->snd_una = ack;
	board->marked_to = wt_seq_max(board->marked_to, ack);
	if (board->reported.count)
		wt_ranges_trim(&board->reported, ack);
	wt_store_release(&tcp->snd, wt_seq_min(ack, tcp->snd_end), tcp->snd_end);
	view->highest_sacked = wt_seq_max(view->highest_sacked, ack);
}

/* SYN and FIN take sequence numbers but are no bytes to congestion control. */
static uint32_t payload_between(const struct wt_tcp *tcp, wt_seq from, wt_seq to)
{
	uint32_t bytes = to - wt_tcp_past_syn(tcp, from);

	if (tcp->fin_sent && wt_seq_gt(to, tcp->snd_end))
		bytes--;
	return bytes;
}

/*
 * RFC 6298 3 and 4 (Karn): never from a segment sent twice, unless a timestamp says which copy is meant (RFC 7323 4.1).
 */
static wt_time measure(struct wt_tcp *tcp, const struct wt_tcp_header *seg, struct ack_news *news)
{
	struct wt_rtt *rtt = &tcp->rtt;

	if (tcp->config->settings.rtt_one_at_a_time) {
		if (!rtt->timing || wt_seq_le(seg->ack, rtt->timed_seq))
			return 0;
		rtt->timing = false;
		return wt_time_max(1, wt_tcp_elapsed(tcp, rtt->timed_at));
	}
	if (!news->retransmitted && news->newest.len)
		return wt_time_max(1, wt_tcp_elapsed(tcp, news->newest.sent - news->newest.later));
	if (tcp->ts_ok && seg->has_ts && seg->tsecr && news->advanced) {
		uint32_t sent_ms = seg->tsecr - tcp->ts_offset, now_ms = (uint32_t)(tcp->stack->now / WT_MS);

		/* an echo from the future, or of nothing we can have sent, is no sample */
		if ((int32_t)(now_ms - sent_ms) >= 0 && now_ms - sent_ms < 600000) {
			news->unsure = WT_MS; /* both readings of the clock were rounded down, so it is up to a millisecond off */
			return wt_time_max(WT_MS, wt_tcp_elapsed(tcp, tcp->stack->now - (wt_time)(now_ms - sent_ms) * WT_MS));
		}
	}
	return 0;
}

static void take_sample(struct wt_tcp *tcp, const struct ack_news *news)
{
	if (!news->rtt)
		return;
	wt_rtt_sample(&tcp->rtt, &tcp->config->settings, news->rtt, news->unsure);
	if (tcp->rtt.watch)
		wt_histogram_add(tcp->rtt.watch, news->rtt);
	wt_trace(tcp->stack, tcp->conn, RTT, (uint64_t)news->rtt, (uint64_t)tcp->rtt.srtt, (uint64_t)tcp->rtt.rto);
}

/*
 * The window opens. A probe beyond the edge was thrown away and goes again at once; so was a flight that the peer closed its
 * window over, and that counts as a loss: a peer that toggles its window is sent no more than any other, and so a
 * flight goes again once until all of it is acknowledged or the timer runs out. That bounds the walks over it, too.
 */
__attribute__((cold)) static void reopened(struct wt_tcp *tcp)
{
	bool probe = tcp->snd_nxt - tcp->snd_una <= 2; /* one octet, and a FIN that rode on it */

	if (tcp->snd_una == tcp->snd_nxt)
		return;
	if (probe) {
		wt_board_mark_again(&tcp->board, tcp->snd_nxt, 0);
		tcp->force = true;
	} else if (!tcp->reopened && wt_tcp_pipe(tcp)) {
		tcp->reopened = true;
		tcp->go_backs += tcp->after_rto; /* of the same loss */
		wt_tcp_go_back(tcp);
	}
}

static void take_window(struct wt_tcp *tcp, const struct wt_tcp_header *seg, struct ack_news *news)
{
	/* RFC 7323 2.2: never scaled in a segment with SYN */
	uint32_t window = (uint32_t)seg->window << (seg->flags & WT_SYN ? 0 : tcp->snd_wscale);

	if (!wt_tcp_newer(tcp, seg->seq, seg->ack))
		return;
	if (tcp->snd_wnd == 0 && window) {
		reopened(tcp);
		tcp->rtt.backoff = 0;
		tcp->rto_count = 0;
		news->window_opened = true;
	}
	news->window_moved = window != tcp->snd_wnd;
	tcp->snd_wnd = window;
	tcp->max_snd_wnd = window > tcp->max_snd_wnd ? window : tcp->max_snd_wnd;
	tcp->snd_wl1 = seg->seq;
	tcp->snd_wl2 = seg->ack;
}

/* RFC 5681 2; with SACK, RFC 6675 2: what it newly reports makes it one, whatever else it carries. */
static bool is_duplicate(const struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len, const struct ack_news *news)
{
	if (seg->ack != tcp->snd_una || tcp->snd_una == tcp->snd_nxt)
		return false;
	if (tcp->sack_ok)
		return news->sacked > 0 || news->new_block;
	return !len && !(seg->flags & (WT_SYN | WT_FIN)) && tcp->snd_wnd != 0 &&
	       (uint32_t)seg->window << tcp->snd_wscale == tcp->snd_wnd;
}

/*
 * RFC 8985 6.2 step 2. Only where SEG.ACK moved: another ACK repeats the echo of the last segment in order (RFC 7323 4.3), whatever
 * copy made the peer send it.
 */
static bool echoes_earlier_copy(const struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct ack_news *news)
{
	wt_time sent = news->newest.sent - news->newest.later;

	return (news->newest.flags & WT_TX_RETRANSMITTED) && news->advanced && tcp->ts_ok && seg->has_ts &&
	       (int32_t)(seg->tsecr - (tcp->ts_offset + (uint32_t)(sent / WT_MS))) < 0;
}

/*
 * draft-cheng-iccrg-delivery-rate-estimation 3.3. An interval shorter than any round trip is of a copy that answered for
 * another, or of ACKs that came in a lump: no sample.
 */
static inline void rate_sample(struct wt_tcp *tcp, const struct wt_tx_record *newest, bool earlier, struct wt_ack *ack)
{
	wt_time sent = newest->sent - newest->later, interval, least;

	interval = wt_time_max(sent - newest->first_sent, tcp->stack->now - newest->delivered_time);
	ack->newest = (struct wt_newest){
		.len = newest->len,
		.end = newest->seq + newest->len,
		.sent = sent,
		.later = newest->later,
		.inflight = newest->inflight,
		.total_lost = newest->total_lost,
		.retransmitted = newest->flags & WT_TX_RETRANSMITTED,
		.earlier = earlier,
	};
	ack->flags |= newest->app_limited ? WT_ACK_APP_LIMITED : 0u;
	ack->prior_delivered = newest->delivered;
	if (!(newest->flags & WT_TX_RETRANSMITTED) && (!tcp->shortest || tcp->stack->now - sent < tcp->shortest))
		tcp->shortest = wt_time_max(1, tcp->stack->now - sent);
	least = tcp->shortest ? tcp->shortest : tcp->rtt.min_rtt; /* before data: the handshake's */
	ack->rate_interval = interval < least ? 0 : interval;
	tcp->first_sent = sent;
}

/*
 * Did the flight fill cwnd before this ACK? Of a paced sender: at some time since what is acknowledged was sent, for an ACK may come while the pace
 * holds back what the last ones allowed (draft-ietf-ccwg-bbr: C.is_cwnd_limited; Linux has it so for all).
 */
static bool cwnd_limited(struct wt_tcp *tcp, wt_seq ack, uint32_t flight)
{
	if (flight + wt_tcp_send_mss(tcp) > tcp->out.cwnd) {
		tcp->full_end = tcp->snd_nxt;
		return true;
	}
	if (!wt_seq_gt(ack, tcp->full_end))
		return tcp->out.pacing_rate != 0;
	tcp->full_end = ack - 1; /* it follows, so that numbers that wrap mean nothing, below what a duplicate ACK says again */
	return false;
}

/* First the recovery module; what it holds lost is in *ack then. */
static void ask_recovery(struct wt_tcp *tcp, struct wt_ack *ack, bool advanced)
{
	const struct wt_recovery_ops *recovery = tcp->config->recovery.ops;

	wt_cc_fresh_verdict(tcp);
	ack->total_lost = tcp->total_lost;
	if (recovery->on_ack)
		recovery->on_ack(tcp->recovery, ack, wt_cc_view(tcp), &tcp->verdict);
	wt_cc_apply(tcp, advanced);
	if (tcp->verdict.leave && tcp->in_recovery && tcp->sack_ok)
		ack->flags |= WT_ACK_LEAVES;
	ack->lost = (uint32_t)(tcp->total_lost - ack->total_lost);
	ack->total_lost = tcp->total_lost;
}

static void tell_modules(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct ack_news *news)
{
	const struct wt_recovery_ops *recovery = tcp->config->recovery.ops;
	const struct wt_sender_ops *sender = tcp->config->sender.ops;
	bool echo = tcp->ecn.sends && (seg->flags & WT_ECE) && seg->ack == tcp->snd_una; /* not of an old ACK */
	struct wt_cc_options options;
	struct wt_ack ack = {
		.now = tcp->stack->now,
		.flags = (news->duplicate ? WT_ACK_DUP : 0u) | (tcp->in_recovery ? WT_ACK_RECOVERY : 0u) |
			 (echo ? WT_ACK_ECE : 0u) | (tcp->after_rto ? WT_ACK_AFTER_RTO : 0u) |
			 (cwnd_limited(tcp, seg->ack, news->pipe_before) ? WT_ACK_CWND_LIMITED : 0u) |
			 (tcp->board.reordered ? WT_ACK_REORDERED : 0u) |
			 (tcp->snd_nxt + wt_tcp_send_mss(tcp) - tcp->snd_una > tcp->snd_wnd ? WT_ACK_PEER_LIMITED : 0u),
		.ack = seg->ack,
		.snd_nxt = tcp->snd_nxt,
		.acked = news->acked,
		.sacked = news->sacked,
		.newly_delivered = news->delivered,
		.dsacked = news->dsacked,
		.marked = echo ? news->acked : 0,
		.inflight_before = news->pipe_before,
		.inflight = wt_tcp_pipe(tcp),
		.dupacks = tcp->dupacks,
		.peer_window = tcp->snd_wnd,
		.rtt = news->rtt,
		.srtt = tcp->rtt.srtt,
		.min_rtt = tcp->rtt.min_rtt,
		.delivered = tcp->board.delivered,
		.tsval = seg->tsval,
		.has_tsval = tcp->ts_ok && seg->has_ts,
		.options = wt_cc_options_of(seg, &options),
	};

	if (news->newest.len)
		rate_sample(tcp, &news->newest, echoes_earlier_copy(tcp, seg, news), &ack);
	ask_recovery(tcp, &ack, news->advanced);
	if (sender->on_ack)
		sender->on_ack(tcp->sender, &ack, &tcp->out);
	if (recovery->allow && tcp->in_recovery)
		recovery->allow(tcp->recovery, &ack, wt_cc_view(tcp), &tcp->verdict);
	if (echo) /* behind it: DCTCP reduces by the share that this ACK completes (RFC 8257 3.3, steps 5 to 8) */
		wt_ecn_echoed(tcp, seg, news->acked);
	wt_cc_settle(tcp);
	wt_cc_leave(tcp);
	wt_cc_rearm(tcp);
	tcp->metrics_due = true;
}

/* New data was acknowledged: timers (RFC 6298 5.2, 5.3), counts, the application. */
static void advance(struct wt_tcp *tcp)
{
	tcp->rto_count = tcp->go_backs = 0;
	tcp->waits_since = tcp->stack->now;
	if (!tcp->config->settings.rto_hold_backoff)
		tcp->rtt.backoff = 0;
	if (tcp->after_rto && wt_seq_ge(tcp->snd_una, tcp->rto_high))
		tcp->after_rto = tcp->reopened = false;
	if (tcp->ecn.reduced && wt_seq_gt(tcp->snd_una, tcp->ecn.reduced_at))
		tcp->ecn.reduced = false;
	if (tcp->fin_sent && wt_seq_gt(tcp->snd_una, tcp->snd_end))
		tcp->fin_acked = true;
	if (!tcp->verdict.hold_timer || tcp->snd_una == tcp->snd_nxt)
		wt_tcp_arm_rexmt(tcp);
	if (tcp->was_full && (!tcp->room_low || tcp->snd_end - tcp->snd_una + tcp->room_low <= tcp->config->settings.snd_buffer)) {
		tcp->was_full = false;
		wt_tcp_notify(tcp, WT_TCP_EV_WRITABLE);
	}
	if (tcp->snd_una == tcp->snd_nxt && wt_seq_ge(tcp->snd_una, tcp->snd_end) && (!tcp->fin_queued || tcp->fin_acked))
		wt_tcp_notify(tcp, WT_TCP_EV_SENT);
}

static void take_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	struct ack_news news = {.pipe_before = wt_tcp_pipe(tcp)};
	bool advanced = news.advanced = wt_seq_gt(seg->ack, tcp->snd_una), old = wt_seq_lt(seg->ack, tcp->snd_una);
	wt_seq old_una = tcp->snd_una;
	uint64_t delivered = tcp->board.delivered;

	wt_cc_trace(tcp); /* of the ACK before this one, where nothing could be sent between them */
	tcp->board.reordered = false;
	take_sack(tcp, seg, &news);
	news.dsacked = dsack_of(tcp, seg);
	news.duplicate = is_duplicate(tcp, seg, len, &news);
	if (news.duplicate) {
		tcp->dupacks++;
		tcp->dup_seen = true;
	}
	if (!news.duplicate && tcp->config->settings.dupacks_strict)
		tcp->dupacks = 0;
	if (advanced) {
		tcp->dupacks = 0;
		news.acked = payload_between(tcp, old_una, seg->ack);
		pop_acked(tcp, seg->ack, &news);
		tcp->tally.bytes_acked += news.acked;
	}
	news.delivered = (uint32_t)(tcp->board.delivered - delivered);
	if (news.delivered)
		tcp->delivered_time = tcp->stack->now;
	if (tcp->app_limited && tcp->board.delivered >= tcp->app_limited)
		tcp->app_limited = 0;
	tcp->board.fack = wt_seq_max(tcp->board.fack, tcp->board.view.highest_sacked);
	news.rtt = advanced || news.sacked ? measure(tcp, seg, &news) : 0;
	take_sample(tcp, &news);
	wt_undo_ack(tcp, seg, advanced, news.dsacked);
	if (!old) /* below SND.UNA only its SACK blocks are news; a stranger guesses such an ACK far more easily */
		take_window(tcp, seg, &news);
	/* the peer lives, it just has no room; but one that nobody can abort any more gets no such grace (RFC 6429 3) */
	if (!old && tcp->snd_wnd == 0 && tcp->handle != WT_HANDLE_NONE)
		tcp->rto_count = 0;
	/* what acknowledges our SYN is no ACK to a module: its options are the handshake's (on_syn_in), and ESTABLISHED follows */
	if (tcp->state >= WT_TCP_ESTABLISHED && (advanced || news.duplicate || news.sacked || news.dsacked ||
					      (!old && (seg->experiment_count || (tcp->ecn.sends && (seg->flags & WT_ECE))))))
		tell_modules(tcp, seg, &news);
	if (advanced)
		advance(tcp);
	else if (news.window_opened)
		wt_tcp_arm_rexmt(tcp);
	tcp->burst_left = tcp->out.burst;
	if (advanced || news.duplicate || news.sacked || news.window_moved || tcp->out.burst)
		wt_tcp_wants_output(tcp);
	else
		wt_cc_trace(tcp);
}

/*
 * Header prediction for the half that receives: the segment acknowledges what was acknowledged, and is no duplicate ACK, because it carries
 * data or nothing is in flight. note_repeated() has what remains of take_ack() then.
 */
static bool repeats(const struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	return seg->ack == tcp->snd_una && tcp->state >= WT_TCP_ESTABLISHED && (len || tcp->snd_una == tcp->snd_nxt) &&
	       !(seg->flags & (WT_SYN | WT_ECE)) && !seg->sack_count && !seg->experiment_count &&
	       tcp->snd_wnd && tcp->snd_wnd == (uint32_t)seg->window << tcp->snd_wscale;
}

static void note_repeated(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	wt_cc_trace(tcp);
	tcp->board.reordered = false;
	if (tcp->config->settings.dupacks_strict)
		tcp->dupacks = 0;
	if (wt_tcp_newer(tcp, seg->seq, seg->ack)) {
		tcp->snd_wl1 = seg->seq;
		tcp->snd_wl2 = seg->ack;
	}
	tcp->burst_left = tcp->out.burst;
	if (tcp->out.burst)
		wt_tcp_wants_output(tcp);
}

/* ---- a plain one: whole segments are acknowledged that were sent once, and there is no other news -------------- */

/* The records that it covers come off the board; the last one is copied to *newest. False: it covers others, and nothing has happened. */
static inline bool pop_plain(struct wt_tcp *tcp, wt_seq ack, struct wt_tx_record *newest)
{
	struct wt_scoreboard *board = &tcp->board;
	uint32_t acked = ack - tcp->snd_una, covered = 0, count = 0;

	while (covered < acked) { /* the board ends at snd_nxt, and the ACK does not lie behind that */
		const struct wt_tx_record *record = wt_tx_record_at(&board->view, count++);

		covered += record->len;
		if (record->flags || covered > acked)
			return false;
		if (covered == acked)
			*newest = *record;
	}
	if (wt_seq_le(tcp->snd_una + wt_tx_record_at(&board->view, 0)->len, board->fack)) /* an ACK below one that came: reordered */
		return false;
	while (count--)
		wt_board_pop(board, wt_board_first(board)->len);
	return true;
}

static inline void tell_plain(struct wt_tcp *tcp, const struct wt_facts *seg, const struct wt_tx_record *newest, uint32_t acked,
			      uint32_t pipe_before, wt_time rtt)
{
	static const struct wt_cc_options none;
	const struct wt_sender_ops *sender = tcp->config->sender.ops;
	struct wt_ack ack = {
		.now = tcp->stack->now,
		.flags = (cwnd_limited(tcp, seg->ack, pipe_before) ? WT_ACK_CWND_LIMITED : 0u) |
			 (tcp->snd_nxt + wt_tcp_send_mss(tcp) - tcp->snd_una > tcp->snd_wnd ? WT_ACK_PEER_LIMITED : 0u),
		.ack = seg->ack,
		.snd_nxt = tcp->snd_nxt,
		.acked = acked,
		.newly_delivered = acked,
		.inflight_before = pipe_before,
		.inflight = pipe_before - acked,
		.peer_window = tcp->snd_wnd,
		.rtt = rtt,
		.srtt = tcp->rtt.srtt,
		.min_rtt = tcp->rtt.min_rtt,
		.delivered = tcp->board.delivered,
		.total_lost = tcp->total_lost,
		.tsval = seg->tsval,
		.has_tsval = tcp->ts_ok,
		.options = &none,
	};

	rate_sample(tcp, newest, false, &ack);
	if (!tcp->verdict.idle)
		ask_recovery(tcp, &ack, true);
	if (sender->on_ack)
		sender->on_ack(tcp->sender, &ack, &tcp->out);
	if (tcp->config->recovery.ops->allow && tcp->in_recovery)
		tcp->config->recovery.ops->allow(tcp->recovery, &ack, wt_cc_view(tcp), &tcp->verdict);
	wt_cc_settle(tcp);
	wt_cc_leave(tcp);
	wt_cc_rearm(tcp);
}

bool wt_tcp_plain_ack(struct wt_tcp *tcp, const struct wt_facts *seg, uint32_t window)
{
	struct wt_scoreboard *board = &tcp->board;
	uint32_t acked = seg->ack - tcp->snd_una, pipe = tcp->snd_nxt - tcp->snd_una;
	struct wt_tx_record newest;
	wt_time rtt;

	if (!acked || acked > pipe || tcp->in_recovery || board->view.sacked || board->view.lost || board->reported.count || tcp->undo.by_time ||
	    tcp->undo.copied || tcp->config->settings.rtt_one_at_a_time || !wt_tcp_newer(tcp, seg->seq, seg->ack) || !pop_plain(tcp, seg->ack, &newest))
		return false;
	board->reordered = false;
	board->delivered += acked;
	board->view.snd_una = tcp->snd_una = seg->ack;
	board->marked_to = wt_seq_max(board->marked_to, seg->ack);
	board->view.highest_sacked = wt_seq_max(board->view.highest_sacked, seg->ack);
	board->fack = wt_seq_max(board->fack, board->view.highest_sacked);
	if (!board->view.count)
		wt_order_finish(&tcp->order, tcp->stack->chunks);
	wt_store_release(&tcp->snd, seg->ack, tcp->snd_end);
	tcp->dupacks = 0;
	tcp->tally.bytes_acked += acked;
	tcp->delivered_time = tcp->stack->now;
	if (tcp->app_limited && board->delivered >= tcp->app_limited)
		tcp->app_limited = 0;
	rtt = wt_time_max(1, wt_tcp_elapsed(tcp, newest.sent - newest.later));
	wt_rtt_sample(&tcp->rtt, &tcp->config->settings, rtt, 0);
	if (tcp->rtt.watch)
		wt_histogram_add(tcp->rtt.watch, rtt);
	tcp->snd_wnd = window;
	tcp->max_snd_wnd = window > tcp->max_snd_wnd ? window : tcp->max_snd_wnd;
	tcp->snd_wl1 = seg->seq;
	tcp->snd_wl2 = seg->ack;
	tell_plain(tcp, seg, &newest, acked, pipe, rtt);
	advance(tcp);
	tcp->burst_left = tcp->out.burst;
	wt_tcp_wants_output(tcp);
	return true;
}

void wt_tcp_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	if (repeats(tcp, seg, len))
		note_repeated(tcp, seg);
	else
		take_ack(tcp, seg, len);
}
void wt_tcp_give_up(struct wt_tcp *tcp)
{
	/* RFC 1122 4.2.3.9, RFC 5461 2: a soft error ends nothing, but says why nobody answered */
	wt_tcb_end(tcp, tcp->soft_error ? tcp->soft_error : -ETIMEDOUT);
}

/*
 * What is in flight is gone: a timeout says so, a path that takes less (RFC 1191 6.4) or a window that was closed over it. All of it
 * goes again, one segment at first and the rest in slow start, and it counts as a loss (RFC 5681 3.1): the first time in a row
 * halves ssthresh.
 */
void wt_tcp_go_back(struct wt_tcp *tcp)
{
	bool handshake = tcp->state < WT_TCP_ESTABLISHED;

	tcp->go_backs++;
	if (!handshake)
		wt_cc_loss(tcp, WT_LOSS_RTO, 0);
	tcp->in_recovery = false;
	if (!tcp->config->settings.dupacks_strict)
		tcp->dupacks = 0;
	tcp->rtt.timing = false;
	tcp->total_lost += wt_tcp_pipe(tcp);
	wt_board_mark_all(&tcp->board);
	tcp->force = true;
	tcp->burst_left = tcp->out.burst;
	if (!handshake) {
		wt_ecn_reduced(tcp, false);
		tcp->after_rto = true;
		tcp->rto_high = tcp->snd_nxt;
		tcp->verdict = (struct wt_recovery_out){0};
		if (tcp->config->recovery.ops->on_rto)
			tcp->config->recovery.ops->on_rto(tcp->recovery, wt_cc_view(tcp), &tcp->verdict);
		wt_cc_rearm(tcp);
	}
	wt_tcp_arm_rexmt(tcp);
	wt_tcp_wants_output(tcp);
}

void wt_tcp_rto(struct wt_tcp *tcp)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;
	bool handshake = tcp->state < WT_TCP_ESTABLISHED;

	if (++tcp->rto_count > (handshake ? settings->syn_retries : settings->data_retries)) {
		wt_tcp_give_up(tcp);
		return;
	}
	tcp->tally.timeouts++;
	tcp->reopened = false;
	if (handshake)
		tcp->syn_attempt++;
	if (tcp->rtt.backoff < 30)
		tcp->rtt.backoff++;
	wt_tcp_go_back(tcp);
	if (settings->rtt_forget && tcp->rtt.backoff > settings->rtt_forget)
		tcp->rtt.srtt = 0; /* the next sample stands alone; the timeout stays as it is until then */
	wt_trace(tcp->stack, tcp->conn, RTO, tcp->snd_una, (uint64_t)wt_rtt_timeout(&tcp->rtt, settings), tcp->rtt.backoff,
		 tcp->out.cwnd);
}

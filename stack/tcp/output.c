/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What segment next, and why.
 *
 *   next()  is the question: a pure function of the block; it changes nothing
 *   emit()  is the answer written: numbers, options (options.c), payload from the store, records, timers
 *
 * Order: SYN, what is lost, new data (FIN rides on its end), a bare ACK that is due. So an ACK leaves alone only when
 * nothing else carries it.
 */
#include <assert.h>

#include "stack/net/books.h"
#include "stack/tcp/tcb.h"

struct plan {
	enum wt_send_why why;
	uint32_t len; /* payload wanted, before options are known; not for SYN and retransmissions */
};

/* ---- the question ------------------------------------------------------------------------------------------ */

/* Payload and options together that one segment may carry (RFC 6691). */
static uint32_t segment_limit(const struct wt_tcp *tcp)
{
	uint32_t limit = (uint32_t)tcp->config->settings.mss;

	limit = tcp->peer_mss < limit ? tcp->peer_mss : limit;
	limit = tcp->path_mss < limit ? tcp->path_mss : limit;
	/* an MSS of next to nothing would make us send next to nothing per packet (CVE-2019-11479), or options no payload at all */
	return limit > WT_TCP_MSS_MIN ? limit : WT_TCP_MSS_MIN;
}

uint32_t wt_tcp_full_payload(const struct wt_tcp *tcp)
{
	return segment_limit(tcp) - (tcp->ts_ok ? 12 : 0);
}

void wt_tcp_limit_mss(struct wt_tcp *tcp)
{
	tcp->send_mss = wt_tcp_full_payload(tcp);
}

static uint32_t peer_room(const struct wt_tcp *tcp)
{
	wt_seq edge = tcp->snd_una + tcp->snd_wnd;

	return wt_seq_gt(edge, tcp->snd_nxt) ? edge - tcp->snd_nxt : 0;
}

static bool paced(const struct wt_tcp *tcp)
{
	return tcp->stack->now < tcp->pace_at;
}

static bool may_retransmit(const struct wt_tcp *tcp)
{
	const struct wt_scoreboard *board = &tcp->board;
	uint32_t len;

	if (board->view.lost == 0)
		return false;
	if (tcp->force)
		return true;
	len = wt_board_first_lost(board)->len;
	if (tcp->out.burst && tcp->burst_left < len)
		return false;
	return wt_tcp_window_left(tcp) >= len && !paced(tcp);
}

/* RFC 9293 3.8.6.2.1 (silly window avoidance) and 3.7.4 (Nagle): is `len` bytes of new data worth a segment now? */
static bool worth_sending(const struct wt_tcp *tcp, uint32_t len, uint32_t unsent)
{
	bool idle = tcp->snd_una == tcp->snd_nxt;

	if (len >= wt_tcp_send_mss(tcp))
		return true;
	if (len == unsent && (idle || !tcp->config->settings.nagle || tcp->fin_queued))
		return true;
	return tcp->max_snd_wnd && len >= (tcp->max_snd_wnd + 1) / 2 && len < unsent;
}

uint32_t wt_tcp_sendable(const struct wt_tcp *tcp)
{
	uint32_t unsent = wt_tcp_unsent(tcp), room = peer_room(tcp), mss = wt_tcp_send_mss(tcp);
	uint32_t len = unsent < room ? unsent : room;

	return len && worth_sending(tcp, len < mss ? len : mss, unsent) ? len : 0;
}

/*
 * How much of `len` bytes, which may leave now, one frame takes: a segment or, if the device cuts big frames, as many whole ones as it holds.
 * While losses are repaired, while the sender is paced and for a trace each segment is decided by itself. A FIN rides on a frame of one.
 */
static uint32_t at_once(const struct wt_tcp *tcp, uint32_t len)
{
	const struct wt_scoreboard *board = &tcp->board;
	uint32_t mss = wt_tcp_send_mss(tcp), most = 65535 - wt_tcp_headers(tcp) - WT_TCP_OPTIONS_ROOM;

	if (!tcp->stack->net->config.big_pool || tcp->stack->config.trace || tcp->out.pacing_rate || tcp->verdict.limit || tcp->tail_probe ||
	    tcp->probe || board->view.lost || board->view.sacked || len < 2 * mss)
		return mss;
	most = (len < most ? len : most) / mss * mss;
	if (most < 2 * mss) /* a frame holds one of the largest there are, or less than it with all options */
		return mss;
	return tcp->fin_queued && most == wt_tcp_unsent(tcp) ? most - mss : most;
}

static struct plan next_data(const struct wt_tcp *tcp)
{
	uint32_t unsent = wt_tcp_unsent(tcp), peer, allowed, len = unsent, most;
	bool fin = tcp->fin_queued && !tcp->fin_sent;

	if (!unsent && !fin)
		return (struct plan){WT_SEND_NOTHING, 0};
	peer = peer_room(tcp);
	allowed = wt_tcp_window_left(tcp);
	if (tcp->tail_probe && unsent)
		allowed = wt_tcp_send_mss(tcp);
	else if (paced(tcp) || (tcp->out.hold && !tcp->probe))
		return (struct plan){WT_SEND_NOTHING, 0};
	allowed = allowed < peer ? allowed : peer;
	if (!tcp->tail_probe && tcp->out.burst && tcp->burst_left < allowed)
		allowed = tcp->burst_left;
	len = len < allowed ? len : allowed;
	most = at_once(tcp, len);
	len = len < most ? len : most;
	if (tcp->probe && unsent) /* the persist timer: one octet into a closed window, or all that an open one takes */
		return (struct plan){WT_SEND_PROBE, len ? len : 1};
	if (!unsent)
		return (struct plan){peer || tcp->probe || tcp->snd_una == tcp->snd_nxt ? WT_SEND_DATA : WT_SEND_NOTHING, 0};
	if (len && worth_sending(tcp, len, unsent))
		return (struct plan){WT_SEND_DATA, len};
	return (struct plan){WT_SEND_NOTHING, 0};
}

static struct plan next(const struct wt_tcp *tcp)
{
	struct plan plan = {WT_SEND_NOTHING, 0};

	switch (tcp->state) {
	case WT_TCP_CLOSED:
	case WT_TCP_LISTEN:
		return plan;
	case WT_TCP_SYN_SENT:
	case WT_TCP_SYN_RECEIVED:
		if (tcp->snd_nxt == tcp->iss || tcp->board.view.lost)
			plan.why = WT_SEND_SYN;
		else if (tcp->ack_now && tcp->state == WT_TCP_SYN_RECEIVED)
			plan.why = WT_SEND_ACK;
		return plan;
	default:
		break;
	}
	if ((tcp->tail_probe || tcp->verdict.new_first) && !tcp->force)
		plan = next_data(tcp);
	if (plan.why == WT_SEND_NOTHING && may_retransmit(tcp))
		plan.why = WT_SEND_RETRANSMIT;
	if (plan.why == WT_SEND_NOTHING && tcp->board.view.lost == 0)
		plan = next_data(tcp);
	if (plan.why == WT_SEND_NOTHING && tcp->keep_probe)
		plan.why = WT_SEND_KEEPALIVE;
	if (plan.why == WT_SEND_NOTHING && tcp->ack_now)
		plan.why = WT_SEND_ACK;
	return plan;
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

/*
 * Header and payload into a frame; everything above is decided. slice: payload of the segments that the device makes of it, 0: it is one.
 * pseudo: the sum of the pseudo-header but for the length. NULL: no frame, the segment is as good as lost.
 */
__attribute__((noinline)) static struct wt_frame *build(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, struct wt_tcp_header *seg,
			      const struct wt_store *store, uint32_t len, uint32_t slice, uint64_t pseudo)
{
	const struct wt_net_config *net = &stack->net->config;
	struct wt_frame *frame = wt_books_make(net->node, slice ? net->big_pool : net->pool, stack->now);
	uint32_t header = wt_tcp_emit_len(seg), at = wt_net_headroom(tuple->local.addr.family);
	struct wt_extent text;
	uint8_t *bytes;

	if (!frame)
		return NULL;
	seg->src_port = tuple->local.port;
	seg->dst_port = tuple->remote.port;
	if (!len || wt_store_named(store, seg->seq, len, &text)) {
		bytes = wt_frame_set_apart(frame, at + header, &text, len);
	} else {
		bytes = wt_frame_own_bytes(frame);
		wt_store_read(store, seg->seq, bytes + at + header, len);
		frame->len = at + header + len;
	}
	wt_tcp_emit(bytes + at, seg);
	/* the sum over the bytes is left to whoever puts them on a wire, if anybody does */
	wt_put16(bytes + at + 16, (uint16_t)~wt_csum_fold(pseudo + wt_csum_length(header + len)));
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = (uint16_t)at;
	frame->csum_offset = 16;
	frame->gso_size = (uint16_t)slice;
	return wt_net_output(stack->net, stack->now, frame, &tuple->local.addr, &tuple->remote.addr, WT_IP_TCP,
			    seg->ecn);
}

static void note_sent(struct wt_tcp *tcp, struct wt_tx_record *record, bool again)
{
	wt_time now = tcp->stack->now;
	struct wt_sent sent = {now, record->seq, record->len, wt_tcp_pipe(tcp), again};

	if (tcp->snd_una == record->seq && wt_tcp_pipe(tcp) == record->len)
		tcp->first_sent = tcp->delivered_time = now; /* the pipe was empty: a new measurement of rate begins */
	record->sent = tcp->config->recovery.ops->by_time ? wt_order_time(&tcp->order, now) : now;
	record->later = (uint16_t)wt_time_min(record->sent - now, UINT16_MAX);
	record->delivered = tcp->board.delivered;
	record->delivered_time = tcp->delivered_time;
	record->first_sent = tcp->first_sent;
	record->total_lost = tcp->total_lost;
	record->inflight = sent.inflight;
	record->app_limited = tcp->app_limited != 0;
	if (tcp->config->recovery.ops->by_time)
		wt_order_push(&tcp->order, tcp->stack->chunks, record);
	tcp->last_sent = now;
	tcp->force = false;
	tcp->burst_left -= tcp->burst_left < record->len ? tcp->burst_left : record->len;
	if (tcp->out.pacing_rate) {
		tcp->pace_at = wt_time_max(tcp->pace_at, now) +
			       (wt_time)((uint64_t)record->len * 1000000000u / tcp->out.pacing_rate);
		wt_tcp_set_timer(tcp, WT_TIMER_PACE, tcp->pace_at);
	}
	if (again) {
		tcp->rtt.timing = false; /* Karn; probes of a closed window too */
	} else if (!tcp->rtt.timing) {
		tcp->rtt.timing = true;
		tcp->rtt.timed_seq = record->seq;
		tcp->rtt.timed_at = now;
	}
	wt_cc_sent(tcp, &sent);
}

/* New sequence space goes on the board; the timer starts with the first of a flight (RFC 6298 5.1). */
static struct wt_tx_record *note_new(struct wt_tcp *tcp, uint32_t len)
{
	struct wt_tx_record *record = wt_board_push(&tcp->board, tcp->snd_nxt, len);
	bool first = tcp->snd_una == tcp->snd_nxt;

	tcp->snd_nxt += len;
	tcp->board.view.snd_nxt = tcp->snd_nxt;
	if (first || tcp->timer[WT_TIMER_REXMT] == WT_NEVER)
		wt_tcp_arm_rexmt(tcp);
	return record;
}

void wt_tcp_note_data(struct wt_tcp *tcp, uint32_t len)
{
	note_sent(tcp, note_new(tcp, len), false);
}

static struct wt_frame *send(struct wt_tcp *tcp, struct wt_tcp_header *seg, uint32_t len, enum wt_send_why why)
{
	uint32_t mss = wt_tcp_send_mss(tcp), slice = len > mss && why == WT_SEND_DATA ? mss : 0;
	bool fits = !slice && wt_segment_fits(seg);
	struct wt_frame *frame;
	struct wt_extent text;

	tcp->tally.segs_sent += slice ? (len + mss - 1) / mss : 1;
	wt_trace(tcp->stack, tcp->conn, SENT, seg->seq, len, seg->flags, seg->ack,
		 (uint64_t)seg->window << (seg->flags & WT_SYN ? 0 : tcp->rcv_wscale), why, seg->ecn);
	if (fits && tcp->template && tcp->template->age == tcp->stack->net->usual.age &&
	    (!len || wt_store_named(&tcp->snd, seg->seq, len, &text)))
		return wt_segment_build(tcp, seg, &text, len);
	frame = build(tcp->stack, &tcp->entry.tuple, seg, &tcp->snd, len, slice, tcp->pseudo);
	if (frame && fits)
		wt_template_learn(tcp);
	return frame;
}

void wt_tcp_write_syn(struct wt_tcp *tcp, struct wt_tcp_header *seg, struct wt_cc_option *option)
{
	*option = (struct wt_cc_option){0};
	*seg = (struct wt_tcp_header){
		.seq = tcp->iss,
		.flags = WT_SYN,
	};
	if (tcp->state == WT_TCP_SYN_RECEIVED) {
		seg->flags |= WT_ACK;
		seg->ack = tcp->rcv_nxt;
	}
	seg->flags |= wt_ecn_syn_flags(tcp);
	wt_tcp_add_syn_options(tcp, seg, option);
}

/* A SYN-ACK acknowledges, and its window is never scaled. */
static void note_syn_acked(struct wt_tcp *tcp)
{
	if (tcp->state == WT_TCP_SYN_RECEIVED)
		wt_tcp_note_acked(tcp, (uint16_t)wt_tcp_syn_window(tcp), 0);
}

void wt_tcp_note_syn(struct wt_tcp *tcp, bool again)
{
	struct wt_tx_record *record = note_new(tcp, 1);

	tcp->syn_at = tcp->stack->now;
	record->flags |= again ? WT_TX_RETRANSMITTED : 0;
	note_sent(tcp, record, again);
	note_syn_acked(tcp);
}

__attribute__((cold)) static struct wt_frame *emit_syn(struct wt_tcp *tcp)
{
	struct wt_tcp_header seg;
	struct wt_cc_option option;

	wt_tcp_write_syn(tcp, &seg, &option);
	if (tcp->board.view.count) {
		struct wt_tx_record *record = wt_board_next_lost(&tcp->board, 1);

		wt_board_resent(&tcp->board, record);
		tcp->tally.retransmits_segs++;
		note_sent(tcp, record, true);
		note_syn_acked(tcp);
	} else {
		wt_tcp_note_syn(tcp, false);
	}
	return send(tcp, &seg, 0, WT_SEND_SYN);
}

static bool carries_fin(const struct wt_tcp *tcp, const struct wt_tx_record *record)
{
	return tcp->fin_sent && record->seq + record->len == tcp->snd_end + 1;
}

static uint32_t room_beside_options(const struct wt_tcp *tcp, struct wt_tcp_header *seg)
{
	return wt_tcp_send_mss(tcp) + (tcp->ts_ok ? 12 : 0) - (wt_tcp_emit_len(seg) - WT_TCP_HEADER);
}

/*
 * A segment that fitted when it was first sent goes again whole: SACK blocks that have no room beside it are left out, and
 * an ACK that was due follows with them. It is cut only if the path takes less than it did.
 */
static struct wt_tx_record *fit_lost(struct wt_tcp *tcp, struct wt_tcp_header *seg, bool ack_due)
{
	struct wt_tx_record *record = wt_board_next_lost(&tcp->board, UINT32_MAX);
	bool fin = carries_fin(tcp, record);

	while (seg->sack_count && record->len - fin > room_beside_options(tcp, seg)) {
		seg->sack_count--;
		tcp->ack_now = ack_due;
	}
	if (record->len - fin <= room_beside_options(tcp, seg))
		return record;
	return wt_board_next_lost(&tcp->board, room_beside_options(tcp, seg));
}

__attribute__((noinline)) static struct wt_frame *emit_retransmission(struct wt_tcp *tcp, struct wt_tcp_header *seg, bool ack_due)
{
	struct wt_tx_record *record = fit_lost(tcp, seg, ack_due);
	bool fin = carries_fin(tcp, record);
	uint32_t len = record->len - fin;
	bool again = record->flags & WT_TX_RETRANSMITTED;

	seg->seq = record->seq;
	seg->flags |= (fin ? WT_FIN : 0) | (len && record->seq + len == tcp->snd_end ? WT_PSH : 0);
	wt_board_resent(&tcp->board, record);
	note_sent(tcp, record, true);
	wt_undo_resent(tcp, seg, record->seq + record->len, again);
	tcp->tally.retransmits_segs++;
	tcp->tally.retransmits_bytes += len;
	if (tcp->timer[WT_TIMER_REXMT] == WT_NEVER)
		wt_tcp_arm_rexmt(tcp);
	return send(tcp, seg, len, WT_SEND_RETRANSMIT);
}

/* A record for each segment that the device makes of a big frame, one of which has its memory: as much of `len` as found some. */
__attribute__((noinline)) static uint32_t note_segments(struct wt_tcp *tcp, uint32_t len)
{
	uint32_t mss = wt_tcp_send_mss(tcp), done = 0;

	do {
		wt_tcp_note_data(tcp, mss);
		done += mss;
	} while (done < len && wt_board_reserve(&tcp->board));
	return done;
}

static struct wt_frame *emit_data(struct wt_tcp *tcp, struct wt_tcp_header *seg, struct plan plan)
{
	uint32_t room = room_beside_options(tcp, seg), len = plan.len;
	bool many = len > wt_tcp_send_mss(tcp) && room == wt_tcp_send_mss(tcp), fin;

	seg->seq = tcp->snd_nxt;
	if (many)
		len = note_segments(tcp, len);
	else
		len = len < room ? len : room;
	/* a FIN takes a number of the window, too (RFC 9293 3.4): behind data that fills it, it waits */
	fin = !many && tcp->fin_queued && !tcp->fin_sent && seg->seq + len == tcp->snd_end &&
	      (!len || plan.why == WT_SEND_PROBE || peer_room(tcp) > len);
	seg->flags |= (fin ? WT_FIN : 0) | (len && seg->seq + len == tcp->snd_end ? WT_PSH : 0);
	tcp->fin_sent |= fin;
	tcp->probe = tcp->tail_probe = false;
	tcp->tally.bytes_sent += len;
	if (tcp->ecn.sends && len && plan.why == WT_SEND_DATA)
		wt_ecn_mark_data(tcp, seg);
	if (!many)
		wt_tcp_note_data(tcp, len + fin);
	return send(tcp, seg, len, plan.why);
}

static struct wt_frame *emit(struct wt_tcp *tcp, struct plan plan)
{
	bool pure = plan.why == WT_SEND_ACK || plan.why == WT_SEND_KEEPALIVE;
	struct wt_tcp_header seg;
	struct wt_rx_out out;
	bool ack_due = tcp->ack_now;

	if (plan.why == WT_SEND_SYN)
		return emit_syn(tcp);
	wt_tcp_header_begin(&seg);
	seg.seq = tcp->snd_nxt;
	seg.ack = tcp->rcv_nxt;
	seg.flags = WT_ACK;
	if (tcp->ts_ok)
		wt_tcp_add_timestamp(tcp, &seg);
	wt_tcp_add_ack(tcp, &seg, pure, &out);
	wt_tcp_note_acked(tcp, seg.window, tcp->rcv_wscale);
	if (plan.why == WT_SEND_RETRANSMIT)
		return emit_retransmission(tcp, &seg, ack_due);
	if (plan.why == WT_SEND_DATA || plan.why == WT_SEND_PROBE)
		return emit_data(tcp, &seg, plan);
	if (plan.why == WT_SEND_KEEPALIVE) {
		tcp->keep_probe = false;
		seg.seq = tcp->snd_una - 1; /* RFC 9293 3.8.4: outside the window, so it must be answered */
	}
	return send(tcp, &seg, 0, plan.why);
}

/* There is nothing to send now. */
static void rest(struct wt_tcp *tcp)
{
	wt_cc_trace(tcp);
	/* the window has room that the application leaves unused: rates measured until all this is acknowledged are its own */
	if (!wt_tcp_unsent(tcp) && !tcp->board.view.lost && wt_tcp_window_left(tcp))
		tcp->app_limited = tcp->board.delivered + wt_tcp_pipe(tcp) + 1;
	/* data waits and nothing in flight will ask for it: the persist timer must (RFC 9293 3.8.6.1) */
	if (tcp->state >= WT_TCP_ESTABLISHED && tcp->timer[WT_TIMER_REXMT] == WT_NEVER && tcp->snd_una == tcp->snd_nxt &&
	    (tcp->waits_since != WT_NEVER || wt_tcp_unsent(tcp) || (tcp->fin_queued && !tcp->fin_sent)))
		wt_tcp_arm_rexmt(tcp);
}

/*
 * A segment has left: it is known already that no other follows? Only where that is cheap to tell, and nobody reads in which order things
 * happen within an instant.
 */
static bool is_last(const struct wt_tcp *tcp)
{
	uint32_t unsent = wt_tcp_unsent(tcp), left;

	if (tcp->stack->config.trace || tcp->state < WT_TCP_ESTABLISHED || tcp->handle == WT_HANDLE_NONE || tcp->out.pacing_rate)
		return false;
	if (tcp->ack_now || tcp->keep_probe || tcp->tail_probe || tcp->probe || tcp->board.view.lost)
		return false;
	if (!unsent)
		return !tcp->fin_queued || tcp->fin_sent;
	left = wt_tcp_window_left(tcp); /* less than a segment, than what is there and than half of any window: not worth_sending() */
	return left < wt_tcp_send_mss(tcp) && left < unsent && left < (tcp->max_snd_wnd + 1) / 2;
}

/*
 * The next frame, or NULL: nothing to send, or the segment waits for ARP; *more tells which.
 */
struct wt_frame *wt_tcp_output(struct wt_tcp *tcp, enum wt_tcp_more *more)
{
	struct wt_frame *frame;
	struct plan plan;

	if (wt_plain_output(tcp, &frame, more))
		return frame;
	if (tcp->state >= WT_TCP_ESTABLISHED)
		wt_tcb_check(tcp);
	/* RFC 5681 4.1: after more than an RTO of silence the window is stale */
	if (tcp->state >= WT_TCP_ESTABLISHED && tcp->snd_una == tcp->snd_nxt && wt_tcp_unsent(tcp) && tcp->last_sent &&
	    !tcp->idle_told && tcp->stack->now - tcp->last_sent > wt_rtt_timeout(&tcp->rtt, &tcp->config->settings)) {
		tcp->idle_told = true;
		wt_cc_event(tcp, WT_CC_IDLE);
		tcp->burst_left = tcp->out.burst; /* a limit that begins now must not find its allowance used up */
	}
	plan = next(tcp);
	/* new sequence space needs a record; an ACK may still go, and the timer asks again */
	if ((plan.why == WT_SEND_DATA || plan.why == WT_SEND_PROBE || plan.why == WT_SEND_SYN) && !wt_board_reserve(&tcp->board))
		plan = (struct plan){tcp->ack_now ? WT_SEND_ACK : WT_SEND_NOTHING, 0};
	if (plan.why == WT_SEND_NOTHING) {
		*more = WT_TCP_NO_MORE;
		rest(tcp);
		return NULL;
	}
	tcp->idle_told = false;
	*more = WT_TCP_MORE;
	frame = emit(tcp, plan);
	if (frame && is_last(tcp)) {
		*more = WT_TCP_QUIET;
		rest(tcp);
	}
	return frame;
}

/* Segments of nobody's block: resets, and those of small residents. */
static struct wt_frame *build_bare(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, struct wt_tcp_header *seg)
{
	return build(stack, tuple, seg, NULL, 0, 0, wt_csum_pseudo(&tuple->local.addr, &tuple->remote.addr, WT_IP_TCP, 0));
}

void wt_tcp_keep(struct wt_tcp_stack *stack, struct wt_frame *frame)
{
	if (frame)
		wt_books_keep(stack->net->config.node, &stack->net->ready, frame);
}

void wt_tcp_send_reset(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, wt_seq seq, wt_seq ack, unsigned flags)
{
	struct wt_tcp_header reset = {.seq = seq, .ack = ack, .flags = (uint8_t)flags};

	wt_tcp_keep(stack, build_bare(stack, tuple, &reset));
}

struct wt_frame *wt_tcp_build_alone(struct wt_tcp_stack *stack, uint32_t conn, const struct wt_tuple *tuple, struct wt_tcp_header *seg,
				    unsigned wscale, enum wt_send_why why)
{
	wt_trace(stack, conn, SENT, seg->seq, 0, seg->flags, seg->ack, (uint64_t)seg->window << wscale, why, seg->ecn);
	return build_bare(stack, tuple, seg);
}

void wt_tcp_reset(struct wt_tcp *tcp, wt_seq seq, wt_seq ack, unsigned flags)
{
	struct wt_tcp_header reset = {.seq = seq, .ack = ack, .flags = (uint8_t)flags};

	if (tcp->ts_ok) /* RFC 7323 3.2: SHOULD */
		wt_tcp_add_timestamp(tcp, &reset);
	wt_tcp_keep(tcp->stack, build_bare(tcp->stack, &tcp->entry.tuple, &reset));
}

void wt_tcp_send_alone(struct wt_tcp_stack *stack, uint32_t conn, const struct wt_tuple *tuple, struct wt_tcp_header *seg,
		       unsigned wscale, enum wt_send_why why)
{
	wt_tcp_keep(stack, wt_tcp_build_alone(stack, conn, tuple, seg, wscale, why));
}

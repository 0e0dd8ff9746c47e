/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments that bring and need nothing special: header prediction (V. Jacobson, "4BSD header prediction", Computer Communication Review 20(1), 1990)
 * both ways. What is done here is what input.c, ack.c, data.c and output.c come to when none of their questions has an unusual answer; whoever
 * changes one of them looks here, too. One question answered otherwise, and the segment goes the long way, as if nobody had looked.
 *
 * Only segments beside their frames come here (segment.h), so that a run in which all frames have their bytes goes the long way throughout. The test
 * `shortcuts` compares the two.
 */
#include "stack/tcp/tcb.h"

/* ---- out ------------------------------------------------------------------------------------------------------- */

/* Nothing about this end asks for more than numbers in a segment. */
static inline bool sends_plain(const struct wt_tcp *tcp)
{
	const struct wt_template *template = tcp->template;

	return template && !tcp->special && !tcp->board.view.lost && template->age == tcp->stack->net->usual.age && !tcp->waiting.count &&
	       !tcp->config->receiver.ops->on_ack_out && !tcp->ecn.echo;
}

static void work_out_window(struct wt_tcp *tcp)
{
	uint32_t least = wt_seq_gt(tcp->rcv_adv, tcp->rcv_nxt) ? tcp->rcv_adv - tcp->rcv_nxt : 0, window = wt_tcp_window(tcp);
	uint32_t free = (uint32_t)tcp->config->settings.rcv_buffer - wt_tcp_unread(tcp), field;

	if (window < least && !tcp->config->receiver.ops->shrinks)
		window = least;
	tcp->rcv_word = UINT32_MAX;
	field = (window + (1u << tcp->rcv_wscale) - 1) >> tcp->rcv_wscale;
	tcp->window.field = (uint16_t)(field << tcp->rcv_wscale <= free ? field : window >> tcp->rcv_wscale);
	tcp->window.rcv_nxt = tcp->rcv_nxt;
	tcp->window.read_seq = tcp->read_seq;
}

/*
 * The window field, as wt_tcp_add_ack() has it without a module's word; rcv_word says so. Where nothing has come and nothing was read since the last
 * one it is the same again, for rcv_adv only moves to where that one put it. A sender of nothing but data says it with each segment.
 */
static inline uint16_t window_field(struct wt_tcp *tcp)
{
	if (tcp->window.rcv_nxt != tcp->rcv_nxt || tcp->window.read_seq != tcp->read_seq || !tcp->window.field)
		work_out_window(tcp);
	return tcp->window.field;
}

static inline struct wt_frame *leave(struct wt_tcp *tcp, wt_seq seq, uint16_t window, const struct wt_extent *text, uint32_t len)
{
	uint8_t flags = len && seq + len == tcp->snd_end ? WT_ACK | WT_PSH : WT_ACK;
	struct wt_frame *frame = wt_segment_begin(tcp, WT_TCP_HEADER + (tcp->ts_ok ? 12 : 0), text, len);
	struct wt_facts *facts;

	tcp->tally.segs_sent++;
	if (!frame)
		return NULL;
	facts = wt_facts_of(frame);
	facts->seq = seq;
	facts->ack = tcp->rcv_nxt;
	facts->window = window;
	facts->flags = flags;
	facts->tos = facts->sack_count = 0;
	facts->has_ts = tcp->ts_ok;
	facts->tsval = tcp->ts_ok ? tcp->ts_offset + (uint32_t)(tcp->stack->now / WT_MS) : 0;
	facts->tsecr = tcp->ts_ok ? tcp->ts_recent : 0;
	return frame;
}

/* Nothing waits to be sent, and an ACK is due. */
static bool plain_ack(struct wt_tcp *tcp, struct wt_frame **frame, enum wt_tcp_more *more)
{
	uint16_t window = window_field(tcp);

	if (tcp->timer[WT_TIMER_REXMT] == WT_NEVER && tcp->snd_una == tcp->snd_nxt && tcp->waits_since != WT_NEVER)
		return false;
	tcp->idle_told = false;
	wt_tcp_note_acked(tcp, window, tcp->rcv_wscale);
	*frame = leave(tcp, tcp->snd_nxt, window, NULL, 0);
	*more = WT_TCP_MORE;
	if (!*frame || tcp->out.pacing_rate || tcp->handle == WT_HANDLE_NONE)
		return true;
	*more = WT_TCP_QUIET;
	if (wt_tcp_window_left(tcp))
		tcp->app_limited = tcp->board.delivered + wt_tcp_pipe(tcp) + 1;
	return true;
}

/* A whole segment of new data. */
static bool plain_data(struct wt_tcp *tcp, uint32_t unsent, struct wt_frame **frame, enum wt_tcp_more *more)
{
	uint32_t mss = wt_tcp_send_mss(tcp), left = wt_tcp_window_left(tcp);
	wt_seq seq = tcp->snd_nxt, edge = tcp->snd_una + tcp->snd_wnd;
	struct wt_extent text;
	uint16_t window;

	if (unsent < mss + tcp->fin_queued || left < mss || wt_seq_lt(edge, seq + mss) || tcp->snd_una == seq ||
	    tcp->stack->now < tcp->pace_at || tcp->ecn.sends || tcp->out.burst || tcp->out.pacing_rate || tcp->out.hold ||
	    tcp->stack->net->config.big_pool || !wt_store_named(&tcp->snd, seq, mss, &text) || !wt_board_reserve(&tcp->board))
		return false;
	window = window_field(tcp);
	tcp->idle_told = false;
	wt_tcp_note_acked(tcp, window, tcp->rcv_wscale);
	tcp->tally.bytes_sent += mss;
	wt_tcp_note_data(tcp, mss);
	*frame = leave(tcp, seq, window, &text, mss);
	*more = WT_TCP_MORE;
	if (!*frame || tcp->out.pacing_rate || tcp->special || tcp->handle == WT_HANDLE_NONE)
		return true;
	left = wt_tcp_window_left(tcp);
	unsent -= mss;
	if (!unsent || (left < mss && left < unsent && left < (tcp->max_snd_wnd + 1) / 2)) {
		*more = WT_TCP_QUIET;
		if (!unsent && left)
			tcp->app_limited = tcp->board.delivered + wt_tcp_pipe(tcp) + 1;
	}
	return true;
}

bool wt_plain_output(struct wt_tcp *tcp, struct wt_frame **frame, enum wt_tcp_more *more)
{
	uint32_t unsent;

	if (!sends_plain(tcp))
		return false;
	unsent = tcp->snd_end - tcp->snd_nxt;
	if (unsent)
		return plain_data(tcp, unsent, frame, more);
	return tcp->ack_now && !tcp->fin_queued && plain_ack(tcp, frame, more);
}

/* ---- in -------------------------------------------------------------------------------------------------------- */

/* From whom nothing but the next number is expected. */
static inline bool comes_plain(const struct wt_tcp *tcp, const struct wt_facts *seg)
{
	return !tcp->special && seg->seq == tcp->rcv_nxt &&
	       (seg->flags & ~(unsigned)WT_PSH) == WT_ACK && !seg->sack_count && !tcp->keep_count && !tcp->ecn.sends && !tcp->ecn.echoes &&
	       tcp->snd_wnd && (!tcp->ts_ok || (seg->has_ts && (int32_t)(seg->tsval - tcp->ts_recent) >= 0));
}

/* Acceptable, and of the peer: RFC 9293 3.10.7.4 up to its ACK. */
static inline void heard(struct wt_tcp *tcp, const struct wt_facts *seg)
{
	tcp->tally.segs_received++;
	tcp->last_heard = tcp->stack->now;
	tcp->soft_error = 0;
	if (tcp->ts_ok && wt_seq_le(seg->seq, tcp->last_ack_sent)) { /* RFC 7323 4.3 */
		tcp->ts_recent = seg->tsval;
		tcp->ts_recent_at = tcp->stack->now;
	}
}

/* The next octets in order, beside an ACK that says nothing new. */
static bool next_octets(struct wt_tcp *tcp, const struct wt_facts *seg, const struct wt_extent *payload, uint32_t len)
{
	if (seg->ack != tcp->snd_una || wt_seq_gt(seg->seq + len, tcp->rcv_adv) || tcp->waiting.count || !payload ||
	    tcp->handle == WT_HANDLE_NONE || tcp->config->receiver.ops->on_segment || tcp->config->settings.dupacks_strict || tcp->out.burst ||
	    wt_store_put_extent(&tcp->rcv, seg->seq, payload, len) != len)
		return false;
	heard(tcp, seg);
	tcp->board.reordered = false;
	tcp->burst_left = 0;
	if (wt_tcp_newer(tcp, seg->seq, seg->ack)) {
		tcp->snd_wl1 = seg->seq;
		tcp->snd_wl2 = seg->ack;
	}
	tcp->rcv_nxt += len;
	tcp->tally.bytes_received += len;
	wt_tcp_notify(tcp, seg->flags & WT_PSH ? WT_TCP_EV_READABLE | WT_TCP_EV_PUSHED : WT_TCP_EV_READABLE);
	wt_tcp_decide_ack(tcp, WT_RX_IN_ORDER, WT_RX_DEFAULT);
	return true;
}

bool wt_plain_input(struct wt_tcp *tcp, const struct wt_facts *seg, const struct wt_extent *payload, uint32_t len)
{
	uint32_t window = (uint32_t)seg->window << tcp->snd_wscale;

	if (!comes_plain(tcp, seg))
		return false;
	if (len)
		return window == tcp->snd_wnd && next_octets(tcp, seg, payload, len);
	if (!window || !wt_tcp_plain_ack(tcp, seg, window))
		return false;
	heard(tcp, seg);
	return true;
}

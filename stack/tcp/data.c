/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arriving payload: stored at its place at once, acknowledged by policy.
 *
 *   read_seq        rcv_nxt              rcv_adv
 *      | unread ....... | hole |waiting| ... |          rcv_buffer >= rcv_adv - read_seq, always
 *
 * The right edge never moves left (RFC 9293 3.8.6.2.2 SHLD-14): what was offered is kept free.
 */
#include "stack/tcp/tcb.h"

/* The payload of a full segment as it comes: options that every segment carries take their room (RFC 9293 3.7.1). */
static uint32_t full_segment(const struct wt_tcp *tcp)
{
	return (uint32_t)tcp->config->settings.mss - (tcp->ts_ok ? 12 : 0);
}

uint32_t wt_tcp_syn_window(const struct wt_tcp *tcp)
{
	uint32_t free = (uint32_t)tcp->config->settings.rcv_buffer - wt_tcp_unread(tcp);

	return free < 65535 ? free : 65535; /* never scaled (RFC 7323 2.2) */
}

uint32_t wt_tcp_window(struct wt_tcp *tcp)
{
	uint32_t buffer = (uint32_t)tcp->config->settings.rcv_buffer, most = 65535u << tcp->rcv_wscale;
	/* one unit of the scale is kept back, so that rounding the field up never promises what is not there */
	wt_seq edge = tcp->read_seq + buffer - ((1u << tcp->rcv_wscale) - 1) + (tcp->fin_taken ? 1 : 0);
	uint32_t step = buffer / 2 < full_segment(tcp) ? buffer / 2 : full_segment(tcp);
	uint32_t window;

	/* RFC 9293 3.8.6.2.2: no silly windows: the edge moves by a segment or half a buffer, or not at all */
	if (wt_seq_diff(edge, tcp->rcv_adv) < (int32_t)step)
		edge = tcp->rcv_adv;
	window = wt_seq_gt(edge, tcp->rcv_nxt) ? edge - tcp->rcv_nxt : 0;
	return window < most ? window : most;
}

static void delay_ack(struct wt_tcp *tcp)
{
	wt_time delay = tcp->config->settings.ack_delay, due = wt_time_add(tcp->stack->now, delay);

	if (tcp->timer[WT_TIMER_ACK] != WT_NEVER)
		return;
	if (tcp->config->settings.ack_delay_tick && delay > 0) /* the next beat of the fast timer */
		due = (tcp->stack->now / delay + 1) * delay;
	wt_tcp_set_timer(tcp, WT_TIMER_ACK, due);
}

/*
 * "Drain the device, then acknowledge": an ACK costs as much as the segments it is for, and one for all that was read together tells the
 * same. It is too late for a sender that clocks its window by ACKs, so it is a setting, without effect in virtual time, in labs and
 * where a receiver module watches segments. What is out of order is acknowledged at once. The timer is for frames that do not follow.
 */
static bool hold_ack(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;

	if (!stack->more || !tcp->config->settings.ack_drain || tcp->config->receiver.ops->on_segment)
		return false;
	tcp->ack_held = true;
	delay_ack(tcp);
	if (tcp->in_held)
		return true;
	tcp->in_held = true;
	tcp->held_next = stack->held;
	stack->held = tcp;
	return true;
}

void wt_tcp_stack_drained(struct wt_tcp_stack *stack)
{
	struct wt_tcp *tcp;

	while ((tcp = stack->held)) {
		stack->held = tcp->held_next;
		tcp->in_held = false;
		if (tcp->ack_held && tcp->state >= WT_TCP_ESTABLISHED) {
			tcp->ack_now = true;
			wt_tcp_wants_output(tcp);
		}
		tcp->ack_held = false;
		wt_tcb_release(tcp);
	}
}

void wt_tcp_window_opened(struct wt_tcp *tcp)
{
	uint64_t part, grown;
	uint32_t step, window;

	if (tcp->ack_now || tcp->state < WT_TCP_ESTABLISHED || tcp->state > WT_TCP_FIN_WAIT_2 || tcp->fin_taken)
		return; /* an ACK that is due anyway says it, too */
	part = tcp->config->settings.rcv_buffer / tcp->config->settings.window_update_part;
	grown = tcp->config->settings.window_update * full_segment(tcp);
	step = (uint32_t)(part < grown ? part : grown);
	/* what an update would say, if the receiver module still means what it said last */
	window = wt_tcp_window(tcp);
	window = window < tcp->rcv_word ? window : tcp->rcv_word;
	/* an update of its own only for two segments (so BSD) or half a buffer, by the settings */
	if (wt_seq_diff(tcp->rcv_nxt + window, tcp->rcv_adv) >= (int32_t)step && !hold_ack(tcp)) {
		tcp->ack_now = true;
		wt_tcp_wants_output(tcp);
	}
}

/*
 * After a loss each of the next segments is acknowledged by itself, if no receiver module watches segments. The window is small then, and an
 * odd segment at the end of a flight would wait for the next one: a round trip in which the window does not grow. Linux's quick-ACK mode is
 * such; RFC 5681 4.2 sets a most of two segments per ACK and no least.
 */
static bool quick(struct wt_tcp *tcp, unsigned flags)
{
	if (flags & WT_RX_FILLED_HOLE && !tcp->config->receiver.ops->on_segment)
		tcp->ack_quick = (unsigned)tcp->config->settings.ack_quick;
	else if (tcp->ack_quick)
		return tcp->ack_quick--;
	return false;
}

/* The delayed-ACK policy: RFC 5681 4.2, RFC 9293 3.8.6.3; the receiver module may hasten or hold. */
void wt_tcp_decide_ack(struct wt_tcp *tcp, unsigned flags, unsigned verdict)
{
	bool at_once = flags & (WT_RX_OUT_OF_ORDER | WT_RX_DUPLICATE | WT_RX_FILLED_HOLE | WT_RX_FIN);

	if (tcp->config->settings.ack_delay_all) /* what is below rcv_nxt is acknowledged at once even so: wt_tcp_old_data() */
		at_once = flags & WT_RX_FIN;
	if (flags & WT_RX_IN_ORDER)
		tcp->ack_segs++;
	if (flags & WT_RX_IN_ORDER && quick(tcp, flags))
		at_once = true;
	if (tcp->ack_segs >= tcp->config->settings.ack_every && !hold_ack(tcp))
		at_once = true;
	if (verdict & WT_RX_ACK_NOW)
		at_once = true;
	else if (verdict & WT_RX_ACK_HOLD)
		at_once = false;
	if (at_once)
		tcp->ack_now = true;
	else
		delay_ack(tcp);
	wt_tcp_wants_output(tcp);
}

/* How long ago our segment left that this one echoes (RFC 7323 4.1): the round trip as a receiver sees it. */
static wt_time echo_age(const struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	uint32_t age_ms = (uint32_t)(tcp->stack->now / WT_MS) - (seg->tsecr - tcp->ts_offset);

	return tcp->ts_ok && seg->has_ts && seg->tsecr && age_ms < 600000 ? (wt_time)age_ms * WT_MS : -1;
}

static unsigned ask_module(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq seq, uint32_t len, unsigned flags)
{
	const struct wt_receiver_ops *ops = tcp->config->receiver.ops;
	struct wt_cc_options options;
	struct wt_cc_note note = {0};
	const struct wt_rx_segment facts = {
		.now = tcp->stack->now,
		.seq = seq,
		.len = len,
		.rcv_nxt = tcp->rcv_nxt,
		.flags = flags | (seg->flags & WT_PSH ? WT_RX_PSH : 0),
		.has_ts = tcp->ts_ok && seg->has_ts,
		.tsval = seg->tsval,
		.tsecr = seg->tsecr,
		.echo_age = echo_age(tcp, seg),
		.out_of_order = tcp->waiting.bytes,
		.options = wt_cc_options_of(seg, &options),
	};
	unsigned verdict = ops->on_segment(tcp->receiver, &facts, &note);

	wt_cc_note(tcp, &note);
	if (ops->deadline)
		wt_tcp_set_timer(tcp, WT_TIMER_MODULE, ops->deadline(tcp->receiver));
	return verdict;
}

static void tell_module(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq seq, uint32_t len, unsigned flags)
{
	wt_tcp_decide_ack(tcp, flags, tcp->config->receiver.ops->on_segment ? ask_module(tcp, seg, seq, len, flags) : WT_RX_DEFAULT);
}

static void take_fin(struct wt_tcp *tcp)
{
	tcp->fin_taken = true;
	tcp->rcv_nxt++;
	tcp->rcv_adv = wt_seq_max(tcp->rcv_adv, tcp->rcv_nxt);
	tcp->ack_now = true;
	wt_tcp_notify(tcp, WT_TCP_EV_EOF);
	switch (tcp->state) {
	case WT_TCP_ESTABLISHED:
		wt_tcb_set_state(tcp, WT_TCP_CLOSE_WAIT);
		break;
	case WT_TCP_FIN_WAIT_1: /* our FIN is not acknowledged yet, or input would have moved on */
		wt_tcb_set_state(tcp, WT_TCP_CLOSING);
		break;
	case WT_TCP_FIN_WAIT_2:
		wt_tcp_enter_time_wait(tcp);
		break;
	default:
		break;
	}
	wt_tcp_wants_output(tcp);
}

/* The connection is open: a FIN that came with a crossing SYN was kept until now (3.10.7.3). */
void wt_tcp_kept_fin(struct wt_tcp *tcp)
{
	if (tcp->fin_seen && !tcp->fin_taken && tcp->rcv_nxt == tcp->fin_seq)
		take_fin(tcp);
}

/* In order: everything up to the next hole is the application's. */
static unsigned take_in_order(struct wt_tcp *tcp, uint32_t len, bool pushed)
{
	unsigned flags = WT_RX_IN_ORDER;

	tcp->rcv_nxt += len;
	if (tcp->waiting.count) {
		flags |= WT_RX_FILLED_HOLE;
		wt_ranges_trim(&tcp->waiting, tcp->rcv_nxt); /* it may cover several intervals and a part of the next */
		if (tcp->waiting.count && wt_ranges_first(&tcp->waiting).start == tcp->rcv_nxt) {
			tcp->rcv_nxt = wt_ranges_first(&tcp->waiting).end;
			wt_ranges_trim(&tcp->waiting, tcp->rcv_nxt);
		}
	}
	wt_tcp_notify(tcp, WT_TCP_EV_READABLE | (pushed || flags & WT_RX_FILLED_HOLE ? WT_TCP_EV_PUSHED : 0));
	return flags;
}

/* All of it was here already: no news for the stream, but for D-SACK and for the receiver module, which sees every segment. */
void wt_tcp_old_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len)
{
	tcp->has_dsack = tcp->sack_ok;
	tcp->dsack = (struct wt_range){seg->seq, seg->seq + len};
	tcp->tally.dup_segs_received++;
	tell_module(tcp, seg, seg->seq, len, WT_RX_DUPLICATE);
	tcp->ack_now = true;
}

/* The interval that holds `seq` changed, or was seen again: it is reported first (RFC 2018 4). */
static void report_first(struct wt_tcp *tcp, wt_seq seq)
{
	struct wt_range block = wt_ranges_merged(&tcp->waiting, seq, seq + 1);
	unsigned kept = 1;
	wt_seq recent[WT_SACK_RECENT] = {seq};

	for (unsigned i = 0; i < tcp->sack_recents && kept < WT_SACK_RECENT; i++) {
		wt_seq other = tcp->sack_recent[i];

		if (wt_seq_gt(other, tcp->rcv_nxt) && !(wt_seq_ge(other, block.start) && wt_seq_lt(other, block.end)))
			recent[kept++] = other;
	}
	memcpy(tcp->sack_recent, recent, kept * sizeof(*recent));
	tcp->sack_recents = kept;
}

/* RFC 2883 4.2: of a segment that was here in part, the first contiguous part. Old octets in front were noted already. */
static void note_overlap(struct wt_tcp *tcp, wt_seq seq, uint32_t len, bool noted)
{
	struct wt_range first;

	if (!tcp->sack_ok || noted || !wt_ranges_after(&tcp->waiting, seq, &first) || wt_seq_ge(first.start, seq + len))
		return;
	tcp->dsack = (struct wt_range){wt_seq_max(seq, first.start), wt_seq_min(seq + len, first.end)};
	tcp->has_dsack = true;
}

/*
 * Without memory for what is next in order, what waits above holes gives way, or nothing would ever move. RFC 2018 8 lets a receiver discard what
 * it reported by SACK, if it must; the sender has it still.
 */
static bool store_in_order(struct wt_tcp *tcp, const struct wt_extent *payload, uint32_t len)
{
	if (wt_store_put_extent(&tcp->rcv, tcp->rcv_nxt, payload, len) == len)
		return true;
	if (!tcp->waiting.count)
		return false;
	tcp->tally.discarded_bytes += tcp->waiting.bytes;
	wt_store_forget(&tcp->rcv, tcp->rcv_nxt + len, wt_ranges_last(&tcp->waiting).end);
	wt_ranges_clear(&tcp->waiting);
	return wt_store_put_extent(&tcp->rcv, tcp->rcv_nxt, payload, len) == len;
}

/* Out of order: octets that arrived behind a segment that began further left stay as they are, as in Linux; it may have been reported by SACK. */
static bool store_apart(struct wt_tcp *tcp, wt_seq seq, const struct wt_extent *payload, uint32_t len)
{
	struct wt_range block;
	uint32_t here = wt_ranges_after(&tcp->waiting, seq, &block) && wt_seq_lt(block.start, seq) && wt_seq_gt(block.end, seq) ? block.end - seq : 0;
	struct wt_extent rest = wt_extent_from(payload, here);

	return wt_store_put_extent(&tcp->rcv, seq + here, &rest, len - here) == len - here && wt_ranges_add(&tcp->waiting, seq, seq + len, NULL);
}

/* [seq, seq+len) lies inside the window, trimmed on both sides. */
void wt_tcp_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq seq, const struct wt_extent *payload, uint32_t len,
		 bool fin)
{
	wt_seq before = tcp->rcv_nxt;
	unsigned flags = 0, marked = len && tcp->ecn.echoes ? wt_ecn_data(tcp, seg) : 0;

	/* a FIN below bytes that arrived already is a lie: the payload is taken, the FIN is not */
	if (fin && tcp->waiting.count && wt_seq_gt(wt_ranges_last(&tcp->waiting).end, seq + len))
		fin = false;
	if (fin && !tcp->fin_seen) {
		tcp->fin_seen = true;
		tcp->fin_seq = seq + len;
	}
	if (len && tcp->waiting.count)
		note_overlap(tcp, seq, len, seq != seg->seq);
	if (len && wt_ranges_contain(&tcp->waiting, seq, seq + len)) {
		flags = WT_RX_DUPLICATE | WT_RX_OUT_OF_ORDER;
		report_first(tcp, seq); /* RFC 2883 4.2: the block that holds it comes next */
	} else if (len && seq == tcp->rcv_nxt) {
		if (!store_in_order(tcp, payload, len)) {
			tcp->stack->no_memory = true;
			tcp->ack_now = true;
			wt_tcp_wants_output(tcp);
			return;
		}
		flags = take_in_order(tcp, len, seg->flags & WT_PSH);
	} else if (len) {
		flags = WT_RX_OUT_OF_ORDER;
		tcp->stack->no_memory = !store_apart(tcp, seq, payload, len);
		report_first(tcp, seq);
		tcp->tally.out_of_order_segs_received++;
	}
	if (flags & WT_RX_DUPLICATE)
		tcp->tally.dup_segs_received++;
	if (tcp->fin_seen && !tcp->fin_taken && tcp->rcv_nxt == tcp->fin_seq && tcp->state >= WT_TCP_ESTABLISHED) {
		flags |= WT_RX_FIN;
		take_fin(tcp);
	} else if (fin && !tcp->fin_taken && tcp->fin_seq != tcp->rcv_nxt) {
		flags |= WT_RX_OUT_OF_ORDER; /* a FIN above a hole asks for a duplicate ACK */
		if (!len)
			report_first(tcp, tcp->fin_seq);
	}
	tcp->tally.bytes_received += tcp->rcv_nxt - before - ((flags & WT_RX_FIN) ? 1 : 0);
	tell_module(tcp, seg, len ? seq : seg->seq, len, flags | marked);
}

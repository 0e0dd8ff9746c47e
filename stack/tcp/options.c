/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the window of a segment that leaves: timestamps (RFC 7323), SACK (RFC 2018, 2883), those of the modules. */
#include "stack/tcp/tcb.h"

void wt_tcp_add_timestamp(const struct wt_tcp *tcp, struct wt_tcp_header *seg)
{
	seg->has_ts = true;
	seg->tsval = tcp->ts_offset + (uint32_t)(tcp->stack->now / WT_MS);
	seg->tsecr = seg->flags & WT_ACK ? tcp->ts_recent : 0;
}

static void add_block(struct wt_tcp_header *seg, wt_seq start, wt_seq end)
{
	if (seg->sack_count == WT_TCP_SACK_BLOCKS)
		return;
	seg->sack[seg->sack_count].start = start;
	seg->sack[seg->sack_count].end = end;
	seg->sack_count++;
}

/*
 * The interval that waits above a hole and holds `seq`; what the FIN ends has its number too, and a FIN alone is an interval of one.
 * False: none does (any more).
 */
static bool waits_at(struct wt_tcp *tcp, wt_seq seq, struct wt_range *block)
{
	bool fin = tcp->fin_seen && !tcp->fin_taken, its = fin && seq == tcp->fin_seq;

	if (wt_ranges_after(&tcp->waiting, its ? seq - 1 : seq, block) && wt_seq_le(block->start, its ? seq - 1 : seq)) {
		block->end += fin && block->end == tcp->fin_seq;
		return true;
	}
	*block = (struct wt_range){seq, seq + 1};
	return its;
}

static bool reported(const struct wt_tcp_header *seg, wt_seq start, unsigned from)
{
	for (unsigned i = from; i < seg->sack_count; i++)
		if (seg->sack[i].start == start)
			return true;
	return false;
}

/*
 * RFC 2018 4: the block with the newest segment first, then by recency; RFC 2883: a D-SACK block before them all. Once more intervals
 * have come than are remembered, and those have been delivered, the lowest of the others follow: as many as there is room for.
 */
static void add_sack(struct wt_tcp *tcp, struct wt_tcp_header *seg)
{
	struct wt_range block;
	unsigned first;

	if (!tcp->sack_ok || !(tcp->has_dsack || tcp->waiting.count || tcp->fin_seen))
		return;
	if (tcp->has_dsack)
		add_block(seg, tcp->dsack.start, tcp->dsack.end);
	tcp->has_dsack = false;
	first = seg->sack_count;
	for (unsigned i = 0; i < tcp->sack_recents && seg->sack_count < WT_TCP_SACK_BLOCKS; i++)
		if (waits_at(tcp, tcp->sack_recent[i], &block) && !reported(seg, block.start, first)) /* the FIN's number may be one of these */
			add_block(seg, block.start, block.end);
	for (wt_seq at = tcp->rcv_nxt; seg->sack_count < WT_TCP_SACK_BLOCKS && wt_ranges_after(&tcp->waiting, at, &block); at = block.end)
		if (!reported(seg, block.start, first) && waits_at(tcp, block.start, &block))
			add_block(seg, block.start, block.end);
	if (tcp->fin_seen && waits_at(tcp, tcp->fin_seq, &block) && !reported(seg, block.start, first))
		add_block(seg, block.start, block.end);
}

static void add_experiment(struct wt_tcp_header *seg, const struct wt_cc_option *option)
{
	if (option->len < 2)
		return;
	seg->experiment[seg->experiment_count++] = (struct wt_tcp_experiment){option->kind, option->len, option->data};
}

/*
 * The field for `window` bytes. Rounded up, so that the right edge does not move left; but not where that would promise
 * more than the buffer holds: every ACK could add a unit of the scale. What was offered is taken all the same (RFC 7323 2.4).
 */
static uint16_t window_field(const struct wt_tcp *tcp, uint32_t window, uint32_t free)
{
	uint32_t field = (window + (1u << tcp->rcv_wscale) - 1) >> tcp->rcv_wscale;

	return (uint16_t)(field << tcp->rcv_wscale <= free ? field : window >> tcp->rcv_wscale);
}

uint16_t wt_tcp_window_now(struct wt_tcp *tcp)
{
	return window_field(tcp, wt_tcp_window(tcp), (uint32_t)tcp->config->settings.rcv_buffer - wt_tcp_unread(tcp));
}

/* The receiver module's last look at a segment that carries an ACK; then the window field. */
void wt_tcp_add_ack(struct wt_tcp *tcp, struct wt_tcp_header *seg, bool pure, struct wt_rx_out *out)
{
	const struct wt_receiver_ops *ops = tcp->config->receiver.ops;
	uint32_t least = !ops->shrinks && wt_seq_gt(tcp->rcv_adv, tcp->rcv_nxt) ? tcp->rcv_adv - tcp->rcv_nxt : 0;
	uint32_t most = wt_tcp_window(tcp), window = most, free = (uint32_t)tcp->config->settings.rcv_buffer - wt_tcp_unread(tcp);
	bool ece = tcp->ecn.echo;

	if (ops->on_ack_out) {
		const struct wt_rx_ack facts = {
			.now = tcp->stack->now,
			.rcv_nxt = tcp->rcv_nxt,
			.free_window = free,
			.right_edge = tcp->rcv_adv,
			.option_room = WT_TCP_OPTIONS_ROOM - (tcp->ts_ok ? 12 : 0),
			.pure = pure,
		};

		*out = (struct wt_rx_out){.window = most, .ece = ece};
		ops->on_ack_out(tcp->receiver, &facts, out);
		wt_cc_note(tcp, &out->note);
		add_experiment(seg, &out->option);
		window = out->window;
		ece = out->ece;
	}
	if (ece && tcp->ecn.echoes)
		seg->flags |= WT_ECE;
	tcp->rcv_word = window < most ? window : UINT32_MAX;
	window = window > most ? most : window < least ? least : window;
	seg->window = window_field(tcp, window, free);
	add_sack(tcp, seg);
}

void wt_tcp_add_syn_options(struct wt_tcp *tcp, struct wt_tcp_header *seg, struct wt_cc_option *option)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;
	bool reply = tcp->state == WT_TCP_SYN_RECEIVED;
	/* what we can receive, whatever the path bears the other way (RFC 6691 2) */
	uint32_t buffer = (uint32_t)settings->rcv_buffer, ours = tcp->stack->config.mtu - wt_tcp_headers(tcp);
	uint8_t scale = 0;

	while (scale < 14 && (buffer >> scale) > 65535)
		scale++;
	seg->has_mss = true;
	seg->mss = (uint16_t)(settings->mss < ours ? settings->mss : ours);
	seg->has_wscale = reply ? tcp->wscale_ok : settings->window_scaling;
	seg->wscale = scale;
	seg->has_sack_permitted = reply ? tcp->sack_ok : settings->sack;
	if (reply ? tcp->ts_ok : settings->timestamps)
		wt_tcp_add_timestamp(tcp, seg);
	seg->window = (uint16_t)wt_tcp_syn_window(tcp);
	if (tcp->receiver && tcp->config->receiver.ops->on_syn_out)
		tcp->config->receiver.ops->on_syn_out(tcp->receiver, tcp->syn_attempt, option);
	if (tcp->sender && tcp->config->sender.ops->on_syn_out)
		tcp->config->sender.ops->on_syn_out(tcp->sender, tcp->syn_attempt, option);
	add_experiment(seg, option);
}

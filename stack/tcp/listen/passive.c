/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments for nobody (RFC 9293 3.10.7.1), for a listener (3.10.7.2), and what a SYN teaches (3.7.1, RFC 7323, RFC 2018). */
#include <errno.h>

#include "stack/tcp/tcb.h"

/* 3.10.7.1: anything but a reset is answered with a reset that its sender will accept. */
void wt_tcp_input_closed(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, uint32_t len)
{
	if (seg->flags & WT_RST)
		return;
	if (seg->flags & WT_ACK)
		wt_tcp_send_reset(stack, tuple, seg->ack, 0, WT_RST);
	else
		wt_tcp_send_reset(stack, tuple, 0, seg->seq + len + !!(seg->flags & WT_SYN) + !!(seg->flags & WT_FIN),
				  WT_RST | WT_ACK);
}

static uint8_t scale_for(uint64_t buffer)
{
	uint8_t scale = 0;

	while (scale < 14 && (buffer >> scale) > 65535)
		scale++;
	return scale;
}

/* The peer's SYN or SYN-ACK: its ISN, MSS, and which extensions both ends want. */
void wt_tcp_learn_syn(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;
	const struct wt_sender_ops *sender = tcp->config->sender.ops;
	const struct wt_receiver_ops *receiver = tcp->config->receiver.ops;
	struct wt_cc_options buffer;
	const struct wt_cc_options *options = wt_cc_options_of(seg, &buffer);

	tcp->irs = seg->seq;
	tcp->rcv_nxt = tcp->rcv_adv = tcp->read_seq = seg->seq + 1;
	if (tcp->state == WT_TCP_SYN_SENT)
		tcp->rcv_adv += wt_tcp_syn_window(tcp); /* our SYN offered it */
	tcp->last_ack_sent = tcp->rcv_nxt;
	tcp->peer_mss = !seg->has_mss ? 536 : seg->mss; /* RFC 9293 3.7.1 MUST-15; output.c has the floor */
	tcp->wscale_ok = settings->window_scaling && seg->has_wscale;
	tcp->snd_wscale = tcp->wscale_ok ? (seg->wscale > 14 ? 14 : seg->wscale) : 0; /* RFC 7323 2.3 */
	tcp->rcv_wscale = tcp->wscale_ok ? scale_for(settings->rcv_buffer) : 0;
	tcp->ts_ok = settings->timestamps && seg->has_ts;
	wt_tcp_limit_mss(tcp);
	tcp->sack_ok = settings->sack && seg->has_sack_permitted;
	if (tcp->ts_ok) {
		tcp->ts_recent = seg->tsval;
		tcp->ts_recent_at = tcp->stack->now;
	}
	tcp->snd_wnd = seg->window; /* never scaled in a SYN (RFC 7323 2.2) */
	tcp->max_snd_wnd = wt_seq_gt(tcp->snd_wnd, tcp->max_snd_wnd) ? tcp->snd_wnd : tcp->max_snd_wnd;
	tcp->snd_wl1 = seg->seq;
	tcp->snd_wl2 = seg->ack;
	wt_ecn_syn_arrived(tcp, seg->flags);
	if (tcp->receiver && receiver->on_syn_in)
		receiver->on_syn_in(tcp->receiver, options);
	if (tcp->sender && sender->on_syn_in)
		sender->on_syn_in(tcp->sender, options);
}

/* Both SYNs are through: the modules learn the final MSS, the listener gets its connection. */
void wt_tcp_established(struct wt_tcp *tcp)
{
	struct wt_tcp *listener = tcp->listener;

	if (tcp->state == WT_TCP_SYN_RECEIVED && listener)
		listener->half_open--;
	wt_tcb_set_state(tcp, WT_TCP_ESTABLISHED);
	if (tcp->fin_queued) /* sending was ended during the handshake (3.10.4) */
		wt_tcb_set_state(tcp, WT_TCP_FIN_WAIT_1);
	tcp->rto_count = 0;
	if (tcp->syn_attempt && tcp->rtt.rto < 3 * WT_S) { /* RFC 6298 5.7 */
		tcp->rtt.rto = 3 * WT_S;
		tcp->rtt.backoff = 0;
	}
	wt_tcp_heard(tcp);
	wt_cc_event(tcp, WT_CC_ESTABLISHED);
	if (tcp->config->settings.keepalive)
		wt_tcp_set_timer(tcp, WT_TIMER_KEEP, wt_time_add(tcp->stack->now, tcp->config->settings.keepalive));
	wt_tcp_notify(tcp, WT_TCP_EV_CONNECTED | (wt_tcp_unread(tcp) ? WT_TCP_EV_READABLE : 0)); /* of a crossing SYN */
	wt_tcp_kept_fin(tcp);
	if (!listener)
		return;
	tcp->accept_next = NULL;
	if (listener->accept_tail)
		listener->accept_tail->accept_next = tcp;
	else
		listener->accept_head = tcp;
	listener->accept_tail = tcp;
	listener->acceptable++;
	wt_tcp_notify(listener, WT_TCP_EV_ACCEPT);
}

bool wt_tcp_no_room(struct wt_tcp *listener)
{
	struct wt_tcp_stack *stack = listener->stack;

	if (listener->acceptable >= listener->backlog) {
		stack->counts.accept_full++;
		return true;
	}
	return wt_tcb_refused(stack);
}

/* Without room a SYN is dropped, unanswered: its sender tries again. */
void wt_tcp_input_listen(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg,
			 const struct wt_extent *payload, uint32_t len, const wt_seq *above)
{
	if (seg->flags & WT_RST)
		return;
	if (seg->flags & WT_ACK) {
		if ((seg->flags & WT_SYN) || !wt_syn_cookie_input(listener, tuple, seg, payload, len))
			wt_tcp_input_closed(listener->stack, tuple, seg, len);
		return;
	}
	/* SYN+FIN is a probe, not a connection; payload on a SYN is not kept, the peer will send it again (3.10.7.2 lets us) */
	if (!(seg->flags & WT_SYN) || (seg->flags & WT_FIN))
		return;
	if (!wt_tcp_no_room(listener))
		wt_syn_arrived(listener, tuple, seg, above);
}

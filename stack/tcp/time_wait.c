/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TIME-WAIT: RFC 9293 3.10.7.4, in a small entry without buffers. It acknowledges what the peer sends again, so that an old
 * duplicate cannot reach the next connection of the same tuple. A reset does not end it (RFC 1337). A new SYN may (RFC 6191).
 *
 * A host keeps a bounded number of them; beyond, the one that would end first ends at once, which RFC 9293 3.6.1 lets us do.
 */
#include "stack/tcp/tcb.h"

static wt_time due(const struct wt_tcp_stack *stack, const struct wt_wait *wait)
{
	return wt_time_add(stack->now, wait->last);
}

static struct wt_wait *make(struct wt_tcp_stack *stack)
{
	struct wt_heap_entry *first = wt_heap_min(&stack->waits);

	if (stack->waits.count >= stack->config.max_time_wait && first) {
		stack->counts.time_wait_cut++;
		wt_wait_end(stack, wt_wait_of(first));
	}
	return wt_slot_take(&stack->slots, stack->chunks);
}

void wt_wait_begin(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;
	struct wt_wait *wait = make(stack);

	wt_demux_remove(stack, &tcp->entry);
	wt_tcb_set_state(tcp, WT_TCP_TIME_WAIT);
	for (unsigned i = 0; i < WT_TIMERS; i++)
		tcp->timer[i] = WT_NEVER;
	wt_tcp_rearm(tcp);
	wt_tcb_drop_sent(tcp);
	wt_tcp_wants_output(tcp); /* the last ACK; and what nobody holds is freed after it */
	if (!wait) { /* no memory: the tuple is free at once */
		stack->counts.time_wait_cut++;
		return;
	}
	wait->entry.kind = WT_DEMUX_WAIT;
	wait->entry.tuple = tcp->entry.tuple;
	wait->timer.order = tcp->conn;
	wait->owner = tcp;
	wait->last = 2 * tcp->config->settings.msl;
	wait->snd_nxt = tcp->snd_nxt;
	wait->rcv_nxt = tcp->rcv_nxt;
	wait->max_snd_wnd = tcp->max_snd_wnd;
	wait->window = (uint16_t)((tcp->rcv_adv - tcp->rcv_nxt) >> tcp->rcv_wscale);
	wait->rcv_wscale = tcp->rcv_wscale;
	wait->snd_wscale = tcp->snd_wscale;
	wait->ts_ok = tcp->ts_ok;
	wait->ts_recent = tcp->ts_recent;
	if (wt_resident_arm(&stack->waits, &wait->timer, due(stack, wait))) {
		stack->counts.time_wait_cut++;
		wt_slot_give(&stack->slots, wait);
		return;
	}
	tcp->wait = wait;
	wt_demux_add(stack, &wait->entry);
}

void wt_wait_end(struct wt_tcp_stack *stack, struct wt_wait *wait)
{
	struct wt_tcp *owner = wait->owner;

	wt_demux_remove(stack, &wait->entry);
	wt_heap_set(&stack->waits, &wait->timer, WT_NEVER);
	if (owner) {
		owner->wait = NULL;
		wt_tcb_end(owner, 0);
	} else {
		wt_trace(stack, wait->timer.order, STATE, WT_TCP_TIME_WAIT, WT_TCP_CLOSED);
	}
	wt_slot_give(&stack->slots, wait);
}

/*
 * RFC 6191 2: with timestamps on both, by the timestamp, and by the sequence number if it is the same; else by the sequence
 * number. One case of the RFC is left out: a SYN with timestamps after a connection without them needs the number too, since
 * a stranger could send it.
 */
bool wt_wait_reopens(const struct wt_wait *wait, const struct wt_tcp_header *seg)
{
	if ((seg->flags & (WT_SYN | WT_ACK | WT_RST | WT_FIN)) != WT_SYN)
		return false;
	if (wait->ts_ok && seg->has_ts && seg->tsval != wait->ts_recent)
		return (int32_t)(seg->tsval - wait->ts_recent) > 0;
	return wt_seq_gt(seg->seq, wait->rcv_nxt);
}

static void acknowledge(struct wt_tcp_stack *stack, struct wt_wait *wait)
{
	struct wt_tcp_header seg = {
		.seq = wait->snd_nxt,
		.ack = wait->rcv_nxt,
		.flags = WT_ACK,
		.window = wait->window,
		.has_ts = wait->ts_ok,
		.tsecr = wait->ts_recent,
	};

	if (wait->ts_ok)
		seg.tsval = wt_secret_timestamp(stack, &wait->entry.tuple);
	if (wait->owner)
		wait->owner->tally.segs_sent++;
	wt_tcp_send_alone(stack, wait->timer.order, &wait->entry.tuple, &seg, wait->rcv_wscale, WT_SEND_ACK);
}

static void challenge(struct wt_tcp_stack *stack, struct wt_wait *wait)
{
	if (wt_resident_may_challenge(&wait->challenged_ms, stack->now))
		acknowledge(stack, wait);
}

/* RFC 5961 5.2 */
static bool ack_in_range(const struct wt_wait *wait, const struct wt_tcp_header *seg)
{
	return (seg->flags & WT_ACK) && wt_seq_le(seg->ack, wait->snd_nxt) &&
	       wt_seq_ge(seg->ack, wait->snd_nxt - wait->max_snd_wnd);
}

void wt_wait_input(struct wt_tcp_stack *stack, struct wt_wait *wait, const struct wt_tcp_header *seg, uint32_t len)
{
	struct wt_resident_view view = {
		.rcv_nxt = wait->rcv_nxt,
		.rcv_adv = wait->rcv_nxt + ((uint32_t)wait->window << wait->rcv_wscale),
		.ts_ok = wait->ts_ok,
		.ts_recent = wait->ts_recent,
	};

	if (wait->owner)
		wait->owner->tally.segs_received++;
	wt_trace(stack, wait->timer.order, RECEIVED, seg->seq, len, seg->flags, seg->ack,
		 (uint64_t)seg->window << wait->snd_wscale, seg->ecn);
	switch (wt_resident_check(&view, seg, len)) {
	case WT_RESIDENT_IGNORE:
		return;
	case WT_RESIDENT_ACK:
		/* the peer did not get our last ACK: 2 MSL again. A wrong ACK is a stranger's. */
		if ((seg->flags & WT_FIN) && ack_in_range(wait, seg))
			wt_resident_arm(&stack->waits, &wait->timer, due(stack, wait));
		acknowledge(stack, wait);
		return;
	case WT_RESIDENT_CHALLENGE:
		challenge(stack, wait);
		return;
	case WT_RESIDENT_TAKE:
		break;
	}
	if (seg->flags & WT_RST)
		return; /* RFC 1337: a TIME-WAIT is not assassinated */
	/* nothing can follow a FIN; an ACK from its end asks for nothing */
	if (seg->seq != wait->rcv_nxt || !ack_in_range(wait, seg) || len || (seg->flags & WT_FIN))
		challenge(stack, wait);
}

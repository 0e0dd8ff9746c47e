/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers: a time each, the earliest stands in the stack's heap. One that is restarted with each ACK moves away from there all the time: the
 * heap is told when the old time has come, and asks again at the new one. So it may be early, and is never late.
 *
 * With a coarse tick (the BSD slow timer) a delay of n ticks ends at the n-th tick boundary from now, so it lasts between
 * n-1 and n ticks, as it did. The phase of the grid is the host's own, drawn from its secret: machines boot at any moment.
 */
#include <errno.h>

#include "stack/tcp/tcb.h"

void wt_tcp_move_timer(struct wt_tcp *tcp, enum wt_timer timer, wt_time due)
{
	wt_time was = tcp->timer[timer];

	tcp->timer[timer] = due;
	/* what moves away from the heap's time is left there: wt_tcp_run_timers() looks when that has come */
	if (due < tcp->heap.due || !tcp->heap.position || (due == WT_NEVER && was <= tcp->heap.due))
		wt_tcp_rearm(tcp);
}

static wt_time phase(const struct wt_tcp_stack *stack, wt_time grid)
{
	return (wt_time)(wt_siphash_u64(&stack->key_phase, (uint64_t)grid) % (uint64_t)grid);
}

wt_time wt_tcp_ticks_from_now(const struct wt_tcp *tcp, wt_time delay)
{
	wt_time tick = tcp->config->settings.tick, offset, now_ticks;

	if (tick <= 1)
		return wt_time_add(tcp->stack->now, delay);
	offset = phase(tcp->stack, tick);
	now_ticks = (tcp->stack->now + offset) / tick;
	return (now_ticks + (delay + tick - 1) / tick) * tick - offset;
}

wt_time wt_tcp_tick_at(const struct wt_tcp *tcp, wt_time due)
{
	wt_time tick = tcp->config->settings.tick, offset;

	if (tick <= 1 || due == WT_NEVER)
		return due;
	offset = phase(tcp->stack, tick);
	return (due + offset + tick - 1) / tick * tick - offset;
}

/* Time since `from` as the connection's clock sees it: whole ticks, boundaries passed. */
wt_time wt_tcp_elapsed(const struct wt_tcp *tcp, wt_time from)
{
	wt_time tick = tcp->config->settings.tick, offset;

	if (tick <= 1)
		return tcp->stack->now - from;
	offset = phase(tcp->stack, tick);
	return ((tcp->stack->now + offset) / tick - (from + offset) / tick) * tick;
}

/* When the user's patience ends (RFC 9293 3.9.1). A peer that answers probes of its closed window is alive (3.8.6.1). */
static wt_time patience_ends(const struct wt_tcp *tcp)
{
	wt_time since = tcp->waits_since;

	if (!tcp->config->settings.user_timeout || since == WT_NEVER)
		return WT_NEVER;
	if (tcp->state >= WT_TCP_ESTABLISHED && !tcp->snd_wnd)
		since = wt_time_max(since, tcp->last_heard);
	return wt_time_add(since, tcp->config->settings.user_timeout);
}

void wt_tcp_arm_user(struct wt_tcp *tcp)
{
	wt_tcp_set_timer(tcp, WT_TIMER_USER, patience_ends(tcp));
}

/* Something could be sent that is not. */
static bool data_waits(const struct wt_tcp *tcp)
{
	return tcp->state >= WT_TCP_ESTABLISHED && tcp->stack->now >= tcp->pace_at &&
	       (wt_tcp_unsent(tcp) || (tcp->fin_queued && !tcp->fin_sent));
}

void wt_tcp_arm_rexmt(struct wt_tcp *tcp)
{
	/* with data waiting and nothing in flight it runs as the persist timer (RFC 9293 3.8.6.1) */
	if (tcp->snd_una == tcp->snd_nxt && !data_waits(tcp)) {
		wt_tcp_set_timer(tcp, WT_TIMER_REXMT, WT_NEVER);
		wt_tcp_set_timer(tcp, WT_TIMER_USER, tcp->waits_since = WT_NEVER);
		return;
	}
	if (tcp->waits_since == WT_NEVER) {
		tcp->waits_since = tcp->stack->now;
		wt_tcp_arm_user(tcp);
	}
	wt_tcp_set_timer(tcp, WT_TIMER_REXMT, wt_tcp_ticks_from_now(tcp, wt_rtt_timeout(&tcp->rtt, &tcp->config->settings)));
	tcp->dup_seen = false;
}

/* A closed window: probe, back off, never give up while the peer answers (RFC 9293 3.8.6.1). */
static void persist_timeout(struct wt_tcp *tcp)
{
	wt_trace(tcp->stack, tcp->conn, RTO, tcp->snd_una, (uint64_t)tcp->rtt.rto, tcp->rtt.backoff, tcp->out.cwnd);
	if (++tcp->rto_count > tcp->config->settings.data_retries) {
		wt_tcp_give_up(tcp);
		return;
	}
	if (tcp->rtt.backoff < 30)
		tcp->rtt.backoff++;
	tcp->burst_left = tcp->out.burst;
	if (tcp->snd_una != tcp->snd_nxt) {
		wt_board_mark_again(&tcp->board, tcp->snd_una + 1, 0);
		tcp->force = true;
	} else {
		tcp->probe = true;
	}
	wt_tcp_arm_rexmt(tcp);
	wt_tcp_wants_output(tcp);
}

/* RFC 9293 3.8.4: probes only when asked for, dead after so many unanswered ones. */
static void keepalive_timeout(struct wt_tcp *tcp)
{
	wt_time idle = tcp->config->settings.keepalive, now = tcp->stack->now;

	if (tcp->keep_count == 0 && now - tcp->last_heard < idle) {
		wt_tcp_set_timer(tcp, WT_TIMER_KEEP, tcp->last_heard + idle);
		return;
	}
	if (tcp->snd_una != tcp->snd_nxt || wt_tcp_unsent(tcp)) { /* MUST-27: other timers ask already */
		wt_tcp_set_timer(tcp, WT_TIMER_KEEP, now + idle);
		return;
	}
	if (tcp->keep_count++ >= tcp->config->settings.keepalive_probes) {
		wt_tcp_give_up(tcp);
		return;
	}
	tcp->keep_probe = true;
	wt_tcp_set_timer(tcp, WT_TIMER_KEEP, now + tcp->config->settings.keepalive_interval);
	wt_tcp_wants_output(tcp);
}

/* An acceptable segment came: the peer lives. */
void wt_tcp_heard(struct wt_tcp *tcp)
{
	tcp->last_heard = tcp->stack->now;
	tcp->soft_error = 0;
	if (tcp->keep_count) {
		tcp->keep_count = 0;
		wt_tcp_set_timer(tcp, WT_TIMER_KEEP, tcp->last_heard + tcp->config->settings.keepalive);
	}
}

static void module_timeout(struct wt_tcp *tcp)
{
	const struct wt_receiver_ops *ops = tcp->config->receiver.ops;

	if (ops->on_timer && (ops->on_timer(tcp->receiver, tcp->stack->now) & WT_RX_ACK_NOW)) {
		tcp->ack_now = true;
		wt_tcp_wants_output(tcp);
	}
	wt_tcp_set_timer(tcp, WT_TIMER_MODULE, ops->deadline ? ops->deadline(tcp->receiver) : WT_NEVER);
}

static void fire(struct wt_tcp *tcp, enum wt_timer timer)
{
	wt_tcp_set_timer(tcp, timer, WT_NEVER);
	switch (timer) {
	case WT_TIMER_REXMT:
		if (tcp->state >= WT_TCP_ESTABLISHED && (tcp->snd_una == tcp->snd_nxt || tcp->snd_wnd == 0))
			persist_timeout(tcp);
		else
			wt_tcp_rto(tcp);
		break;
	case WT_TIMER_USER: /* the peer may have answered a probe since it was set */
		if (patience_ends(tcp) <= tcp->stack->now)
			wt_tcp_give_up(tcp);
		else
			wt_tcp_set_timer(tcp, WT_TIMER_USER, patience_ends(tcp));
		break;
	case WT_TIMER_ACK:
		tcp->ack_now = true;
		wt_tcp_wants_output(tcp);
		break;
	case WT_TIMER_RECOVERY:
	case WT_TIMER_SENDER:
		wt_cc_timeout(tcp, timer);
		break;
	case WT_TIMER_MODULE:
		module_timeout(tcp);
		break;
	case WT_TIMER_PACE:
		wt_tcp_wants_output(tcp);
		break;
	case WT_TIMER_WAIT: /* nobody ended FIN-WAIT-2 */
		wt_tcb_end(tcp, 0);
		break;
	case WT_TIMER_KEEP:
		keepalive_timeout(tcp);
		break;
	case WT_TIMERS:
		break;
	}
}

void wt_tcp_run_timers(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;
	wt_time due = tcp->heap.due;

	wt_tcp_rearm(tcp);
	if (tcp->heap.due != due)
		return; /* it is later meanwhile, and another's turn may come first */
	/* one per call, in the order of the enum: any of them may end the connection */
	for (unsigned i = 0; i < WT_TIMERS; i++) {
		if (tcp->timer[i] <= stack->now) {
			fire(tcp, (enum wt_timer)i);
			break;
		}
	}
}

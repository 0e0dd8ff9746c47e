/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's side of the module tables: it owns their state, hands them facts, and bounds what they answer. */
#include <errno.h>
#include <stdlib.h>

#include "stack/tcp/tcb.h"

/* RFC 5681 3.1, or so many segments. RFC 6928's ten have a bound of max(2*MSS, 14600) bytes, which Linux leaves out, and so do we. */
static uint32_t initial_window(const struct wt_tcp *tcp, uint32_t mss)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;

	if (tcp->syn_attempt) /* RFC 5681 3.1: a lost SYN or SYN-ACK means one segment */
		return mss;
	if (settings->initial_window == 0)
		return mss > 2190 ? 2 * mss : mss > 1095 ? 3 * mss : 4 * mss;
	return (uint32_t)settings->initial_window * mss;
}

/* What is the sender's becomes the receiver's. */
static void env_of_receiver(const struct wt_tcp *tcp, struct wt_cc_env *env)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;

	env->mss = (uint32_t)settings->mss - (tcp->ts_ok ? 12 : 0);
	env->buffer = (uint32_t)settings->rcv_buffer;
}

static void env_of_sender(const struct wt_tcp *tcp, struct wt_cc_env *env)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;
	uint32_t mss = wt_tcp_send_mss(tcp);

	*env = (struct wt_cc_env){
		.now = tcp->stack->now,
		.mss = mss,
		.buffer = (uint32_t)settings->snd_buffer,
		.initial_window = initial_window(tcp, mss),
		.tick = settings->tick,
		.slow_start_limit = (uint32_t)settings->slow_start_limit,
		.increment_mss8 = settings->increment_mss8,
		.timestamps = tcp->ts_ok,
		.sack = tcp->sack_ok,
		.packets = settings->packets,
		.dupthresh = (uint32_t)settings->dupthresh,
		.key = {tcp->module_key, tcp->iss},
	};
}

/* Does a module have deadlines? */
static bool has_deadlines(const struct wt_tcp_config *config)
{
	return config->sender.ops->deadline || config->recovery.ops->deadline || config->receiver.ops->deadline;
}

static void *state_of(size_t size, bool *failed)
{
	void *state = calloc(1, size ? size : 1);

	*failed |= !state;
	return state;
}

size_t wt_cc_bytes(const struct wt_tcp_config *config)
{
	return (config->sender.ops ? config->sender.ops->state_size : 0) + (config->recovery.ops ? config->recovery.ops->state_size : 0) +
	       (config->receiver.ops ? config->receiver.ops->state_size : 0);
}

void wt_cc_detach(struct wt_tcp *tcp)
{
	free(tcp->sender);
	free(tcp->recovery);
	free(tcp->receiver);
	tcp->sender = tcp->recovery = tcp->receiver = NULL;
}

int wt_cc_attach(struct wt_tcp *tcp)
{
	const struct wt_tcp_config *config = tcp->config;
	struct wt_cc_env env;
	bool failed = false;

	tcp->sender = state_of(config->sender.ops->state_size, &failed);
	tcp->recovery = state_of(config->recovery.ops->state_size, &failed);
	tcp->receiver = state_of(config->receiver.ops->state_size, &failed);
	if (failed)
		return -ENOMEM;
	tcp->timed = has_deadlines(config);
	tcp->module_key = wt_secret_tuple(&tcp->stack->key_module, &tcp->entry.tuple);
	env_of_sender(tcp, &env);
	tcp->out = (struct wt_sender_out){.cwnd = env.mss, .ssthresh = WT_SSTHRESH_INFINITE};
	if (config->sender.ops->init)
		config->sender.ops->init(tcp->sender, config->sender.params, &env, &tcp->out);
	if (config->recovery.ops->init)
		config->recovery.ops->init(tcp->recovery, config->recovery.params, &env);
	env_of_receiver(tcp, &env);
	if (config->receiver.ops->init)
		config->receiver.ops->init(tcp->receiver, config->receiver.params, &env);
	wt_cc_settle(tcp);
	return 0;
}

int wt_cc_exchange(struct wt_tcp *tcp, const struct wt_sender_choice *sender)
{
	struct wt_tcp_config changed = *tcp->config;
	struct wt_sender_out before = tcp->out;
	struct wt_cc_env env;
	bool failed = false;
	void *state = state_of(sender->ops->state_size, &failed);

	changed.sender = *sender;
	if (failed || wt_config_change(tcp, &changed)) {
		free(state);
		return -ENOMEM;
	}
	free(tcp->sender);
	tcp->sender = state;
	tcp->timed = has_deadlines(tcp->config);
	env_of_sender(tcp, &env);
	tcp->out = (struct wt_sender_out){.cwnd = before.cwnd, .ssthresh = before.ssthresh};
	if (sender->ops->init)
		sender->ops->init(tcp->sender, tcp->config->sender.params, &env, &tcp->out);
	if (tcp->state >= WT_TCP_ESTABLISHED && sender->ops->on_event)
		sender->ops->on_event(tcp->sender, WT_CC_ESTABLISHED, &env, &tcp->out);
	if (tcp->state >= WT_TCP_ESTABLISHED) {
		tcp->out.cwnd = before.cwnd;
		tcp->out.ssthresh = before.ssthresh;
	}
	wt_cc_settle(tcp);
	wt_cc_rearm(tcp);
	return 0;
}

void wt_cc_tell_note(struct wt_tcp *tcp, struct wt_cc_note *note)
{
	struct wt_trace_event event = {.time = tcp->stack->now, .conn = tcp->conn, .type = note->type};

	note->set = false;
	if (note->type >= WT_TRACE_TYPES)
		return;
	memcpy(event.field, note->field, sizeof(event.field));
	if (tcp->stack->config.trace)
		wt_tcp_trace(tcp->stack, &event);
}

void wt_cc_event(struct wt_tcp *tcp, enum wt_cc_event event)
{
	const struct wt_tcp_config *config = tcp->config;
	struct wt_cc_env env;

	env_of_sender(tcp, &env);
	if (config->sender.ops->on_event)
		config->sender.ops->on_event(tcp->sender, event, &env, &tcp->out);
	if (config->recovery.ops->on_event)
		config->recovery.ops->on_event(tcp->recovery, event, &env);
	env_of_receiver(tcp, &env);
	if (config->receiver.ops->on_event)
		config->receiver.ops->on_event(tcp->receiver, event, &env);
	wt_cc_settle(tcp);
	wt_cc_rearm(tcp);
}

/* One segment is the least window there is; a module that says less is wrong, not trusted. */
void wt_cc_settle(struct wt_tcp *tcp)
{
	uint32_t mss = wt_tcp_send_mss(tcp);

	if (tcp->out.cwnd < mss)
		tcp->out.cwnd = mss;
	if (tcp->out.note.set) {
		wt_cc_tell_note(tcp, &(struct wt_cc_note){.type = tcp->out.note.type, .field = {tcp->out.note.field}});
		tcp->out.note.set = false;
	}
	if (tcp->out.fallback && !tcp->fallback) {
		tcp->fallback = true;
		wt_cc_event(tcp, WT_CC_FALLBACK);
	}
}

void wt_cc_loss(struct wt_tcp *tcp, enum wt_loss_why why, uint32_t acked)
{
	struct wt_loss loss = {
		.now = tcp->stack->now,
		.srtt = tcp->rtt.srtt,
		.why = why,
		/* what waits to be resent is not in the network: after a go-back this is what BSD's snd_nxt - snd_una was */
		.inflight = tcp->snd_nxt - tcp->snd_una - tcp->board.view.lost + acked,
		.peer_window = tcp->snd_wnd,
		.rto_count = tcp->go_backs,
		.dup_seen = tcp->dup_seen,
		.same = !wt_undo_begin(tcp, why),
	};

	if (tcp->config->sender.ops->on_loss)
		tcp->config->sender.ops->on_loss(tcp->sender, &loss, &tcp->out);
	wt_cc_settle(tcp);
}

void wt_cc_tell_metrics(const struct wt_tcp *tcp)
{
	const struct wt_trace_event event = {
		.time = tcp->stack->now,
		.conn = tcp->conn,
		.type = WT_TRACE_METRICS,
		.field = {tcp->out.cwnd, tcp->out.ssthresh, wt_tcp_pipe(tcp), (uint64_t)tcp->rtt.srtt, (uint64_t)tcp->rtt.rttvar,
			  (uint64_t)wt_rtt_timeout(&tcp->rtt, &tcp->config->settings), tcp->out.pacing_rate, tcp->snd_una},
		.gauges = tcp->config->sender.ops->gauges,
		.gauge = tcp->out.gauge,
	};

	wt_tcp_trace(tcp->stack, &event);
}

void wt_cc_set_timers(struct wt_tcp *tcp)
{
	const struct wt_sender_ops *sender = tcp->config->sender.ops;
	const struct wt_recovery_ops *recovery = tcp->config->recovery.ops;
	const struct wt_receiver_ops *receiver = tcp->config->receiver.ops;

	if (tcp->state < WT_TCP_ESTABLISHED)
		return;
	if (receiver->deadline)
		wt_tcp_set_timer(tcp, WT_TIMER_MODULE, receiver->deadline(tcp->receiver));
	if (sender->deadline)
		wt_tcp_set_timer(tcp, WT_TIMER_SENDER, wt_tcp_tick_at(tcp, sender->deadline(tcp->sender)));
	if (recovery->deadline)
		wt_tcp_set_timer(tcp, WT_TIMER_RECOVERY, wt_tcp_tick_at(tcp, recovery->deadline(tcp->recovery)));
}

/* ---- recovery ------------------------------------------------------------------------------------------------ */

const struct wt_outstanding *wt_cc_view(struct wt_tcp *tcp)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;
	struct wt_outstanding *view = &tcp->board.view;
	const struct wt_tx_record *oldest;

	view->mss = wt_tcp_send_mss(tcp);
	view->cwnd = tcp->out.cwnd;
	view->ssthresh = tcp->out.ssthresh;
	view->inflight = wt_tcp_pipe(tcp);
	view->rto = wt_rtt_timeout(&tcp->rtt, settings);
	view->srtt = tcp->rtt.srtt;
	view->min_rtt = tcp->rtt.min_rtt;
	view->new_data = wt_tcp_sendable(tcp);
	wt_board_find_edge(&tcp->board, ((uint32_t)settings->dupthresh - 1) * view->mss);
	if (tcp->config->recovery.ops->by_time) {
		oldest = wt_order_front(&tcp->order, &tcp->board);
		view->oldest_sent = oldest ? oldest->sent : 0;
		view->oldest_end = oldest ? oldest->seq + oldest->len : view->snd_una;
	}
	return view;
}

void wt_cc_fresh_verdict(struct wt_tcp *tcp)
{
	tcp->verdict = (struct wt_recovery_out){
		.inflate = tcp->verdict.inflate, .limit = tcp->verdict.limit, .new_first = tcp->verdict.new_first, .idle = tcp->verdict.idle};
}

static void enter(struct wt_tcp *tcp)
{
	tcp->in_recovery = true;
	tcp->tally.fast_recoveries++;
	if (!wt_ecn_answered(tcp)) {
		wt_cc_loss(tcp, WT_LOSS_DUPTHRESH, 0);
		wt_ecn_reduced(tcp, false);
	}
	wt_trace(tcp->stack, tcp->conn, LOSS, tcp->snd_una, tcp->verdict.lost_to, tcp->out.cwnd);
}

static void mark(struct wt_tcp *tcp)
{
	const struct wt_recovery_out *verdict = &tcp->verdict;
	uint32_t before = tcp->board.view.lost;

	if (verdict->mark) {
		wt_seq to = wt_seq_min(verdict->lost_to, tcp->snd_nxt);

		if (verdict->again)
			wt_board_mark_again(&tcp->board, to, verdict->again_sent);
		else
			wt_board_mark_lost(&tcp->board, to);
		tcp->rtt.timing = false;
	}
	if (verdict->sent_by) {
		wt_order_mark(&tcp->order, &tcp->board, verdict->sent_time, verdict->sent_end);
		tcp->rtt.timing = false;
	}
	if (verdict->rescue)
		wt_board_mark_last(&tcp->board);
	tcp->total_lost += tcp->board.view.lost - before;
	if ((verdict->mark || verdict->sent_by) && (verdict->enter || verdict->again))
		tcp->force = tcp->board.view.lost > 0;
}

/* RFC 8985 7.3: new data if there is any that the peer has room for, else the segment with the highest number. */
static void probe(struct wt_tcp *tcp)
{
	if (wt_tcp_unsent(tcp) && wt_tcp_sendable(tcp)) {
		tcp->tail_probe = true;
	} else if (tcp->board.view.count) {
		wt_board_mark_tail(&tcp->board);
		tcp->force = tcp->board.view.lost > 0;
	}
	wt_tcp_arm_rexmt(tcp);
}

void wt_cc_leave(struct wt_tcp *tcp)
{
	if (!tcp->verdict.leave || !tcp->in_recovery)
		return;
	tcp->in_recovery = false;
	wt_cc_event(tcp, WT_CC_RECOVERED);
	wt_trace(tcp->stack, tcp->conn, RECOVERED, tcp->snd_una, tcp->out.cwnd);
}

/* After an undo other records are in flight than those that the verdict was about: a module that has a rule for that is due at once. */
static void judge_again(struct wt_tcp *tcp)
{
	const struct wt_recovery_ops *recovery = tcp->config->recovery.ops;

	if (recovery->deadline && recovery->deadline(tcp->recovery) <= tcp->stack->now)
		recovery->on_timer(tcp->recovery, tcp->stack->now, wt_cc_view(tcp), &tcp->verdict);
}

void wt_cc_apply(struct wt_tcp *tcp, bool advanced)
{
	const struct wt_recovery_out *verdict = &tcp->verdict;

	if (!(verdict->undo | verdict->enter | verdict->mark | verdict->sent_by | verdict->rescue | verdict->probe | verdict->again))
		return;
	if (verdict->undo) {
		wt_undo(tcp, false);
		judge_again(tcp);
	}
	if (verdict->enter && verdict->leave && tcp->in_recovery) { /* one ends and the next begins with the same ACK */
		wt_cc_leave(tcp);
		tcp->verdict.leave = false;
	}
	if (verdict->enter)
		enter(tcp);
	mark(tcp);
	if (verdict->probe)
		probe(tcp);
	/* the resent segment gets a whole timeout, as in BSD and Linux; advance() decides where new data was acknowledged */
	if ((verdict->enter && tcp->board.view.lost) || (verdict->again && !advanced))
		wt_tcp_arm_rexmt(tcp);
}

void wt_cc_sent(struct wt_tcp *tcp, const struct wt_sent *sent)
{
	const struct wt_sender_ops *sender = tcp->config->sender.ops;
	const struct wt_recovery_ops *recovery = tcp->config->recovery.ops;

	if (sender->on_sent) {
		sender->on_sent(tcp->sender, sent, &tcp->out);
		wt_cc_settle(tcp);
	}
	if (recovery->on_sent && tcp->state >= WT_TCP_ESTABLISHED)
		recovery->on_sent(tcp->recovery, sent, recovery->sent_alone ? NULL : wt_cc_view(tcp), &tcp->verdict);
	wt_cc_rearm(tcp);
}

void wt_cc_timeout(struct wt_tcp *tcp, enum wt_timer timer)
{
	if (timer == WT_TIMER_SENDER) {
		tcp->config->sender.ops->on_timer(tcp->sender, tcp->stack->now, &tcp->out);
		wt_cc_settle(tcp);
	} else {
		wt_cc_fresh_verdict(tcp);
		tcp->config->recovery.ops->on_timer(tcp->recovery, tcp->stack->now, wt_cc_view(tcp), &tcp->verdict);
		wt_cc_apply(tcp, false);
		wt_cc_leave(tcp);
	}
	wt_cc_rearm(tcp);
	if (tcp->timer[timer] <= tcp->stack->now) /* a module that asks for the past is asked again at the next event, not for ever */
		wt_tcp_set_timer(tcp, timer, WT_NEVER);
	tcp->burst_left = tcp->out.burst;
	wt_tcp_wants_output(tcp);
}

const struct wt_cc_options *wt_cc_options_of(const struct wt_tcp_header *seg, struct wt_cc_options *buffer)
{
	buffer->count = 0;
	for (unsigned i = 0; i < seg->experiment_count && buffer->count < WT_CC_OPTIONS_MAX; i++) {
		const struct wt_tcp_experiment *from = &seg->experiment[i];
		struct wt_cc_option *option = &buffer->at[buffer->count++];

		option->kind = from->kind;
		option->len = from->len;
		memcpy(option->data, from->data, from->len - 2u);
	}
	return buffer;
}

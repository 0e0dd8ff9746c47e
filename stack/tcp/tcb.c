/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a connection block: made by an open or a SYN, ended by the state machine, freed when nobody holds it. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "stack/tcp/tcb.h"

const char *wt_tcp_state_name(enum wt_tcp_state state)
{
	static const char *const names[WT_TCP_STATES] = {
		"CLOSED",     "LISTEN",     "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1",
		"FIN-WAIT-2", "CLOSE-WAIT", "CLOSING",  "LAST-ACK",     "TIME-WAIT",
	};

	return names[state];
}

void wt_tcb_init(struct wt_tcp *tcp, struct wt_tcp_stack *stack, const struct wt_tcp_config *config, const struct wt_tuple *tuple)
{
	*tcp = (struct wt_tcp){.stack = stack, .entry.tuple = *tuple, .config = config};
	for (unsigned i = 0; i < WT_TIMERS; i++)
		tcp->timer[i] = WT_NEVER;
	tcp->waits_since = WT_NEVER;
	tcp->long_way = true;
	tcp->peer_mss = 536; /* RFC 9293 3.7.1 SHLD: without the option */
	tcp->path_mss = stack->config.mtu - wt_tcp_headers(tcp);
	wt_tcp_limit_mss(tcp);
	tcp->pseudo = wt_csum_pseudo(&tuple->local.addr, &tuple->remote.addr, WT_IP_TCP, 0);
	wt_rtt_init(&tcp->rtt, &config->settings);
}

bool wt_tcb_refused(struct wt_tcp_stack *stack)
{
	bool full = stack->count >= stack->config.max_connections;
	bool short_of_memory = wt_chunks_held(stack->chunks) >= stack->config.memory / 4 * 3;

	stack->counts.table_full += full;
	stack->counts.refused_memory += short_of_memory && !full;
	return full || short_of_memory;
}

struct wt_tcp *wt_tcb_new(struct wt_tcp_stack *stack, const struct wt_tcp_config *config, enum wt_demux_kind kind,
			  const struct wt_tuple *tuple, uint32_t conn)
{
	size_t bytes = sizeof(struct wt_tcp) + wt_cc_bytes(config);
	struct wt_tcp *tcp = NULL;

	if (!wt_tcb_refused(stack) && wt_chunks_charge(stack->chunks, bytes)) {
		const struct wt_tcp_config *held = wt_config_hold(stack, config);

		tcp = held ? aligned_alloc(WT_CACHE_LINE, sizeof(*tcp)) : NULL;
		if (tcp)
			wt_tcb_init(tcp, stack, held, tuple);
		else if (held)
			wt_config_release(stack, held);
		if (!tcp)
			wt_chunks_uncharge(stack->chunks, bytes);
	}
	if (!tcp) {
		errno = ENOMEM;
		return NULL;
	}
	tcp->charged = (uint32_t)bytes;
	tcp->entry.kind = (uint8_t)kind;
	tcp->conn = conn ? conn : ++stack->next_conn;
	tcp->heap.order = tcp->conn;
	tcp->all_next = stack->all;
	if (stack->all)
		stack->all->all_prev = tcp;
	stack->all = tcp;
	stack->count++;
	wt_demux_add(stack, &tcp->entry);
	return tcp;
}

wt_seq wt_tcp_first_number(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const wt_seq *above)
{
	wt_seq iss = wt_secret_isn(stack, tuple);

	/* RFC 9293 3.10.7.4: beyond all that the last one used, as far as in BSD */
	return above && wt_seq_le(iss, *above) ? *above + 128000 : iss;
}

/* Memory for bytes and records is taken as they come. */
void wt_tcb_number(struct wt_tcp *tcp, wt_seq iss)
{
	struct wt_outstanding *view = &tcp->board.view;

	wt_board_init(&tcp->board, tcp->stack->chunks, tcp->config->settings.snd_buffer);
	tcp->iss = iss;
	tcp->ts_offset = wt_secret_ts_offset(tcp->stack, &tcp->entry.tuple.local.addr, &tcp->entry.tuple.remote.addr);
	tcp->snd_una = tcp->snd_nxt = view->snd_una = view->snd_nxt = iss;
	tcp->board.marked_to = tcp->board.fack = view->highest_sacked = view->loss_edge = iss;
	tcp->snd_end = iss + 1;
	tcp->full_end = iss;
	wt_store_init(&tcp->snd, tcp->stack->chunks, iss + 1);
}

/*
 * The peer's end: what arrives, and intervals for what waits above holes. These may take as much memory as the buffer, 8 bytes each: enough
 * for every other segment of a window, and for any pattern of segments that are not tiny.
 */
void wt_tcb_receive(struct wt_tcp *tcp, wt_seq irs)
{
	const struct wt_tcp_settings *settings = &tcp->config->settings;

	tcp->rcv_word = UINT32_MAX;
	wt_ranges_init(&tcp->waiting, tcp->stack->chunks, settings->rcv_buffer);
	wt_store_init(&tcp->rcv, tcp->stack->chunks, irs + 1);
}

void wt_tcb_set_state(struct wt_tcp *tcp, enum wt_tcp_state state)
{
	wt_cc_trace(tcp);
	wt_trace(tcp->stack, tcp->conn, STATE, tcp->state, state);
	assert(tcp->send_mss == wt_tcp_full_payload(tcp));
	tcp->state = state;
	tcp->long_way = (state != WT_TCP_ESTABLISHED && state != WT_TCP_FIN_WAIT_1) || tcp->stack->config.trace;
}

void wt_tcb_drop_sent(struct wt_tcp *tcp)
{
	wt_store_finish(&tcp->snd);
	wt_order_finish(&tcp->order, tcp->stack->chunks);
	wt_board_finish(&tcp->board);
	tcp->board.view.snd_una = tcp->board.view.snd_nxt = tcp->snd_nxt;
}

void wt_tcb_end(struct wt_tcp *tcp, int error)
{
	struct wt_tcp *listener = tcp->listener;

	if (tcp->state == WT_TCP_CLOSED)
		return;
	if (tcp->wait) { /* comes back here without it */
		wt_wait_end(tcp->stack, tcp->wait);
		return;
	}
	if (tcp->state == WT_TCP_SYN_RECEIVED && listener) {
		listener->half_open--;
		tcp->handle = WT_HANDLE_NONE; /* nobody ever heard of it, so nobody will give it up */
	}
	wt_demux_remove(tcp->stack, &tcp->entry);
	wt_tcb_set_state(tcp, WT_TCP_CLOSED);
	for (unsigned i = 0; i < WT_TIMERS; i++)
		tcp->timer[i] = WT_NEVER;
	wt_tcp_rearm(tcp);
	tcp->error = error;
	wt_tcp_notify(tcp, error ? WT_TCP_EV_ERROR | WT_TCP_EV_CLOSED : WT_TCP_EV_CLOSED);
	wt_tcb_release(tcp);
}

void wt_tcb_release(struct wt_tcp *tcp)
{
	bool out = tcp->state == WT_TCP_CLOSED || tcp->state == WT_TCP_TIME_WAIT;

	if (!out || tcp->handle != WT_HANDLE_NONE || tcp->in_ready || tcp->in_held)
		return;
	wt_tcp_out_of_output(tcp);
	if (!tcp->in_output)
		wt_tcb_free(tcp);
}

void wt_tcb_free(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;

	wt_heap_set(&stack->conns, &tcp->heap, WT_NEVER);
	if (tcp->wait)
		tcp->wait->owner = NULL;
	if (tcp->all_prev)
		tcp->all_prev->all_next = tcp->all_next;
	else
		stack->all = tcp->all_next;
	if (tcp->all_next)
		tcp->all_next->all_prev = tcp->all_prev;
	stack->count--;
	wt_store_finish(&tcp->snd);
	wt_store_finish(&tcp->rcv);
	wt_ranges_finish(&tcp->waiting);
	wt_order_finish(&tcp->order, tcp->stack->chunks);
	wt_board_finish(&tcp->board);
	wt_cc_detach(tcp);
	wt_template_leave(tcp);
	wt_config_release(stack, tcp->config);
	wt_chunks_uncharge(stack->chunks, tcp->charged);
	free(tcp);
}

/* Invariants of a synchronized connection. Nothing a peer sends may break one. */
void wt_tcb_check(const struct wt_tcp *tcp)
{
	const struct wt_outstanding *view = &tcp->board.view;

	assert(wt_seq_le(tcp->snd_una, tcp->snd_nxt));
	assert(view->snd_una == tcp->snd_una && view->snd_nxt == tcp->snd_nxt);
	assert(wt_seq_le(tcp->snd_nxt, tcp->snd_end + (tcp->fin_queued ? 1 : 0)) || tcp->state < WT_TCP_ESTABLISHED);
	assert(view->sacked + view->lost <= tcp->snd_nxt - tcp->snd_una);
	assert(view->count == 0 || wt_tx_record_at(view, 0)->seq == tcp->snd_una);
	assert((view->count == 0) == (tcp->snd_una == tcp->snd_nxt));
	assert(tcp->out.cwnd >= 1);
	assert(tcp->waiting.count == 0 || wt_seq_gt(wt_ranges_first(&tcp->waiting).start, tcp->rcv_nxt));
	assert(wt_tcp_unread(tcp) <= tcp->config->settings.rcv_buffer);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's side of the module tables: it owns their state, hands them facts, and bounds what they answer. */
#include <errno.h>
#include <stdlib.h>

#include "stack/tcp/tcb.h"

/* RFC 5681 3.1, or so many segments (RFC 6928 uses 10 with a cap of max(2*MSS, 14600)). */
static uint32_t initial_window(const struct wt_tcp *tcp, uint32_t mss)
{
	const struct wt_tcp_settings *settings = &tcp->config.settings;

	if (tcp->syn_attempt) /* RFC 5681 3.1: a lost SYN or SYN-ACK means one segment */
		return mss;
	if (settings->initial_window == 0)
		return mss > 2190 ? 2 * mss : mss > 1095 ? 3 * mss : 4 * mss;
	return (uint32_t)settings->initial_window * mss;
}

void wt_cc_env_of(const struct wt_tcp *tcp, struct wt_cc_env *env, bool receiver)
{
	const struct wt_tcp_settings *settings = &tcp->config.settings;
	uint32_t mss = wt_tcp_send_mss(tcp);

	*env = (struct wt_cc_env){
		.now = tcp->host->now,
		.mss = receiver ? (uint32_t)settings->mss - (tcp->ts_ok ? 12 : 0) : mss,
		.buffer = (uint32_t)(receiver ? settings->rcv_buffer : settings->snd_buffer),
		.initial_window = initial_window(tcp, mss),
		.tick = settings->tick,
		.slow_start_limit = (uint32_t)settings->slow_start_limit,
		.increment_mss8 = settings->increment_mss8,
		.timestamps = tcp->ts_ok,
		.sack = tcp->sack_ok,
		.dupthresh = (uint32_t)settings->dupthresh,
	};
}

static void *state_of(size_t size, bool *failed)
{
	void *state = calloc(1, size ? size : 1);

	*failed |= !state;
	return state;
}

int wt_cc_attach(struct wt_tcp *tcp)
{
	struct wt_tcp_config *config = &tcp->config;
	struct wt_cc_env env;
	bool failed = false;

	tcp->sender = state_of(config->sender.ops->state_size, &failed);
	tcp->recovery = state_of(config->recovery.ops->state_size, &failed);
	tcp->receiver = state_of(config->receiver.ops->state_size, &failed);
	if (failed)
		return -ENOMEM;
	wt_cc_env_of(tcp, &env, false);
	tcp->out = (struct wt_sender_out){.cwnd = env.mss, .ssthresh = WT_SSTHRESH_INFINITE};
	if (config->sender.ops->init)
		config->sender.ops->init(tcp->sender, config->sender.params, &env, &tcp->out);
	if (config->recovery.ops->init)
		config->recovery.ops->init(tcp->recovery, config->recovery.params, &env);
	wt_cc_env_of(tcp, &env, true);
	if (config->receiver.ops->init)
		config->receiver.ops->init(tcp->receiver, config->receiver.params, &env);
	wt_cc_settle(tcp);
	return 0;
}

void wt_cc_note(struct wt_tcp *tcp, struct wt_cc_note *note)
{
	struct wt_trace_event event = {.time = tcp->host->now, .conn = tcp->conn, .type = note->type};

	if (!note->set)
		return;
	note->set = false;
	if (note->type >= WT_TRACE_TYPES)
		return;
	memcpy(event.field, note->field, sizeof(event.field));
	if (tcp->host->config.trace)
		wt_host_trace(tcp->host, &event);
}

void wt_cc_event(struct wt_tcp *tcp, enum wt_cc_event event)
{
	const struct wt_tcp_config *config = &tcp->config;
	struct wt_cc_env env;

	wt_cc_env_of(tcp, &env, false);
	if (config->sender.ops->on_event)
		config->sender.ops->on_event(tcp->sender, event, &env, &tcp->out);
	if (config->recovery.ops->on_event)
		config->recovery.ops->on_event(tcp->recovery, event, &env);
	wt_cc_env_of(tcp, &env, true);
	if (config->receiver.ops->on_event)
		config->receiver.ops->on_event(tcp->receiver, event, &env);
	wt_cc_settle(tcp);
}

/* One segment is the least window there is; a module that says less is wrong, not trusted. */
void wt_cc_settle(struct wt_tcp *tcp)
{
	uint32_t mss = wt_tcp_send_mss(tcp);

	if (tcp->out.cwnd < mss)
		tcp->out.cwnd = mss;
	wt_cc_note(tcp, &tcp->out.note);
	if (tcp->out.fallback && !tcp->count.fallback) {
		tcp->count.fallback = true;
		wt_cc_event(tcp, WT_CC_FALLBACK);
	}
}

void wt_cc_loss(struct wt_tcp *tcp, enum wt_loss_why why, uint32_t acked)
{
	struct wt_loss loss = {
		.now = tcp->host->now,
		.srtt = tcp->rtt.srtt,
		.why = why,
		/* what waits to be resent is not in the network: after a go-back this is what BSD's snd_nxt - snd_una was */
		.inflight = tcp->snd_nxt - tcp->snd_una - tcp->board.view.lost + acked,
		.peer_window = tcp->snd_wnd,
		.rto_count = tcp->go_backs,
		.dup_seen = tcp->dup_seen,
	};

	if (tcp->config.sender.ops->on_loss)
		tcp->config.sender.ops->on_loss(tcp->sender, &loss, &tcp->out);
	wt_cc_settle(tcp);
}

void wt_cc_trace(struct wt_tcp *tcp)
{
	struct wt_trace_event event = {
		.time = tcp->host->now,
		.conn = tcp->conn,
		.type = WT_TRACE_METRICS,
		.field = {tcp->out.cwnd, tcp->out.ssthresh, wt_tcp_pipe(tcp), (uint64_t)tcp->rtt.srtt, (uint64_t)tcp->rtt.rttvar,
			  (uint64_t)wt_rtt_timeout(&tcp->rtt, &tcp->config.settings), tcp->out.pacing_rate, tcp->snd_una},
		.gauges = tcp->config.sender.ops->gauges,
		.gauge = tcp->out.gauge,
	};

	if (tcp->host->config.trace)
		wt_host_trace(tcp->host, &event);
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

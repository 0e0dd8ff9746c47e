/* SPDX-License-Identifier: BSD-2-Clause */
/* What applications call: the user calls of RFC 9293 3.10.1 to 3.10.6, without blocking. */
#include <errno.h>
#include <string.h>

#include "stack/host/internal.h"

int wt_tcp_config_preset(struct wt_tcp_config *config, const char *name, char *err, size_t err_len)
{
	int error = wt_tcp_preset(name, &config->settings, err, err_len);

	for (size_t i = 0; !error && wt_tcp_preset_names[i]; i++)
		if (!strcmp(name, wt_tcp_preset_names[i]))
			config->preset = wt_tcp_preset_names[i];
	if (!error) {
		wt_sender_choose_in(name, wt_tcp_preset_sender(name), &config->sender, NULL, 0);
		wt_recovery_choose_in(name, wt_tcp_preset_recovery(name), &config->recovery, NULL, 0);
	}
	return error;
}

void wt_tcp_config_init(struct wt_tcp_config *config)
{
	*config = (struct wt_tcp_config){0};
	wt_tcp_config_preset(config, "modern", NULL, 0);
}

/* Fills in what was left to us: the preset's sender, the sender's usual recovery, the standard receiver. */
static void complete(struct wt_tcp_config *config)
{
	if (!config->sender.ops)
		wt_sender_choose(wt_tcp_preset_sender(config->preset), &config->sender, NULL, 0);
	if (!config->recovery.ops)
		wt_recovery_follow(&config->sender, wt_tcp_preset_recovery(config->preset), config->preset, &config->recovery);
	if (!config->receiver.ops)
		wt_receiver_choose("standard", &config->receiver, NULL, 0);
}

/* A block in the table, unless its tuple is taken. NULL, with errno set. */
static struct wt_tcp *place(struct wt_host *host, enum wt_demux_kind kind, const struct wt_tuple *tuple, const struct wt_tcp_config *config)
{
	struct wt_tcp_config whole = *config;
	struct wt_tcp *tcp;

	if (wt_demux_find(&host->tcp, tuple)) {
		errno = EADDRINUSE;
		return NULL;
	}
	complete(&whole);
	tcp = wt_tcb_new(&host->tcp, &whole, kind, tuple, 0);
	if (tcp)
		wt_tcp_set_callback(tcp, config->callback, config->arg);
	return tcp;
}

struct wt_tcp *wt_tcp_listen(struct wt_host *host, const struct wt_endpoint *local, unsigned backlog, const struct wt_tcp_config *config)
{
	struct wt_tuple tuple = {.local = *local};
	struct wt_tcp *tcp;

	if (local->addr.family && !wt_net_is_ours(&host->net, &local->addr)) {
		errno = EADDRNOTAVAIL;
		return NULL;
	}
	tcp = place(host, WT_DEMUX_LISTENER, &tuple, config);
	if (!tcp)
		return NULL;
	tcp->backlog = backlog ? backlog : 1;
	tcp->state = WT_TCP_LISTEN;
	return tcp;
}

struct wt_tcp *wt_tcp_accept(struct wt_tcp *listener)
{
	struct wt_tcp *tcp = listener->accept_head;
	unsigned events;

	if (!tcp) {
		errno = EAGAIN;
		return NULL;
	}
	listener->accept_head = tcp->accept_next;
	if (!listener->accept_head)
		listener->accept_tail = NULL;
	listener->acceptable--;
	tcp->listener = NULL;
	tcp->handle = WT_HANDLE_APP;
	events = tcp->events;
	tcp->events = 0;
	if (events)
		wt_tcp_notify(tcp, events);
	return tcp;
}

struct wt_tcp *wt_tcp_connect(struct wt_host *host, const struct wt_endpoint *remote, const struct wt_endpoint *local,
			      const struct wt_tcp_config *config, wt_time now)
{
	struct wt_tuple tuple = {.remote = *remote};
	struct wt_tcp *tcp;

	if (local)
		tuple.local = *local;
	host->tcp.now = wt_time_max(host->tcp.now, now);
	if (tuple.local.addr.family && !wt_net_is_ours(&host->net, &tuple.local.addr)) {
		errno = EADDRNOTAVAIL;
		return NULL;
	}
	if (!wt_net_source(&host->net, &remote->addr, &tuple.local.addr)) {
		errno = ENETUNREACH;
		return NULL;
	}
	if (!tuple.local.port && !(tuple.local.port = wt_secret_port(&host->tcp, &tuple.local.addr, remote))) {
		errno = EADDRNOTAVAIL;
		return NULL;
	}
	tcp = place(host, WT_DEMUX_CONNECTION, &tuple, config);
	if (!tcp)
		return NULL;
	wt_tcb_number(tcp, wt_tcp_first_number(&host->tcp, &tuple, NULL));
	if (wt_cc_attach(tcp)) {
		wt_demux_remove(&host->tcp, &tcp->entry);
		wt_tcb_free(tcp);
		errno = ENOMEM;
		return NULL;
	}
	wt_tcb_set_state(tcp, WT_TCP_SYN_SENT);
	wt_tcp_wants_output(tcp);
	return tcp;
}

void wt_tcp_set_callback(struct wt_tcp *tcp, wt_tcp_callback *callback, void *arg)
{
	tcp->callback = callback;
	tcp->arg = arg;
	if (tcp->events)
		wt_tcp_notify(tcp, 0);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

size_t wt_tcp_writable(const struct wt_tcp *tcp)
{
	wt_seq first = wt_tcp_past_syn(tcp, tcp->snd_una);
	uint32_t used = wt_seq_gt(tcp->snd_end, first) ? tcp->snd_end - first : 0;

	return tcp->config->settings.snd_buffer > used ? tcp->config->settings.snd_buffer - used : 0;
}

static bool may_write(const struct wt_tcp *tcp)
{
	return !tcp->fin_queued && (tcp->state == WT_TCP_ESTABLISHED || tcp->state == WT_TCP_CLOSE_WAIT ||
				    tcp->state == WT_TCP_SYN_SENT || tcp->state == WT_TCP_SYN_RECEIVED);
}

ssize_t wt_tcp_write_from(struct wt_tcp *tcp, const struct wt_extent *from, size_t len)
{
	size_t room;

	if (tcp->state == WT_TCP_CLOSED && tcp->error)
		return tcp->error;
	if (!may_write(tcp))
		return tcp->state == WT_TCP_LISTEN ? -ENOTCONN : -EPIPE;
	room = wt_tcp_writable(tcp);
	if (len > room)
		tcp->was_full = true;
	len = len < room ? len : room;
	if (len == 0)
		return -EAGAIN;
	room = len;
	len = wt_store_put_extent(&tcp->snd, tcp->snd_end, from, (uint32_t)room);
	tcp->was_full |= len < room;
	if (len == 0)
		return -ENOBUFS;
	tcp->snd_end += (uint32_t)len;
	tcp->burst_left = tcp->burst_left ? tcp->burst_left : tcp->out.burst;
	wt_tcp_wants_output(tcp);
	return (ssize_t)len;
}

ssize_t wt_tcp_write(struct wt_tcp *tcp, const void *data, size_t len)
{
	struct wt_extent from = wt_extent_of(data);

	return wt_tcp_write_from(tcp, &from, len);
}

unsigned wt_tcp_room(struct wt_tcp *tcp, size_t len, struct iovec *piece, unsigned most)
{
	size_t room = may_write(tcp) ? wt_tcp_writable(tcp) : 0;

	return wt_store_room(&tcp->snd, tcp->snd_end, (uint32_t)(len < room ? len : room), piece, most);
}

void wt_tcp_filled(struct wt_tcp *tcp, size_t done, size_t len)
{
	wt_store_filled(&tcp->snd, tcp->snd_end, (uint32_t)done, (uint32_t)len);
	if (!done)
		return;
	tcp->snd_end += (uint32_t)done;
	tcp->burst_left = tcp->burst_left ? tcp->burst_left : tcp->out.burst;
	wt_tcp_wants_output(tcp);
}

void wt_tcp_expect_room(struct wt_tcp *tcp, size_t room)
{
	tcp->was_full = true;
	tcp->room_low = (uint32_t)(room < tcp->config->settings.snd_buffer ? room : tcp->config->settings.snd_buffer);
}

size_t wt_tcp_readable(const struct wt_tcp *tcp)
{
	/* what came with a crossing SYN is the peer's only once the handshake is over */
	return tcp->rcv.pool && tcp->state != WT_TCP_SYN_RECEIVED ? wt_tcp_unread(tcp) : 0;
}

size_t wt_tcp_peek(struct wt_tcp *tcp, const uint8_t **data)
{
	uint32_t len = (uint32_t)wt_tcp_readable(tcp);

	return len ? wt_store_piece(&tcp->rcv, tcp->read_seq, len, data) : 0;
}

unsigned wt_tcp_pieces(struct wt_tcp *tcp, size_t len, struct iovec *piece, unsigned most)
{
	size_t readable = wt_tcp_readable(tcp);

	return wt_store_pieces(&tcp->rcv, tcp->read_seq, (uint32_t)(len < readable ? len : readable), piece, most);
}

size_t wt_tcp_peek_name(struct wt_tcp *tcp, struct wt_extent *name)
{
	uint32_t len = (uint32_t)wt_tcp_readable(tcp);

	return wt_store_named(&tcp->rcv, tcp->read_seq, len, name) ? len : 0;
}

void wt_tcp_consume(struct wt_tcp *tcp, size_t len)
{
	size_t readable = wt_tcp_readable(tcp);

	tcp->read_seq += (uint32_t)(len < readable ? len : readable);
	if (readable)
		wt_store_release(&tcp->rcv, tcp->read_seq,
				 tcp->waiting.count ? wt_ranges_last(&tcp->waiting).end : tcp->rcv_nxt - (tcp->fin_taken ? 1 : 0));
	wt_tcp_window_opened(tcp);
}

ssize_t wt_tcp_read(struct wt_tcp *tcp, void *data, size_t len)
{
	size_t readable = wt_tcp_readable(tcp);

	if (readable == 0) {
		if (tcp->fin_taken)
			return 0;
		if (tcp->state == WT_TCP_CLOSED)
			return tcp->error ? tcp->error : 0;
		return tcp->state == WT_TCP_LISTEN ? -ENOTCONN : -EAGAIN;
	}
	len = len < readable ? len : readable;
	wt_store_read(&tcp->rcv, tcp->read_seq, data, (uint32_t)len);
	wt_tcp_consume(tcp, len);
	return (ssize_t)len;
}

uint64_t wt_tcp_discard(struct wt_tcp *tcp)
{
	uint32_t unsent = tcp->fin_queued ? 0 : wt_tcp_unsent(tcp);

	if (!unsent)
		return 0;
	wt_store_forget(&tcp->snd, tcp->snd_end - unsent, tcp->snd_end);
	tcp->snd_end -= unsent;
	return unsent;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

int wt_tcp_adjust(struct wt_tcp *tcp, const struct wt_tcp_settings *settings)
{
	struct wt_tcp_config changed = *tcp->config;
	struct wt_tcp_settings *mine = &changed.settings;
	bool keeps = mine->keepalive != settings->keepalive || mine->keepalive_interval != settings->keepalive_interval;
	bool room = settings->snd_buffer > mine->snd_buffer, patience;

	mine->nagle = settings->nagle;
	mine->snd_buffer = settings->snd_buffer;
	tcp->room_low = tcp->room_low < mine->snd_buffer ? tcp->room_low : (uint32_t)mine->snd_buffer;
	mine->keepalive = settings->keepalive;
	mine->keepalive_interval = settings->keepalive_interval;
	mine->keepalive_probes = settings->keepalive_probes;
	patience = mine->user_timeout != settings->user_timeout;
	mine->user_timeout = settings->user_timeout;
	mine->syn_retries = settings->syn_retries;
	mine->fin_wait_2 = settings->fin_wait_2;
	if (wt_config_change(tcp, &changed))
		return -ENOMEM;
	if (patience)
		wt_tcp_arm_user(tcp);
	if (tcp->state < WT_TCP_ESTABLISHED)
		return 0;
	if (keeps)
		wt_tcp_set_timer(tcp, WT_TIMER_KEEP, mine->keepalive ? wt_time_add(tcp->stack->now, mine->keepalive) : WT_NEVER);
	if (room && tcp->was_full) {
		tcp->was_full = false;
		wt_tcp_notify(tcp, WT_TCP_EV_WRITABLE);
	}
	wt_tcp_wants_output(tcp); /* what Nagle held back */
	return 0;
}

int wt_tcp_exchange_sender(struct wt_tcp *tcp, const struct wt_sender_choice *sender)
{
	struct wt_tcp_config changed = *tcp->config;

	if (tcp->state == WT_TCP_CLOSED)
		return -ENOTCONN;
	if (tcp->state == WT_TCP_LISTEN) {
		changed.sender = *sender;
		return wt_config_change(tcp, &changed);
	}
	return wt_cc_exchange(tcp, sender);
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

/* 3.10.4 CLOSE: FIN after what is buffered. */
static void queue_fin(struct wt_tcp *tcp)
{
	if (tcp->fin_queued)
		return;
	tcp->fin_queued = true;
	if (tcp->state == WT_TCP_ESTABLISHED)
		wt_tcb_set_state(tcp, WT_TCP_FIN_WAIT_1);
	else if (tcp->state == WT_TCP_CLOSE_WAIT)
		wt_tcb_set_state(tcp, WT_TCP_LAST_ACK);
	tcp->burst_left = tcp->burst_left ? tcp->burst_left : tcp->out.burst;
	wt_tcp_wants_output(tcp);
}

int wt_tcp_shutdown(struct wt_tcp *tcp)
{
	if (tcp->state == WT_TCP_CLOSED || tcp->state == WT_TCP_LISTEN)
		return -ENOTCONN;
	queue_fin(tcp);
	return 0;
}

static void send_abort(struct wt_tcp *tcp)
{
	/* 3.10.5: TIME-WAIT, CLOSING and LAST-ACK need no reset: both FINs are out */
	if (tcp->state >= WT_TCP_SYN_RECEIVED && tcp->state <= WT_TCP_CLOSE_WAIT)
		wt_tcp_reset(tcp, tcp->snd_nxt, tcp->rcv_nxt, WT_RST | WT_ACK);
}

static void close_listener(struct wt_tcp *listener)
{
	struct wt_tcp *next;

	wt_syn_close(listener);
	for (struct wt_tcp *tcp = listener->stack->all; tcp; tcp = next) {
		next = tcp->all_next;
		if (tcp->listener != listener)
			continue;
		tcp->handle = WT_HANDLE_NONE;
		send_abort(tcp);
		if (tcp->state == WT_TCP_CLOSED)
			wt_tcb_release(tcp);
		else
			wt_tcb_end(tcp, -ECONNABORTED);
	}
}

void wt_tcp_abort(struct wt_tcp *tcp)
{
	tcp->handle = WT_HANDLE_NONE;
	if (tcp->state == WT_TCP_LISTEN)
		close_listener(tcp);
	send_abort(tcp);
	if (tcp->state == WT_TCP_CLOSED)
		wt_tcb_release(tcp);
	else
		wt_tcb_end(tcp, -ECONNABORTED);
}

void wt_tcp_close(struct wt_tcp *tcp)
{
	bool both_fins = tcp->state >= WT_TCP_CLOSING; /* the peer has sent all: unread bytes hurt nobody but us */

	if (tcp->state == WT_TCP_LISTEN || tcp->state == WT_TCP_SYN_SENT || tcp->state == WT_TCP_CLOSED ||
	    (wt_tcp_readable(tcp) > 0 && !both_fins)) {
		wt_tcp_abort(tcp); /* in SYN-SENT nothing is sent (3.10.4) */
		return;
	}
	tcp->handle = WT_HANDLE_NONE;
	queue_fin(tcp);
	if (tcp->state == WT_TCP_FIN_WAIT_2)
		wt_tcp_set_timer(tcp, WT_TIMER_WAIT, wt_time_add(tcp->stack->now, tcp->config->settings.fin_wait_2));
	wt_tcb_release(tcp); /* in TIME-WAIT only the handle kept it */
}

void wt_tcp_let_go(struct wt_tcp *tcp, struct wt_tcp *unaccepted, bool reset)
{
	if (unaccepted)
		wt_tcp_abort(unaccepted);
	if (tcp && reset)
		wt_tcp_abort(tcp);
	else if (tcp)
		wt_tcp_close(tcp);
}

int wt_tcp_error(const struct wt_tcp *tcp)
{
	return tcp->error;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static void tell_tally(const struct wt_tcp_tally *tally, struct wt_tcp_info *info)
{
	info->bytes_sent = tally->bytes_sent;
	info->bytes_acked = tally->bytes_acked;
	info->bytes_received = tally->bytes_received;
	info->segs_sent = tally->segs_sent;
	info->segs_received = tally->segs_received;
	info->retransmits_segs = tally->retransmits_segs;
	info->retransmits_bytes = tally->retransmits_bytes;
	info->fast_recoveries = tally->fast_recoveries;
	info->timeouts = tally->timeouts;
	info->dup_segs_received = tally->dup_segs_received;
	info->out_of_order_segs_received = tally->out_of_order_segs_received;
	info->discarded_bytes = tally->discarded_bytes;
	info->ce_received_segs = tally->ce_received_segs;
	info->ece_received_segs = tally->ece_received_segs;
	info->cwr_sent_segs = tally->cwr_sent_segs;
	info->ecn_reductions = tally->ecn_reductions;
}

void wt_tcp_info(const struct wt_tcp *tcp, struct wt_tcp_info *info)
{
	*info = (struct wt_tcp_info){.conn = tcp->conn};
	tell_tally(&tcp->tally, info);
	info->fallback = tcp->fallback;
	info->state = tcp->state;
	info->local = tcp->entry.tuple.local;
	info->remote = tcp->entry.tuple.remote;
	info->window_scaling = tcp->wscale_ok;
	info->timestamps = tcp->ts_ok;
	info->sack = tcp->sack_ok;
	info->ecn = tcp->ecn.sends;
	info->snd_mss = wt_tcp_send_mss(tcp);
	info->rcv_mss = (uint32_t)tcp->config->settings.mss;
	info->iss = tcp->iss;
	info->irs = tcp->irs;
	info->snd_una = tcp->snd_una;
	info->snd_nxt = tcp->snd_nxt;
	info->rcv_nxt = tcp->rcv_nxt;
	info->snd_wnd = tcp->snd_wnd;
	info->rcv_wnd = wt_seq_gt(tcp->rcv_adv, tcp->rcv_nxt) ? tcp->rcv_adv - tcp->rcv_nxt : 0;
	info->cwnd = tcp->out.cwnd;
	info->ssthresh = tcp->out.ssthresh;
	info->in_flight = wt_tcp_pipe(tcp);
	info->inflate = tcp->verdict.inflate;
	info->pacing_rate = tcp->out.pacing_rate;
	info->gauges = tcp->config->sender.ops->gauges;
	memcpy(info->gauge, tcp->out.gauge, sizeof(info->gauge));
	info->in_recovery = tcp->in_recovery;
	info->dupacks = tcp->dupacks;
	info->backoff = tcp->rtt.backoff;
	info->srtt = tcp->rtt.srtt;
	info->rttvar = tcp->rtt.rttvar;
	info->rto = wt_rtt_timeout(&tcp->rtt, &tcp->config->settings);
	info->min_rtt = tcp->rtt.min_rtt;
	info->mean_rtt = tcp->rtt.samples ? tcp->rtt.sum / tcp->rtt.samples : 0;
	info->sack_blocks_ignored = tcp->board.ignored;
	info->unsent = wt_tcp_unsent(tcp);
	info->unread = (uint32_t)wt_tcp_readable(tcp);
	info->sender = tcp->config->sender.ops->name;
	info->recovery = tcp->config->recovery.ops->name;
	info->receiver = tcp->config->receiver.ops->name;
	info->soft_error = tcp->soft_error;
}

void wt_tcp_watch_rtt(struct wt_tcp *tcp, struct wt_histogram *watch)
{
	tcp->rtt.watch = watch;
}

const struct wt_tcp_config *wt_tcp_get_config(const struct wt_tcp *tcp)
{
	return tcp->config;
}

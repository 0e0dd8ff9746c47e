/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half. Everything happens in callbacks of the host: pump() writes while there is room, collect() reads the
 * result, finish() is the only way out. A stream that was stopped early or limited by time ends with FIN like any other.
 */
#include "tools/app/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/app/bulk_wire.h"
#include "tools/app/rr.h"

#define MOST ((size_t)1 << 30) /* of one write: no buffer takes more */

/* A plain peer may keep its side open for ever; ours is done when all is acknowledged and this long has passed. */
#define RAW_GRACE (2 * WT_S)

const char *wt_bulk_fail_text(enum wt_bulk_fail fail)
{
	static const char *const texts[] = {
		[WT_BULK_OK] = "complete",
		[WT_BULK_CONNECT] = "no connection",
		[WT_BULK_BROKEN] = "connection lost",
		[WT_BULK_PROTOCOL] = "the peer is not a wavetank receiver or closed early",
		[WT_BULK_MISMATCH] = "the bytes that arrived are not the bytes that were sent",
		[WT_BULK_SHORT] = "the sender ended early",
		[WT_BULK_CANCELLED] = "cancelled",
		[WT_BULK_IDLE] = "idle, and its place was needed",
	};

	return texts[fail];
}

/* Payload that is acknowledged, by what TCP says. */
static uint64_t acknowledged(const struct wt_bulk_sender *s, const struct wt_tcp_info *info)
{
	uint64_t head = s->config.raw ? 0 : WT_BULK_REQUEST;

	return info->bytes_acked > head ? info->bytes_acked - head : 0;
}

static void finish(struct wt_bulk_sender *s, enum wt_bulk_fail fail, int error, wt_time now)
{
	if (s->done)
		return;
	s->done = true;
	s->fail = fail;
	s->error = error;
	s->end = now;
	wt_host_timer_set(s->host, &s->timer, WT_NEVER);
	if (!s->reported)
		wt_tcp_info(s->tcp, &s->info);
	s->delivered = acknowledged(s, &s->info);
	wt_tcp_watch_rtt(s->tcp, NULL); /* the sender may go before the connection */
	if (fail == WT_BULK_CANCELLED && !s->eof)
		wt_tcp_abort(s->tcp);
	else
		wt_tcp_close(s->tcp);
	s->tcp = NULL;
	if (s->config.on_done)
		s->config.on_done(s->config.arg, s);
}

static void arm(struct wt_bulk_sender *s)
{
	wt_host_timer_set(s->host, &s->timer, wt_time_min(wt_time_min(s->pace_at, s->omit_at), wt_time_min(s->interval_at, s->stop_at)));
}

/* At most len bytes, but no more than a live source has made by now. If it has none, asks to be woken when it has. */
static size_t paced(struct wt_bulk_sender *s, size_t len)
{
	const struct wt_bulk_send_config *config = &s->config;
	uint64_t steps = (uint64_t)((wt_host_now(s->host) - s->connected) / config->pace_every) + 1;
	uint64_t made = steps * config->pace_bytes;

	if (made <= s->written) {
		s->pace_at = s->connected + (wt_time)steps * config->pace_every;
		arm(s);
		return 0;
	}
	return made - s->written < len ? (size_t)(made - s->written) : len;
}

/* Between two times of writing it asks to be woken at the next. */
static bool rests(struct wt_bulk_sender *s)
{
	wt_time round = s->config.on + s->config.off, into = (wt_host_now(s->host) - s->connected) % round;

	if (into < s->config.on)
		return false;
	s->pace_at = wt_host_now(s->host) + round - into;
	arm(s);
	return true;
}

/* Next bytes to write into chunk; false at the end of the payload, or when the source has none yet (*later). */
static bool refill(struct wt_bulk_sender *s, bool *later)
{
	size_t len = s->config.length && s->config.length < WT_BULK_WRITE ? s->config.length : WT_BULK_WRITE;

	if (s->config.rr) {
		len = wt_rr_next(s->config.rr, s, s->chunk, len, &s->pace_at);
		*later = len == WT_BULK_LATER;
		arm(s);
		if (*later)
			return false;
	} else if (s->stopped) {
		return false;
	} else if (s->config.source) {
		len = s->config.source(s->config.arg, s->chunk, len);
		if (len == WT_BULK_LATER) {
			*later = true;
			return false;
		}
	} else {
		if (s->config.size && s->config.size - s->written < len)
			len = (size_t)(s->config.size - s->written);
		if (len && s->config.off && rests(s)) {
			*later = true;
			return false;
		}
		if (len && s->config.pace_bytes) {
			len = paced(s, len);
			*later = !len;
		}
		wt_bulk_fill(s->config.seed, s->written, s->chunk, len);
	}
	s->held_at = 0;
	s->held = len;
	return len > 0;
}

/* A source of our own that gives all it has is written by name. False: the buffer is full. */
static bool write_stream(struct wt_bulk_sender *s)
{
	const struct wt_extent from = {.pattern = &wt_bulk_stream, .key = s->config.seed, .at = s->written};
	uint64_t left = s->config.size ? s->config.size - s->written : MOST;
	ssize_t n = wt_tcp_write_from(s->tcp, &from, left < MOST ? (size_t)left : MOST);

	if (n <= 0)
		return false;
	s->written += (uint64_t)n;
	return true;
}

static bool by_name(const struct wt_bulk_send_config *config)
{
	return !config->source && !config->rr && !config->off && !config->pace_bytes && !config->length;
}

static bool has_all(const struct wt_bulk_sender *s)
{
	return by_name(&s->config) && !s->stopped && (!s->config.size || s->written < s->config.size);
}

/* The event may be of before we wrote, on a connection that was another's. */
static bool all_acked(const struct wt_tcp *tcp)
{
	struct wt_tcp_info info;

	wt_tcp_info(tcp, &info);
	return !info.unsent && info.snd_una == info.snd_nxt;
}

/* The payload is acknowledged: a byte with which it does not go on, the counts, FIN. The buffer is empty, so all of it fits. */
static void send_report(struct wt_bulk_sender *s, wt_time now)
{
	const struct wt_tcp_info *info = &s->info;
	struct wt_bulk_report report;
	uint8_t wire[1 + WT_BULK_REPORT];

	if (s->reported || !all_acked(s->tcp))
		return;
	wt_tcp_info(s->tcp, &s->info);
	s->reported = true;
	s->acked = now;
	report = (struct wt_bulk_report){
		.bytes = s->written, .segs = info->segs_sent, .retransmits_segs = info->retransmits_segs, .retransmits_bytes = info->retransmits_bytes,
		.fast_recoveries = (uint32_t)info->fast_recoveries, .timeouts = (uint32_t)info->timeouts, .mean_rtt = info->mean_rtt, .min_rtt = info->min_rtt,
	};
	strncpy(report.sender, info->sender, sizeof(report.sender) - 1);
	strncpy(report.recovery, info->recovery, sizeof(report.recovery) - 1);
	wt_bulk_fill(s->config.seed, s->written, wire, 1);
	wire[0] = (uint8_t)~wire[0];
	wt_bulk_put_report(wire + 1, &report);
	wt_tcp_write(s->tcp, wire, sizeof(wire));
	wt_tcp_shutdown(s->tcp);
}

static void pump(struct wt_bulk_sender *s)
{
	bool later = false;
	ssize_t n;

	if (s->shut)
		return;
	while (s->request_left) {
		n = wt_tcp_write(s->tcp, s->wire + WT_BULK_REQUEST - s->request_left, s->request_left);
		if (n <= 0)
			return;
		s->request_left -= (size_t)n;
	}
	while (has_all(s))
		if (!write_stream(s))
			return;
	while ((s->held && (!s->stopped || s->config.rr)) || refill(s, &later)) {
		n = wt_tcp_write(s->tcp, s->chunk + s->held_at, s->held);
		if (n <= 0)
			return;
		s->held_at += (size_t)n;
		s->held -= (size_t)n;
		s->written += (uint64_t)n;
	}
	if (later)
		return;
	s->shut = true;
	if (s->config.report)
		send_report(s, wt_host_now(s->host));
	else
		wt_tcp_shutdown(s->tcp);
}

static void collect(struct wt_bulk_sender *s, wt_time now)
{
	uint8_t scrap[2048];
	ssize_t n;

	while (s->config.rr && wt_rr_awaits(s->config.rr)) {
		n = wt_tcp_read(s->tcp, scrap, wt_rr_awaits(s->config.rr) < sizeof(scrap) ? wt_rr_awaits(s->config.rr) : sizeof(scrap));
		if (n <= 0)
			return;
		wt_rr_take(s->config.rr, scrap, (size_t)n, now);
		pump(s);
	}
	for (;;) {
		bool room = !s->config.raw && s->result_have < WT_BULK_RESULT;

		n = room ? wt_tcp_read(s->tcp, s->wire + s->result_have, WT_BULK_RESULT - s->result_have)
			 : wt_tcp_read(s->tcp, scrap, sizeof(scrap));
		if (n <= 0)
			return;
		if (room)
			s->result_have += (size_t)n;
	}
}

/* The receiver's FIN is in: judge. */
static void conclude(struct wt_bulk_sender *s, wt_time now)
{
	enum wt_bulk_fail fail = WT_BULK_OK;

	if (s->config.raw) {
		if (!s->acked) /* the plain peer closed first; our data is still on its way */
			return;
		finish(s, s->stopped && s->config.size ? WT_BULK_CANCELLED : WT_BULK_OK, 0, now);
		return;
	}
	s->got_result = s->result_have == WT_BULK_RESULT && wt_bulk_get_result(s->wire, &s->result);
	if (!s->got_result)
		fail = WT_BULK_PROTOCOL;
	else if (s->config.size && s->written < s->config.size)
		fail = WT_BULK_CANCELLED;
	else if (!s->result.verified || s->result.bytes != s->written || (s->config.rr && wt_rr_broken(s->config.rr)))
		fail = WT_BULK_MISMATCH;
	finish(s, fail, 0, now);
}

static void on_connected(struct wt_bulk_sender *s, wt_time now)
{
	s->connected = now;
	s->stop_at = s->config.time ? wt_time_add(now, s->config.time) : WT_NEVER;
	s->omit_at = s->config.omit ? wt_time_add(now, s->config.omit) : WT_NEVER;
	arm(s);
}

/* Payload, report and FIN, whatever there was of them, are acknowledged. */
static void all_arrived(struct wt_bulk_sender *s, wt_time now)
{
	if (!s->acked)
		s->acked = now;
	if (!s->config.raw)
		return;
	s->stop_at = wt_time_add(now, RAW_GRACE);
	arm(s);
}

static void on_tcp(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_bulk_sender *s = arg;

	if (events & WT_TCP_EV_CONNECTED)
		on_connected(s, now);
	if (events & WT_TCP_EV_ERROR) {
		finish(s, s->connected ? WT_BULK_BROKEN : WT_BULK_CONNECT, wt_tcp_error(tcp), now);
		return;
	}
	/* Before pump(): an emptied buffer is no acknowledged FIN if the FIN is only asked for now. */
	if (events & WT_TCP_EV_SENT && s->shut && s->config.report && !s->reported)
		send_report(s, now);
	else if (events & WT_TCP_EV_SENT && s->shut && (!s->acked || s->reported) && all_acked(tcp))
		all_arrived(s, now);
	if (events & (WT_TCP_EV_CONNECTED | WT_TCP_EV_WRITABLE))
		pump(s);
	if (events & (WT_TCP_EV_READABLE | WT_TCP_EV_EOF))
		collect(s, now);
	if (events & WT_TCP_EV_EOF)
		s->eof = true;
	if (s->eof && (s->acked || !s->config.raw))
		conclude(s, now);
	else if (events & WT_TCP_EV_CLOSED)
		finish(s, WT_BULK_BROKEN, wt_tcp_error(tcp), now);
}

static void report(struct wt_bulk_sender *s, wt_time now)
{
	struct wt_bulk_interval *i = &s->last;
	uint64_t before = i->total;

	wt_tcp_info(s->tcp, &i->info);
	i->from = i->to;
	i->to = now - s->start;
	i->total = acknowledged(s, &i->info);
	i->bytes = i->total - before;
	i->retransmits_segs = i->info.retransmits_segs - s->last_retransmits;
	s->last_retransmits = i->info.retransmits_segs;
	s->config.on_interval(s->config.arg, i);
}

/* What was written and not sent counts as never written. */
static void forget(struct wt_bulk_sender *s)
{
	struct wt_tcp_info info;

	wt_tcp_info(s->tcp, &info);
	if (info.unsent <= s->written) /* else the request is among it, and has to go */
		s->written -= wt_tcp_discard(s->tcp);
}

static void on_timer(struct wt_host_timer *timer, wt_time now)
{
	struct wt_bulk_sender *s = timer->arg;
	struct wt_tcp_info info;

	if (now >= s->interval_at) {
		s->interval_at = wt_time_add(s->interval_at, s->config.interval);
		report(s, now);
	}
	if (now >= s->omit_at) {
		wt_tcp_info(s->tcp, &info);
		s->omit_at = WT_NEVER;
		s->omitted = now;
		s->omitted_bytes = acknowledged(s, &info);
	}
	if (now >= s->pace_at) {
		s->pace_at = WT_NEVER;
		pump(s);
	}
	if (now >= s->stop_at) {
		s->stop_at = WT_NEVER;
		if (s->shut) {
			finish(s, WT_BULK_OK, 0, now);
			return;
		}
		if (s->config.sharp)
			forget(s);
		wt_bulk_send_stop(s);
	}
	arm(s);
}

static bool prepare(struct wt_bulk_sender *s, const struct wt_bulk_send_config *config, struct wt_host *host, wt_time now)
{
	*s = (struct wt_bulk_sender){.config = *config, .host = host, .start = now};
	if (!by_name(config) && !(s->chunk = malloc(WT_BULK_WRITE)))
		return false;
	s->stop_at = s->pace_at = s->omit_at = WT_NEVER;
	s->interval_at = config->interval && config->on_interval ? wt_time_add(now, config->interval) : WT_NEVER;
	s->timer.fire = on_timer;
	s->timer.arg = s;
	return true;
}

int wt_bulk_send_on(struct wt_bulk_sender *s, const struct wt_bulk_send_config *config, struct wt_host *host, struct wt_tcp *tcp,
		    wt_time now)
{
	if (!prepare(s, config, host, now))
		return -ENOMEM;
	s->tcp = tcp;
	wt_tcp_set_callback(tcp, on_tcp, s);
	wt_tcp_watch_rtt(tcp, &s->rtts);
	on_connected(s, now);
	pump(s);
	return 0;
}

/* Not more often than each millisecond. */
void wt_bulk_send_rate(struct wt_bulk_send_config *config, uint64_t rate)
{
	uint64_t length = config->length ? config->length : 1448, times = rate / 8 / 1000 / length;

	if (!rate)
		return;
	config->pace_bytes = length * (times ? times : 1);
	config->pace_every = (wt_time)((double)config->pace_bytes * 8e9 / (double)rate);
}

int wt_bulk_send(struct wt_bulk_sender *s, const struct wt_bulk_send_config *config, struct wt_host *host,
		 const struct wt_endpoint *remote, uint16_t local_port, const struct wt_tcp_config *tcp, wt_time now)
{
	struct wt_bulk_request request = {.size = config->size, .seed = config->seed, .streams = config->streams};
	struct wt_tcp_config own = *tcp;

	if (!config->size && !config->time && !config->source && !config->rr)
		return -EINVAL;
	if (!prepare(s, config, host, now))
		return -ENOMEM;
	if (config->rr)
		wt_rr_begin(config->rr, config->seed, &request);
	if (!config->raw) {
		s->request_left = WT_BULK_REQUEST;
		wt_bulk_put_request(s->wire, &request);
	}
	own.callback = on_tcp;
	own.arg = s;
	errno = 0;
	s->tcp = wt_tcp_connect(host, remote, &(struct wt_endpoint){.port = local_port}, &own, now);
	if (!s->tcp)
		return errno ? -errno : -ENOMEM;
	wt_tcp_watch_rtt(s->tcp, &s->rtts);
	arm(s);
	return 0;
}

void wt_bulk_send_stop(struct wt_bulk_sender *s)
{
	if (s->done)
		return;
	s->stopped = true;
	if (s->connected)
		pump(s);
}

void wt_bulk_send_wake(struct wt_bulk_sender *s)
{
	if (!s->done && s->connected)
		pump(s);
}

void wt_bulk_send_cancel(struct wt_bulk_sender *s, wt_time now)
{
	finish(s, WT_BULK_CANCELLED, 0, now);
}

void wt_bulk_send_finish(struct wt_bulk_sender *s)
{
	free(s->chunk);
	s->chunk = NULL;
	wt_histogram_finish(&s->rtts);
}

void wt_bulk_send_cut(struct wt_bulk_sender *s, wt_time now)
{
	if (s->done || !s->tcp)
		return;
	wt_tcp_info(s->tcp, &s->info);
	wt_tcp_watch_rtt(s->tcp, NULL);
	s->cut = true;
	s->end = now;
	s->delivered = acknowledged(s, &s->info);
	s->tcp = NULL;
}

const char *wt_bulk_outcome(const struct wt_bulk_sender *s)
{
	return s->done ? wt_bulk_fail_text(s->fail) : "unfinished";
}

uint64_t wt_bulk_delivered(const struct wt_bulk_sender *s)
{
	return s->acked ? s->written : s->delivered;
}

struct wt_flow_part wt_bulk_part(const struct wt_bulk_sender *s)
{
	struct wt_flow_part part = {
		.from = s->omitted ? s->omitted : s->start, .to = s->acked ? s->acked : s->end, .payload = wt_bulk_delivered(s),
		.bytes = wt_bulk_delivered(s) - s->omitted_bytes, .segs = s->info.segs_sent, .retransmits_segs = s->info.retransmits_segs,
	};

	if ((s->acked || s->cut) && part.to > part.from)
		part.goodput = (double)part.bytes * 1e9 / (double)(part.to - part.from);
	return part;
}

double wt_bulk_goodput(const struct wt_bulk_sender *s)
{
	return wt_bulk_part(s).goodput;
}

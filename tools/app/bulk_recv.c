/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiving half: a listener and its connections. Reads everything that is there at each call, compares it in place
 * (no copy), answers with the result after the sender's FIN, and is done only when its own FIN is acknowledged.
 */
#include "tools/app/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/app/bulk_wire.h"
#include "tools/app/rr.h"

static void finish(struct wt_bulk_receiver *r, enum wt_bulk_fail fail, int error, wt_time now)
{
	struct wt_bulk_server *server = r->server;

	r->done = true;
	r->fail = fail;
	r->error = error;
	r->end = now;
	wt_host_timer_set(server->host, &r->timer, WT_NEVER);
	wt_tcp_info(r->tcp, &r->info);
	if (fail == WT_BULK_OK || fail == WT_BULK_MISMATCH || fail == WT_BULK_SHORT)
		wt_tcp_close(r->tcp);
	else
		wt_tcp_abort(r->tcp);
	r->tcp = NULL;
	for (struct wt_bulk_receiver **at = &server->receivers; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	server->count--;
	if (server->config.on_done)
		server->config.on_done(server->config.arg, r);
	if (r->app)
		r->reader->release(r);
	free(r);
}

static void note_taken(struct wt_bulk_receiver *r, size_t len, wt_time now)
{
	struct wt_bulk_result *result = &r->result;

	if (!result->bytes)
		result->first = now - r->accepted;
	result->last = now - r->accepted;
	r->heard = now;
	if (r->server->config.omit && !r->omitted && result->last >= r->server->config.omit) {
		r->omitted = result->last;
		r->omitted_bytes = result->bytes;
	}
	result->bytes += len;
}

/* What follows the payload. More than a report is none: then the payload itself differs there. */
static void take_report(struct wt_bulk_receiver *r, const uint8_t *data, size_t len)
{
	size_t room = sizeof(r->wire) - r->report_have;

	memcpy(r->wire + r->report_have, data, len < room ? len : room);
	r->report_have += len < room ? len : room;
	if (len > room) {
		r->fetches = false;
		r->result.verified = false;
		r->result.bad_at = r->result.bytes;
	}
}

/* The stream is over. */
static void judge_report(struct wt_bulk_receiver *r)
{
	r->got_report = r->report_have == sizeof(r->wire) && wt_bulk_get_report(r->wire + 1, &r->report) && r->report.bytes == r->result.bytes;
	if (!r->got_report && r->result.verified) {
		r->result.verified = false;
		r->result.bad_at = r->result.bytes;
	}
}

/* Payload bytes, in order. */
static void take(struct wt_bulk_receiver *r, const uint8_t *data, size_t len, wt_time now)
{
	const struct wt_bulk_serve_config *config = &r->server->config;
	struct wt_bulk_result *result = &r->result;

	if (r->report_have && r->fetches) {
		take_report(r, data, len);
		return;
	}
	if (result->compared && result->verified) {
		size_t good = wt_bulk_agree(r->seed, result->bytes, data, len);

		if (good < len && r->fetches) {
			if (good)
				take(r, data, good, now);
			take_report(r, data + good, len - good);
			return;
		}
		if (good < len) {
			result->verified = false;
			result->bad_at = result->bytes + good;
		}
	}
	note_taken(r, len, now);
	if (config->sink)
		config->sink(config->arg, r, data, len);
}

/* What is readable, if by its name it is what is expected: at most `most`. 0: bytes are to be looked at. */
static size_t take_named(struct wt_bulk_receiver *r, size_t most, wt_time now)
{
	struct wt_extent name;
	size_t len;

	if (r->server->config.sink || !(len = wt_tcp_peek_name(r->tcp, &name)) || name.pattern != &wt_bulk_stream ||
	    name.key != r->seed || name.at != r->result.bytes)
		return 0;
	len = len < most ? len : most;
	note_taken(r, len, now);
	return len;
}

static bool awaits_request(const struct wt_bulk_receiver *r)
{
	return !r->server->config.raw && r->request_have < WT_BULK_REQUEST;
}

/* Who comes later is refused, and ends nobody's transfer. */
static void stop_listening(struct wt_bulk_server *server)
{
	if (server->listener)
		wt_tcp_close(server->listener);
	server->listener = NULL;
}

/* All that were waited for are here: a later one is refused and ends nobody's transfer, and whoever said nothing yet comes too late. */
static void enough(struct wt_bulk_server *server, wt_time now)
{
	stop_listening(server);
	for (struct wt_bulk_receiver *other = server->receivers, *next; other; other = next) {
		next = other->next;
		if (!other->spoke)
			finish(other, WT_BULK_IDLE, 0, now);
	}
}

/* Its first byte. */
static void speaks(struct wt_bulk_receiver *r, wt_time now)
{
	struct wt_bulk_server *server = r->server;

	r->spoke = true;
	server->spoke++;
	if (server->config.most && server->spoke >= server->config.most && server->listener)
		enough(server, now);
}

/* The request is here: false if it is none. */
static bool begin(struct wt_bulk_receiver *r, wt_time now)
{
	struct wt_bulk_request request;

	if (!wt_bulk_get_request(r->wire, &request))
		return false;
	r->begun = true;
	r->request = request;
	r->server->begun++;
	if (!r->server->expected)
		r->server->expected = request.streams ? request.streams : 1;
	if (r->server->config.one_run && r->server->listener && r->server->begun >= r->server->expected)
		enough(r->server, now);
	r->size = request.size;
	r->seed = request.seed;
	r->turns = request.kind == WT_BULK_WANTS;
	if (request.kind != WT_BULK_ASKS)
		return !r->turns || (r->server->config.on_sent && (request.size || request.time_ms));
	r->size = 0;
	if (r->app)
		r->reader->release(r);
	r->reader = &wt_rr_reader;
	return r->reader->adopt(&request, r, now);
}

/* Reads what is there, but of a reader's payload nothing; false if this is not our protocol. */
static bool drain(struct wt_bulk_receiver *r, wt_time now)
{
	const uint8_t *data;
	size_t len;

	if (!r->spoke && wt_tcp_readable(r->tcp))
		speaks(r, now);
	while (wt_tcp_readable(r->tcp)) {
		bool asks = awaits_request(r);

		if (!asks && r->app)
			break;
		len = asks ? 0 : take_named(r, SIZE_MAX, now);
		if (len) {
			wt_tcp_consume(r->tcp, len);
			continue;
		}
		len = wt_tcp_peek(r->tcp, &data);
		if (!len)
			break;
		if (asks) {
			if (len > WT_BULK_REQUEST - r->request_have)
				len = WT_BULK_REQUEST - r->request_have;
			memcpy(r->wire + r->request_have, data, len);
			r->request_have += len;
			r->heard = now;
			if (r->request_have == WT_BULK_REQUEST && !begin(r, now))
				return false;
		} else {
			take(r, data, len, now);
		}
		wt_tcp_consume(r->tcp, len);
	}
	return true;
}

/* What the connection counted, into the result. */
static void count(struct wt_bulk_receiver *r)
{
	struct wt_bulk_result *result = &r->result;
	struct wt_tcp_info info;

	wt_tcp_info(r->tcp, &info);
	result->segs = info.segs_received;
	result->dup_segs = info.dup_segs_received;
	result->out_of_order_segs = info.out_of_order_segs_received;
	result->ce_segs = (uint32_t)info.ce_received_segs;
	strncpy(result->receiver, info.receiver ? info.receiver : "", sizeof(result->receiver) - 1);
}

/* The sender's FIN is in and everything is read. */
static void conclude(struct wt_bulk_receiver *r)
{
	struct wt_bulk_result *result = &r->result;

	r->concluded = true;
	if (r->size && result->bytes != r->size && result->verified) {
		result->verified = false;
		result->bad_at = result->bytes < r->size ? result->bytes : r->size;
	}
	count(r);
	if (r->fetches)
		judge_report(r);
	if (r->server->config.raw) {
		wt_tcp_shutdown(r->tcp);
		return;
	}
	wt_bulk_put_result(r->wire, result);
	r->result_left = WT_BULK_RESULT;
}

static void answer(struct wt_bulk_receiver *r)
{
	while (r->result_left) {
		ssize_t n = wt_tcp_write(r->tcp, r->wire + WT_BULK_RESULT - r->result_left, r->result_left);

		if (n <= 0)
			return;
		r->result_left -= (size_t)n;
		if (!r->result_left)
			wt_tcp_shutdown(r->tcp);
	}
}

const struct wt_bulk_result *wt_bulk_result_now(const struct wt_bulk_server *server, const struct wt_endpoint *peer)
{
	struct wt_tcp_info info;

	for (struct wt_bulk_receiver *r = server->receivers; r; r = r->next) {
		if (!r->tcp)
			continue;
		wt_tcp_info(r->tcp, &info);
		if (!wt_endpoint_eq(&info.remote, peer))
			continue;
		if (!r->concluded)
			count(r);
		return &r->result;
	}
	return NULL;
}

size_t wt_bulk_waiting(const struct wt_bulk_receiver *r)
{
	return awaits_request(r) ? 0 : wt_tcp_readable(r->tcp);
}

size_t wt_bulk_pull(struct wt_bulk_receiver *r, size_t len, wt_time now)
{
	size_t taken = 0, part;
	const uint8_t *data;

	while (!awaits_request(r) && taken < len) {
		part = take_named(r, len - taken, now);
		if (!part) {
			part = wt_tcp_peek(r->tcp, &data);
			part = part < len - taken ? part : len - taken;
			if (!part)
				break;
			take(r, data, part, now);
		}
		wt_tcp_consume(r->tcp, part);
		taken += part;
	}
	if (r->eof && !r->concluded && !wt_tcp_readable(r->tcp)) {
		conclude(r);
		answer(r);
	}
	return taken;
}

static enum wt_bulk_fail verdict(const struct wt_bulk_receiver *r)
{
	const struct wt_bulk_result *result = &r->result;

	if (!result->compared || result->verified)
		return WT_BULK_OK;
	return (result->bytes < r->size && result->bad_at == result->bytes) || (r->fetches && !r->report_have) ? WT_BULK_SHORT : WT_BULK_MISMATCH;
}

/* ---- payload is wanted of us ------------------------------------------------------------------------------ */

struct wt_bulk_turned {
	struct wt_bulk_sender sender; /* first */
	struct wt_bulk_server *server;
	struct wt_bulk_turned *next;
};

static void on_turned_done(void *arg, struct wt_bulk_sender *sender)
{
	struct wt_bulk_turned *turned = arg;
	struct wt_bulk_server *server = turned->server;

	for (struct wt_bulk_turned **at = &server->turned; *at; at = &(*at)->next)
		if (*at == turned) {
			*at = turned->next;
			break;
		}
	server->count--;
	if (server->config.on_sent)
		server->config.on_sent(server->config.arg, sender);
	wt_bulk_send_finish(sender);
	free(turned);
}

/* The connection goes from the receiver, which ends without a word, to a sender. */
static void turn(struct wt_bulk_receiver *r, wt_time now)
{
	struct wt_bulk_turned *turned = calloc(1, sizeof(*turned));
	struct wt_bulk_server *server = r->server;
	struct wt_bulk_send_config config = {.size = r->size, .time = (wt_time)r->request.time_ms * WT_MS, .seed = r->seed, .raw = true, .report = true, .sharp = true,
					     .on_done = on_turned_done, .arg = turned};

	if (!turned) {
		finish(r, WT_BULK_BROKEN, -ENOMEM, now);
		return;
	}
	wt_bulk_send_rate(&config, r->request.rate);
	turned->server = server;
	turned->next = server->turned;
	server->turned = turned;
	if (wt_bulk_send_on(&turned->sender, &config, server->host, r->tcp, now)) {
		server->turned = turned->next;
		free(turned);
		finish(r, WT_BULK_BROKEN, -ENOMEM, now);
		return;
	}
	wt_host_timer_set(server->host, &r->timer, WT_NEVER);
	for (struct wt_bulk_receiver **at = &server->receivers; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	if (r->app)
		r->reader->release(r);
	free(r);
}

static void on_tcp(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_bulk_receiver *r = arg;

	if (!(events & WT_TCP_EV_ERROR) && !drain(r, now)) {
		finish(r, WT_BULK_PROTOCOL, 0, now);
		return;
	}
	if (r->turns && !(events & WT_TCP_EV_ERROR)) {
		turn(r, now);
		return;
	}
	if (events & WT_TCP_EV_ERROR) {
		/* All was read and our FIN was under way: what is missing is only its acknowledgement. */
		if (r->concluded && !r->result_left)
			finish(r, verdict(r), 0, now);
		else
			finish(r, WT_BULK_BROKEN, wt_tcp_error(tcp), now);
		return;
	}
	if (events & WT_TCP_EV_EOF)
		r->eof = true;
	if (r->eof && !r->spoke && r->server->config.raw) /* an empty stream is one */
		speaks(r, now);
	if (r->eof && !r->concluded) {
		if (awaits_request(r)) {
			finish(r, WT_BULK_PROTOCOL, 0, now);
			return;
		}
		if (!r->app)
			conclude(r);
	}
	if (r->app && !r->concluded && !awaits_request(r) && (r->eof || events & WT_TCP_EV_WRITABLE || wt_tcp_readable(r->tcp)))
		r->reader->on_data(r, now);
	answer(r);
	if (events & WT_TCP_EV_CLOSED)
		finish(r, r->concluded && !r->result_left ? verdict(r) : WT_BULK_BROKEN, wt_tcp_error(tcp), now);
}

static void on_timer(struct wt_host_timer *timer, wt_time now)
{
	struct wt_bulk_receiver *r = timer->arg;
	const struct wt_bulk_serve_config *config = &r->server->config;
	struct wt_bulk_interval *i = &r->last;

	wt_tcp_info(r->tcp, &i->info);
	i->from = i->to;
	i->to = now - r->accepted;
	i->bytes = r->result.bytes - i->total;
	i->total = r->result.bytes;
	i->retransmits_segs = i->info.retransmits_segs - r->last_retransmits;
	r->last_retransmits = i->info.retransmits_segs;
	wt_host_timer_set(r->server->host, timer, wt_time_add(now, config->interval));
	config->on_interval(config->arg, r, i);
}

/* All places are taken: the one that is silent for longest goes, if it may. */
static void make_room(struct wt_bulk_server *server, wt_time now)
{
	struct wt_bulk_receiver *idle = NULL;

	for (struct wt_bulk_receiver *r = server->receivers; r; r = r->next) {
		bool mute = !r->request_have && !r->result.bytes && !wt_tcp_readable(r->tcp);

		if ((mute || now - r->heard >= WT_BULK_SILENCE) && !r->concluded && (!idle || r->heard <= idle->heard)) /* of equals the one that came first, the last in the list */
			idle = r;
	}
	if (idle) {
		server->evicted++;
		finish(idle, WT_BULK_IDLE, 0, now);
	}
}

static void adopt(struct wt_bulk_server *server, struct wt_tcp *tcp, wt_time now)
{
	const struct wt_bulk_serve_config *config = &server->config;
	struct wt_bulk_receiver *r;
	struct wt_tcp_info info;
	unsigned missed = 0;

	if (server->count >= config->max)
		make_room(server, now);
	r = server->count < config->max ? calloc(1, sizeof(*r)) : NULL;
	if (r) {
		r->server = server;
		r->tcp = tcp;
		r->accepted = r->heard = now;
		r->reader = config->reader;
		if (config->reader && !config->reader->adopt(config->reader_arg, r, now)) {
			free(r);
			r = NULL;
		}
	}
	if (!r) {
		server->refused++;
		wt_tcp_abort(tcp);
		return;
	}
	r->seed = config->raw_seed;
	r->result.compared = r->result.verified = !config->raw || config->raw_compare;
	r->timer.fire = on_timer;
	r->timer.arg = r;
	r->next = server->receivers;
	server->receivers = r;
	server->count++;
	server->accepted++;
	wt_tcp_set_callback(tcp, on_tcp, r);
	if (config->interval && config->on_interval)
		wt_host_timer_set(server->host, &r->timer, wt_time_add(now, config->interval));
	if (config->on_accept)
		config->on_accept(config->arg, r);
	/* Data, FIN or an error may have come before we took it; their callbacks went to the listener. */
	wt_tcp_info(tcp, &info);
	if (info.state == WT_TCP_CLOSE_WAIT)
		missed = WT_TCP_EV_EOF;
	if (info.state == WT_TCP_CLOSED)
		missed = WT_TCP_EV_ERROR;
	on_tcp(r, tcp, missed, now);
}

static void on_listener(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_bulk_server *server = arg;
	struct wt_tcp *accepted;

	if (tcp != server->listener || !(events & WT_TCP_EV_ACCEPT))
		return;
	while (server->listener && (accepted = wt_tcp_accept(server->listener))) {
		adopt(server, accepted, now);
	}
}

int wt_bulk_serve(struct wt_bulk_server *server, const struct wt_bulk_serve_config *config, struct wt_host *host,
		  uint16_t port, const struct wt_tcp_config *tcp)
{
	struct wt_tcp_config own = *tcp;

	memset(server, 0, sizeof(*server));
	server->config = *config;
	server->host = host;
	server->port = port;
	if (!server->config.max)
		server->config.max = WT_BULK_PLACES;
	own.callback = on_listener;
	own.arg = server;
	errno = 0;
	server->listener = wt_tcp_listen(host, &(struct wt_endpoint){.port = port}, server->config.max, &own);
	if (!server->listener)
		return errno ? -errno : -ENOMEM;
	return 0;
}

int wt_bulk_fetch(struct wt_bulk_server *server, const struct wt_bulk_serve_config *config, struct wt_host *host,
		  const struct wt_endpoint *remote, const struct wt_tcp_config *tcp, const struct wt_bulk_request *request, wt_time now)
{
	uint8_t wire[WT_BULK_REQUEST];
	struct wt_tcp *connection;

	memset(server, 0, sizeof(*server));
	server->config = *config;
	server->config.raw = server->config.raw_compare = true;
	server->config.raw_seed = request->seed;
	server->config.max = 1;
	server->host = host;
	errno = 0;
	connection = wt_tcp_connect(host, remote, NULL, tcp, now);
	if (!connection)
		return errno ? -errno : -ENOMEM;
	wt_bulk_put_request(wire, request);
	wt_tcp_write(connection, wire, sizeof(wire)); /* the buffer is empty */
	adopt(server, connection, now);
	if (!server->receivers)
		return -ENOMEM;
	server->receivers->size = request->size;
	server->receivers->fetches = true;
	return 0;
}

bool wt_bulk_run_over(const struct wt_bulk_server *server)
{
	return !server->count && server->begun >= server->expected;
}

struct wt_flow_part wt_bulk_received_part(const struct wt_bulk_receiver *r)
{
	wt_time time = r->result.last - r->omitted;
	struct wt_flow_part part = {
		.from = r->accepted + r->omitted, .to = r->accepted + r->result.last, .bytes = r->result.bytes - r->omitted_bytes,
		.payload = r->result.bytes, .segs = r->report.segs, .retransmits_segs = r->report.retransmits_segs,
	};

	part.goodput = time > 0 ? (double)part.bytes * 1e9 / (double)time : 0;
	return part;
}

double wt_bulk_received_goodput(const struct wt_bulk_receiver *r)
{
	return wt_bulk_received_part(r).goodput;
}

void wt_bulk_serve_stop(struct wt_bulk_server *server)
{
	stop_listening(server);
	while (server->turned)
		wt_bulk_send_cancel(&server->turned->sender, wt_host_now(server->host));
	while (server->receivers)
		finish(server->receivers, WT_BULK_CANCELLED, 0, wt_host_now(server->host));
}

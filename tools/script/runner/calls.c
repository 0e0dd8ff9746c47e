/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket calls of a script on top of the engine's own calls. None of them blocks; run.c tries those again that may. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/script/runner/world.h"

#define CHUNK 65536

/* A call in progress: where its result goes, and whom to tell about a wrong script. */
struct call {
	struct wt_script_world *world;
	const struct wt_script_event *event;
	const struct wt_script_call *said;
	struct wt_script_socket *socket;
	int64_t result;
	int error;
};

static bool finish(struct call *call, int64_t result)
{
	call->result = result < 0 ? -1 : result;
	call->error = result < 0 ? (int)-result : 0;
	return true;
}

static bool bad(struct call *call, const char *what)
{
	call->world->report->bad = true;
	return wt_script_failed(call->world, call->event->line, "%s(): %s", call->said->name, what);
}

static int64_t argument(const struct call *call, unsigned i)
{
	return i < call->said->count ? call->said->arguments[i].number : 0;
}

static struct wt_script_socket *find_socket(struct wt_script_world *world, int64_t label)
{
	for (unsigned i = 0; i < WT_SCRIPT_SOCKETS; i++)
		if (world->sockets[i].used && world->sockets[i].label == label)
			return &world->sockets[i];
	return NULL;
}

/* A socket under the number the script expects; NULL after failing. */
static struct wt_script_socket *new_socket(struct call *call)
{
	struct wt_script_world *world = call->world;
	int64_t label = call->said->result;

	if (label < 0 || label > 100000 || find_socket(world, label)) {
		bad(call, "expects a number that is not a free descriptor");
		return NULL;
	}
	for (unsigned i = 0; i < WT_SCRIPT_SOCKETS; i++) {
		struct wt_script_socket *socket = &world->sockets[i];

		if (socket->used)
			continue;
		memset(socket, 0, sizeof(*socket));
		socket->used = true;
		socket->label = (int)label;
		socket->config = world->options.tcp;
		socket->keepidle_s = 7200; /* RFC 9293 3.8.4 MUST-28: no less than two hours by default */
		return socket;
	}
	bad(call, "too many sockets");
	return NULL;
}

static void made_current(struct wt_script_world *world, struct wt_script_socket *socket)
{
	struct wt_tcp_info info;

	wt_tcp_info(socket->tcp, &info);
	socket->conn = info.conn;
	world->current_socket = (int)(socket - world->sockets);
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

static bool call_socket(struct call *call)
{
	return new_socket(call) && finish(call, call->said->result);
}

static bool call_bind(struct call *call)
{
	call->socket->bound = true;
	call->socket->port = argument(call, 1) ? (uint16_t)argument(call, 1) : call->world->options.bind_port;
	return finish(call, 0);
}

static bool call_listen(struct call *call)
{
	struct wt_script_socket *socket = call->socket;
	int64_t backlog = argument(call, 1);

	if (!socket->bound)
		return bad(call, "the socket is not bound");
	if (socket->tcp)
		return finish(call, -EINVAL);
	socket->tcp = wt_tcp_listen(call->world->host, &(struct wt_endpoint){.port = socket->port}, backlog < 1 ? 1 : (unsigned)backlog,
				    &socket->config);
	if (!socket->tcp)
		return finish(call, -errno);
	socket->listening = true;
	return finish(call, 0);
}

static struct wt_tcp *take_accepted(struct wt_script_socket *listener)
{
	struct wt_tcp *tcp = listener->accepted;

	listener->accepted = NULL;
	return tcp ? tcp : wt_tcp_accept(listener->tcp);
}

static bool call_accept(struct call *call)
{
	struct wt_script_socket *socket;
	struct wt_tcp *tcp;

	if (!call->socket->listening)
		return finish(call, -EINVAL);
	tcp = take_accepted(call->socket);
	if (!tcp)
		return finish(call, -errno);
	socket = new_socket(call);
	if (!socket) {
		wt_tcp_abort(tcp);
		return false;
	}
	socket->tcp = tcp;
	socket->config = call->socket->config;
	socket->connect_told = true;
	made_current(call->world, socket);
	return finish(call, socket->label);
}

static bool connect_again(struct call *call)
{
	struct wt_script_socket *socket = call->socket;
	int error = wt_tcp_error(socket->tcp);
	struct wt_tcp_info info;

	if (error)
		return finish(call, error);
	wt_tcp_info(socket->tcp, &info);
	if (info.state == WT_TCP_SYN_SENT || info.state == WT_TCP_SYN_RECEIVED)
		return finish(call, -EALREADY);
	if (socket->connect_told)
		return finish(call, -EISCONN);
	socket->connect_told = true;
	return finish(call, 0);
}

static bool call_connect(struct call *call)
{
	struct wt_script_socket *socket = call->socket;
	struct wt_script_world *world = call->world;
	struct wt_endpoint remote = {world->options.remote, world->options.connect_port}, local = {.port = socket->bound ? socket->port : 0};

	if (socket->tcp)
		return socket->listening ? finish(call, -EISCONN) : connect_again(call);
	if (argument(call, 1))
		remote.port = (uint16_t)argument(call, 1);
	socket->tcp = wt_tcp_connect(world->host, &remote, &local, &socket->config, world->base + world->now);
	if (!socket->tcp)
		return finish(call, -errno);
	made_current(world, socket);
	return finish(call, -EINPROGRESS);
}

/* ---- data --------------------------------------------------------------------------------------------------- */

static bool need_connection(struct call *call, bool *done)
{
	*done = !call->socket->tcp || call->socket->listening;
	return !*done || finish(call, -ENOTCONN);
}

static bool call_read(struct call *call)
{
	static uint8_t data[CHUNK];
	struct wt_script_socket *socket = call->socket;
	int64_t want = argument(call, 2);
	ssize_t got;
	bool done;

	if (need_connection(call, &done) && done)
		return true;
	if (want < 0 || want > CHUNK)
		return bad(call, "reads at most 65536 bytes");
	if (argument(call, 3) & MSG_PEEK)
		return bad(call, "MSG_PEEK is not in this language");
	if (socket->shut_read)
		return finish(call, 0);
	got = wt_tcp_read(socket->tcp, data, (size_t)want);
	for (ssize_t i = 0; i < got; i++, socket->read++)
		if (data[i] != wt_script_stream_byte(socket->read))
			return wt_script_failed(call->world, call->event->line,
						"byte %u of the stream reads 0x%02x, but 0x%02x was sent", socket->read, data[i],
						wt_script_stream_byte(socket->read));
	return finish(call, got);
}

static bool call_write(struct call *call)
{
	static uint8_t data[CHUNK];
	struct wt_script_socket *socket = call->socket;
	struct wt_script_blocked *blocked = &call->world->blocked;
	int64_t want = argument(call, 2);
	ssize_t taken;
	bool done;

	if (need_connection(call, &done) && done)
		return true;
	if (want < 1 || want > 1 << 30)
		return bad(call, "writes 1 byte to 1 GiB");
	if (blocked->event == call->event)
		want -= blocked->so_far;
	else if (call->event->range)
		blocked->so_far = 0;
	taken = 0;
	for (int64_t left = want; left > 0;) {
		size_t chunk = left < CHUNK ? (size_t)left : CHUNK;
		ssize_t one;

		for (size_t i = 0; i < chunk; i++)
			data[i] = wt_script_stream_byte(socket->written + (uint32_t)i);
		one = wt_tcp_write(socket->tcp, data, chunk);
		if (one <= 0 && !taken)
			return finish(call, one ? one : -EAGAIN);
		if (one <= 0)
			break;
		socket->written += (uint32_t)one;
		taken += one;
		left -= one;
	}
	if (!call->event->range)
		return finish(call, taken);
	blocked->so_far += taken; /* a blocking write returns when all is taken */
	return taken == want ? finish(call, blocked->so_far) : finish(call, -EAGAIN);
}

/* ---- closing ------------------------------------------------------------------------------------------------- */

static bool call_shutdown(struct call *call)
{
	int64_t how = argument(call, 1);
	bool done;
	int status = 0;

	if (need_connection(call, &done) && done)
		return true;
	if (how != SHUT_WR)
		call->socket->shut_read = true;
	if (how != SHUT_RD)
		status = wt_tcp_shutdown(call->socket->tcp);
	return finish(call, status);
}

static bool call_close(struct call *call)
{
	struct wt_script_socket *socket = call->socket;

	wt_tcp_let_go(socket->tcp, socket->accepted, socket->linger_abort && !socket->listening);
	socket->used = false;
	socket->tcp = socket->accepted = NULL;
	return finish(call, 0);
}

/* ---- the rest ------------------------------------------------------------------------------------------------- */

static bool call_setsockopt(struct call *call)
{
	char why[200] = "";
	int status;

	if (call->said->count < 4)
		return bad(call, "needs a socket, a level, a name and a value");
	status = wt_script_setsockopt(call->socket, call->said, why, sizeof(why));
	return status > 0 ? bad(call, why) : finish(call, status);
}

static bool call_getsockopt(struct call *call)
{
	char why[200] = "";
	int status;

	if (call->said->count < 4)
		return bad(call, "needs a socket, a level, a name and a value");
	status = wt_script_getsockopt(call->socket, call->said, why, sizeof(why));
	return status > 0 ? wt_script_failed(call->world, call->event->line, "getsockopt(): %s", why) : finish(call, status);
}

static bool call_fcntl(struct call *call)
{
	return finish(call, argument(call, 1) == F_GETFL ? O_RDWR : 0); /* calls without a time range never block */
}

static short events_of(struct wt_script_socket *socket)
{
	struct wt_tcp_info info;
	short events = 0;

	if (!socket->tcp)
		return POLLOUT | POLLHUP;
	if (socket->listening) {
		socket->accepted = take_accepted(socket);
		return socket->accepted ? POLLIN : 0;
	}
	wt_tcp_info(socket->tcp, &info);
	if (wt_tcp_error(socket->tcp))
		events |= POLLERR;
	if (info.state == WT_TCP_CLOSED)
		return events | POLLHUP | POLLIN | POLLOUT;
	if (wt_tcp_readable(socket->tcp) || info.state == WT_TCP_CLOSE_WAIT || info.state == WT_TCP_CLOSING ||
	    info.state == WT_TCP_LAST_ACK || info.state == WT_TCP_TIME_WAIT)
		events |= POLLIN;
	if (info.state != WT_TCP_SYN_SENT && info.state != WT_TCP_SYN_RECEIVED && wt_tcp_writable(socket->tcp))
		events |= POLLOUT;
	return events;
}

static int64_t field(const struct wt_script_value *value, const char *name)
{
	for (unsigned i = 0; i < value->count; i++)
		if (!strcmp(value->items[i].text, name))
			return value->items[i].number;
	return 0;
}

/* poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, 0): never waits; a time range makes it wait */
static bool call_poll(struct call *call)
{
	const struct wt_script_value *set = &call->said->arguments[0];
	int64_t ready = 0;

	if (set->kind != WT_SV_LIST)
		return bad(call, "needs a list of {fd=, events=, revents=}");
	for (unsigned i = 0; i < set->count; i++) {
		struct wt_script_socket *socket = find_socket(call->world, field(&set->items[i], "fd"));
		int64_t asked = field(&set->items[i], "events") | POLLERR | POLLHUP, is;

		if (!socket)
			return bad(call, "asks about a socket that is not open");
		is = events_of(socket) & asked;
		ready += is != 0;
		if (call->event->range && !is)
			continue;
		if (is != field(&set->items[i], "revents"))
			return wt_script_failed(call->world, call->event->line, "poll(): revents of %d is 0x%x", socket->label,
						(unsigned)is);
	}
	return finish(call, ready || !call->event->range ? ready : -EAGAIN);
}

static const struct {
	const char *name;
	bool (*run)(struct call *call);
	bool needs_socket;
} table[] = {
	{"socket", call_socket, false},  {"bind", call_bind, true},         {"listen", call_listen, true},
	{"accept", call_accept, true},   {"connect", call_connect, true},   {"read", call_read, true},
	{"recv", call_read, true},       {"write", call_write, true},       {"send", call_write, true},
	{"shutdown", call_shutdown, true}, {"close", call_close, true},     {"setsockopt", call_setsockopt, true},
	{"getsockopt", call_getsockopt, true}, {"fcntl", call_fcntl, true}, {"poll", call_poll, false},
};

bool wt_script_call_do(struct wt_script_world *world, const struct wt_script_event *event, int64_t *result, int *error)
{
	struct call call = {.world = world, .event = event, .said = &event->call};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, call.said->name))
			continue;
		call.socket = find_socket(world, argument(&call, 0));
		if (!table[i].needs_socket || call.socket) {
			if (!table[i].run(&call))
				return false;
		} else {
			finish(&call, -EBADF);
		}
		*result = call.result;
		*error = call.error;
		return true;
	}
	return bad(&call, "no such call in this language");
}

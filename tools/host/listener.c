/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listeners. The program's is an AF_UNIX one; the daemon connects to it for each connection of the engine, so that accept() is the
 * kernel's, and workers that forked share it. A listener has ended when its abstract name can be bound: nobody holds it any more.
 */
#include <errno.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

struct wt_conn *wt_listener_find(struct wt_daemon *daemon, uint32_t local, uint16_t port)
{
	for (uint32_t i = 0; i < daemon->high; i++) {
		struct wt_conn *conn = &daemon->conn[i];
		uint32_t addr;

		if (conn->kind != WT_SLOT_LISTENER || conn->local.port != port)
			continue;
		memcpy(&addr, conn->local.addr.bytes, 4);
		if (addr == local || !addr || !local)
			return conn;
	}
	return NULL;
}

/* ---- connections that came ------------------------------------------------------------------------------ */

static int to_loopback(const struct wt_listener *listener, int *fd)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(listener->serves), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return -errno;
	return connect(*fd, (struct sockaddr *)&in, sizeof(in)) < 0 && errno != EINPROGRESS ? -errno : 0;
}

static void drop_app(struct wt_listener *listener, unsigned i)
{
	close(listener->app[i].keeper);
	listener->app[i] = listener->app[--listener->apps];
}

/* To one of the programs that listen, in turn. -EAGAIN: its queue is full; -ECONNREFUSED: there is none. */
static int to_program(struct wt_listener *listener, int fd)
{
	while (listener->apps) {
		unsigned i = listener->next++ % listener->apps;

		if (connect(fd, (struct sockaddr *)&listener->app[i].name, listener->app[i].len) == 0)
			return 0;
		if (errno == EAGAIN)
			return -EAGAIN;
		drop_app(listener, i);
	}
	return -ECONNREFUSED;
}

/* To the program, which may run before connect() has returned: by then the slot has a name and its state. -EAGAIN: conn->fd is kept for later. */
static int offer_program(struct wt_daemon *daemon, struct wt_conn *from, struct wt_conn *conn)
{
	int fd = conn->fd, error;

	if (fd < 0) {
		fd = conn->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		error = fd < 0 ? -errno : wt_conn_name(daemon, conn, fd);
		if (error)
			return error;
	}
	wt_conn_publish(daemon, conn, 0);
	error = to_program(from->listener, fd);
	if (error)
		return error;
	error = wt_conn_attach(daemon, conn, fd);
	if (error)
		close(fd);
	return error;
}

static int offer_loopback(struct wt_daemon *daemon, struct wt_conn *from, struct wt_conn *conn)
{
	int fd, error = to_loopback(from->listener, &fd);

	if (!error) /* it may still be connecting: the bytes wait */
		error = wt_conn_attach(daemon, conn, fd);
	if (error && fd >= 0)
		close(fd);
	return error;
}

/* What came while nobody had it is not told again. */
static bool peer_finished(const struct wt_tcp *tcp)
{
	struct wt_tcp_info info;

	wt_tcp_info(tcp, &info);
	return info.state == WT_TCP_CLOSE_WAIT || info.state >= WT_TCP_CLOSING;
}

static void take_one(struct wt_daemon *daemon, struct wt_conn *from, struct wt_conn *conn)
{
	int error;

	conn->connected = true;
	conn->peer_eof = peer_finished(conn->tcp);
	error = from->listener->serves ? offer_loopback(daemon, from, conn) : offer_program(daemon, from, conn);
	from->waits = error == -EAGAIN ? conn : NULL;
	if (error == -EAGAIN) {
		ev_timer_again(daemon->transfer.station.ev, &daemon->retry);
		return;
	}
	if (error) {
		wt_conn_drop_tcp(daemon, conn, true, 0);
		wt_conn_drop_fd(daemon, conn);
		return;
	}
	wt_tcp_set_callback(conn->tcp, wt_pump_callback, conn);
	wt_pump_callback(conn, conn->tcp, WT_TCP_EV_READABLE | WT_TCP_EV_PUSHED | (wt_tcp_error(conn->tcp) ? WT_TCP_EV_ERROR : 0), 0);
}

static void accept_all(struct wt_daemon *daemon, struct wt_conn *from)
{
	struct wt_tcp_info info;
	struct wt_conn *conn;
	struct wt_tcp *tcp;

	while (from->kind == WT_SLOT_LISTENER && !from->waits && (from->listener->apps || from->listener->serves) &&
	       (tcp = wt_tcp_accept(from->tcp))) {
		conn = wt_conn_take(daemon, WT_SLOT_CONNECTION);
		if (!conn) {
			wt_tcp_abort(tcp);
			continue;
		}
		wt_tcp_info(tcp, &info);
		conn->tcp = tcp;
		conn->arg = daemon;
		conn->local = info.local;
		conn->remote = info.remote;
		memcpy(conn->option, from->option, sizeof(conn->option));
		wt_tcp_set_callback(tcp, NULL, NULL);
		take_one(daemon, from, conn);
	}
}

static void on_listener(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_conn *from = arg;

	if (from->tcp == tcp && events & WT_TCP_EV_ACCEPT)
		accept_all(from->arg, from);
}

/* One whose program had no room, 5 ms later. */
void wt_listener_retry(struct wt_daemon *daemon)
{
	for (uint32_t i = 0; i < daemon->high; i++) {
		struct wt_conn *from = &daemon->conn[i], *conn = from->waits;

		if (from->kind != WT_SLOT_LISTENER || !conn)
			continue;
		if (conn->tcp && wt_tcp_error(conn->tcp)) { /* the peer has given up */
			from->waits = NULL;
			wt_conn_drop_tcp(daemon, conn, false, 0);
			wt_conn_drop_fd(daemon, conn);
		} else {
			take_one(daemon, from, conn);
		}
		if (!from->waits)
			accept_all(daemon, from);
	}
}

/* ---- opening and ending --------------------------------------------------------------------------------- */

static void end_listener(struct wt_daemon *daemon, struct wt_conn *from)
{
	struct wt_conn *conn = from->waits;

	if (conn) {
		wt_conn_drop_tcp(daemon, conn, true, 0);
		wt_conn_drop_fd(daemon, conn);
	}
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	wt_tcp_close(from->tcp);
	from->tcp = NULL;
	free(from->listener);
	from->listener = NULL;
	from->kind = WT_SLOT_FREE;
}

static void reap(struct wt_daemon *daemon, struct wt_conn *from)
{
	struct wt_listener *listener = from->listener;

	for (unsigned i = 0; i < listener->apps; i++) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return;
		if (bind(fd, (struct sockaddr *)&listener->app[i].name, listener->app[i].len) == 0)
			drop_app(listener, i--);
		close(fd);
	}
	if (!listener->apps && !listener->serves)
		end_listener(daemon, from);
}

void wt_listener_probe(struct wt_daemon *daemon)
{
	for (uint32_t i = 0; i < daemon->high; i++)
		if (daemon->conn[i].kind == WT_SLOT_LISTENER)
			reap(daemon, &daemon->conn[i]);
}

/* NULL: *error is an errno. */
static struct wt_conn *open_listener(struct wt_daemon *daemon, uint32_t local, uint16_t port, int backlog, struct wt_tcp_config *config, int *error)
{
	struct wt_conn *conn = wt_conn_take(daemon, WT_SLOT_LISTENER);
	struct wt_endpoint endpoint = {.port = port};

	*error = ENOBUFS;
	if (!conn)
		return NULL;
	conn->listener = calloc(1, sizeof(*conn->listener));
	endpoint.addr.family = local ? WT_FAMILY_IPV4 : WT_FAMILY_NONE;
	memcpy(endpoint.addr.bytes, &local, 4);
	conn->local = endpoint;
	conn->arg = daemon;
	config->callback = on_listener;
	config->arg = conn;
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	conn->tcp = conn->listener ? wt_tcp_listen(daemon->transfer.station.host, &endpoint, backlog > 0 ? (unsigned)backlog : 1, config) : NULL;
	if (conn->tcp)
		return conn;
	*error = conn->listener ? errno : ENOMEM;
	free(conn->listener);
	conn->listener = NULL;
	conn->kind = WT_SLOT_FREE;
	return NULL;
}

int wt_listener_open(struct wt_daemon *daemon, const struct wt_host_question *question, int keeper)
{
	struct wt_conn *conn = wt_listener_find(daemon, question->local, question->local_port);
	size_t len = strnlen(question->name, WT_HOST_NAME);
	struct wt_tcp_config config;
	struct wt_app *app;
	int error;

	if (!question->local_port || len < 12 || len >= WT_HOST_NAME || memcmp(question->name, "wavetank/l", 10) != 0)
		return EINVAL;
	if (conn)
		reap(daemon, conn);
	if (conn && conn->kind == WT_SLOT_LISTENER) {
		if (!question->reuse_port || !conn->listener->reuse_port || conn->listener->serves || conn->listener->apps == WT_HOST_APPS)
			return EADDRINUSE;
	} else {
		error = wt_conn_config(daemon, question, &config);
		conn = error ? NULL : open_listener(daemon, question->local, question->local_port, question->backlog, &config, &error);
		if (!conn)
			return error;
		memcpy(conn->option, question->option, sizeof(conn->option));
		conn->listener->reuse_port = question->reuse_port;
		wt_conn_publish(daemon, conn, 0);
	}
	app = &conn->listener->app[conn->listener->apps++];
	*app = (struct wt_app){.name.sun_family = AF_UNIX, .keeper = keeper,
			       .len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)};
	memcpy(app->name.sun_path + 1, question->name, len);
	return 0;
}

int wt_listener_serve(struct wt_daemon *daemon, uint16_t port, uint16_t serves)
{
	struct wt_tcp_config config = daemon->transfer.tcp;
	int error = 0;
	struct wt_conn *conn = open_listener(daemon, 0, port, 1024, &config, &error);

	if (!conn)
		return error;
	conn->listener->serves = serves;
	return 0;
}

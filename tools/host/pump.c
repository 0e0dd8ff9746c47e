/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes, both ways. To the engine as long as it takes some; to the program once per turn of the loop, when all that came in this turn is
 * there, because a write of 64 KB costs little more than one of 1448 bytes.
 *
 *   the program            we see                          the engine
 *   shuts its writing      end of file, no HUP             wt_tcp_shutdown()
 *   closes                 end of file and HUP             wt_tcp_close()
 *   closes, bytes unread   ECONNRESET, EPOLLERR            wt_tcp_abort() at once, also while the send buffer is full
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

enum { CHUNK = 65536 };

static uint8_t chunk[CHUNK];

void wt_pump_mark(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (conn->dirty)
		return;
	conn->dirty = true;
	conn->next_dirty = daemon->dirty;
	daemon->dirty = conn;
}

/* ---- engine to program --------------------------------------------------------------------------------- */

static void tell_eof(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (!conn->peer_eof || conn->told_eof || conn->fd < 0 || (conn->tcp && wt_tcp_readable(conn->tcp)))
		return;
	conn->told_eof = true;
	wt_conn_publish(daemon, conn, 0); /* before the program can see the end */
	shutdown(conn->fd, SHUT_WR);
}

static void to_program(struct wt_daemon *daemon, struct wt_conn *conn)
{
	size_t len;
	ssize_t n;

	while (conn->tcp && conn->fd >= 0 && conn->connected && (len = wt_tcp_copy(conn->tcp, chunk, sizeof(chunk))) > 0) {
		n = conn->discard ? (ssize_t)len : send(conn->fd, chunk, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return; /* EPOLLOUT follows */
		if (n < 0)
			conn->discard = true;
		else
			wt_tcp_consume(conn->tcp, (size_t)n);
	}
	tell_eof(daemon, conn);
}

/* ---- program to engine --------------------------------------------------------------------------------- */

static void app_closed(struct wt_daemon *daemon, struct wt_conn *conn)
{
	wt_conn_drop_tcp(daemon, conn, conn->resets, 0);
	wt_conn_drop_fd(daemon, conn);
}

static void app_eof(struct wt_daemon *daemon, struct wt_conn *conn)
{
	struct pollfd look = {.fd = conn->fd};

	conn->app_eof = true;
	poll(&look, 1, 0);
	/* With our SHUT_WR the program's SHUT_WR and its close() look alike, and both directions are done. */
	if (look.revents & (POLLHUP | POLLERR))
		app_closed(daemon, conn);
	else
		wt_tcp_shutdown(conn->tcp);
}

/* What the engine had no memory for goes first. True: it is gone. */
static bool push_left(struct wt_conn *conn)
{
	ssize_t n = conn->left_len ? wt_tcp_write(conn->tcp, conn->left, conn->left_len) : 0;

	if (n > 0) {
		memmove(conn->left, conn->left + n, conn->left_len - (size_t)n);
		conn->left_len -= (size_t)n;
	}
	return !conn->left_len;
}

/* Takes over what the engine did not take. False: no memory for that either. */
static bool keep_left(struct wt_conn *conn, const uint8_t *data, size_t len)
{
	if (!conn->left)
		conn->left = malloc(CHUNK);
	if (!conn->left)
		return false;
	memcpy(conn->left, data, len);
	conn->left_len = len;
	return true;
}

static void to_engine(struct wt_daemon *daemon, struct wt_conn *conn)
{
	while (conn->connected && conn->tcp && conn->fd >= 0 && !conn->app_eof && push_left(conn)) {
		size_t room = wt_tcp_writable(conn->tcp);
		ssize_t n, taken;

		if (!room) {
			wt_tcp_write(conn->tcp, chunk, 1); /* refused: WT_TCP_EV_WRITABLE follows */
			return;
		}
		n = recv(conn->fd, chunk, room < sizeof(chunk) ? room : sizeof(chunk), MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) { /* closed with unread bytes */
			wt_conn_drop_tcp(daemon, conn, true, 0);
			wt_conn_drop_fd(daemon, conn);
			return;
		}
		if (n == 0) {
			app_eof(daemon, conn);
			return;
		}
		taken = wt_tcp_write(conn->tcp, chunk, (size_t)n);
		conn->busy = true;
		if (taken < 0 && taken != -EAGAIN && taken != -ENOBUFS)
			return; /* the connection has ended: its event comes */
		taken = taken < 0 ? 0 : taken;
		if (taken < n && !keep_left(conn, chunk + taken, (size_t)(n - taken))) {
			wt_conn_drop_tcp(daemon, conn, true, ENOBUFS);
			wt_conn_drop_fd(daemon, conn);
		}
	}
}

/* ---- events -------------------------------------------------------------------------------------------- */

static void eat_filler(struct wt_conn *conn)
{
	ssize_t n;

	while (conn->filler && (n = recv(conn->fd, chunk, conn->filler < CHUNK ? conn->filler : CHUNK, MSG_DONTWAIT)) > 0)
		conn->filler -= (uint32_t)n;
}

/* Bytes that have come are the program's, an error follows them; without a connection the filler stays, which is POLLERR to the program. */
static void ended(struct wt_daemon *daemon, struct wt_conn *conn)
{
	int error = wt_tcp_error(conn->tcp);

	to_program(daemon, conn);
	if (!conn->connected)
		wt_conn_refuse(conn->fd);
	wt_conn_drop_tcp(daemon, conn, false, error ? -error : ECONNRESET);
	wt_conn_drop_fd(daemon, conn);
}

void wt_pump_callback(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_conn *conn = arg;
	struct wt_daemon *daemon = conn->arg;

	if (conn->tcp != tcp)
		return;
	if (events & WT_TCP_EV_CONNECTED && !conn->connected) {
		conn->connected = true;
		wt_conn_publish(daemon, conn, 0);
		eat_filler(conn);
		to_engine(daemon, conn);
	}
	if (conn->tcp && events & WT_TCP_EV_ERROR) {
		ended(daemon, conn);
		return;
	}
	if (events & WT_TCP_EV_EOF)
		conn->peer_eof = true;
	conn->busy = true;
	if (conn->tcp && events & (WT_TCP_EV_READABLE | WT_TCP_EV_EOF | WT_TCP_EV_CLOSED))
		wt_pump_mark(daemon, conn);
	if (conn->tcp && events & WT_TCP_EV_WRITABLE)
		to_engine(daemon, conn);
}

void wt_pump_events(struct wt_daemon *daemon, struct wt_conn *conn, uint32_t events)
{
	if (!conn->connected) {
		if (events & (EPOLLHUP | EPOLLERR))
			app_closed(daemon, conn);
		return;
	}
	if (events & EPOLLERR && conn->tcp) { /* it closed with bytes unread: nothing it wrote matters any more */
		wt_conn_drop_tcp(daemon, conn, true, 0);
		wt_conn_drop_fd(daemon, conn);
		return;
	}
	if (events & EPOLLOUT)
		to_program(daemon, conn);
	if (conn->tcp && conn->fd >= 0)
		to_engine(daemon, conn);
	if (conn->fd >= 0 && conn->app_eof && events & EPOLLHUP)
		app_closed(daemon, conn);
}

/* Before the loop sleeps. */
void wt_pump_dirty(struct wt_daemon *daemon)
{
	while (daemon->dirty) {
		struct wt_conn *conn = daemon->dirty;

		daemon->dirty = conn->next_dirty;
		conn->dirty = false;
		if (conn->kind == WT_SLOT_CONNECTION)
			to_program(daemon, conn);
	}
}

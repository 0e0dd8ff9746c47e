/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes, both ways, from and to where the engine keeps them. To the engine when a good part of its buffer is free; to the program once per turn
 * of the loop, when all that came in this turn is there, because a write of 64 KB costs little more than one of 1448 bytes, and wakes the program
 * once. In the middle of a stream they wait for more: until there are 32 KB, a segment with PSH, or a turn of the loop after a millisecond; and no
 * longer than four, which wake the loop.
 *
 *   the program            we see                          the engine
 *   shuts its writing      end of file, no HUP             wt_tcp_shutdown()
 *   closes                 end of file and HUP             wt_tcp_close()
 *   closes, bytes unread   ECONNRESET, EPOLLERR            wt_tcp_abort() in the same turn, also while the send buffer is full: behind what the
 *                                                          windows let leave of what it wrote, because write() of a kernel's TCP has sent that
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

enum {
	PIECES = 65,       /* of a call: 256 KB in chunks of the engine's stores, which begin anywhere in the first */
	LARGE = 1 << 18,
	FILLER = 1 << 14,
	ENOUGH = 1 << 15,  /* readable bytes that wait for no more: what a pair has room for */
};

void wt_pump_mark(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (conn->dirty)
		return;
	conn->dirty = true;
	conn->next_dirty = daemon->dirty;
	daemon->dirty = conn;
}

/* Bytes came in the middle of a stream. */
static void gather(struct wt_daemon *daemon, struct wt_conn *conn)
{
	size_t window = wt_tcp_get_config(conn->tcp)->settings.rcv_buffer, readable = wt_tcp_readable(conn->tcp);

	if (conn->full)
		return; /* EPOLLOUT will tell of room */
	if (readable >= ENOUGH || readable >= window / 4) {
		wt_pump_mark(daemon, conn);
	} else if (!conn->gathers) {
		conn->gathers = true;
		conn->next_gathers = daemon->gathers;
		conn->gathers_at = &daemon->gathers;
		if (daemon->gathers) {
			daemon->gathers->gathers_at = &conn->next_gathers;
		} else {
			daemon->gathers_since = ev_now(daemon->transfer.station.ev);
			ev_timer_again(daemon->transfer.station.ev, &daemon->gather);
		}
		daemon->gathers = conn;
	}
}

/* It waits no more; and the loop does not wake for nobody. */
static void gather_no_more(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (!conn->gathers)
		return;
	conn->gathers = false;
	*conn->gathers_at = conn->next_gathers;
	if (conn->next_gathers)
		conn->next_gathers->gathers_at = conn->gathers_at;
	if (!daemon->gathers)
		ev_timer_stop(daemon->transfer.station.ev, &daemon->gather);
}

void wt_pump_gathered(struct wt_daemon *daemon)
{
	while (daemon->gathers) {
		struct wt_conn *conn = daemon->gathers;

		gather_no_more(daemon, conn);
		if (conn->kind == WT_SLOT_CONNECTION && conn->tcp && wt_tcp_readable(conn->tcp))
			wt_pump_mark(daemon, conn);
	}
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

/* Each read and each write of the program would wake us: so we ask for room only while there is none, and for bytes only while they could go on.
 * Asked anew, the epoll says at once what is there. */
static void watch(struct wt_daemon *daemon, struct wt_conn *conn, bool *what, bool want)
{
	if (*what == want || conn->fd < 0)
		return;
	*what = want;
	wt_conn_watch(daemon, conn, EPOLL_CTL_MOD);
}

static void to_program(struct wt_daemon *daemon, struct wt_conn *conn)
{
	struct iovec piece[PIECES];
	struct msghdr message = {.msg_iov = piece};

	gather_no_more(daemon, conn);
	while (conn->tcp && conn->fd >= 0 && conn->connected && (message.msg_iovlen = wt_tcp_pieces(conn->tcp, LARGE, piece, PIECES)) > 0) {
		ssize_t n = conn->discard ? (ssize_t)wt_tcp_readable(conn->tcp) : sendmsg(conn->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			watch(daemon, conn, &conn->full, true);
			return; /* EPOLLOUT follows */
		}
		if (n < 0)
			conn->discard = true;
		else
			wt_tcp_consume(conn->tcp, (size_t)n);
	}
	watch(daemon, conn, &conn->full, false);
	tell_eof(daemon, conn);
}

/* ---- program to engine --------------------------------------------------------------------------------- */

/* A reset, when this turn's segments have left. */
static void cut(struct wt_daemon *daemon, struct wt_conn *conn)
{
	conn->cut = true;
	wt_pump_mark(daemon, conn);
}

static void app_closed(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (conn->tcp && (wt_option_on(conn->option[WT_HOST_RESETS]) || wt_tcp_readable(conn->tcp))) {
		cut(daemon, conn);
		return;
	}
	wt_conn_drop_tcp(daemon, conn, false, 0);
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

/* One call. The bytes taken; 0: the end of what the program writes; -1 with errno. What was asked for goes to *asked: 0 is no memory. */
static ssize_t take(struct wt_conn *conn, size_t room, size_t *asked)
{
	struct iovec piece[PIECES];
	struct msghdr message = {.msg_iov = piece};
	ssize_t n = -1;

	*asked = 0;
	room = room < LARGE ? room : LARGE;
	message.msg_iovlen = wt_tcp_room(conn->tcp, room, piece, PIECES);
	for (size_t i = 0; i < message.msg_iovlen; i++)
		*asked += piece[i].iov_len;
	if (*asked)
		n = recvmsg(conn->fd, &message, MSG_DONTWAIT);
	wt_tcp_filled(conn->tcp, n > 0 ? (size_t)n : 0, *asked);
	return n;
}

/* Nothing is read before a quarter of the send buffer is free: each ACK would be a call else. */
static bool has_room(struct wt_conn *conn, size_t *room)
{
	size_t quarter = wt_tcp_get_config(conn->tcp)->settings.snd_buffer / 4;

	*room = wt_tcp_writable(conn->tcp);
	if (*room && *room >= quarter)
		return true;
	wt_tcp_expect_room(conn->tcp, quarter);
	return false;
}

/* More stands in the send buffer than leaves before ENOUGH is acknowledged, even if the window grows by as much meanwhile (slow start). */
static bool has_plenty(const struct wt_tcp *tcp)
{
	struct wt_tcp_info info;
	uint64_t window;

	wt_tcp_info(tcp, &info);
	window = info.cwnd < info.snd_wnd ? info.cwnd : info.snd_wnd;
	return (uint64_t)info.unsent + info.in_flight >= window + 2 * ENOUGH;
}

/* A pair that gave less than it was asked for is empty, and says when it no longer is; unless its end has been told. While the engine has plenty,
 * ACKs are what we wait for: the program's writes need not wake us. */
static void to_engine(struct wt_daemon *daemon, struct wt_conn *conn)
{
	size_t room, asked;
	bool plenty;
	ssize_t n;

	while (conn->connected && conn->tcp && conn->fd >= 0 && !conn->app_eof && !conn->cut) {
		if (!has_room(conn, &room)) {
			watch(daemon, conn, &conn->deaf, true);
			return;
		}
		n = take(conn, room, &asked);
		conn->starved = !asked;
		if (n == 0) {
			app_eof(daemon, conn);
		} else if (n > 0) {
			conn->busy = true;
			if ((size_t)n < asked && conn->pair && !conn->ends)
				break;
		} else if (!asked || errno == EAGAIN) {
			break;
		} else { /* closed with unread bytes */
			cut(daemon, conn);
		}
	}
	plenty = conn->tcp && !conn->app_eof && !conn->cut && !conn->starved && has_plenty(conn->tcp);
	if (plenty)
		wt_tcp_expect_room(conn->tcp, wt_tcp_writable(conn->tcp) + ENOUGH);
	watch(daemon, conn, &conn->deaf, plenty);
}

/* No event tells when the engine has memory again. */
void wt_pump_starved(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (conn->starved && conn->tcp)
		to_engine(daemon, conn);
}

/* ---- events -------------------------------------------------------------------------------------------- */

static void eat_filler(struct wt_conn *conn)
{
	uint8_t filler[FILLER];
	ssize_t n;

	while (conn->filler && (n = recv(conn->fd, filler, conn->filler < FILLER ? conn->filler : FILLER, MSG_DONTWAIT)) > 0)
		conn->filler -= (uint32_t)n;
}

/* Bytes that have come are the program's, an error follows them; without a connection the filler stays, which is POLLERR to the program. */
static void ended(struct wt_daemon *daemon, struct wt_conn *conn, int error)
{
	to_program(daemon, conn);
	if (!conn->connected)
		wt_conn_refuse(conn->fd);
	wt_conn_drop_tcp(daemon, conn, false, error ? error : ECONNRESET);
	wt_conn_drop_fd(daemon, conn);
}

void wt_pump_unreachable(struct wt_daemon *daemon, struct wt_conn *conn, int error)
{
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	ended(daemon, conn, error);
	wt_station_touch(&daemon->transfer.station);
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
		ended(daemon, conn, -wt_tcp_error(conn->tcp));
		return;
	}
	if (events & WT_TCP_EV_EOF)
		conn->peer_eof = true;
	conn->busy = true;
	if (conn->tcp && events & (WT_TCP_EV_PUSHED | WT_TCP_EV_CONNECTED | WT_TCP_EV_EOF | WT_TCP_EV_CLOSED))
		wt_pump_mark(daemon, conn);
	else if (conn->tcp && events & WT_TCP_EV_READABLE)
		gather(daemon, conn);
	if (conn->tcp && events & WT_TCP_EV_WRITABLE)
		to_engine(daemon, conn);
}

void wt_pump_events(struct wt_daemon *daemon, struct wt_conn *conn, uint32_t events)
{
	conn->ends |= events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	if (!conn->connected) {
		if (events & (EPOLLHUP | EPOLLERR))
			app_closed(daemon, conn);
		return;
	}
	if (events & EPOLLERR && conn->tcp) { /* it closed with bytes unread: what there is room for is the last that leaves */
		to_engine(daemon, conn);
		cut(daemon, conn);
		return;
	}
	if (events & EPOLLOUT)
		to_program(daemon, conn);
	if (conn->tcp && conn->fd >= 0 && (events & EPOLLIN || conn->ends))
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
		if (conn->kind == WT_SLOT_CONNECTION && conn->cut) {
			wt_conn_drop_tcp(daemon, conn, true, 0);
			wt_conn_drop_fd(daemon, conn);
		} else if (conn->kind == WT_SLOT_CONNECTION) {
			to_program(daemon, conn);
		}
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

#define TIMESTAMPS 12 /* bytes of the option in each segment */
#define BUFFER 32768 /* of the daemon's end: what stands in it has not reached the peer */

struct wt_conn *wt_conn_take(struct wt_daemon *daemon, enum wt_slot_kind kind)
{
	for (uint32_t i = 0; i < WT_HOST_SLOTS; i++) {
		struct wt_conn *conn = &daemon->conn[daemon->next++ % WT_HOST_SLOTS];
		uint32_t generation = conn->generation + 1;

		if (conn->kind != WT_SLOT_FREE || conn->dirty || conn->gathers)
			continue;
		*conn = (struct wt_conn){.kind = kind, .generation = generation, .fd = -1};
		wt_options_unsaid(conn->option);
		if (wt_conn_slot(daemon, conn) >= daemon->high)
			daemon->high = wt_conn_slot(daemon, conn) + 1;
		wt_conn_publish(daemon, conn, 0);
		return conn;
	}
	return NULL;
}

struct wt_conn *wt_conn_find(struct wt_daemon *daemon, uint32_t slot, uint32_t generation)
{
	struct wt_conn *conn = slot < WT_HOST_SLOTS ? &daemon->conn[slot] : NULL;

	return conn && conn->kind == WT_SLOT_CONNECTION && conn->generation == generation ? conn : NULL;
}

/* Linux's tcp_info, as far as an engine has the same. Times in us. */
static void fill_info(const struct wt_tcp_info *i, struct tcp_info *to)
{
	static const uint8_t state[WT_TCP_STATES] = {
		[WT_TCP_CLOSED] = 7, [WT_TCP_LISTEN] = 10, [WT_TCP_SYN_SENT] = 2, [WT_TCP_SYN_RECEIVED] = 3, [WT_TCP_ESTABLISHED] = 1,
		[WT_TCP_FIN_WAIT_1] = 4, [WT_TCP_FIN_WAIT_2] = 5, [WT_TCP_CLOSE_WAIT] = 8, [WT_TCP_CLOSING] = 11, [WT_TCP_LAST_ACK] = 9,
		[WT_TCP_TIME_WAIT] = 6,
	};
	uint32_t mss = i->snd_mss ? i->snd_mss : 1;

	memset(to, 0, sizeof(*to));
	to->tcpi_state = state[i->state];
	to->tcpi_ca_state = i->in_recovery ? 3 : 0;
	to->tcpi_backoff = (uint8_t)(i->backoff < 255 ? i->backoff : 255);
	to->tcpi_options = (uint8_t)((i->timestamps ? 1 : 0) | (i->sack ? 2 : 0) | (i->window_scaling ? 4 : 0) | (i->ecn ? 8 : 0));
	to->tcpi_rto = (uint32_t)(i->rto / 1000);
	to->tcpi_rtt = (uint32_t)(i->srtt / 1000);
	to->tcpi_rttvar = (uint32_t)(i->rttvar / 1000);
	to->tcpi_min_rtt = (uint32_t)(i->min_rtt / 1000);
	to->tcpi_snd_mss = i->snd_mss;
	to->tcpi_rcv_mss = to->tcpi_advmss = i->rcv_mss - (i->timestamps ? TIMESTAMPS : 0);
	to->tcpi_reordering = 3;
	to->tcpi_pmtu = 1500;
	to->tcpi_snd_cwnd = i->cwnd / mss;
	to->tcpi_snd_ssthresh = i->ssthresh == WT_SSTHRESH_INFINITE ? WT_SSTHRESH_INFINITE : i->ssthresh / mss;
	to->tcpi_unacked = (i->in_flight + mss - 1) / mss;
	to->tcpi_total_retrans = (uint32_t)i->retransmits_segs;
	to->tcpi_bytes_sent = i->bytes_sent + i->retransmits_bytes;
	to->tcpi_bytes_acked = i->bytes_acked;
	to->tcpi_bytes_received = i->bytes_received;
	to->tcpi_bytes_retrans = i->retransmits_bytes;
	to->tcpi_segs_out = (uint32_t)i->segs_sent;
	to->tcpi_segs_in = (uint32_t)i->segs_received;
	to->tcpi_pacing_rate = i->pacing_rate ? i->pacing_rate : UINT64_MAX;
	to->tcpi_max_pacing_rate = UINT64_MAX;
	to->tcpi_notsent_bytes = i->unsent;
	to->tcpi_snd_wnd = i->snd_wnd;
}

/* Readers see an odd turn, or another one, and look again. */
void wt_conn_publish(struct wt_daemon *daemon, struct wt_conn *conn, int error)
{
	struct wt_host_slot *slot = &daemon->page->slot[wt_conn_slot(daemon, conn)];
	struct wt_tcp_info info;

	__atomic_store_n(&slot->turn, slot->turn + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (slot->generation != conn->generation) {
		slot->generation = conn->generation;
		slot->error = 0;
		memset(&slot->info, 0, sizeof(slot->info));
		slot->info.tcpi_state = 7;
		memset(slot->sender, 0, sizeof(slot->sender));
	}
	if (error)
		slot->error = error;
	slot->flags = (conn->connected ? WT_HOST_CONNECTED : 0u) | (conn->peer_eof ? WT_HOST_FIN_SEEN : 0u);
	if (conn->tcp) {
		wt_tcp_info(conn->tcp, &info);
		fill_info(&info, &slot->info);
		wt_conn_options(conn, slot->option);
		strncpy(slot->sender, info.sender, sizeof(slot->sender) - 1);
	} else {
		slot->info.tcpi_state = 7;
	}
	__atomic_store_n(&slot->turn, slot->turn + 1, __ATOMIC_RELEASE);
}

static uint32_t net_order(const struct wt_addr *addr)
{
	uint32_t value;

	memcpy(&value, addr->bytes, 4);
	return value;
}

int wt_conn_watch(struct wt_daemon *daemon, struct wt_conn *conn, int how)
{
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET | (conn->deaf ? 0u : EPOLLIN) | (conn->full ? EPOLLOUT : 0u),
				    .data.u64 = (uint64_t)wt_conn_slot(daemon, conn) << 32 | conn->generation};

	return epoll_ctl(daemon->epoll, how, conn->fd, &event);
}

int wt_conn_name(struct wt_daemon *daemon, struct wt_conn *conn, int fd)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int buffer = BUFFER, n;

	n = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "wavetank/c4/%u/%u/%08x/%u/%08x/%u", wt_conn_slot(daemon, conn), conn->generation,
		     net_order(&conn->local.addr), conn->local.port, net_order(&conn->remote.addr), conn->remote.port);
	if (bind(fd, (struct sockaddr *)&un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	conn->pair = true;
	return 0;
}

int wt_conn_attach(struct wt_daemon *daemon, struct wt_conn *conn, int fd)
{
	int error;

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	conn->fd = fd;
	error = wt_conn_watch(daemon, conn, EPOLL_CTL_ADD) < 0 ? -errno : 0;
	if (error)
		conn->fd = -1;
	return error;
}

static void free_if_done(struct wt_conn *conn)
{
	if (conn->fd >= 0 || conn->tcp)
		return;
	conn->kind = WT_SLOT_FREE; /* the page keeps its error until the slot is taken again */
}

void wt_conn_refuse(int fd)
{
	const struct linger reset = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)); /* a pair takes no notice */
}

void wt_conn_drop_fd(struct wt_daemon *daemon, struct wt_conn *conn)
{
	if (conn->fd >= 0) {
		if (conn->ended)
			conn->ended(conn);
		close(conn->fd);
	}
	conn->fd = -1;
	free_if_done(conn);
}

void wt_conn_drop_tcp(struct wt_daemon *daemon, struct wt_conn *conn, bool reset, int error)
{
	struct wt_tcp *tcp = conn->tcp;

	wt_conn_publish(daemon, conn, error); /* its last numbers */
	if (tcp) {
		wt_tcp_set_callback(tcp, NULL, NULL);
		conn->tcp = NULL;
		if (reset)
			wt_tcp_abort(tcp);
		else
			wt_tcp_close(tcp);
		wt_conn_publish(daemon, conn, 0);
	}
	free_if_done(conn);
}

int wt_conn_connect(struct wt_daemon *daemon, struct wt_conn *conn, const struct wt_endpoint *remote, const struct wt_endpoint *local,
		    struct wt_tcp_config *config)
{
	struct wt_station *station = &daemon->transfer.station;
	struct wt_tcp_info info;
	wt_time now = wt_rloop_catch_up(station->rloop);

	config->callback = wt_pump_callback;
	config->arg = conn;
	conn->arg = daemon;
	conn->tcp = wt_tcp_connect(station->host, remote, local, config, now);
	if (!conn->tcp)
		return errno;
	wt_tcp_info(conn->tcp, &info);
	conn->local = info.local;
	conn->remote = info.remote;
	conn->busy = true; /* what an ICMP error says of its SYN is looked for */
	wt_conn_publish(daemon, conn, 0);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For programs that cannot be preloaded: SOCKS5 (RFC 1928: no authentication, CONNECT to IPv4 addresses and names of the lab), and
 * connections that iptables REDIRECTs here, whose destination the kernel tells. Then the same pump. The price stands in
 * docs/programs.md: a redirected connect() succeeds early, and a refusal is a reset.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

enum { GREETING, REQUEST };
enum { SOCKS_OK, SOCKS_FAILED, SOCKS_UNREACHABLE = 4, SOCKS_REFUSED = 5, SOCKS_COMMAND = 7, SOCKS_ADDRESS = 8 };
enum { SOCKS_IPV4 = 1, SOCKS_NAME = 3 };

/* A client that has not said where to yet, or waits for the engine to say that it is connected. */
struct client {
	ev_io io;
	ev_timer limit;
	struct wt_daemon *daemon;
	struct wt_tcp *tcp;
	int fd, state;
	size_t have;
	uint8_t bytes[300];
};

static int listen_on(uint16_t port, uint32_t addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(addr)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 || listen(fd, 1024) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

/* A connection of the engine for a kernel's descriptor. 0 or an errno; then the descriptor is still the caller's. */
static int pass_on(struct wt_daemon *daemon, int fd, const struct wt_endpoint *remote, struct wt_tcp *tcp)
{
	struct wt_conn *conn = wt_conn_take(daemon, WT_SLOT_CONNECTION);
	struct wt_tcp_config config = daemon->transfer.tcp;
	struct wt_tcp_info info;
	int error = 0;

	if (!conn)
		return ENOBUFS;
	if (!tcp) {
		error = wt_conn_connect(daemon, conn, remote, NULL, &config);
	} else {
		wt_tcp_info(tcp, &info);
		conn->tcp = tcp;
		conn->arg = daemon;
		conn->local = info.local;
		conn->remote = info.remote;
		conn->connected = true;
	}
	if (!error)
		error = -wt_conn_attach(daemon, conn, fd);
	if (error) {
		conn->tcp = tcp ? NULL : conn->tcp;
		wt_conn_drop_tcp(daemon, conn, true, error);
	} else if (tcp) {
		wt_tcp_set_callback(tcp, wt_pump_callback, conn);
		wt_pump_callback(conn, tcp, WT_TCP_EV_READABLE | WT_TCP_EV_PUSHED, 0);
		wt_pump_events(daemon, conn, EPOLLIN);
	}
	return error;
}

/* ---- SOCKS5 -------------------------------------------------------------------------------------------- */

static void end_client(struct client *client)
{
	ev_io_stop(client->daemon->transfer.station.ev, &client->io);
	ev_timer_stop(client->daemon->transfer.station.ev, &client->limit);
	if (client->tcp) {
		wt_tcp_set_callback(client->tcp, NULL, NULL);
		wt_tcp_abort(client->tcp);
	}
	if (client->fd >= 0)
		close(client->fd);
	free(client);
}

static void say(struct client *client, uint8_t code)
{
	const uint8_t answer[10] = {5, code, 0, SOCKS_IPV4};

	send(client->fd, answer, sizeof(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void on_connected(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct client *client = arg;
	int error = wt_tcp_error(tcp);

	if (events & WT_TCP_EV_ERROR) {
		say(client, error == -ECONNREFUSED ? SOCKS_REFUSED : error == -EHOSTUNREACH || error == -ENETUNREACH ? SOCKS_UNREACHABLE : SOCKS_FAILED);
		end_client(client);
	} else if (events & WT_TCP_EV_CONNECTED) {
		say(client, SOCKS_OK);
		client->tcp = NULL;
		if (pass_on(client->daemon, client->fd, NULL, tcp) == 0)
			client->fd = -1;
		else
			wt_tcp_abort(tcp);
		end_client(client);
	}
}

/* The destination of a whole request into *remote; 0, a SOCKS code, or -1: there is more to come. */
static int read_request(const struct client *client, struct wt_endpoint *remote)
{
	const uint8_t *b = client->bytes;
	size_t address = b[3] == SOCKS_NAME ? 1u + b[4] : 4;
	char name[256], err[200];

	if (client->have < 5)
		return -1;
	if (b[3] != SOCKS_IPV4 && b[3] != SOCKS_NAME)
		return SOCKS_ADDRESS;
	if (client->have < 4 + address + 2)
		return -1;
	if (b[1] != 1)
		return SOCKS_COMMAND;
	remote->port = (uint16_t)(b[4 + address] << 8 | b[4 + address + 1]);
	if (b[3] == SOCKS_IPV4) {
		remote->addr = wt_addr_ipv4(b[4], b[5], b[6], b[7]);
		return 0;
	}
	memcpy(name, b + 5, b[4]);
	name[b[4]] = 0;
	return wt_station_resolve(name, &remote->addr, err, sizeof(err)) ? SOCKS_UNREACHABLE : 0;
}

static void greet(struct client *client)
{
	const uint8_t *b = client->bytes;
	bool open = false;

	for (unsigned i = 0; i < b[1]; i++)
		open |= b[2 + i] == 0;
	client->have = 0;
	client->state = REQUEST;
	send(client->fd, open ? "\5\0" : "\5\377", 2, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!open)
		end_client(client);
}

static void request(struct client *client)
{
	struct wt_daemon *daemon = client->daemon;
	struct wt_tcp_config config = daemon->transfer.tcp;
	struct wt_endpoint remote;
	int code = read_request(client, &remote);

	if (code < 0)
		return;
	if (code == 0 && remote.port) {
		config.callback = on_connected;
		config.arg = client;
		client->tcp = wt_tcp_connect(daemon->transfer.station.host, &remote, NULL, &config, wt_rloop_catch_up(daemon->transfer.station.rloop));
		ev_io_stop(daemon->transfer.station.ev, &client->io);
		ev_timer_stop(daemon->transfer.station.ev, &client->limit); /* the connection has a time-out of its own */
		if (client->tcp) {
			wt_station_touch(&daemon->transfer.station);
			return;
		}
		code = SOCKS_UNREACHABLE;
	}
	say(client, code ? (uint8_t)code : SOCKS_FAILED);
	end_client(client);
}

static void on_client(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct client *client = watcher->data;
	size_t want = client->state == GREETING ? 2u + (client->have > 1 ? client->bytes[1] : 0) : sizeof(client->bytes);
	ssize_t n = recv(client->fd, client->bytes + client->have, want - client->have, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 || (client->bytes[0] != 5)) {
		end_client(client);
		return;
	}
	client->have += (size_t)n;
	if (client->state == REQUEST)
		request(client);
	else if (client->have >= 2 && client->have == 2u + client->bytes[1])
		greet(client);
}

static void on_late(struct ev_loop *ev, ev_timer *watcher, int events)
{
	end_client(watcher->data);
}

static void on_socks(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	int fd;

	while ((fd = accept4(daemon->socks, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct client *client = calloc(1, sizeof(*client));

		if (!client) {
			close(fd);
			return;
		}
		*client = (struct client){.daemon = daemon, .fd = fd};
		ev_io_init(&client->io, on_client, fd, EV_READ);
		ev_timer_init(&client->limit, on_late, 30., 0.);
		client->io.data = client->limit.data = client;
		ev_io_start(ev, &client->io);
		ev_timer_start(ev, &client->limit);
	}
}

int wt_gateway_socks(struct wt_daemon *daemon, uint16_t port)
{
	daemon->socks = listen_on(port, INADDR_LOOPBACK);
	if (daemon->socks < 0)
		return daemon->socks;
	ev_io_init(&daemon->on_socks, on_socks, daemon->socks, EV_READ);
	daemon->on_socks.data = daemon;
	ev_io_start(daemon->transfer.station.ev, &daemon->on_socks);
	return 0;
}

/* ---- REDIRECT ------------------------------------------------------------------------------------------ */

static void on_redirect(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	int fd;

	while ((fd = accept4(daemon->redirect, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct sockaddr_in in;
		socklen_t len = sizeof(in);
		struct wt_endpoint remote = {.addr.family = WT_FAMILY_IPV4};
		bool known = getsockopt(fd, IPPROTO_IP, SO_ORIGINAL_DST, &in, &len) == 0;

		if (known) {
			remote.port = ntohs(in.sin_port);
			memcpy(remote.addr.bytes, &in.sin_addr, 4);
		}
		if (!known || pass_on(daemon, fd, &remote, NULL)) {
			wt_conn_refuse(fd);
			close(fd);
		}
	}
	wt_station_touch(&daemon->transfer.station);
}

int wt_gateway_redirect(struct wt_daemon *daemon, uint16_t port)
{
	daemon->redirect = listen_on(port, INADDR_LOOPBACK);
	if (daemon->redirect < 0)
		return daemon->redirect;
	ev_io_init(&daemon->on_redirect, on_redirect, daemon->redirect, EV_READ);
	daemon->on_redirect.data = daemon;
	ev_io_start(daemon->transfer.station.ev, &daemon->on_redirect);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket calls on top of the engine's own. What Linux's socket layer says of an error, and how often, is here. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "adapter.h"

struct pd_socket *pd_find(int fd)
{
	for (unsigned i = 0; i < PD_SOCKETS; i++)
		if (pd.sockets[i].used && pd.sockets[i].fd == fd)
			return &pd.sockets[i];
	return NULL;
}

/* NULL: there are too many. */
static struct pd_socket *new_socket(void)
{
	for (unsigned i = 0; i < PD_SOCKETS; i++) {
		struct pd_socket *socket = &pd.sockets[i];

		if (socket->used)
			continue;
		memset(socket, 0, sizeof(*socket));
		socket->fd = eventfd(0, EFD_CLOEXEC);
		if (socket->fd < 0)
			return NULL;
		socket->used = true;
		socket->keepidle_s = 7200;
		return socket;
	}
	return NULL;
}

int pd_socket(int domain, int type, int protocol)
{
	struct pd_socket *socket;

	if (domain != AF_INET)
		return -EAFNOSUPPORT;
	if ((type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != SOCK_STREAM || (protocol && protocol != IPPROTO_TCP))
		return -EPROTONOSUPPORT;
	socket = new_socket();
	if (!socket)
		return -EMFILE;
	socket->nonblocking = (type & SOCK_NONBLOCK) != 0;
	pd_configure(&socket->config);
	return socket->fd;
}

int pd_bind(struct pd_socket *socket, const struct sockaddr *addr, socklen_t len)
{
	const struct sockaddr_in *in = (const void *)addr;

	if (!addr || len < sizeof(*in))
		return -EINVAL;
	socket->bound = true;
	socket->port = ntohs(in->sin_port);
	return 0;
}

int pd_listen(struct pd_socket *socket, int backlog)
{
	if (socket->tcp)
		return socket->listening ? 0 : -EINVAL;
	socket->tcp = wt_tcp_listen(pd.host, &(struct wt_endpoint){.port = socket->port}, backlog < 1 ? 1 : (unsigned)backlog, &socket->config);
	if (!socket->tcp)
		return -errno;
	socket->listening = true;
	return 0;
}

static struct wt_tcp *take_accepted(struct pd_socket *listener)
{
	struct wt_tcp *tcp = listener->accepted;

	listener->accepted = NULL;
	return tcp ? tcp : wt_tcp_accept(listener->tcp);
}

int pd_accept(struct pd_socket *listener, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_in peer = {.sin_family = AF_INET};
	struct pd_socket *socket;
	struct wt_tcp_info info;
	struct wt_tcp *tcp;
	int fd;

	if (!listener->listening)
		return -EINVAL;
	tcp = take_accepted(listener);
	if (!tcp)
		return -errno;
	socket = new_socket();
	if (!socket) {
		wt_tcp_abort(tcp);
		return -EMFILE;
	}
	fd = socket->fd;
	*socket = *listener;
	socket->fd = fd;
	socket->tcp = tcp;
	socket->listening = socket->nonblocking = false;
	socket->connect_told = true;
	wt_tcp_info(tcp, &info);
	peer.sin_port = htons(info.remote.port);
	memcpy(&peer.sin_addr, info.remote.addr.bytes, 4);
	if (addr && len) {
		memcpy(addr, &peer, *len < sizeof(peer) ? *len : sizeof(peer));
		*len = sizeof(peer);
	}
	return fd;
}

int pd_socket_error(struct pd_socket *socket)
{
	int error = socket->tcp && !socket->listening && !socket->error_told ? wt_tcp_error(socket->tcp) : 0;

	socket->error_told |= error != 0;
	return error;
}

static int connect_again(struct pd_socket *socket)
{
	struct wt_tcp_info info;
	int error = pd_socket_error(socket);

	if (error)
		return error;
	wt_tcp_info(socket->tcp, &info);
	if (info.state == WT_TCP_SYN_SENT || info.state == WT_TCP_SYN_RECEIVED)
		return -EALREADY;
	if (socket->connect_told)
		return -EISCONN;
	socket->connect_told = true;
	return 0;
}

int pd_connect(struct pd_socket *socket, const struct sockaddr *addr, socklen_t len)
{
	const struct sockaddr_in *in = (const void *)addr;
	struct wt_endpoint remote = {.port = ntohs(in->sin_port)}, local = {.port = socket->bound ? socket->port : 0};

	if (in->sin_family == AF_UNSPEC) { /* the connection ends, the socket is as new */
		if (socket->tcp)
			wt_tcp_abort(socket->tcp);
		socket->tcp = NULL;
		socket->listening = socket->connect_told = socket->shut_read = socket->error_told = false;
		return 0;
	}
	if (in->sin_family != AF_INET)
		return -EAFNOSUPPORT;
	if (socket->tcp)
		return socket->listening ? -EISCONN : connect_again(socket);
	remote.addr = wt_addr_ipv4(0, 0, 0, 0);
	memcpy(remote.addr.bytes, &in->sin_addr, 4);
	socket->tcp = wt_tcp_connect(pd.host, &remote, &local, &socket->config, pd.now);
	return socket->tcp ? -EINPROGRESS : -errno;
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static enum wt_tcp_state state_of(const struct pd_socket *socket)
{
	struct wt_tcp_info info;

	if (!socket->tcp)
		return WT_TCP_CLOSED;
	wt_tcp_info(socket->tcp, &info);
	return info.state;
}

/* Copies what stands there, without taking it. */
static ssize_t peek(struct pd_socket *socket, const struct iovec *piece, int count)
{
	struct iovec there[8];
	size_t want = 0, got = 0;
	unsigned pieces;

	for (int i = 0; i < count; i++)
		want += piece[i].iov_len;
	pieces = wt_tcp_pieces(socket->tcp, want, there, 8);
	for (unsigned i = 0; i < pieces; i++)
		got += there[i].iov_len;
	return got ? (ssize_t)(got < want ? got : want) : -EAGAIN;
}

ssize_t pd_read(struct pd_socket *socket, const struct iovec *piece, int count, int flags)
{
	ssize_t got = 0;

	if (flags & (MSG_ERRQUEUE | MSG_OOB))
		return flags & MSG_ERRQUEUE ? -EAGAIN : -EINVAL;
	if (!socket->tcp || socket->listening)
		return -ENOTCONN;
	if (flags & MSG_PEEK && wt_tcp_readable(socket->tcp))
		return peek(socket, piece, count);
	for (int i = 0; i < count; i++) {
		ssize_t one;

		if (!piece[i].iov_len)
			continue;
		if (wt_tcp_readable(socket->tcp) && !piece[i].iov_base)
			return got ? got : -EFAULT;
		if (!wt_tcp_readable(socket->tcp) && (socket->shut_read || (socket->error_told && wt_tcp_error(socket->tcp))))
			return got;
		one = wt_tcp_read(socket->tcp, piece[i].iov_base, piece[i].iov_len);
		if (one <= 0 && got)
			return got;
		if (one < 0 && one == wt_tcp_error(socket->tcp))
			socket->error_told = true;
		if (one < 0)
			return one;
		got += one;
		if ((size_t)one < piece[i].iov_len)
			break;
	}
	return got;
}

ssize_t pd_write(struct pd_socket *socket, const struct iovec *piece, int count, size_t skip, int flags)
{
	ssize_t taken = 0;
	int error;

	if (flags & (MSG_FASTOPEN | MSG_ZEROCOPY | MSG_MORE | MSG_EOR))
		pd_lacks(flags & MSG_FASTOPEN ? "TCP Fast Open" : flags & MSG_ZEROCOPY ? "MSG_ZEROCOPY" :
			 flags & MSG_MORE ? "MSG_MORE" : "MSG_EOR", 0);
	if (!socket->tcp || socket->listening)
		return -EPIPE;
	error = pd_socket_error(socket);
	if (error)
		return error;
	if (wt_tcp_error(socket->tcp) || state_of(socket) == WT_TCP_CLOSED)
		return -EPIPE;
	for (int i = 0; i < count; i++) {
		const uint8_t *data = piece[i].iov_base;
		size_t len = piece[i].iov_len;
		ssize_t one;

		if (skip >= len) {
			skip -= len;
			continue;
		}
		if (!data)
			return taken ? taken : -EFAULT;
		one = wt_tcp_write(socket->tcp, data + skip, len - skip);
		if (one <= 0)
			return taken ? taken : one ? one : -EAGAIN;
		taken += one;
		if ((size_t)one < len - skip)
			break;
		skip = 0;
	}
	return taken;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

int pd_shutdown(struct pd_socket *socket, int how)
{
	enum wt_tcp_state state = state_of(socket);

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	if (!socket->tcp || state == WT_TCP_CLOSED)
		return -ENOTCONN;
	if (socket->listening || state == WT_TCP_SYN_SENT) {
		if (how == SHUT_WR)
			return state == WT_TCP_SYN_SENT ? 0 : -ENOTCONN;
		wt_tcp_close(socket->tcp);
		socket->tcp = NULL;
		socket->listening = false;
		return 0;
	}
	if (how != SHUT_WR)
		socket->shut_read = true;
	return how != SHUT_RD ? wt_tcp_shutdown(socket->tcp) : 0;
}

int pd_close(struct pd_socket *socket)
{
	wt_tcp_let_go(socket->tcp, socket->accepted, socket->linger_abort && !socket->listening);
	close(socket->fd);
	socket->used = false;
	return 0;
}

short pd_events(struct pd_socket *socket)
{
	enum wt_tcp_state state = state_of(socket);
	bool end = socket->shut_read || state == WT_TCP_CLOSE_WAIT || state == WT_TCP_CLOSING || state == WT_TCP_LAST_ACK ||
		   state == WT_TCP_TIME_WAIT;
	short events = 0;

	if (!socket->tcp)
		return POLLOUT | POLLHUP;
	if (socket->listening) {
		socket->accepted = take_accepted(socket);
		return socket->accepted ? POLLIN | POLLRDNORM : 0;
	}
	if (wt_tcp_error(socket->tcp) && !socket->error_told)
		events |= POLLERR;
	if (state == WT_TCP_CLOSED)
		return events | POLLHUP | POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLRDHUP;
	if (end)
		events |= POLLIN | POLLRDNORM | POLLRDHUP;
	if (wt_tcp_readable(socket->tcp))
		events |= POLLIN | POLLRDNORM;
	if (state != WT_TCP_SYN_SENT && state != WT_TCP_SYN_RECEIVED && wt_tcp_writable(socket->tcp))
		events |= POLLOUT | POLLWRNORM;
	return events;
}

/* As FreeBSD's sockstat has them; the runner puts one of that name into the path of scripts that ask it. */
void pd_tell_states(void)
{
	static const char *const names[WT_TCP_STATES] = {
		[WT_TCP_CLOSED] = "CLOSED",           [WT_TCP_LISTEN] = "LISTEN",         [WT_TCP_SYN_SENT] = "SYN_SENT",
		[WT_TCP_SYN_RECEIVED] = "SYN_RCVD",   [WT_TCP_ESTABLISHED] = "ESTABLISHED", [WT_TCP_FIN_WAIT_1] = "FIN_WAIT_1",
		[WT_TCP_FIN_WAIT_2] = "FIN_WAIT_2",   [WT_TCP_CLOSE_WAIT] = "CLOSE_WAIT", [WT_TCP_CLOSING] = "CLOSING",
		[WT_TCP_LAST_ACK] = "LAST_ACK",       [WT_TCP_TIME_WAIT] = "TIME_WAIT",
	};
	static char before[PD_SOCKETS * 32];
	char text[sizeof(before)] = "";
	struct wt_host_info info;
	size_t used = 0;
	FILE *file;

	if (!pd.states[0])
		return;
	for (unsigned i = 0; i < PD_SOCKETS; i++)
		if (pd.sockets[i].used)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "packetdrill %s\n", names[state_of(&pd.sockets[i])]);
	wt_host_info(pd.host, &info);
	for (uint32_t i = 0; i < info.half_open; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "? SYN_RCVD\n");
	if (!strcmp(text, before))
		return;
	memcpy(before, text, sizeof(before));
	file = fopen(pd.states, "we");
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

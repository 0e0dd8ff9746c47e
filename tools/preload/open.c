/* SPDX-License-Identifier: BSD-2-Clause */
/* bind, connect, listen, accept, and the names. */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>

#include "tools/preload/preload.h"

#define SYNCNT 6 /* tcp(7): net.ipv4.tcp_syn_retries */
#define BUFFER 32768 /* of an AF_UNIX end: what is written to it counts as sent for the program, so it is kept small */

static int fail(int error)
{
	errno = error;
	return -1;
}

static int option_of(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return syscall(SYS_getsockopt, fd, level, name, &value, &len) < 0 ? 0 : value;
}

static void copy_module(char to[WT_HOST_MODULE], const char *from)
{
	if (from)
		snprintf(to, WT_HOST_MODULE, "%s", from);
}

/* What the program has set on the kernel's socket so far. */
static void say_options(int fd, struct wt_host_question *question)
{
	static const struct {
		int level, name, usual; /* tcp(7) */
		enum wt_host_option option;
	} number[] = {
		{SOL_SOCKET, SO_KEEPALIVE, 0, WT_HOST_KEEPALIVE}, {IPPROTO_TCP, TCP_CORK, 0, WT_HOST_CORK},
		{IPPROTO_TCP, TCP_KEEPIDLE, 7200, WT_HOST_KEEPIDLE}, {IPPROTO_TCP, TCP_KEEPINTVL, 75, WT_HOST_KEEPINTVL},
		{IPPROTO_TCP, TCP_KEEPCNT, 9, WT_HOST_KEEPCNT}, {IPPROTO_TCP, TCP_USER_TIMEOUT, 0, WT_HOST_USER_TIMEOUT},
		{IPPROTO_TCP, TCP_SYNCNT, SYNCNT, WT_HOST_SYNCNT}, {IPPROTO_TCP, TCP_LINGER2, 60, WT_HOST_LINGER2},
	};
	struct wt_local *mine = wt_local(fd);
	struct linger linger = {0};
	socklen_t len = sizeof(linger);

	question->option[WT_HOST_NODELAY] = option_of(fd, IPPROTO_TCP, TCP_NODELAY);
	for (unsigned i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		int value = option_of(fd, number[i].level, number[i].name);

		if (value != number[i].usual)
			question->option[number[i].option] = value;
	}
	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, &len) == 0 && linger.l_onoff && !linger.l_linger)
		question->option[WT_HOST_RESETS] = 1;
	if (mine && mine->sndbuf)
		question->option[WT_HOST_SNDBUF] = mine->sndbuf;
	if (mine && mine->maxseg)
		question->option[WT_HOST_MAXSEG] = mine->maxseg;
	copy_module(question->sender, mine && mine->sender[0] ? mine->sender : getenv("WAVETANK_CC"));
	copy_module(question->receiver, getenv("WAVETANK_RCC"));
}

static void set_buffer(int fd, int size)
{
	syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/* ---- connect ------------------------------------------------------------------------------------------- */

/* Not writable until the daemon has read this: that is how "in progress" looks. The bytes written. */
static uint32_t fill(int fd)
{
	static const char zeros[8192];
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	uint32_t filler = 0;

	while (syscall(SYS_poll, &wait, 1, 0) == 1 && wait.revents & POLLOUT) {
		ssize_t n = syscall(SYS_sendto, fd, zeros, sizeof(zeros), MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);

		if (n <= 0)
			break;
		filler += (uint32_t)n;
	}
	return filler;
}

/* Until it is connected or has failed. A signal ends the waiting, not the connecting. */
static int wait_connected(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	struct timeval limit = {0};
	socklen_t len = sizeof(limit);
	struct wt_local *mine = wt_local(fd);
	struct wt_who who;
	int error;
	long n;

	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &len);
	n = syscall(SYS_poll, &wait, 1, limit.tv_sec || limit.tv_usec ? (int)(limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000) : -1);
	if (n < 0)
		return -1;
	if (n == 0)
		return fail(EINPROGRESS);
	wt_who(fd, &who);
	error = wt_who_error(fd, &who);
	if (error)
		return fail(error);
	if (wait.revents & (POLLERR | POLLHUP))
		return fail(ENETDOWN); /* the daemon has gone */
	if (mine)
		mine->told_connect = true;
	return 0;
}

static int begin_connect(int fd, uint32_t remote, uint16_t port, bool ipv6)
{
	struct wt_host_question question;
	struct wt_host_answer answer;
	struct sockaddr_storage bound;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(bound);
	struct wt_who who;
	bool bound6;
	int pair[2], error, n;

	wt_question(&question, WT_HOST_CONNECT, NULL);
	question.remote = remote;
	question.remote_port = port;
	question.ipv6 = ipv6;
	if (syscall(SYS_getsockname, fd, &bound, &len) == 0)
		wt_take_address((struct sockaddr *)&bound, len, &question.local, &question.local_port, &bound6);
	say_options(fd, &question);
	if (syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	set_buffer(pair[0], BUFFER);
	set_buffer(pair[1], BUFFER);
	question.filler = fill(pair[0]);
	error = wt_ask(&question, pair[1], &answer, NULL);
	syscall(SYS_close, pair[1]);
	if (error) {
		syscall(SYS_close, pair[0]);
		return fail(error == EADDRINUSE ? EADDRNOTAVAIL : error); /* the four numbers are taken: the kernel's word for it */
	}
	n = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "wavetank/a%c/%u/%u/%08x/%u/%08x/%u", ipv6 ? '6' : '4', answer.slot,
		     answer.generation, answer.local, answer.local_port, remote, port);
	syscall(SYS_bind, pair[0], &un, offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	wt_replace(fd, pair[0]);
	wt_local_forget(fd);
	wt_who(fd, &who); /* remembers it: a write before it is connected is to know */
	return 0;
}

/* A second connect() on one of ours: 1: it has failed before and may begin anew; else the answer is in *result. */
static bool connect_again(int fd, const struct wt_who *who, int *result)
{
	struct wt_local *mine = wt_local(fd);
	struct wt_host_slot slot;
	int error = wt_who_error(fd, who);

	*result = -1;
	if (error) {
		errno = error;
		return false;
	}
	if (!wt_slot(who, &slot) || (slot.error && !(slot.flags & WT_HOST_CONNECTED))) {
		return wt_start_anew(fd, who->ipv6) == 0;
	}
	if (!(slot.flags & WT_HOST_CONNECTED)) {
		if (syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK)
			errno = EALREADY;
		else
			*result = wait_connected(fd);
	} else if (mine && !mine->told_connect) {
		mine->told_connect = true;
		*result = 0;
	} else {
		errno = EISCONN;
	}
	return false;
}

EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct wt_who who;
	uint32_t remote;
	uint16_t port;
	bool ipv6;
	int result;

	if (addr && len >= sizeof(addr->sa_family) && addr->sa_family == AF_UNSPEC && wt_page() && wt_who(fd, &who) != WT_WHO_OTHER)
		return wt_start_anew(fd, who.ipv6); /* connect(2): dissolves the association */
	if (!wt_take_address(addr, len, &remote, &port, &ipv6) || !wt_engine_address(remote))
		return (int)syscall(SYS_connect, fd, addr, len);
	switch (wt_who(fd, &who)) {
	case WT_WHO_LISTENER:
		return fail(EISCONN);
	case WT_WHO_CONNECTION:
		if (!connect_again(fd, &who, &result))
			return result;
		break;
	case WT_WHO_OTHER:
		if (!wt_is_tcp(fd))
			return (int)syscall(SYS_connect, fd, addr, len);
		if (option_of(fd, SOL_SOCKET, SO_ACCEPTCONN))
			return fail(EISCONN);
	}
	if (!port)
		return fail(ECONNREFUSED);
	if (begin_connect(fd, remote, port, ipv6) < 0)
		return -1;
	return syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK ? fail(EINPROGRESS) : wait_connected(fd);
}

/* ---- bind, listen, accept ------------------------------------------------------------------------------ */

EXPORT int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct wt_host_question question;
	struct wt_host_answer answer;
	uint32_t local;
	uint16_t port;
	bool ipv6;
	int one = 1, result;

	if (!wt_take_address(addr, len, &local, &port, &ipv6) || !wt_page())
		return (int)syscall(SYS_bind, fd, addr, len);
	if (local && local == wt_page()->address && wt_is_tcp(fd)) /* the kernel keeps address and port for us */
		syscall(SYS_setsockopt, fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one));
	result = (int)syscall(SYS_bind, fd, addr, len);
	if (result < 0 && errno == EADDRINUSE && wt_is_tcp(fd)) { /* by a listener that has just ended? */
		wt_question(&question, WT_HOST_PROBE, NULL);
		if (wt_ask(&question, -1, &answer, NULL) == 0)
			result = (int)syscall(SYS_bind, fd, addr, len);
	}
	return result;
}

/* Is it a socket whose listening is the engine's? Then its address and port. */
static bool engine_listens(int fd, struct wt_host_question *question, bool *ipv6)
{
	struct sockaddr_storage bound;
	socklen_t len = sizeof(bound);

	if (!wt_page() || !wt_is_tcp(fd) || syscall(SYS_getsockname, fd, &bound, &len) < 0 ||
	    !wt_take_address((struct sockaddr *)&bound, len, &question->local, &question->local_port, ipv6) || !question->local_port)
		return false;
	if (question->local)
		return wt_engine_address(question->local);
	return !*ipv6 || !option_of(fd, IPPROTO_IPV6, IPV6_V6ONLY);
}

/* A socket without a name listens at a port that the kernel chooses: it does so now. */
static void bind_any(int fd)
{
	struct sockaddr_storage bound = {0};
	socklen_t len = sizeof(bound);
	uint32_t local;
	uint16_t port = 1;
	bool ipv6;

	if (wt_page() && wt_is_tcp(fd) && syscall(SYS_getsockname, fd, &bound, &len) == 0 &&
	    wt_take_address((struct sockaddr *)&bound, len, &local, &port, &ipv6) && !port)
		syscall(SYS_bind, fd, &bound, len);
}

EXPORT int listen(int fd, int backlog)
{
	static unsigned count;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct wt_host_question question;
	struct wt_host_answer answer;
	struct wt_who who;
	bool ipv6;
	int fresh, n, error;

	wt_question(&question, WT_HOST_LISTEN, NULL);
	bind_any(fd);
	if (wt_who(fd, &who) == WT_WHO_LISTENER || !engine_listens(fd, &question, &ipv6))
		return (int)syscall(SYS_listen, fd, backlog);
	fresh = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fresh < 0)
		return -1;
	n = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "wavetank/l%c/%08x/%u/%d/%u", ipv6 ? '6' : '4', question.local,
		     question.local_port, (int)getpid(), __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
	memcpy(question.name, un.sun_path + 1, (size_t)n);
	question.backlog = backlog;
	question.ipv6 = ipv6;
	question.reuse_port = option_of(fd, SOL_SOCKET, SO_REUSEPORT) != 0;
	say_options(fd, &question);
	if (syscall(SYS_bind, fresh, &un, offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n) < 0 ||
	    syscall(SYS_listen, fresh, backlog > 0 ? backlog : 1) < 0)
		error = errno;
	else
		error = wt_ask(&question, fd, &answer, NULL);
	if (error) {
		syscall(SYS_close, fresh);
		return fail(error);
	}
	set_buffer(fresh, BUFFER);
	wt_replace(fd, fresh);
	return 0;
}

EXPORT int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	struct wt_who who, whole;
	int accepted;

	if (!wt_page())
		return (int)syscall(SYS_accept4, fd, addr, len, flags);
	accepted = (int)syscall(SYS_accept4, fd, &peer, &size, flags);
	if (accepted < 0)
		return accepted;
	wt_local_forget(accepted);
	if (peer.ss_family == AF_UNIX && wt_who_parse((struct sockaddr *)&peer, size, &who) && who.kind == WT_WHO_CONNECTION) {
		set_buffer(accepted, BUFFER);
		if (wt_who(accepted, &whole) == WT_WHO_CONNECTION) /* remembers it, and knows by which family it was asked for */
			who.ipv6 = whole.ipv6;
		wt_give_address(who.remote, who.remote_port, who.ipv6, addr, len);
	} else if (addr && len) {
		memcpy(addr, &peer, *len < size ? *len : size);
		*len = size;
	}
	return accepted;
}

EXPORT int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	return accept4(fd, addr, len, 0);
}

/* ---- names --------------------------------------------------------------------------------------------- */

EXPORT int getsockname(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct wt_who who;

	if (!wt_page() || wt_who(fd, &who) == WT_WHO_OTHER)
		return (int)syscall(SYS_getsockname, fd, addr, len);
	if (!addr || !len || (int)*len < 0)
		return fail(addr && len ? EINVAL : EFAULT);
	wt_give_address(who.local, who.local_port, who.ipv6, addr, len);
	return 0;
}

EXPORT int getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct wt_host_slot slot;
	struct wt_who who;

	if (!wt_page() || wt_who(fd, &who) == WT_WHO_OTHER)
		return (int)syscall(SYS_getpeername, fd, addr, len);
	if (who.kind == WT_WHO_LISTENER || (wt_slot(&who, &slot) && (!(slot.flags & WT_HOST_CONNECTED) || wt_over(&slot))))
		return fail(ENOTCONN);
	if (!addr || !len || (int)*len < 0)
		return fail(addr && len ? EINVAL : EFAULT);
	wt_give_address(who.remote, who.remote_port, who.ipv6, addr, len);
	return 0;
}

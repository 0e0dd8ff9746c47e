/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing are the kernel's. We look at what they say: the end of the stream is one if the peer's FIN was seen, else it is the
 * error that ended the connection; and a connection that has failed refuses a write once with its error, without a signal.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "tools/preload/preload.h"

/* A listener that is shut for reading is a closed socket, and a connection that is over is not connected. */
EXPORT int shutdown(int fd, int how)
{
	struct wt_local *mine = wt_local(fd);
	struct wt_host_slot slot;
	struct wt_who who = {0};
	bool over;
	int result;

	if (wt_page())
		wt_who(fd, &who);
	over = who.kind == WT_WHO_CONNECTION && wt_slot(&who, &slot) && wt_over(&slot); /* by then: what is done now may end it at once */
	if (mine && how != SHUT_WR)
		mine->read_shut = true;
	result = (int)syscall(SYS_shutdown, fd, how);
	if (result == 0 && who.kind == WT_WHO_LISTENER && how != SHUT_WR)
		return wt_start_anew(fd, who.ipv6);
	if (result < 0 || !over)
		return result;
	errno = ENOTCONN;
	return -1;
}

/* The end of a stream that the peer has finished, of a connection that we know: nobody is asked, because a sandbox may kill a program that asks (that of
 * sshd before authentication does). Should the number be another file's by now, it is an end as well. */
static bool plain_end(const struct wt_local *mine)
{
	struct wt_host_slot slot;

	return mine && mine->who.kind == WT_WHO_CONNECTION && wt_slot(&mine->who, &slot) && slot.flags & WT_HOST_FIN_SEEN && !slot.error;
}

/* Another process has shut this end: the daemon has closed the connection without an error, or lives and has it. The one place where an end asks it. */
static bool shut_elsewhere(const struct wt_who *who)
{
	struct wt_host_question question;
	struct wt_host_answer answer;
	struct wt_host_slot slot;

	wt_question(&question, WT_HOST_FIND, who);
	if (wt_slot(who, &slot) && !wt_over(&slot) && wt_ask(&question, -1, &answer, NULL) == ENETDOWN)
		return false;
	return wt_slot(who, &slot) && !slot.error;
}

/* n: what the kernel said; asked: there was room for a byte. */
static ssize_t judge(int fd, ssize_t n, bool asked)
{
	int saved = errno, error;
	struct wt_local *mine = wt_local(fd);
	struct wt_host_slot slot;
	struct wt_who who;

	if (n > 0 || (n == 0 && !asked) || (n < 0 && errno != ECONNRESET && errno != EPIPE) || !wt_page())
		return n;
	if ((n == 0 && plain_end(mine)) || wt_who(fd, &who) != WT_WHO_CONNECTION)
		return n;
	error = wt_who_error(fd, &who);
	if (!error && n == 0 && !(mine && (mine->read_shut || mine->told_error)) &&
	    !(wt_slot(&who, &slot) && slot.flags & WT_HOST_FIN_SEEN) && !shut_elsewhere(&who)) {
		error = ECONNRESET; /* the daemon has gone, or has forgotten this connection: no end of a stream */
		if (mine)
			mine->told_error = true;
	}
	if (error) {
		errno = error;
		return -1;
	}
	if (n < 0 && saved == ECONNRESET)
		return 0; /* told before */
	errno = saved;
	return n;
}

/* What is written before the connection stands waits for it, or is refused. */
static bool not_yet(int fd, const struct wt_host_slot *slot, int flags)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};

	if (slot->error || slot->flags & WT_HOST_CONNECTED)
		return false;
	if (flags & MSG_DONTWAIT || syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) {
		errno = EAGAIN;
		return true;
	}
	return syscall(SYS_poll, &wait, 1, -1) < 0;
}

/* Before a write, without asking anybody: is a connection that we know of not open yet, or has it failed, and that was not told? */
static bool failed_by(int fd, int flags)
{
	const struct wt_host_page *page = wt_page();
	struct wt_local *mine = wt_local(fd);
	const struct wt_host_slot *slot;
	struct wt_who who;
	int error;

	if (!page || !mine || mine->who.kind != WT_WHO_CONNECTION || mine->told_error)
		return false;
	slot = &page->slot[mine->who.slot];
	if ((!__atomic_load_n(&slot->error, __ATOMIC_ACQUIRE) && slot->flags & WT_HOST_CONNECTED) || slot->generation != mine->who.generation ||
	    wt_who(fd, &who) != WT_WHO_CONNECTION)
		return false;
	if (not_yet(fd, slot, flags))
		return true;
	error = wt_who_error(fd, &who);
	if (error)
		errno = error;
	return error != 0;
}

static bool failed(int fd)
{
	return failed_by(fd, 0);
}

/* ---- in ------------------------------------------------------------------------------------------------ */

EXPORT ssize_t read(int fd, void *data, size_t len)
{
	return judge(fd, syscall(SYS_read, fd, data, len), len > 0);
}

EXPORT ssize_t readv(int fd, const struct iovec *iov, int count)
{
	return judge(fd, syscall(SYS_readv, fd, iov, count), count > 0);
}

/* Flags that a pair understands otherwise, on one of ours. */
static bool is_special(int fd, int flags)
{
	struct wt_who who;

	return (flags & (MSG_TRUNC | MSG_ERRQUEUE) || (flags & MSG_PEEK && flags & MSG_WAITALL)) && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION;
}

/* All of it, left where it is: until it is there, or the end, or a signal. */
static ssize_t peek_all(int fd, void *data, size_t len, int flags)
{
	struct timeval limit = {0};
	socklen_t size = sizeof(limit);
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
	int epoll = (int)syscall(SYS_epoll_create1, EPOLL_CLOEXEC), wait = -1;
	bool more = epoll >= 0 && syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &event) == 0;
	ssize_t n;

	event.events = 0;
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &size);
	if (limit.tv_sec || limit.tv_usec)
		wait = (int)(limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000);
	do {
		n = syscall(SYS_recvfrom, fd, data, len, flags & ~MSG_WAITALL, NULL, NULL);
		more = more && n > 0 && (size_t)n < len && !(event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) &&
		       syscall(SYS_epoll_pwait, epoll, &event, 1, wait, NULL, 8) == 1;
	} while (more);
	if (epoll >= 0)
		syscall(SYS_close, epoll);
	return n;
}

static ssize_t recv_special(int fd, void *data, size_t len, int flags)
{
	static char nowhere[65536]; /* written by all, read by nobody */

	if (flags & MSG_ERRQUEUE) {
		errno = EAGAIN;
		return -1;
	}
	if (flags & MSG_TRUNC)
		return judge(fd, syscall(SYS_recvfrom, fd, nowhere, len < sizeof(nowhere) ? len : sizeof(nowhere), flags & ~MSG_TRUNC, NULL, NULL), len > 0);
	if (flags & MSG_DONTWAIT || syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK)
		return judge(fd, syscall(SYS_recvfrom, fd, data, len, flags, NULL, NULL), len > 0);
	return judge(fd, peek_all(fd, data, len, flags), len > 0);
}

EXPORT ssize_t recv(int fd, void *data, size_t len, int flags)
{
	if (is_special(fd, flags))
		return recv_special(fd, data, len, flags);
	return judge(fd, syscall(SYS_recvfrom, fd, data, len, flags, NULL, NULL), len > 0);
}

EXPORT ssize_t recvfrom(int fd, void *data, size_t len, int flags, struct sockaddr *addr, socklen_t *addr_len)
{
	ssize_t n = is_special(fd, flags) ? recv_special(fd, data, len, flags)
					  : judge(fd, syscall(SYS_recvfrom, fd, data, len, flags, addr, addr_len), len > 0);
	struct wt_who who;

	if (n >= 0 && addr && addr_len && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		*addr_len = 0; /* as TCP does */
	return n;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct wt_who who;
	ssize_t n;

	if (flags & MSG_ERRQUEUE && is_special(fd, flags))
		return recv_special(fd, NULL, 0, flags);
	n = judge(fd, syscall(SYS_recvmsg, fd, message, flags), true);

	if (n >= 0 && message->msg_name && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		message->msg_namelen = 0;
	return n;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit)
{
	int n = (int)syscall(SYS_recvmmsg, fd, messages, count, flags, limit);

	/* an end of the stream is a message of nothing */
	return n > 0 && messages[0].msg_len ? n : judge(fd, n > 0 ? 0 : n, true) < 0 ? -1 : n;
}

EXPORT ssize_t __read_chk(int fd, void *data, size_t len, size_t room);
EXPORT ssize_t __recv_chk(int fd, void *data, size_t len, size_t room, int flags);
EXPORT ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t room, int flags, struct sockaddr *addr, socklen_t *addr_len);

ssize_t __read_chk(int fd, void *data, size_t len, size_t room)
{
	if (len > room)
		abort();
	return read(fd, data, len);
}

ssize_t __recv_chk(int fd, void *data, size_t len, size_t room, int flags)
{
	if (len > room)
		abort();
	return recv(fd, data, len, flags);
}

ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t room, int flags, struct sockaddr *addr, socklen_t *addr_len)
{
	if (len > room)
		abort();
	return recvfrom(fd, data, len, flags, addr, addr_len);
}

/* ---- out ----------------------------------------------------------------------------------------------- */

EXPORT ssize_t write(int fd, const void *data, size_t len)
{
	return failed(fd) ? -1 : syscall(SYS_write, fd, data, len);
}

EXPORT ssize_t writev(int fd, const struct iovec *iov, int count)
{
	return failed(fd) ? -1 : syscall(SYS_writev, fd, iov, count);
}

static bool urgent(int fd, int flags)
{
	struct wt_who who;

	if (!(flags & MSG_OOB) || !wt_page() || wt_who(fd, &who) == WT_WHO_OTHER)
		return false;
	errno = EOPNOTSUPP;
	return true;
}

EXPORT ssize_t send(int fd, const void *data, size_t len, int flags)
{
	return failed_by(fd, flags) || urgent(fd, flags) ? -1 : syscall(SYS_sendto, fd, data, len, flags, NULL, 0);
}

EXPORT ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *addr, socklen_t addr_len)
{
	struct wt_who who;

	if (failed_by(fd, flags) || urgent(fd, flags))
		return -1;
	if (addr && addr->sa_family != AF_UNIX && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		addr = NULL; /* TCP takes no notice of it */
	return syscall(SYS_sendto, fd, data, len, flags, addr, addr ? addr_len : 0);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return failed_by(fd, flags) || urgent(fd, flags) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	return failed_by(fd, flags) ? -1 : (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned flags)
{
	return failed(out) ? -1 : judge(in, syscall(SYS_splice, in, in_at, out, out_at, len, flags), len > 0);
}

/* By their names in the library: the compiler's headers give one of them the other's name. */
EXPORT ssize_t wt_sendfile(int out, int in, off_t *offset, size_t count) __asm__("sendfile");
EXPORT ssize_t wt_sendfile64(int out, int in, off_t *offset, size_t count) __asm__("sendfile64");

ssize_t wt_sendfile(int out, int in, off_t *offset, size_t count)
{
	return failed(out) ? -1 : syscall(SYS_sendfile, out, in, offset, count);
}

ssize_t wt_sendfile64(int out, int in, off_t *offset, size_t count)
{
	return wt_sendfile(out, in, offset, count);
}

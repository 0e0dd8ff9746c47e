/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing are the kernel's. We look at what they say: the end of the stream is one if the peer's FIN was seen, else it is the
 * error that ended the connection; and a connection that has failed refuses a write once with its error, without a signal.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "tools/preload/preload.h"

EXPORT int shutdown(int fd, int how)
{
	struct wt_local *mine = wt_local(fd);

	if (mine && how != SHUT_WR)
		mine->read_shut = true;
	return (int)syscall(SYS_shutdown, fd, how);
}

/* The end of a stream that the peer has finished, of a connection that we know: nobody is asked, because a sandbox may kill a program that asks (that of
 * sshd before authentication does). Should the number be another file's by now, it is an end as well. */
static bool plain_end(const struct wt_local *mine)
{
	struct wt_host_slot slot;

	return mine && mine->who.kind == WT_WHO_CONNECTION && wt_slot(&mine->who, &slot) && slot.flags & WT_HOST_FIN_SEEN && !slot.error;
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
	    !(wt_slot(&who, &slot) && slot.flags & WT_HOST_FIN_SEEN)) {
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

/* Before a write, without asking anybody: has a connection that we know of failed, and not been told? */
static bool failed(int fd)
{
	const struct wt_host_page *page = wt_page();
	struct wt_local *mine = wt_local(fd);
	struct wt_who who;
	int error;

	if (!page || !mine || mine->who.kind != WT_WHO_CONNECTION || mine->told_error)
		return false;
	if (!__atomic_load_n(&page->slot[mine->who.slot].error, __ATOMIC_ACQUIRE) || wt_who(fd, &who) != WT_WHO_CONNECTION)
		return false;
	error = wt_who_error(fd, &who);
	if (error)
		errno = error == ETIMEDOUT || error == EHOSTUNREACH ? error : ECONNRESET;
	return error != 0;
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

EXPORT ssize_t recv(int fd, void *data, size_t len, int flags)
{
	return judge(fd, syscall(SYS_recvfrom, fd, data, len, flags, NULL, NULL), len > 0);
}

EXPORT ssize_t recvfrom(int fd, void *data, size_t len, int flags, struct sockaddr *addr, socklen_t *addr_len)
{
	ssize_t n = judge(fd, syscall(SYS_recvfrom, fd, data, len, flags, addr, addr_len), len > 0);
	struct wt_who who;

	if (n >= 0 && addr && addr_len && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		*addr_len = 0; /* as TCP does */
	return n;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n = judge(fd, syscall(SYS_recvmsg, fd, message, flags), true);
	struct wt_who who;

	if (n >= 0 && message->msg_name && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		message->msg_namelen = 0;
	return n;
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
	return failed(fd) || urgent(fd, flags) ? -1 : syscall(SYS_sendto, fd, data, len, flags, NULL, 0);
}

EXPORT ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *addr, socklen_t addr_len)
{
	struct wt_who who;

	if (failed(fd) || urgent(fd, flags))
		return -1;
	if (addr && addr->sa_family != AF_UNIX && wt_page() && wt_who(fd, &who) == WT_WHO_CONNECTION)
		addr = NULL; /* TCP takes no notice of it */
	return syscall(SYS_sendto, fd, data, len, flags, addr, addr ? addr_len : 0);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return failed(fd) || urgent(fd, flags) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registrations of TCP sockets that are not connected yet: the exchange of the description under a number would lose them, so they are
 * remembered and made again. A table without a lock: an entry is taken by one compare-and-swap, and one that fork() catches half made
 * is lost to the child only.
 */
#include <sys/epoll.h>

#include "tools/preload/preload.h"

enum { ENTRIES = 4096 };
enum { FREE, BUSY, VALID };

static struct {
	int state, epoll, fd;
	struct epoll_event event;
} entry[ENTRIES];
static int most; /* entries ever used: no search behind it */

static int take(void)
{
	for (int i = 0; i < ENTRIES; i++) {
		int free = FREE, high = __atomic_load_n(&most, __ATOMIC_RELAXED);

		if (!__atomic_compare_exchange_n(&entry[i].state, &free, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		while (high <= i && !__atomic_compare_exchange_n(&most, &high, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		return i;
	}
	return -1;
}

/* The next valid entry of a descriptor from `i` on, or -1. */
static int find(int i, int epoll, int fd)
{
	for (; i < __atomic_load_n(&most, __ATOMIC_RELAXED); i++)
		if (__atomic_load_n(&entry[i].state, __ATOMIC_ACQUIRE) == VALID && entry[i].fd == fd && (epoll < 0 || entry[i].epoll == epoll))
			return i;
	return -1;
}

void wt_epoll_leave(int fd)
{
	int saved = errno;

	for (int i = find(0, -1, fd); i >= 0; i = find(i + 1, -1, fd))
		syscall(SYS_epoll_ctl, entry[i].epoll, EPOLL_CTL_DEL, fd, NULL);
	errno = saved;
}

void wt_epoll_again(int fd)
{
	int saved = errno;

	for (int i = find(0, -1, fd); i >= 0; i = find(i + 1, -1, fd)) {
		struct epoll_event event = entry[i].event;

		syscall(SYS_epoll_ctl, entry[i].epoll, EPOLL_CTL_ADD, fd, &event);
		__atomic_store_n(&entry[i].state, FREE, __ATOMIC_RELEASE);
	}
	errno = saved;
}

void wt_epoll_forget(int fd)
{
	for (int i = 0; i < __atomic_load_n(&most, __ATOMIC_RELAXED); i++)
		if (__atomic_load_n(&entry[i].state, __ATOMIC_ACQUIRE) == VALID && (entry[i].fd == fd || entry[i].epoll == fd))
			__atomic_store_n(&entry[i].state, FREE, __ATOMIC_RELEASE);
}

/* A TCP socket of the kernel that neither listens nor is connected: connect() may come. */
static bool may_be_exchanged(int fd)
{
	int accepts = 0;
	socklen_t len = sizeof(accepts);
	struct sockaddr_storage peer;

	if (!wt_is_tcp(fd) || (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) == 0 && accepts))
		return false;
	len = sizeof(peer);
	return syscall(SYS_getpeername, fd, &peer, &len) < 0;
}

EXPORT int epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	int result = (int)syscall(SYS_epoll_ctl, epoll, op, fd, event), saved = errno, at;

	if (result < 0 || !wt_page())
		return result;
	if (op == EPOLL_CTL_ADD && may_be_exchanged(fd)) {
		at = take();
		if (at >= 0) {
			entry[at].epoll = epoll;
			entry[at].fd = fd;
			entry[at].event = *event;
			__atomic_store_n(&entry[at].state, VALID, __ATOMIC_RELEASE);
		}
	} else if (op != EPOLL_CTL_ADD && (at = find(0, epoll, fd)) >= 0) {
		if (op == EPOLL_CTL_MOD)
			entry[at].event = *event;
		else
			__atomic_store_n(&entry[at].state, FREE, __ATOMIC_RELEASE);
	}
	errno = saved;
	return result;
}

EXPORT int close(int fd)
{
	wt_local_forget(fd);
	if (__atomic_load_n(&most, __ATOMIC_RELAXED))
		wt_epoll_forget(fd);
	return (int)syscall(SYS_close, fd);
}

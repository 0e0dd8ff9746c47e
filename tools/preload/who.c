/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tools/preload/preload.h"

static struct wt_local local[FDS];

struct wt_local *wt_local(int fd)
{
	return fd >= 0 && fd < FDS ? &local[fd] : NULL;
}

void wt_local_forget(int fd)
{
	if (fd >= 0 && fd < FDS && (local[fd].inode || local[fd].sender[0] || local[fd].who.kind))
		memset(&local[fd], 0, sizeof(local[fd]));
}

bool wt_slot(const struct wt_who *who, struct wt_host_slot *slot)
{
	const struct wt_host_page *page = wt_page();
	const struct wt_host_slot *from;
	uint32_t turn;

	if (!page || who->slot >= WT_HOST_SLOTS)
		return false;
	from = &page->slot[who->slot];
	for (unsigned i = 0; i < 1000; i++) {
		turn = __atomic_load_n(&from->turn, __ATOMIC_ACQUIRE);
		memcpy(slot, from, sizeof(*slot));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(turn & 1) && turn == __atomic_load_n(&from->turn, __ATOMIC_RELAXED))
			break;
	}
	return slot->generation == who->generation;
}

int wt_who_error(int fd, const struct wt_who *who)
{
	struct wt_local *mine = wt_local(fd);
	struct wt_host_slot slot;

	if (!wt_slot(who, &slot) || !slot.error || (mine && mine->told_error))
		return 0;
	if (mine)
		mine->told_error = true;
	return slot.error;
}

bool wt_who_parse(const struct sockaddr *addr, socklen_t len, struct wt_who *who)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)addr;
	int n = (int)len - (int)offsetof(struct sockaddr_un, sun_path) - 1;
	unsigned local_port = 0, remote_port = 0;
	char text[WT_HOST_NAME + 8], kind, version;

	memset(who, 0, sizeof(*who));
	if (n < 12 || n > WT_HOST_NAME || un->sun_family != AF_UNIX || un->sun_path[0] || memcmp(un->sun_path + 1, "wavetank/", 9) != 0)
		return false;
	memcpy(text, un->sun_path + 1, (size_t)n);
	text[n] = 0;
	kind = text[9];
	version = text[10];
	if (kind == 'l') {
		if (sscanf(text + 12, "%x/%u/", &who->local, &local_port) != 2)
			return false;
		who->kind = WT_WHO_LISTENER;
	} else {
		if ((kind != 'a' && kind != 'c') || sscanf(text + 12, "%u/%u/%x/%u/%x/%u", &who->slot, &who->generation, &who->local, &local_port,
							   &who->remote, &remote_port) != 6)
			return false;
		who->kind = WT_WHO_CONNECTION;
	}
	who->local_port = (uint16_t)local_port;
	who->remote_port = (uint16_t)remote_port;
	who->ipv6 = version == '6';
	return true;
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : st.st_ino;
}

/* What is known of a descriptor that has lost its names, because the daemon has closed its end: good while the inode is the same. */
static enum wt_who_kind recall(int fd, struct wt_who *who)
{
	struct wt_local *mine = wt_local(fd);

	if (!mine || mine->who.kind != WT_WHO_CONNECTION || mine->inode != inode_of(fd))
		return WT_WHO_OTHER;
	*who = mine->who;
	return who->kind;
}

static void remember(int fd, const struct wt_who *who)
{
	struct wt_local *mine = wt_local(fd);
	uint64_t inode;

	if (!mine || (mine->who.kind == WT_WHO_CONNECTION && mine->who.slot == who->slot && mine->who.generation == who->generation))
		return;
	inode = inode_of(fd);
	memset(mine, 0, sizeof(*mine));
	mine->inode = inode;
	mine->who = *who;
}

static enum wt_who_kind look(int fd, struct wt_who *who)
{
	struct sockaddr_un un;
	socklen_t len = sizeof(un);
	struct wt_who listener;
	int accepts = 0;

	memset(who, 0, sizeof(*who));
	if (fd < 0 || syscall(SYS_getsockname, fd, &un, &len) < 0 || un.sun_family != AF_UNIX ||
	    !wt_who_parse((struct sockaddr *)&un, len, who))
		return WT_WHO_OTHER;
	if (who->kind == WT_WHO_CONNECTION) {
		remember(fd, who);
		return who->kind;
	}
	len = sizeof(accepts);
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len);
	if (accepts)
		return who->kind;
	listener = *who; /* accepted: the other end's name says the rest */
	len = sizeof(un);
	if (syscall(SYS_getpeername, fd, &un, &len) < 0 || !wt_who_parse((struct sockaddr *)&un, len, who))
		return recall(fd, who);
	who->ipv6 = listener.ipv6;
	remember(fd, who);
	return who->kind;
}

enum wt_who_kind wt_who(int fd, struct wt_who *who)
{
	int saved = errno;
	enum wt_who_kind kind = look(fd, who);

	errno = saved;
	return kind;
}

/* ---- addresses and descriptions ------------------------------------------------------------------------ */

bool wt_take_address(const struct sockaddr *addr, socklen_t len, uint32_t *ipv4, uint16_t *port, bool *ipv6)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;

	if (!addr || len < sizeof(*in))
		return false;
	*ipv6 = addr->sa_family == AF_INET6;
	*port = ntohs(in->sin_port); /* stands at the same place in both */
	if (addr->sa_family == AF_INET) {
		*ipv4 = in->sin_addr.s_addr;
		return true;
	}
	if (addr->sa_family != AF_INET6 || len < sizeof(*in6))
		return false;
	*ipv4 = 0;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		memcpy(ipv4, &in6->sin6_addr.s6_addr[12], 4);
	else if (!IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
		return false;
	return true;
}

void wt_give_address(uint32_t ipv4, uint16_t port, bool ipv6, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr.s6_addr = {[10] = 0xff, [11] = 0xff}};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = ipv4};
	socklen_t size = ipv6 ? sizeof(in6) : sizeof(in);

	if (!addr || !len)
		return;
	memcpy(&in6.sin6_addr.s6_addr[12], &ipv4, 4);
	if (ipv6 && !ipv4)
		memset(&in6.sin6_addr, 0, sizeof(in6.sin6_addr)); /* a listener on :: */
	memcpy(addr, ipv6 ? (const void *)&in6 : (const void *)&in, *len < size ? *len : size);
	*len = size;
}

bool wt_is_tcp(int fd)
{
	int saved = errno, protocol = 0;
	socklen_t len = sizeof(protocol);
	bool is = syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 && protocol == IPPROTO_TCP;

	errno = saved;
	return is;
}

int wt_start_anew(int fd, bool ipv6)
{
	int fresh = (int)syscall(SYS_socket, ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fresh < 0)
		return -1;
	wt_replace(fd, fresh);
	wt_local_forget(fd);
	return 0;
}

void wt_replace(int fd, int with)
{
	static const int kept[] = {SO_RCVTIMEO, SO_SNDTIMEO, SO_LINGER, SO_KEEPALIVE, SO_REUSEADDR};
	long flags = syscall(SYS_fcntl, fd, F_GETFL), owner = syscall(SYS_fcntl, fd, F_GETOWN), cloexec = syscall(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC;

	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		long value[2] = {0};
		socklen_t len = sizeof(value);

		if (syscall(SYS_getsockopt, fd, SOL_SOCKET, kept[i], value, &len) == 0 && (value[0] || value[1]))
			syscall(SYS_setsockopt, with, SOL_SOCKET, kept[i], value, len);
	}
	if (flags & O_NONBLOCK)
		syscall(SYS_fcntl, with, F_SETFL, flags & ~O_ASYNC);
	if (owner) {
		syscall(SYS_fcntl, with, F_SETOWN, owner);
		syscall(SYS_fcntl, with, F_SETSIG, syscall(SYS_fcntl, fd, F_GETSIG));
	}
	wt_epoll_leave(fd);
	syscall(SYS_dup3, with, fd, cloexec ? O_CLOEXEC : 0);
	syscall(SYS_close, with);
	if (flags & O_ASYNC) /* remembers the number that it is asked by */
		syscall(SYS_fcntl, fd, F_SETFL, flags);
	wt_epoll_again(fd);
}

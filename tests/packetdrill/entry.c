/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of packetdrill's interface: two threads, one lock, virtual time.
 *
 * packetdrill's main thread feeds packets and moves time; a line with a range of time is a call that may block, on a second thread.
 * The second thread sleeps on `changed` until the main thread, after each thing that happens, has tried the call again for it with
 * success. Then the main thread waits until the second one has read the clock: what it reads is when the call returned.
 *
 * packetdrill spins on the clock, so each reading takes a microsecond.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adapter.h"

#define EXPORT __attribute__((visibility("default")))
#define PATIENCE (600 * WT_S) /* of virtual time, until no packet is expected any more */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;

enum waiting { WAITS_NOT, WAITS, RETURNED }; /* RETURNED: and has not read the clock */

static struct {
	enum waiting state;
	pthread_t thread;
	ssize_t (*once)(void *arg);
	void *arg;
	ssize_t result;
} blocked;

static ssize_t answer(ssize_t result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

static bool again(ssize_t result)
{
	return result == -EAGAIN || result == -EINPROGRESS || result == -EALREADY;
}

/* Something happened: a call that blocks may return now. It sleeps, so whoever comes here is the other thread. */
static void serve_blocked(void)
{
	struct timespec until;

	if (blocked.state != WAITS)
		return;
	blocked.result = blocked.once(blocked.arg);
	if (again(blocked.result))
		return;
	pd_settle();
	blocked.state = RETURNED;
	pthread_cond_broadcast(&changed);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	while (blocked.state == RETURNED && !pthread_cond_timedwait(&changed, &lock, &until))
		;
}

static void move_time(wt_time to)
{
	while (pd.now < to) {
		pd_set_time(wt_time_min(wt_time_max(pd_deadline(), pd.now), to));
		pd_settle();
		serve_blocked();
	}
}

/* Runs a call under the lock; one that must wait does so, if it may and is not on the main thread. */
static ssize_t run(ssize_t (*once)(void *arg), void *arg, bool may_wait)
{
	ssize_t result;

	pthread_mutex_lock(&lock);
	result = once(arg);
	pd_settle();
	if (again(result) && may_wait && !pthread_equal(pthread_self(), main_thread)) {
		blocked.once = once;
		blocked.arg = arg;
		blocked.thread = pthread_self();
		blocked.state = WAITS;
		while (blocked.state == WAITS)
			pthread_cond_wait(&changed, &lock);
		result = blocked.result;
	} else if (pthread_equal(pthread_self(), main_thread)) {
		serve_blocked();
	}
	pthread_mutex_unlock(&lock);
	return answer(result);
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

/* What a call was given; each uses what it needs. */
struct call {
	int fd;
	int a, b, c;
	const void *in;
	void *out;
	socklen_t *len;
	socklen_t in_len;
	const struct iovec *piece;
	int count;
	size_t done, want; /* of a write that blocks: it returns when all is taken */
	bool wait;
	struct pollfd *set;
};

static bool may_wait(int fd, int flags)
{
	struct pd_socket *socket = pd_find(fd);

	return socket && !socket->nonblocking && !(flags & MSG_DONTWAIT);
}

#define WITH_SOCKET(call, socket)                                                                                      \
	struct call *call = arg;                                                                                       \
	struct pd_socket *socket = pd_find(call->fd);                                                                  \
	if (!socket)                                                                                                   \
		return -EBADF

static ssize_t once_socket(void *arg)
{
	struct call *call = arg;

	return pd_socket(call->a, call->b, call->c);
}

static int member_socket(void *userdata, int domain, int type, int protocol)
{
	return (int)run(once_socket, &(struct call){.a = domain, .b = type, .c = protocol}, false);
}

static ssize_t once_bind(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_bind(socket, call->in, call->in_len);
}

static int member_bind(void *userdata, int fd, const struct sockaddr *addr, socklen_t len)
{
	return (int)run(once_bind, &(struct call){.fd = fd, .in = addr, .in_len = len}, false);
}

static ssize_t once_listen(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_listen(socket, call->a);
}

static int member_listen(void *userdata, int fd, int backlog)
{
	return (int)run(once_listen, &(struct call){.fd = fd, .a = backlog}, false);
}

static ssize_t once_accept(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_accept(socket, call->out, call->len);
}

static int member_accept(void *userdata, int fd, struct sockaddr *addr, socklen_t *len)
{
	return (int)run(once_accept, &(struct call){.fd = fd, .out = addr, .len = len}, may_wait(fd, 0));
}

static ssize_t once_connect(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_connect(socket, call->in, call->in_len);
}

static int member_connect(void *userdata, int fd, const struct sockaddr *addr, socklen_t len)
{
	return (int)run(once_connect, &(struct call){.fd = fd, .in = addr, .in_len = len}, may_wait(fd, 0));
}

static ssize_t once_read(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_read(socket, call->piece, call->count, call->a);
}

static ssize_t read_pieces(int fd, const struct iovec *piece, int count, int flags)
{
	return run(once_read, &(struct call){.fd = fd, .piece = piece, .count = count, .a = flags}, may_wait(fd, flags));
}

static ssize_t once_write(void *arg)
{
	ssize_t taken;

	WITH_SOCKET(call, socket);
	taken = pd_write(socket, call->piece, call->count, call->done, call->a);
	if (taken > 0)
		call->done += (size_t)taken;
	if (taken > 0 && call->wait && call->done < call->want)
		return -EAGAIN;
	if (taken < 0 && taken != -EAGAIN && call->done)
		return (ssize_t)call->done;
	return taken < 0 ? taken : (ssize_t)call->done;
}

static ssize_t write_pieces(int fd, const struct iovec *piece, int count, int flags)
{
	struct call call = {.fd = fd, .piece = piece, .count = count, .a = flags};

	call.wait = may_wait(fd, flags) && !pthread_equal(pthread_self(), main_thread);
	for (int i = 0; i < count; i++)
		call.want += piece[i].iov_len;
	return run(once_write, &call, call.wait);
}

static ssize_t member_read(void *userdata, int fd, void *data, size_t len)
{
	return read_pieces(fd, &(struct iovec){data, len}, 1, 0);
}

static ssize_t member_readv(void *userdata, int fd, const struct iovec *piece, int count)
{
	return read_pieces(fd, piece, count, 0);
}

static ssize_t member_recv(void *userdata, int fd, void *data, size_t len, int flags)
{
	return read_pieces(fd, &(struct iovec){data, len}, 1, flags);
}

static ssize_t member_recvfrom(void *userdata, int fd, void *data, size_t len, int flags, struct sockaddr *addr, socklen_t *addr_len)
{
	return read_pieces(fd, &(struct iovec){data, len}, 1, flags);
}

static ssize_t member_recvmsg(void *userdata, int fd, struct msghdr *message, int flags)
{
	if (flags & MSG_ERRQUEUE)
		pd_lacks("MSG_ERRQUEUE", EAGAIN);
	message->msg_flags = 0;
	message->msg_controllen = 0;
	return read_pieces(fd, message->msg_iov, (int)message->msg_iovlen, flags);
}

static ssize_t member_write(void *userdata, int fd, const void *data, size_t len)
{
	return write_pieces(fd, &(struct iovec){(void *)(uintptr_t)data, len}, 1, 0);
}

static ssize_t member_writev(void *userdata, int fd, const struct iovec *piece, int count)
{
	return write_pieces(fd, piece, count, 0);
}

static ssize_t member_send(void *userdata, int fd, const void *data, size_t len, int flags)
{
	return write_pieces(fd, &(struct iovec){(void *)(uintptr_t)data, len}, 1, flags);
}

static ssize_t member_sendto(void *userdata, int fd, const void *data, size_t len, int flags, const struct sockaddr *addr,
			     socklen_t addr_len)
{
	return write_pieces(fd, &(struct iovec){(void *)(uintptr_t)data, len}, 1, flags);
}

static ssize_t member_sendmsg(void *userdata, int fd, const struct msghdr *message, int flags)
{
	return write_pieces(fd, message->msg_iov, (int)message->msg_iovlen, flags);
}

static ssize_t once_fcntl(void *arg)
{
	WITH_SOCKET(call, socket);
	if (call->a == F_GETFL)
		return O_RDWR | (socket->nonblocking ? O_NONBLOCK : 0);
	if (call->a != F_SETFL)
		return -EINVAL;
	socket->nonblocking = (call->b & O_NONBLOCK) != 0;
	return 0;
}

static int member_fcntl(void *userdata, int fd, int command, ...)
{
	struct call call = {.fd = fd, .a = command};
	va_list list;

	va_start(list, command);
	if (command == F_SETFL)
		call.b = va_arg(list, int);
	va_end(list);
	return (int)run(once_fcntl, &call, false);
}

static ssize_t once_ioctl(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_ioctl(socket, call->want, call->out);
}

static int member_ioctl(void *userdata, int fd, unsigned long request, ...)
{
	struct call call = {.fd = fd, .want = request};
	va_list list;

	va_start(list, request);
	call.out = va_arg(list, int *);
	va_end(list);
	return (int)run(once_ioctl, &call, false);
}

static ssize_t once_close(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_close(socket);
}

static int member_close(void *userdata, int fd)
{
	return (int)run(once_close, &(struct call){.fd = fd}, false);
}

static ssize_t once_shutdown(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_shutdown(socket, call->a);
}

static int member_shutdown(void *userdata, int fd, int how)
{
	return (int)run(once_shutdown, &(struct call){.fd = fd, .a = how}, false);
}

static ssize_t once_getsockopt(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_getsockopt(socket, call->a, call->b, call->out, call->len);
}

static int member_getsockopt(void *userdata, int fd, int level, int name, void *value, socklen_t *len)
{
	return (int)run(once_getsockopt, &(struct call){.fd = fd, .a = level, .b = name, .out = value, .len = len}, false);
}

static ssize_t once_setsockopt(void *arg)
{
	WITH_SOCKET(call, socket);
	return pd_setsockopt(socket, call->a, call->b, call->in, call->in_len);
}

static int member_setsockopt(void *userdata, int fd, int level, int name, const void *value, socklen_t len)
{
	return (int)run(once_setsockopt, &(struct call){.fd = fd, .a = level, .b = name, .in = value, .in_len = len}, false);
}

static ssize_t once_poll(void *arg)
{
	struct call *call = arg;
	ssize_t ready = 0;

	for (int i = 0; i < call->count; i++) {
		struct pd_socket *socket = pd_find(call->set[i].fd);

		call->set[i].revents = socket ? pd_events(socket) & (call->set[i].events | POLLERR | POLLHUP) : POLLNVAL;
		ready += call->set[i].revents != 0;
	}
	return ready || !call->wait ? ready : -EAGAIN;
}

static int member_poll(void *userdata, struct pollfd *set, nfds_t count, int timeout)
{
	struct call call = {.set = set, .count = (int)count, .wait = timeout && !pthread_equal(pthread_self(), main_thread)};

	return (int)run(once_poll, &call, call.wait);
}

/* ---- packets and time --------------------------------------------------------------------------------------------- */

static void member_free(void *userdata)
{
	pthread_mutex_lock(&lock);
	pd_world_end();
	pthread_mutex_unlock(&lock);
}

static int member_netdev_send(void *userdata, const void *packet, size_t len)
{
	pthread_mutex_lock(&lock);
	pd_inject(packet, len);
	serve_blocked();
	pthread_mutex_unlock(&lock);
	return 0;
}

/* A length of 0 says that none will come: packetdrill fails the script there. */
static int member_netdev_receive(void *userdata, void *packet, size_t *len, long long *time_us)
{
	wt_time at = 0, end, next;

	pthread_mutex_lock(&lock);
	end = pd.now + PATIENCE;
	while (!pd.sent.head && (next = pd_deadline()) < end)
		move_time(wt_time_max(next, pd.now + 1));
	*len = pd_take(packet, *len, &at);
	*time_us = at / WT_US;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int member_usleep(void *userdata, useconds_t us)
{
	pthread_mutex_lock(&lock);
	move_time(pd.now + us * WT_US);
	pthread_mutex_unlock(&lock);
	return 0;
}

static int member_gettimeofday(void *userdata, struct timeval *tv, struct timezone *tz)
{
	pthread_mutex_lock(&lock);
	if (blocked.state == RETURNED && pthread_equal(pthread_self(), blocked.thread)) {
		blocked.state = WAITS_NOT;
		pthread_cond_broadcast(&changed);
	} else {
		move_time(pd.now + WT_US);
	}
	tv->tv_sec = pd.now / WT_S;
	tv->tv_usec = pd.now % WT_S / WT_US;
	pthread_mutex_unlock(&lock);
	return 0;
}

/* ---- what we do not have ----------------------------------------------------------------------------------------- */

static int member_epoll_create(void *userdata, int size)
{
	return (int)answer(pd_lacks("epoll", ENOSYS));
}

static int member_epoll_ctl(void *userdata, int epoll, int op, int fd, struct epoll_event *event)
{
	return (int)answer(-ENOSYS);
}

static int member_epoll_wait(void *userdata, int epoll, struct epoll_event *events, int most, int timeout)
{
	return (int)answer(-ENOSYS);
}

static int member_pipe(void *userdata, int fds[2])
{
	return (int)answer(pd_lacks("pipe and splice", ENOSYS));
}

static int member_splice(void *userdata, int in, loff_t *in_at, int out, loff_t *out_at, size_t len, unsigned flags)
{
	return (int)answer(-ENOSYS);
}

EXPORT void packetdrill_interface_init(const char *flags, struct pd_interface *out)
{
	if (pd.host)
		pd_world_end();
	pd_world_build(flags);
	main_thread = pthread_self();
	blocked.state = WAITS_NOT;
	*out = (struct pd_interface){
		&pd, member_free, member_socket, member_bind, member_listen, member_accept, member_connect, member_read, member_readv,
		member_recv, member_recvfrom, member_recvmsg, member_write, member_writev, member_send, member_sendto, member_sendmsg,
		member_fcntl, member_ioctl, member_close, member_shutdown, member_getsockopt, member_setsockopt, member_poll,
		member_netdev_send, member_netdev_receive, member_usleep, member_gettimeofday, member_epoll_create, member_epoll_ctl,
		member_epoll_wait, member_pipe, member_splice,
	};
}

/* packetdrill reads TCP_INFO by the C library's name: the adapter is preloaded, and answers for its own descriptors. */
EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	static int (*next)(int fd, int level, int name, void *value, socklen_t *len);
	bool ours;

	pthread_mutex_lock(&lock);
	ours = pd.host && pd_find(fd);
	pthread_mutex_unlock(&lock);
	if (ours)
		return member_getsockopt(&pd, fd, level, name, value, len);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "getsockopt");
	return next(fd, level, name, value, len);
}

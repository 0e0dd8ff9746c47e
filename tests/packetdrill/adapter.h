/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine behind the shared-object hook of Google's packetdrill, between the files of the adapter.
 *
 *   entry.c    the 33 members, one lock, calls that block, and who waits for whom
 *   world.c    one host in virtual time: datagrams in and out
 *   sockets.c  socket calls, none of which blocks
 *   options.c  socket options, TCP_INFO
 *   sysctl.c   the sysctls of the namespace, as settings
 *
 * The program holds one lock while it is in any file but entry.c. Everything is static: packetdrill runs one script per process, or
 * calls packetdrill_interface_init() again, which makes a new world.
 */
#ifndef WT_TESTS_PACKETDRILL_ADAPTER_H
#define WT_TESTS_PACKETDRILL_ADAPTER_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "stack/host/host.h"

/* The table that packetdrill reads: the order of the members is its binary interface. */
struct pd_interface {
	void *userdata;
	void (*free)(void *userdata);
	int (*socket)(void *userdata, int domain, int type, int protocol);
	int (*bind)(void *userdata, int fd, const struct sockaddr *addr, socklen_t len);
	int (*listen)(void *userdata, int fd, int backlog);
	int (*accept)(void *userdata, int fd, struct sockaddr *addr, socklen_t *len);
	int (*connect)(void *userdata, int fd, const struct sockaddr *addr, socklen_t len);
	ssize_t (*read)(void *userdata, int fd, void *data, size_t len);
	ssize_t (*readv)(void *userdata, int fd, const struct iovec *piece, int count);
	ssize_t (*recv)(void *userdata, int fd, void *data, size_t len, int flags);
	ssize_t (*recvfrom)(void *userdata, int fd, void *data, size_t len, int flags, struct sockaddr *addr, socklen_t *addr_len);
	ssize_t (*recvmsg)(void *userdata, int fd, struct msghdr *message, int flags);
	ssize_t (*write)(void *userdata, int fd, const void *data, size_t len);
	ssize_t (*writev)(void *userdata, int fd, const struct iovec *piece, int count);
	ssize_t (*send)(void *userdata, int fd, const void *data, size_t len, int flags);
	ssize_t (*sendto)(void *userdata, int fd, const void *data, size_t len, int flags, const struct sockaddr *addr, socklen_t addr_len);
	ssize_t (*sendmsg)(void *userdata, int fd, const struct msghdr *message, int flags);
	int (*fcntl)(void *userdata, int fd, int command, ...);
	int (*ioctl)(void *userdata, int fd, unsigned long request, ...);
	int (*close)(void *userdata, int fd);
	int (*shutdown)(void *userdata, int fd, int how);
	int (*getsockopt)(void *userdata, int fd, int level, int name, void *value, socklen_t *len);
	int (*setsockopt)(void *userdata, int fd, int level, int name, const void *value, socklen_t len);
	int (*poll)(void *userdata, struct pollfd *set, nfds_t count, int timeout);
	int (*netdev_send)(void *userdata, const void *packet, size_t len);
	int (*netdev_receive)(void *userdata, void *packet, size_t *len, long long *time_us);
	int (*usleep)(void *userdata, useconds_t us);
	int (*gettimeofday)(void *userdata, struct timeval *tv, struct timezone *tz);
	int (*epoll_create)(void *userdata, int size);
	int (*epoll_ctl)(void *userdata, int epoll, int op, int fd, struct epoll_event *event);
	int (*epoll_wait)(void *userdata, int epoll, struct epoll_event *events, int most, int timeout);
	int (*pipe)(void *userdata, int fds[2]);
	int (*splice)(void *userdata, int in, loff_t *in_at, int out, loff_t *out_at, size_t len, unsigned flags);
};

void packetdrill_interface_init(const char *flags, struct pd_interface *out);

#define PD_SOCKETS 256
#define PD_SETS 16

struct pd_socket {
	bool used, bound, listening, connect_told, nonblocking, linger_abort, shut_read, error_told;
	bool keepalive;
	int fd; /* a real descriptor, which packetdrill may close behind our back */
	uint16_t port;
	uint64_t keepidle_s, user_timeout_ms;
	uint64_t snd_said, rcv_said; /* SO_SNDBUF and SO_RCVBUF as set, doubled as Linux does; 0: not set */
	struct wt_tcp *tcp;      /* NULL: not opened, or given up */
	struct wt_tcp *accepted; /* taken from the listener by poll(), not yet by accept() */
	struct wt_tcp_config config;
};

struct pd_world {
	struct wt_host *host;
	struct wt_node *node;
	struct wt_pool *pool, *arriving;
	struct wt_frame_queue sent; /* left the host, not yet received by packetdrill */
	wt_time now;
	struct wt_addr local;
	bool no_push;               /* PSH is cleared in all that leaves */
	bool no_sysctls;            /* sockets begin with the preset modern, whatever the namespace says */
	bool verbose;
	char states[128];           /* the file that has the states of all sockets, a line each; empty: none */
	char set[PD_SETS][64];      /* settings that every socket gets, NAME=VALUE */
	unsigned sets;
	struct pd_socket sockets[PD_SOCKETS];
};

extern struct pd_world pd;

/* world.c. Flags: words with commas between, local=A.B.C.D mtu=N set=NAME=VALUE states=FILE sysctls=off push=off verbose.
 * Ends the process on a bad one. */
void pd_world_build(const char *flags);
void pd_world_end(void);
/* What the host has to do at this instant. */
void pd_settle(void);
/* The next moment at which the host has work; WT_NEVER. */
wt_time pd_deadline(void);
/* Time is `to` afterwards; `to` is not after pd_deadline(). */
void pd_set_time(wt_time to);
void pd_inject(const void *packet, size_t len);
/* The oldest datagram that left, copied; its length, 0: none. */
size_t pd_take(void *packet, size_t room, wt_time *at);

/* sockets.c: a result, or a negative errno. -EAGAIN and -EINPROGRESS may mean: again later. */
struct pd_socket *pd_find(int fd);
int pd_socket(int domain, int type, int protocol);
int pd_bind(struct pd_socket *socket, const struct sockaddr *addr, socklen_t len);
int pd_listen(struct pd_socket *socket, int backlog);
int pd_accept(struct pd_socket *socket, struct sockaddr *addr, socklen_t *len);
int pd_connect(struct pd_socket *socket, const struct sockaddr *addr, socklen_t len);
ssize_t pd_read(struct pd_socket *socket, const struct iovec *piece, int count, int flags);
ssize_t pd_write(struct pd_socket *socket, const struct iovec *piece, int count, size_t skip, int flags);
int pd_shutdown(struct pd_socket *socket, int how);
int pd_close(struct pd_socket *socket);
short pd_events(struct pd_socket *socket);
int pd_socket_error(struct pd_socket *socket); /* negative errno, once; then 0 */
void pd_tell_states(void);                     /* writes the file of states, if there is one and it would be another */

/* Tells on standard error that a script wants what the engine has not got, and returns -error. */
int pd_lacks(const char *what, int error);

/* options.c: 0 or negative errno */
int pd_setsockopt(struct pd_socket *socket, int level, int name, const void *value, socklen_t len);
int pd_getsockopt(struct pd_socket *socket, int level, int name, void *value, socklen_t *len);
int pd_ioctl(struct pd_socket *socket, unsigned long request, int *value);

/* sysctl.c: what /proc/sys/net/ipv4 says now, and what the flags set. */
void pd_configure(struct wt_tcp_config *config);

#endif

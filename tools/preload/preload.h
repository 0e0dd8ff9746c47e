/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The preload library: TCP sockets to and of engine addresses become AF_UNIX sockets whose other end the host's engine daemon holds.
 * read, write, poll, epoll, dup, fork and exec stay the kernel's; the library makes, names and describes sockets.
 *
 * Rules for every file here: system calls by syscall(), so that we never meet ourselves; errno is kept where nothing failed; no memory
 * is taken from the heap and no lock is held, so that fork and signal handlers need no care.
 */
#ifndef WT_TOOLS_PRELOAD_PRELOAD_H
#define WT_TOOLS_PRELOAD_PRELOAD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "tools/common/preload_protocol.h"

#define EXPORT __attribute__((visibility("default")))
#define FDS 65536 /* descriptors above it are looked up by name each time */

enum wt_who_kind { WT_WHO_OTHER, WT_WHO_CONNECTION, WT_WHO_LISTENER };

struct wt_who {
	enum wt_who_kind kind;
	uint32_t slot, generation;
	uint32_t local, remote; /* network order */
	uint16_t local_port, remote_port;
	bool ipv6;
};

/* who.c: who is it? Asks the kernel for its names; keeps errno. */
enum wt_who_kind wt_who(int fd, struct wt_who *who);
/* A name into *who; false: not one of ours. */
bool wt_who_parse(const struct sockaddr *addr, socklen_t len, struct wt_who *who);
/* What this process has told of an error, and done to a descriptor. Forgotten when it is closed or made anew. */
struct wt_local {
	uint64_t inode;
	struct wt_who who;      /* kind OTHER: nothing is known */
	bool told_error, told_connect, read_shut;
	char sender[16];        /* TCP_CONGESTION of a socket not connected yet */
	int32_t sndbuf, maxseg; /* SO_SNDBUF and TCP_MAXSEG of one, in bytes; 0: unsaid */
};
struct wt_local *wt_local(int fd); /* NULL: above FDS */
void wt_local_forget(int fd);
/* A copy of the connection's slot. False: the page is not there, or the slot is another's by now. */
bool wt_slot(const struct wt_who *who, struct wt_host_slot *slot);
/* Is it closed for the kernel's sockets, too: by an error, or because both have finished? */
static inline bool wt_over(const struct wt_host_slot *slot)
{
	return slot->error || slot->info.tcpi_state == 6 || slot->info.tcpi_state == 7; /* TIME_WAIT, CLOSE */
}
/* The errno that ended the connection, to be told now, once; 0: none, or told before. */
int wt_who_error(int fd, const struct wt_who *who);

/* question.c: one question. fd: to be sent along, -1: none. *got, if given: a descriptor that came. 0, or an errno: ENETDOWN: no daemon. */
int wt_ask(struct wt_host_question *question, int fd, struct wt_host_answer *answer, int *got);
/* A question with nothing said. */
void wt_question(struct wt_host_question *question, enum wt_host_op op, const struct wt_who *who);
const struct wt_host_page *wt_page(void); /* NULL: none yet */
/* Is it an address of an engine, by WAVETANK_ENGINES ("10.77.0.101 10.77.0.102-10.77.0.108")? */
bool wt_engine_address(uint32_t addr);

/* An IPv4 address and port, also as mapped into IPv6. False: neither. */
bool wt_take_address(const struct sockaddr *addr, socklen_t len, uint32_t *ipv4, uint16_t *port, bool *ipv6);
void wt_give_address(uint32_t ipv4, uint16_t port, bool ipv6, struct sockaddr *addr, socklen_t *len);
bool wt_is_tcp(int fd);
/* Another socket of the kernel under the number of one of ours. 0, or -1 with errno. */
int wt_start_anew(int fd, bool ipv6);
/* Puts another description under the number, with the flags and the options of sockets of the old; closes `with`. */
void wt_replace(int fd, int with);
/* epoll.c: registrations made before an exchange are taken back before it, because who else holds the old description would keep them, and are
 * made again after it. */
void wt_epoll_leave(int fd);
void wt_epoll_again(int fd);
void wt_epoll_forget(int fd);

#endif

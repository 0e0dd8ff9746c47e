/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCP/IP host: one Ethernet interface, ARP, IPv4, ICMP, UDP, TCP. Sans-I/O: it is a node (bytes and time in, bytes and a
 * deadline out) plus the calls an application makes. One thread. Nothing here sleeps, prints or asks the time.
 *
 * Applications learn of changes by callbacks; these run from the host's output() verb, never from inside the
 * processing of a segment, so an application may call anything from them, wt_tcp_abort() included.
 * After calls from outside a callback the driver must be told: wt_graph_touch(graph, wt_host_node(host)).
 */
#ifndef WT_STACK_HOST_HOST_H
#define WT_STACK_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "stack/base/histogram.h"
#include "stack/text/addr.h"
#include "stack/base/extent.h"
#include "stack/base/heap.h"
#include "stack/base/node.h"
#include "stack/base/random.h"
#include "stack/text/trace.h"
#include "stack/tcp/connection.h"

struct wt_host;

#define WT_STATIC_NEIGHBOURS 8
#define WT_HOST_MTU_MIN (WT_TCP_MSS_MIN + 40) /* headers of IPv4 and TCP, and the least segment */

struct wt_host_config {
	char name[24];
	struct wt_mac mac;
	struct wt_addr addr;
	unsigned prefix_len;
	struct wt_addr gateway;      /* family NONE: none */
	uint32_t mtu;                /* 0: 1500; else at least WT_HOST_MTU_MIN */
	struct wt_key secret;        /* keys ISNs, ports, timestamps, hashes; must differ between boots in real time */
	uint32_t max_connections;    /* those with a block, listeners too; 0: 1024 */
	uint32_t max_half_open;      /* SYN entries kept, of one listener half as many; 0: 1024. Each takes 128 bytes */
	uint32_t max_time_wait;      /* TIME-WAITs kept; 0: 8192. Each takes 128 bytes */
	/* Most bytes that connections hold: blocks, modules, payload, records, intervals; 0: 1 GiB, UINT64_MAX: no limit. From three
	 * quarters on there are no new connections, so that those that stand can go on. */
	uint64_t memory;
	struct wt_pool *pool;        /* frames it emits; not owned */
	/* Frames of 64 KB that the device cuts into segments: TCP sends up to so much payload in one. Not owned. NULL: one segment, one frame */
	struct wt_pool *big_pool;
	struct wt_trace_sink *trace; /* NULL: no events */
	struct {
		struct wt_addr addr;
		struct wt_mac mac;
	} neighbours[WT_STATIC_NEIGHBOURS]; /* unset family ends the list */
};

/* The host, or NULL with errno ENOMEM, or EINVAL for an MTU below the least. The node has one port, 0. Destroy aborts silently what is open; accepts NULL. */
struct wt_host *wt_host_create(const struct wt_host_config *config);
void wt_host_destroy(struct wt_host *host);
struct wt_node *wt_host_node(struct wt_host *host);
/* One more address of its interface; config.addr is the first. 0, -EEXIST (it has it), -EINVAL (none of a host of IPv4), or -ENOMEM. */
int wt_host_add_address(struct wt_host *host, const struct wt_addr *addr, unsigned prefix_len);
/* The last logical time the host was called with. */
wt_time wt_host_now(const struct wt_host *host);
/* Bytes that connections hold beyond their control blocks: payload, records of what is in flight, intervals. */
uint64_t wt_host_memory(const struct wt_host *host);
/* Connections in any state but CLOSED and LISTEN. */
uint32_t wt_host_connections(const struct wt_host *host);

/* What a host holds now. */
struct wt_host_info {
	uint32_t connections; /* with a block, in any state but CLOSED, LISTEN and TIME-WAIT */
	uint32_t half_open; /* SYN entries */
	uint64_t memory;    /* bytes held */
	uint32_t time_wait;
	struct wt_tcp_counts count;
};

void wt_host_info(const struct wt_host *host, struct wt_host_info *info);
/* The same by the names that stand in files: the number at place i, from 0; false: there are no more. */
bool wt_host_info_at(const struct wt_host_info *info, unsigned i, const char **name, uint64_t *value);

/* ---- UDP ---------------------------------------------------------------------------------------------- */

struct wt_udp_table; /* stack/net/udp.h: wt_udp_open() and what follows */

struct wt_udp_table *wt_host_udp(struct wt_host *host);

/* ---- timers for applications -------------------------------------------------------------------------- */

struct wt_host_timer {
	struct wt_heap_entry entry;
	void (*fire)(struct wt_host_timer *timer, wt_time now);
	void *arg;
};

/* (Re)arms, or with WT_NEVER disarms. The timer is the caller's memory and must outlive its arming. 0, or -ENOMEM: there is no
 * room for one more, and it is not armed. */
int wt_host_timer_set(struct wt_host *host, struct wt_host_timer *timer, wt_time due);

/* ---- TCP ---------------------------------------------------------------------------------------------- */

/* The preset modern with its sender and recovery (cubic, rack), receiver standard, no callback. */
void wt_tcp_config_init(struct wt_tcp_config *config);
/* Settings, sender and recovery of a preset. 0, or -EINVAL with the known names in err, and nothing changed. */
int wt_tcp_config_preset(struct wt_tcp_config *config, const char *name, char *err, size_t err_len);

/*
 * Passive open at a port of one address of the host, or of any (family NONE): who listens at the address comes before who listens at any.
 * NULL with errno EADDRINUSE (taken), EADDRNOTAVAIL (not the host's address), ENOMEM. `config` stays the caller's; accepted connections inherit it.
 */
struct wt_tcp *wt_tcp_listen(struct wt_host *host, const struct wt_endpoint *local, unsigned backlog, const struct wt_tcp_config *config);
/* The next established connection, or NULL with errno EAGAIN. Its callback and arg may be replaced at once. */
struct wt_tcp *wt_tcp_accept(struct wt_tcp *listener);
/*
 * Active open. local NULL, its address of family NONE, its port 0: chosen by RFC 1122 3.3.4.3 and RFC 6056. NULL with errno EADDRINUSE,
 * EADDRNOTAVAIL (no free port, or not the host's address), ENOMEM, ENETUNREACH.
 */
struct wt_tcp *wt_tcp_connect(struct wt_host *host, const struct wt_endpoint *remote, const struct wt_endpoint *local,
			      const struct wt_tcp_config *config, wt_time now);
void wt_tcp_set_callback(struct wt_tcp *tcp, wt_tcp_callback *callback, void *arg);

/*
 * Copies up to len bytes into the send buffer. The count taken (0 < count <= len), or negative errno: -EAGAIN (full, or
 * not yet connected and the buffer is full), -EPIPE (closed for sending), -ENOBUFS (the host's memory is used up: no event tells when there is
 * some again), or the connection's error.
 */
ssize_t wt_tcp_write(struct wt_tcp *tcp, const void *data, size_t len);
/* The same of bytes that may be a pattern's: in virtual time these are sent, carried and kept by name, and never made unless somebody looks. */
ssize_t wt_tcp_write_from(struct wt_tcp *tcp, const struct wt_extent *from, size_t len);
/*
 * Zero copy: room in the send buffer for up to `len` bytes, in at most `most` pieces; then how many of these bytes stand there and are to be
 * sent, 0 too. In between nothing is done with the connection. The number of pieces; 0: no room, no memory, or closed for sending.
 */
unsigned wt_tcp_room(struct wt_tcp *tcp, size_t len, struct iovec *piece, unsigned most);
void wt_tcp_filled(struct wt_tcp *tcp, size_t done, size_t len);
/* WT_TCP_EV_WRITABLE is to come once, when an ACK leaves at least `room` bytes free: for who would rather write seldom and much. */
void wt_tcp_expect_room(struct wt_tcp *tcp, size_t room);
/* Copies out. The count, 0 at end of stream, or negative errno: -EAGAIN, or the connection's error. */
ssize_t wt_tcp_read(struct wt_tcp *tcp, void *data, size_t len);
/* Zero copy: the contiguous readable bytes (valid until the next call), then how many of them are done with. */
size_t wt_tcp_peek(struct wt_tcp *tcp, const uint8_t **data);
void wt_tcp_consume(struct wt_tcp *tcp, size_t len);
/* The same in up to `most` pieces: their number. */
unsigned wt_tcp_pieces(struct wt_tcp *tcp, size_t len, struct iovec *piece, unsigned most);
/* The readable bytes by name, if all of them are a pattern's: their number, else 0. */
size_t wt_tcp_peek_name(struct wt_tcp *tcp, struct wt_extent *name);
size_t wt_tcp_readable(const struct wt_tcp *tcp);
size_t wt_tcp_writable(const struct wt_tcp *tcp);

/* Forgets what was written and not sent. The bytes forgotten; 0 after wt_tcp_shutdown(). */
uint64_t wt_tcp_discard(struct wt_tcp *tcp);
/* Of an open connection or a listener, from now on: nagle, snd_buffer, keepalive, keepalive_interval, keepalive_probes, user_timeout,
 * syn_retries, fin_wait_2 of these settings. 0, or -ENOMEM and nothing changed. */
int wt_tcp_adjust(struct wt_tcp *tcp, const struct wt_tcp_settings *settings);
/*
 * Another sender module for an open connection; it begins with the window and threshold in force, recovery stays. A listener hands it to what it accepts.
 * 0, -ENOMEM, or -ENOTCONN: the connection has ended.
 */
int wt_tcp_exchange_sender(struct wt_tcp *tcp, const struct wt_sender_choice *sender);

/* No more sending: FIN after what is buffered. Reading goes on. 0 or -ENOTCONN. */
int wt_tcp_shutdown(struct wt_tcp *tcp);
/* Orderly close by the application, which gives the handle up; the engine frees it when TCP is done with it.
 * Closing with unread data sends RST (RFC 2525 2.17). A closed listener resets what nobody accepted. */
void wt_tcp_close(struct wt_tcp *tcp);
/* RST and gone; the handle is given up. */
void wt_tcp_abort(struct wt_tcp *tcp);
/* What close(2) of a socket does: resets a connection that waits to be accepted, and closes or, if SO_LINGER wants it, resets its own.
 * Each may be NULL. */
void wt_tcp_let_go(struct wt_tcp *tcp, struct wt_tcp *unaccepted, bool reset);
/*
 * 0, or the negative errno that ended the connection: -ECONNRESET, -ECONNREFUSED, -ENOMEM, -ETIMEDOUT; -EHOSTUNREACH or -ENETUNREACH
 * instead of -ETIMEDOUT if ICMP said so and nothing was heard of the peer since (RFC 1122 4.2.3.9).
 */
int wt_tcp_error(const struct wt_tcp *tcp);

void wt_tcp_info(const struct wt_tcp *tcp, struct wt_tcp_info *info);
/* From now on each round trip that is measured is counted in `watch`, the caller's, until it is told otherwise. NULL: nowhere. */
void wt_tcp_watch_rtt(struct wt_tcp *tcp, struct wt_histogram *watch);
/* The configuration in force (requested modules and settings). */
const struct wt_tcp_config *wt_tcp_get_config(const struct wt_tcp *tcp);

#endif

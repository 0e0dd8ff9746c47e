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

#include "cc/choose.h"
#include "stack/text/addr.h"
#include "stack/base/heap.h"
#include "stack/base/node.h"
#include "stack/base/random.h"
#include "stack/text/trace.h"
#include "stack/tcp/settings.h"

struct wt_host;
struct wt_tcp;

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

/* What a host has met and turned away since it was made. */
struct wt_host_counts {
	uint64_t accept_full;      /* SYNs and third segments dropped: as many connections as may wait to be accepted do */
	uint64_t table_full;       /* the same: the host has max_connections */
	uint64_t refused_memory;   /* opens of ours, SYNs and third segments: three quarters of `memory` are taken */
	uint64_t cookies_sent;     /* SYN-ACKs of SYNs that found max_half_open entries */
	uint64_t cookies_accepted; /* connections made from them: standard TCP, without options of modules */
	uint64_t cookies_failed;   /* ACKs in that time that were none */
	uint64_t time_wait_cut; /* TIME-WAITs that ended before their time, to make room for others */
};

/* What a host holds now. */
struct wt_host_info {
	uint32_t connections; /* with a block, in any state but CLOSED, LISTEN and TIME-WAIT */
	uint32_t half_open; /* SYN entries */
	uint64_t memory;    /* bytes held */
	uint32_t time_wait;
	struct wt_host_counts count;
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

enum wt_tcp_state { /* RFC 9293 3.3.2 */
	WT_TCP_CLOSED,
	WT_TCP_LISTEN,
	WT_TCP_SYN_SENT,
	WT_TCP_SYN_RECEIVED,
	WT_TCP_ESTABLISHED,
	WT_TCP_FIN_WAIT_1,
	WT_TCP_FIN_WAIT_2,
	WT_TCP_CLOSE_WAIT,
	WT_TCP_CLOSING,
	WT_TCP_LAST_ACK,
	WT_TCP_TIME_WAIT,
	WT_TCP_STATES,
};

const char *wt_tcp_state_name(enum wt_tcp_state state); /* "ESTABLISHED" */

enum wt_tcp_event {
	WT_TCP_EV_ACCEPT = 1,    /* listener: wt_tcp_accept() has one */
	WT_TCP_EV_CONNECTED = 2,
	WT_TCP_EV_READABLE = 4,  /* new bytes to read */
	WT_TCP_EV_WRITABLE = 8,  /* room in the send buffer after it was full */
	WT_TCP_EV_EOF = 16,      /* the peer's FIN is next after the readable bytes */
	WT_TCP_EV_SENT = 32,     /* everything written was acknowledged, FIN included if there was one */
	WT_TCP_EV_ERROR = 64,    /* reset, timed out, unreachable: wt_tcp_error() says which; state is CLOSED */
	WT_TCP_EV_CLOSED = 128,  /* state is CLOSED (or TIME-WAIT): nothing more will come */
};

typedef void wt_tcp_callback(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now);

struct wt_tcp_config {
	struct wt_tcp_settings settings;
	struct wt_sender_choice sender;
	struct wt_recovery_choice recovery; /* ops NULL: the sender's default */
	struct wt_receiver_choice receiver; /* ops NULL: standard */
	wt_tcp_callback *callback;          /* NULL: poll with wt_tcp_info() */
	void *arg;
};

/* The modern preset, sender newreno with recovery sack, receiver standard, no callback. */
void wt_tcp_config_init(struct wt_tcp_config *config);

/*
 * Passive open at a port of one address of the host, or of any (family NONE): who listens at the address comes before who listens at any.
 * NULL with errno EADDRINUSE (taken), EADDRNOTAVAIL (not the host's address), ENOMEM. `config` is copied; accepted connections inherit it.
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
/* Copies out. The count, 0 at end of stream, or negative errno: -EAGAIN, or the connection's error. */
ssize_t wt_tcp_read(struct wt_tcp *tcp, void *data, size_t len);
/* Zero copy: the contiguous readable bytes (valid until the next call), then how many of them are done with. */
size_t wt_tcp_peek(struct wt_tcp *tcp, const uint8_t **data);
void wt_tcp_consume(struct wt_tcp *tcp, size_t len);
size_t wt_tcp_readable(const struct wt_tcp *tcp);
size_t wt_tcp_writable(const struct wt_tcp *tcp);

/* No more sending: FIN after what is buffered. Reading goes on. 0 or -ENOTCONN. */
int wt_tcp_shutdown(struct wt_tcp *tcp);
/* Orderly close by the application, which gives the handle up; the engine frees it when TCP is done with it.
 * Closing with unread data sends RST (RFC 2525 2.17). A closed listener resets what nobody accepted. */
void wt_tcp_close(struct wt_tcp *tcp);
/* RST and gone; the handle is given up. */
void wt_tcp_abort(struct wt_tcp *tcp);
/*
 * 0, or the negative errno that ended the connection: -ECONNRESET, -ECONNREFUSED, -ENOMEM, -ETIMEDOUT; -EHOSTUNREACH or -ENETUNREACH
 * instead of -ETIMEDOUT if ICMP said so and nothing was heard of the peer since (RFC 1122 4.2.3.9).
 */
int wt_tcp_error(const struct wt_tcp *tcp);

/* What `%{ ... }%` of packet scripts, --json and traces ask. Bytes and nanoseconds. */
struct wt_tcp_info {
	enum wt_tcp_state state;
	uint32_t conn; /* number in trace events */
	struct wt_endpoint local, remote;
	bool window_scaling, timestamps, sack, ecn; /* in force; ecn: for what we send */
	uint32_t snd_mss, rcv_mss;
	wt_seq iss, irs, snd_una, snd_nxt, rcv_nxt;
	uint32_t snd_wnd, rcv_wnd; /* windows in force, bytes */
	uint32_t cwnd, ssthresh, in_flight, inflate;
	uint64_t pacing_rate;      /* bytes per second; 0: not paced */
	const char *const *gauges; /* names of the sender module's own numbers; ends with NULL; NULL: none */
	double gauge[WT_CC_GAUGES];
	bool in_recovery, fallback;
	uint32_t dupacks, backoff;
	wt_time srtt, rttvar, rto, min_rtt;
	uint64_t bytes_sent, bytes_acked, bytes_received; /* payload; sent counts first transmissions */
	uint64_t segs_sent, segs_received;                /* all segments */
	uint64_t retransmits_segs, retransmits_bytes, fast_recoveries, timeouts;
	uint64_t dup_segs_received, out_of_order_segs_received;
	uint64_t discarded_bytes;     /* SACKed before, dropped for want of memory for what was next in order (RFC 2018 8) */
	uint64_t sack_blocks_ignored; /* of the peer's, for want of memory for another interval */
	uint64_t ce_received_segs;  /* payload that came marked, and was taken */
	uint64_t ece_received_segs; /* ACKs that told us of marks */
	uint64_t cwr_sent_segs, ecn_reductions;
	uint32_t unsent;  /* in the send buffer, not yet sent */
	uint32_t unread;
	const char *sender, *recovery, *receiver; /* module names */
};

void wt_tcp_info(const struct wt_tcp *tcp, struct wt_tcp_info *info);
/* The configuration in force (requested modules and settings). */
const struct wt_tcp_config *wt_tcp_get_config(const struct wt_tcp *tcp);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the preload library and the engine daemon of a host (tools/host) say to each other.
 *
 * A question is one packet on a SOCK_SEQPACKET connection of its own to an abstract name, which belongs to the network namespace; the
 * answer is one packet back. No descriptor stays in the program. What a program asks often (connected? FIN? error? TCP_INFO?) lies in a
 * page of memory that it maps once, read-only.
 *
 * Who a descriptor is stands in abstract names, which survive dup, fork and exec:
 *
 *   wavetank/a4/SLOT/GENERATION/LOCAL/PORT/REMOTE/PORT   the program's end of a connection that it opened (a6: asked for by IPv6)
 *   wavetank/c4/...                                      the daemon's end of any connection
 *   wavetank/l4/LOCAL/PORT/PID/COUNT                     a listener of a program, and the program's end of what it accepted
 */
#ifndef WT_TOOLS_COMMON_PRELOAD_PROTOCOL_H
#define WT_TOOLS_COMMON_PRELOAD_PROTOCOL_H

#include <linux/tcp.h>
#include <stdint.h>

#define WT_HOST_CONTROL "wavetank/host"
#define WT_HOST_MAGIC 0x57544803u /* the last byte counts versions */
#define WT_HOST_SLOTS 16384
#define WT_HOST_NAME 104 /* bytes of an abstract name without its leading zero byte */
#define WT_HOST_MODULE 120

enum wt_host_op {
	WT_HOST_PAGE,       /* the answer brings the page's descriptor */
	WT_HOST_CONNECT,    /* brings the daemon's end of the pair */
	WT_HOST_LISTEN,     /* brings the kernel's bound socket, which keeps the port */
	WT_HOST_FIND,       /* the answer names the slot of the listener at local, local_port */
	WT_HOST_SET,        /* an option of a connection or listener: WT_HOST_NODELAY ... */
	WT_HOST_CHOOSE,     /* another sender module for a connection or listener */
	WT_HOST_KNOWS,      /* is there such a sender module? */
	WT_HOST_PROBE,      /* look at once which listeners have ended */
	WT_HOST_OPS,
};

enum wt_host_option {
	WT_HOST_NODELAY, WT_HOST_CORK, WT_HOST_KEEPALIVE, WT_HOST_KEEPIDLE, WT_HOST_KEEPINTVL, WT_HOST_KEEPCNT, WT_HOST_RESETS /* linger 0 */,
	WT_HOST_SNDBUF, WT_HOST_USER_TIMEOUT /* ms; 0: none */, WT_HOST_MAXSEG, WT_HOST_SYNCNT, WT_HOST_LINGER2 /* s */, WT_HOST_OPTIONS,
};

#define WT_HOST_UNSAID INT32_MIN /* an option that the program has not set */

struct wt_host_question {
	uint32_t magic, op; /* enum wt_host_op */
	uint32_t slot, generation;
	uint32_t remote, local; /* addresses in network order; local 0: any */
	uint16_t remote_port, local_port;
	uint32_t filler; /* bytes that stand in the pair */
	int32_t backlog;
	uint32_t ipv6, reuse_port;
	int32_t option[WT_HOST_OPTIONS]; /* enum wt_host_option; times in seconds, SNDBUF in bytes */
	char sender[WT_HOST_MODULE], receiver[WT_HOST_MODULE]; /* empty: the daemon's */
	char name[WT_HOST_NAME]; /* of a listener */
};

struct wt_host_answer {
	uint32_t magic;
	int32_t error; /* 0 or an errno */
	uint32_t slot, generation;
	uint32_t local;
	uint16_t local_port;
};

enum wt_host_flag {
	WT_HOST_CONNECTED = 1,
	WT_HOST_FIN_SEEN = 2, /* the peer's FIN: end of file is what it looks like */
};

/* One connection or listener. The daemon writes: `turn` is odd meanwhile. */
struct wt_host_slot {
	uint32_t turn, generation;
	uint32_t flags; /* enum wt_host_flag */
	int32_t error;  /* that ended it, as errno; 0: none */
	int32_t option[WT_HOST_OPTIONS]; /* in force; WT_HOST_UNSAID: the pair's own, or none */
	char sender[16];
	struct tcp_info info;
};

struct wt_host_page {
	uint32_t magic, slots;
	uint32_t address; /* of this host's engine, in network order */
	struct wt_host_slot slot[WT_HOST_SLOTS];
};

#endif

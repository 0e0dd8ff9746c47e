/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCP/IP host: one Ethernet interface with ARP, IPv4, ICMP and TCP. It is a node with one port, 0, and it has sockets for your program.
 *
 * You learn of changes by callbacks, which may call anything of this header. Outside callbacks you may call anything at any time, too:
 * in real time the graph is first brought to this moment.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_HOST_H
#define WT_STACK_INCLUDE_WAVETANK_HOST_H

#include <wavetank/graph.h>

WT_LIB_BEGIN_DECLS

struct wt_cc_loadable; /* <wavetank/cc.h> */
struct wt_lib_host;
struct wt_lib_tcp;

struct wt_lib_host_config {
	size_t size;          /* set by wt_lib_host_config_init() */
	const char *name;     /* unique in the graph; at most 23 characters */
	const char *address;  /* "10.0.0.1/24" */
	const char *gateway;  /* "10.0.0.254"; NULL: none */
	const char *mac;      /* "02:57:54:00:00:01"; NULL: made from the address */
	uint32_t mtu;         /* 0: 1500 */
	bool seeded;          /* sequence numbers, ports and hashes follow from `seed` and the name: for virtual time. Otherwise they are
	                       * random, as they have to be where strangers send packets */
	uint64_t seed;
	uint32_t max_connections; /* 0: 1024 */
	uint64_t memory;      /* most bytes that connections hold; 0: 1 GiB */
};

WT_API void wt_lib_host_config_init(struct wt_lib_host_config *config);
/* A host in a graph, which owns it. NULL with errno EINVAL or ENOMEM, and a sentence in err. */
WT_API struct wt_lib_host *wt_lib_host_create(struct wt_lib_graph *graph, const struct wt_lib_host_config *config, char *err, size_t err_len);
WT_API struct wt_lib_node *wt_lib_host_node(struct wt_lib_host *host);
/* Bytes that its connections hold. */
WT_API uint64_t wt_lib_host_memory(const struct wt_lib_host *host);
/* Connections that are neither closed nor listening. */
WT_API uint32_t wt_lib_host_connections(const struct wt_lib_host *host);

/* A timer of the application. `fire` runs once at `due`. NULL with errno ENOMEM. */
struct wt_lib_timer;
WT_API struct wt_lib_timer *wt_lib_timer_create(struct wt_lib_host *host, void (*fire)(void *arg, wt_time now), void *arg);
/* Arms it anew; WT_NEVER disarms it. 0 or -ENOMEM. */
WT_API int wt_lib_timer_set(struct wt_lib_timer *timer, wt_time due);
/* Disarms and frees it; before the host goes. Accepts NULL. Not from its own `fire`. */
WT_API void wt_lib_timer_destroy(struct wt_lib_timer *timer);

enum wt_lib_tcp_event {
	WT_LIB_TCP_ACCEPT = 1,    /* a listener: wt_lib_tcp_accept() has a connection */
	WT_LIB_TCP_CONNECTED = 2,
	WT_LIB_TCP_READABLE = 4,  /* new bytes to read */
	WT_LIB_TCP_WRITABLE = 8,  /* room in the send buffer after it was full */
	WT_LIB_TCP_EOF = 16,      /* the peer has sent its FIN: 0 is read after the readable bytes */
	WT_LIB_TCP_SENT = 32,     /* all that was written has been acknowledged, the FIN too if there was one */
	WT_LIB_TCP_ERROR = 64,    /* reset, timed out, unreachable: wt_lib_tcp_error() says which */
	WT_LIB_TCP_CLOSED = 128,  /* nothing more will come */
	WT_LIB_TCP_PUSHED = 256,  /* beside READABLE: the peer had no more to send after some of these bytes (PSH), or they stood above a hole */
};

/* `events` is a set of enum wt_lib_tcp_event. */
typedef void wt_lib_tcp_callback(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now);

/* Words are those of `wavetank send` (wavetank cc list; wavetank cc show settings). NULL: the default. */
struct wt_lib_tcp_config {
	size_t size;          /* set by wt_lib_tcp_config_init() */
	const char *preset;   /* "modern", "bsd90", "xkernel" */
	const char *settings; /* "mss=1024B,sack=off" */
	const char *sender;   /* "cubic", "real:lmax=24" */
	const char *recovery; /* "rack" */
	const char *receiver; /* "real" */
	const struct wt_cc_loadable *module; /* tables of yours instead of those words, which are then their parameters ("gain=1.25") */
	wt_lib_tcp_callback *callback; /* NULL: ask with wt_lib_tcp_info() */
	void *arg;
};

WT_API void wt_lib_tcp_config_init(struct wt_lib_tcp_config *config);

/*
 * Passive open at a port of all addresses of the host. NULL with errno EADDRINUSE, ENOMEM, or EINVAL (a word of the configuration,
 * with a sentence in err). err may be NULL with err_len 0. The configuration is copied, and connections inherit it.
 */
WT_API struct wt_lib_tcp *wt_lib_tcp_listen(struct wt_lib_host *host, uint16_t port, unsigned backlog, const struct wt_lib_tcp_config *config, char *err,
				      size_t err_len);
/* The next established connection, with its own callback from now on; NULL with errno EAGAIN or ENOMEM. Read at once: no event
 * follows for bytes that came before. */
WT_API struct wt_lib_tcp *wt_lib_tcp_accept(struct wt_lib_tcp *listener, wt_lib_tcp_callback *callback, void *arg);
/* Active open from a free port. NULL with errno EADDRNOTAVAIL, ENETUNREACH, ENOMEM, EINVAL. */
WT_API struct wt_lib_tcp *wt_lib_tcp_connect(struct wt_lib_host *host, const struct wt_lib_endpoint *remote, const struct wt_lib_tcp_config *config, char *err,
				       size_t err_len);
WT_API void wt_lib_tcp_set_callback(struct wt_lib_tcp *tcp, wt_lib_tcp_callback *callback, void *arg);

/* The count taken into the send buffer (0 < count <= len), or -EAGAIN (full), -EPIPE (closed for sending), -ENOBUFS, or the
 * connection's error. */
WT_API ssize_t wt_lib_tcp_write(struct wt_lib_tcp *tcp, const void *data, size_t len);
/* The count, 0 at the end of the stream, or -EAGAIN, or the connection's error. */
WT_API ssize_t wt_lib_tcp_read(struct wt_lib_tcp *tcp, void *data, size_t len);
WT_API size_t wt_lib_tcp_readable(const struct wt_lib_tcp *tcp);
WT_API size_t wt_lib_tcp_writable(const struct wt_lib_tcp *tcp);
/* No more writing: a FIN follows what is buffered. Reading goes on. 0 or -ENOTCONN. */
WT_API int wt_lib_tcp_shutdown(struct wt_lib_tcp *tcp);
/* Orderly close; the handle is gone. Unread bytes make it a reset. The handles of a host are gone with the host, too. */
WT_API void wt_lib_tcp_close(struct wt_lib_tcp *tcp);
/* Reset; the handle is gone. */
WT_API void wt_lib_tcp_abort(struct wt_lib_tcp *tcp);
/* 0, or the negative errno that ended the connection: -ECONNRESET, -ECONNREFUSED, -ETIMEDOUT, -EHOSTUNREACH, -ENETUNREACH, -ENOMEM. */
WT_API int wt_lib_tcp_error(const struct wt_lib_tcp *tcp);

struct wt_lib_tcp_info {
	size_t size;       /* sizeof(struct wt_lib_tcp_info), set by the caller: a program built for an older library gets what it knows */
	const char *state; /* "ESTABLISHED" */
	struct wt_lib_endpoint local, remote;
	uint32_t snd_mss, snd_wnd, rcv_wnd;
	uint32_t cwnd, ssthresh, in_flight;
	wt_time srtt, rttvar, rto, min_rtt;
	uint64_t bytes_sent, bytes_acked, bytes_received; /* payload */
	uint64_t segs_sent, segs_received, retransmits_segs, fast_recoveries, timeouts;
	uint32_t unsent, unread;
	const char *sender, *recovery, *receiver; /* names of the modules */
};

/* Fills as much of *info as info->size says. 0, or -EINVAL: a size of 0. */
WT_API int wt_lib_tcp_info(const struct wt_lib_tcp *tcp, struct wt_lib_tcp_info *info);

WT_LIB_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine daemon of a host: programs hold AF_UNIX sockets (tools/preload), it holds their other ends and pumps between them and the
 * connections of an engine. docs/programs.md says how and why.
 *
 *   program ── AF_UNIX pair ── [daemon: slot] ── wt_tcp ── host ── port
 *
 * It never waits for a program: descriptors are watched by an edge-triggered epoll, questions are read when they are there.
 */
#ifndef WT_TOOLS_HOST_HOST_H
#define WT_TOOLS_HOST_HOST_H

#include <sys/un.h>

#include "tools/common/preload_protocol.h"
#include "tools/app/transfer.h"

enum wt_slot_kind { WT_SLOT_FREE, WT_SLOT_CONNECTION, WT_SLOT_LISTENER };

#define WT_HOST_APPS 64 /* listeners of programs at one port (SO_REUSEPORT) */

/* A listener of a program: its abstract name, and the kernel's socket that keeps the port. */
struct wt_app {
	struct sockaddr_un name;
	socklen_t len;
	int keeper;
};

struct wt_listener {
	struct wt_app app[WT_HOST_APPS];
	unsigned apps, next;
	uint16_t serves;   /* gateway: a port of the kernel's loopback instead */
	bool reuse_port;
};

struct wt_conn {
	enum wt_slot_kind kind;
	uint32_t generation;
	int fd;                 /* the daemon's end; -1: gone */
	struct wt_tcp *tcp;     /* NULL: gone */
	struct wt_endpoint local, remote;
	uint32_t filler;        /* to be eaten once it is connected */
	bool connected;
	int32_t option[WT_HOST_OPTIONS]; /* what its program, or its listener's, has said; else WT_HOST_UNSAID */
	bool app_eof;           /* the program writes no more */
	bool cut;               /* the program wants a reset, or has left bytes unread: it comes when what was written has had its turn to leave */
	bool told_eof;          /* the program was told that the peer writes no more */
	bool peer_eof;
	bool discard;           /* the program reads no more */
	bool ends;              /* an end of file, or worse, stands behind the bytes of the descriptor */
	bool full;              /* the descriptor had no room: it is watched for that, */
	bool deaf;              /* and not for bytes, for the engine has no room, or has plenty to send */
	bool starved;           /* the engine had no memory for more bytes */
	bool pair;              /* the descriptor is a pair's, not the kernel's TCP */
	bool dirty, busy;       /* on the list of those to be written to; its numbers move */
	bool gathers;           /* on the list of those whose bytes wait for more */
	struct wt_conn *next_dirty, *next_gathers, **gathers_at; /* the last: what points at it on its list */
	struct wt_listener *listener;
	struct wt_conn *waits;  /* of a listener: one that its program's queue had no room for */
	void (*ended)(struct wt_conn *conn); /* gateway: before it is given up, may be NULL */
	void *arg;
};

struct wt_daemon {
	struct wt_transfer transfer; /* station, configuration, signals */
	struct wt_conn *conn;        /* WT_HOST_SLOTS */
	struct wt_host_page *page;
	int page_fd, epoll, control;
	uint32_t next, high;         /* slots: where the search goes on; ever used */
	struct wt_conn *dirty, *gathers;
	ev_tstamp gathers_since;     /* when the list of these was empty last */
	ev_io on_epoll, on_control;
	ev_prepare prepare;
	ev_timer probe, refresh, retry, gather;
	ev_io on_socks, on_redirect;
	int socks, redirect;
	unsigned questions;          /* that are being read */
};

/* conn.c */
struct wt_conn *wt_conn_take(struct wt_daemon *daemon, enum wt_slot_kind kind);
static inline uint32_t wt_conn_slot(const struct wt_daemon *daemon, const struct wt_conn *conn)
{
	return (uint32_t)(conn - daemon->conn);
}
/* NULL: no such connection, or it is another's by now. */
struct wt_conn *wt_conn_find(struct wt_daemon *daemon, uint32_t slot, uint32_t generation);
/* Its state into the page. */
void wt_conn_publish(struct wt_daemon *daemon, struct wt_conn *conn, int error);
/* Names a pair's end after it. 0 or negative errno. */
int wt_conn_name(struct wt_daemon *daemon, struct wt_conn *conn, int fd);
/* Its descriptor from now on: watches it, so it must be connected (one that is not looks as if the program had closed it). 0 or negative errno. */
int wt_conn_attach(struct wt_daemon *daemon, struct wt_conn *conn, int fd);
/* Has the epoll watch its descriptor for what `full` and `deaf` say; how: EPOLL_CTL_ADD or EPOLL_CTL_MOD. 0 or -1 with errno. */
int wt_conn_watch(struct wt_daemon *daemon, struct wt_conn *conn, int how);
/* Gives up the descriptor, the connection (in order, or by a reset), the slot when both are gone. */
void wt_conn_drop_fd(struct wt_daemon *daemon, struct wt_conn *conn);
/* What the program was promised does not come about: close() of a kernel's TCP will be a reset, whether or not it has asked already. */
void wt_conn_refuse(int fd);
void wt_conn_drop_tcp(struct wt_daemon *daemon, struct wt_conn *conn, bool reset, int error);
/* An active open: 0 or an errno. fd stays the caller's after an error. */
int wt_conn_connect(struct wt_daemon *daemon, struct wt_conn *conn, const struct wt_endpoint *remote, const struct wt_endpoint *local,
		    struct wt_tcp_config *config);

/* options.c */
void wt_options_unsaid(int32_t option[WT_HOST_OPTIONS]);
bool wt_option_on(int32_t value); /* said, and not 0 */
/* What getsockopt() will say of an open connection. */
void wt_conn_options(const struct wt_conn *conn, int32_t option[WT_HOST_OPTIONS]);
/* An option of a question, in force at once. 0 or an errno. */
int wt_conn_set(struct wt_daemon *daemon, struct wt_conn *conn, const int32_t option[WT_HOST_OPTIONS]);
/* The configuration with what a question says of options and modules. 0 or an errno. */
int wt_conn_config(const struct wt_daemon *daemon, const struct wt_host_question *question, struct wt_tcp_config *config);

/* pump.c */
void wt_pump_callback(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now);
void wt_pump_events(struct wt_daemon *daemon, struct wt_conn *conn, uint32_t events);
void wt_pump_starved(struct wt_daemon *daemon, struct wt_conn *conn);
/* A connection that is not open yet ends with an errno. */
void wt_pump_unreachable(struct wt_daemon *daemon, struct wt_conn *conn, int error);
void wt_pump_dirty(struct wt_daemon *daemon);
void wt_pump_mark(struct wt_daemon *daemon, struct wt_conn *conn);
void wt_pump_gathered(struct wt_daemon *daemon); /* they wait no more */

/* listener.c. Each an errno, or 0. */
int wt_listener_open(struct wt_daemon *daemon, const struct wt_host_question *question, int keeper);
int wt_listener_serve(struct wt_daemon *daemon, uint16_t port, uint16_t serves);
struct wt_conn *wt_listener_find(struct wt_daemon *daemon, uint32_t local, uint16_t port);
void wt_listener_probe(struct wt_daemon *daemon);
void wt_listener_retry(struct wt_daemon *daemon);

/* control.c: opens the socket, or one sentence in err. */
int wt_questions_open(struct wt_daemon *daemon, char *err, size_t err_len);

/* gateway.c: 0 or negative errno. */
int wt_gateway_socks(struct wt_daemon *daemon, uint16_t port);
int wt_gateway_redirect(struct wt_daemon *daemon, uint16_t port);

/* prohibit.c: the kernel's own connections to an engine address are refused (EACCES), unless the program has bound its socket to an
 * address. 0 or negative errno. */
int wt_prohibit(const struct wt_addr *engine);

#endif

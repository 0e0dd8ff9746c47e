/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the runner. */
#ifndef WT_TOOLS_SCRIPT_RUNNER_WORLD_H
#define WT_TOOLS_SCRIPT_RUNNER_WORLD_H

#include "tools/script/language/expression.h"
#include "tools/script/language/packet.h"
#include "tools/script/runner/run.h"

#define WT_SCRIPT_SOCKETS 64
#define WT_SCRIPT_FLOWS 64
#define WT_SCRIPT_CONNECTIONS 256

struct wt_script_socket {
	bool used, bound, listening, connect_told, linger_abort, shut_read;
	bool keepalive;
	int label; /* the script's number for it */
	uint16_t port;
	uint64_t keepidle_s;
	struct wt_tcp *tcp;      /* NULL: not opened, or given up */
	struct wt_tcp *accepted; /* taken from the listener by poll(), not yet by accept() */
	struct wt_tcp_config config;
	uint32_t conn;           /* its number in trace events, 0: none yet */
	uint32_t written, read;  /* stream offsets */
};

/* A call with a time range that could not finish at once. */
struct wt_script_blocked {
	const struct wt_script_event *event; /* NULL: none */
	wt_time end;
	int64_t so_far; /* bytes a write has taken */
};

struct wt_script_world {
	const struct wt_script *script;
	struct wt_script_options options;
	struct wt_script_report *report;
	FILE *log;

	struct wt_pool *pool;
	struct wt_host *host;
	struct wt_node *node;
	struct wt_trace_sink trace;
	struct wt_drop_sink drops;
	uint8_t states[WT_SCRIPT_CONNECTIONS]; /* by connection number, from trace events */
	uint32_t newest;                       /* connection that changed state first most recently */

	wt_time now, last; /* of the script; last: when the event before happened */
	wt_time base;      /* the host's time less the script's */
	bool knows_iss;
	uint32_t first_iss; /* of the first SYN that left */
	struct wt_frame_queue sent; /* left the host, not yet expected */
	struct wt_script_flow flows[WT_SCRIPT_FLOWS];
	unsigned flow_count, current_flow;
	struct wt_script_socket sockets[WT_SCRIPT_SOCKETS];
	int current_socket; /* index, -1: none */
	struct wt_script_blocked blocked;
	unsigned line;       /* of the event that is done */
	unsigned with;       /* options that this run adds, as bits (extend.c) */
	uint8_t peer_shift;  /* the scale the peer offers then */
	struct wt_script_burst *burst; /* merge.c; NULL: packets of an instant come one by one */
	unsigned given;      /* events before this one have been given to it */
};

/* Records the failure at a line (the first one wins) and returns false. */
bool wt_script_failed(struct wt_script_world *world, unsigned line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Seconds, at least six decimals. */
const char *wt_script_time_text(wt_time time, char text[32]);

/* When the host has work next, in the script's time. */
wt_time wt_script_deadline(const struct wt_script_world *world);
/* runner.c: the host's work due now; then time itself, up to `to`. */
bool wt_script_settle(struct wt_script_world *world, unsigned line);
bool wt_script_advance(struct wt_script_world *world, wt_time to, unsigned line);

/* world_packet.c */
/* The frame of an inbound packet, logged and counted; NULL after failing. */
struct wt_frame *wt_script_make_frame(struct wt_script_world *world, const struct wt_script_event *event);
bool wt_script_inject(struct wt_script_world *world, const struct wt_script_event *event);
bool wt_script_expect(struct wt_script_world *world, const struct wt_script_event *event, wt_time from, wt_time to);
/* A packet left the host: remembers its ISN, queues it. */
void wt_script_sent(struct wt_script_world *world, struct wt_frame *frame);
/* Fails with the oldest packet that nothing expected; `next` is what the script expected instead, or NULL. */
bool wt_script_unexpected(struct wt_script_world *world, const struct wt_script_event *next, unsigned line);

/* extend.c. Chooses what to add; notes what we sent; adds to an inbound packet (its options then stand in `options`); takes away from one
 * that leaves (NULL, or what is wrong with what was added), and from one that is expected. */
void wt_script_extend_init(struct wt_script_world *world);
void wt_script_extend_sent(struct wt_script_world *world, struct wt_script_flow *flow, const struct wt_script_packet *packet);
void wt_script_extend(struct wt_script_world *world, struct wt_script_flow *flow, struct wt_script_packet *packet,
		      struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS]);
const char *wt_script_reduce(const struct wt_script_world *world, const struct wt_script_flow *flow, struct wt_script_packet *live);
void wt_script_reduce_expected(const struct wt_script_world *world, struct wt_script_packet *expected,
			       struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS]);

/* window.c: the window of a segment that leaves, by the rule. False after failing. */
bool wt_script_window_sent(struct wt_script_world *world, struct wt_script_flow *flow, const struct wt_script_packet *packet);

/* merge.c. Open after the host was made, close before it is destroyed. Settle: the host's work due now. Give: this inbound event, and those
 * of the same instant behind it that nothing but expected packets stands between. */
bool wt_script_burst_open(struct wt_script_world *world);
void wt_script_burst_close(struct wt_script_world *world);
void wt_script_burst_settle(struct wt_script_world *world);
void wt_script_burst_give(struct wt_script_world *world, const struct wt_script_event *first);

/* calls.c: the result, or -1 and a positive errno. False: the script itself is wrong or data was corrupted. */
bool wt_script_call_do(struct wt_script_world *world, const struct wt_script_event *event, int64_t *result, int *error);
/* sockopt.c */
int wt_script_setsockopt(struct wt_script_socket *socket, const struct wt_script_call *call, char *why, size_t len);
int wt_script_getsockopt(struct wt_script_socket *socket, const struct wt_script_call *call, char *why, size_t len);

/* facts.c: the names of %{ }% */
wt_expression_lookup wt_script_fact;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP on an internet layer: all that the connections of a host share. Their table, their memory, their timers, and two queues: of those with
 * something to tell an application and of those with something to send. The host (stack/host) owns it and calls it from its verbs:
 *
 *   input():    wt_tcp_stack_input(), wt_tcp_icmp()
 *   output():   wt_tcp_stack_expire(), wt_tcp_stack_tell(), wt_tcp_stack_output()
 *   deadline(): wt_tcp_stack_deadline()
 */
#ifndef WT_STACK_TCP_STACK_H
#define WT_STACK_TCP_STACK_H

#include "stack/base/heap.h"
#include "stack/base/random.h"
#include "stack/net/net.h"
#include "stack/tcp/connection.h"
#include "stack/tcp/demux.h"
#include "stack/tcp/resident.h"
#include "stack/text/trace.h"

struct wt_tcp_stack_config {
	struct wt_net *net;          /* sends, and keeps the books; not owned */
	struct wt_trace_sink *trace; /* NULL: no events */
	struct wt_key secret;        /* as in struct wt_host_config, like the limits; none of these is 0 */
	uint32_t mtu, max_connections, max_half_open, max_time_wait;
	uint64_t memory;
};

struct wt_tcp_stack {
	struct wt_tcp_stack_config config;
	struct wt_net *net;
	wt_time now;              /* the caller's: set before each call */
	struct wt_chunks *chunks; /* memory of all connections and entries */
	bool more;                /* frames follow that were read together with the one at hand */
	uint32_t slice;           /* payload per segment of the big frame at hand; 0: it is one segment */
	bool no_memory;           /* the segment at hand was not stored */
	struct wt_heap conns;
	struct wt_heap syns, waits; /* of half-open connections, of TIME-WAITs */
	wt_time cookies_until; /* SYN-ACKs with cookies may be on their way until then */
	struct wt_slots slots;
	struct wt_tcp_counts counts;
	struct wt_demux_entry **table; /* by hash of the tuple */
	struct wt_demux_entry *recent[WT_DEMUX_RECENT];
	struct wt_tuple hashed; /* the tuple that was hashed last, */
	uint32_t hash;          /* and its hash */
	uint32_t bound;         /* listeners of one address, not of any */
	uint32_t table_mask, residents; /* residents of the table */
	uint32_t count, next_conn;
	struct wt_tcp *all;
	struct wt_config_held *configs;
	struct wt_tcp *ready_head, *ready_tail;
	struct wt_tcp *output_head, *output_tail;
	bool quiet;       /* the head had nothing more to send when its last segment was made, and nothing has touched it since */
	wt_time quiet_at; /* when that was */
	struct wt_tcp *held;      /* whose ACKs wait for those frames */
	struct wt_key key_isn, key_port, key_ts, key_hash, key_phase, key_module, key_cookie;
	uint32_t port_counter;
};

/* 0 or -ENOMEM. Finish ends every connection silently; also after a failed init. */
int wt_tcp_stack_init(struct wt_tcp_stack *stack, const struct wt_tcp_stack_config *config);
void wt_tcp_stack_finish(struct wt_tcp_stack *stack);

/* A packet of TCP came: its frame is taken, or dropped and counted. */
void wt_tcp_stack_input(struct wt_tcp_stack *stack, const struct wt_ip_packet *packet);
/* The frames that were read together are all taken: ACKs that waited for them (settings.ack_drain) are due. */
void wt_tcp_stack_drained(struct wt_tcp_stack *stack);
void wt_tcp_stack_expire(struct wt_tcp_stack *stack); /* what is due now, but for SYN-ACKs, which output sends again */
void wt_tcp_stack_tell(struct wt_tcp_stack *stack);   /* runs the callbacks */
struct wt_frame *wt_tcp_stack_output(struct wt_tcp_stack *stack); /* NULL: nothing to send now */
wt_time wt_tcp_stack_deadline(const struct wt_tcp_stack *stack);

/* The n-th key of a secret. TCP has 1 to 6 and 8, the internet layer 7. */
struct wt_key wt_secret_subkey(const struct wt_key *secret, uint64_t n);

/* ---- for the files of stack/tcp --------------------------------------------------------------------- */

void wt_tcp_wants_output(struct wt_tcp *tcp);
void wt_tcp_out_of_output(struct wt_tcp *tcp); /* if it stays in that queue only because nobody has asked it for more */
void wt_tcp_notify(struct wt_tcp *tcp, unsigned events);
void wt_tcp_rearm(struct wt_tcp *tcp);
__attribute__((cold)) void wt_tcp_trace(struct wt_tcp_stack *stack, const struct wt_trace_event *event);
#define wt_trace(stack_, conn_, type_, ...) \
	do { \
		if ((stack_)->config.trace) \
			wt_tcp_trace(stack_, &(struct wt_trace_event){(stack_)->now, conn_, WT_TRACE_##type_, {__VA_ARGS__}}); \
	} while (0)

#endif

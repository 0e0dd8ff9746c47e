/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a segment belongs to. One table of a host has all its residents, by their tuple:
 *
 *   CONNECTION  struct wt_tcp   both ends are known
 *   LISTENER    struct wt_tcp   the remote end is empty; the local address too, if it listens at any address
 *   SYN         struct wt_syn   a connection in SYN-RECEIVED whose SYN came to a listener
 *   WAIT        struct wt_wait  a connection in TIME-WAIT
 *
 * A resident begins with its entry, so the entry's address is the resident's.
 */
#ifndef WT_STACK_TCP_DEMUX_H
#define WT_STACK_TCP_DEMUX_H

#include "stack/text/addr.h"

struct wt_tcp_stack;
struct wt_tcp;

#define WT_DEMUX_RECENT 256 /* residents found lately */

enum wt_demux_kind { WT_DEMUX_CONNECTION, WT_DEMUX_LISTENER, WT_DEMUX_SYN, WT_DEMUX_WAIT };

struct wt_demux_entry {
	struct wt_demux_entry *next; /* of its chain */
	struct wt_tuple tuple;
	uint8_t kind; /* enum wt_demux_kind */
	uint32_t hash; /* of the tuple, while it is in the table */
};

int wt_demux_init(struct wt_tcp_stack *stack); /* 0 or -ENOMEM */
/* The entry must stay where it is until it is removed. The table does not own it. */
void wt_demux_add(struct wt_tcp_stack *stack, struct wt_demux_entry *entry);
/* Does nothing if the entry is not in the table. */
void wt_demux_remove(struct wt_tcp_stack *stack, struct wt_demux_entry *entry);
/* The resident with exactly this tuple, or NULL. */
struct wt_demux_entry *wt_demux_find(struct wt_tcp_stack *stack, const struct wt_tuple *tuple);
/* The same, if it is a connection. */
struct wt_tcp *wt_demux_connection(struct wt_tcp_stack *stack, const struct wt_tuple *tuple);
/* Who listens at this address and port, else who listens at this port of any address, else NULL. */
struct wt_tcp *wt_demux_listener(struct wt_tcp_stack *stack, const struct wt_endpoint *local);
/* Who listens at exactly this address (of no family: at any) and port, or NULL. */
struct wt_tcp *wt_demux_listener_at(struct wt_tcp_stack *stack, const struct wt_addr *addr, uint16_t port);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ARP cache (RFC 826, RFC 1122 2.3.2): who on the link has which MAC.
 *
 * A fixed table. An unknown neighbour is asked for, one request a second, three times; meanwhile up to
 * WT_NEIGHBOUR_WAITING frames for it wait, and are dropped (WT_DROP_NEIGHBOUR) if nobody answers. A full table
 * gives up the entry unused for longest; static entries are never given up nor overwritten. An entry not
 * confirmed for 20 minutes is asked for again while still in use.
 *
 * We learn from ARP what RFC 826 says: an entry we have is updated by whatever its owner sends; a new one is
 * made only from messages addressed to us. Nobody who does not speak to us can fill the table.
 */
#ifndef WT_STACK_NET_NEIGHBOUR_H
#define WT_STACK_NET_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/frame.h"
#include "stack/base/node.h"

#define WT_NEIGHBOURS 64
#define WT_NEIGHBOUR_WAITING 16
#define WT_NEIGHBOUR_TRIES 3
#define WT_NEIGHBOUR_RETRY WT_S
#define WT_NEIGHBOUR_LIFETIME (1200 * WT_S)

struct wt_neighbour {
	struct wt_addr addr; /* family NONE: free */
	struct wt_mac mac;
	bool known;          /* mac is valid */
	bool fixed;          /* static */
	uint8_t tries;       /* requests sent and unanswered; 0: not asking */
	wt_time due;         /* asking: the next try; else: when to ask again */
	uint64_t used;       /* the table's counter at the last use */
	struct wt_frame_queue waiting;
};

struct wt_neighbours {
	struct wt_node *node;          /* whose books and drops */
	struct wt_pool *pool;
	struct wt_frame_queue *ready;  /* where frames that may leave go */
	struct wt_mac mac;             /* our own */
	struct wt_addr addr;
	wt_time due;                   /* earliest try */
	uint64_t uses;
	unsigned last;                 /* hint: the entry used last */
	struct wt_neighbour at[WT_NEIGHBOURS];
};

void wt_neighbours_init(struct wt_neighbours *table, struct wt_node *node, struct wt_pool *pool,
			struct wt_frame_queue *ready, const struct wt_mac *mac, const struct wt_addr *addr);
/* Frees waiting frames, not counted: for the end of the host. */
void wt_neighbours_finish(struct wt_neighbours *table);
/* A static entry. False if the table is full of static entries. */
bool wt_neighbours_add(struct wt_neighbours *table, const struct wt_addr *addr, const struct wt_mac *mac);
/* The MAC of `addr` if it is known, or NULL. */
const struct wt_mac *wt_neighbours_find(const struct wt_neighbours *table, const struct wt_addr *addr);

/*
 * Sends a frame (Ethernet header complete but for the destination) to `next_hop`. The frame with its destination
 * filled in, to leave at once; or NULL: it waits for an answer (it comes through `ready` then) or was dropped.
 */
struct wt_frame *wt_neighbours_send(struct wt_neighbours *table, wt_time now, struct wt_frame *frame,
				    const struct wt_addr *next_hop);
/* Takes an ARP frame: learns, answers, releases what waited; all output goes to `ready`. */
void wt_neighbours_input(struct wt_neighbours *table, wt_time now, struct wt_frame *frame);
/* When wt_neighbours_expire() has work, or WT_NEVER. */
wt_time wt_neighbours_deadline(const struct wt_neighbours *table);
void wt_neighbours_expire(struct wt_neighbours *table, wt_time now);

#endif

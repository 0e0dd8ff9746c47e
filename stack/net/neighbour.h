/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is behind which interface, of either family: one table, the frames that wait for each, one clock of questions. ARP (RFC 826, RFC 1122
 * 2.3.2) and neighbour discovery (RFC 4861) differ in how they ask, and in whom they believe (arp.c, ipv6.c).
 *
 * An unknown neighbour is asked for, one request a second, three times; meanwhile the newest frames for it wait, and are dropped
 * (WT_DROP_NEIGHBOUR) if nobody answers: of packets that were forwarded, the sender is told. Static entries are never given up nor
 * overwritten. An entry not confirmed for the net's `lifetime` is asked for again while still in use.
 *
 * A host learns what RFC 826 says: an entry it has is updated by whatever its owner sends; a new one is made only from messages addressed
 * to it. Nobody who does not speak to it can fill the table. A router learns from packets, too; who is new there takes a free place and
 * nobody else's: anyone can write any source.
 */
#ifndef WT_STACK_NET_NEIGHBOUR_H
#define WT_STACK_NET_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/frame.h"
#include "stack/base/node.h"

#define WT_NEIGHBOURS 64
#define WT_NEIGHBOUR_WAITING 16     /* frames that wait for one, */
#define WT_NEIGHBOUR_WAITING_ALL 64 /* and for all together */
#define WT_NEIGHBOUR_TRIES 3        /* MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT */
#define WT_NEIGHBOUR_RETRY WT_S     /* RFC 1122 2.3.2.1: at most one request per second and address; RETRANS_TIMER of RFC 4861 */
#define WT_NEIGHBOUR_LIFETIME (1200 * WT_S)
#define WT_NEIGHBOUR_REACHABLE (30 * WT_S) /* REACHABLE_TIME of RFC 4861: the lifetime in a router */

struct wt_net;

struct wt_neighbour {
	struct wt_addr addr; /* family NONE: free */
	unsigned interface;
	struct wt_mac mac;
	bool known;          /* mac is valid */
	bool fixed;          /* static */
	bool asking;
	uint8_t tries;       /* requests sent and unanswered */
	wt_time due;         /* asking: the next try; else: when to ask again */
	uint64_t used;       /* the table's counter at the last use */
	struct wt_frame_queue waiting; /* empty where mac is known */
};

struct wt_neighbours {
	struct wt_net *net;
	wt_time due;                   /* earliest try */
	uint64_t uses;
	unsigned last;                 /* hint: the entry used last */
	unsigned waiting;              /* frames, for all of them */
	struct wt_neighbour at[WT_NEIGHBOURS];
};

void wt_neighbours_init(struct wt_neighbours *table, struct wt_net *net);
/* Frees waiting frames, not counted: for the end of the node. */
void wt_neighbours_finish(struct wt_neighbours *table);
/* A static entry. False if the table is full of static entries. */
bool wt_neighbours_add(struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac);
/* The MAC of `addr` if it is known, or NULL. */
const struct wt_mac *wt_neighbours_find(const struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr);
struct wt_neighbour *wt_neighbours_entry(struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr); /* or NULL */

/* Has `next` a hardware address that was given, and so does not change by what is heard? */
bool wt_neighbours_given(struct wt_neighbours *table, unsigned interface, const struct wt_addr *next);
/*
 * Sends a frame (Ethernet header complete but for the destination) to `next` on an interface. The frame with its destination
 * filled in, to leave at once; or NULL: it waits for an answer (it comes through net->ready then) or was dropped.
 */
struct wt_frame *wt_neighbours_send(struct wt_neighbours *table, wt_time now, struct wt_frame *frame, unsigned interface,
				    const struct wt_addr *next);
/* Its owner told its hardware address: the entry is updated, or made if `new`. False: there is none, then. */
bool wt_neighbours_hear(struct wt_neighbours *table, wt_time now, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac,
			bool new);
/* A router heard from an address, which may be a lie: it takes a free place, if it may be on this link. */
void wt_neighbours_learn(struct wt_neighbours *table, wt_time now, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac);
/* It is there: what waits for it leaves. */
void wt_neighbours_confirm(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry);
/* When wt_neighbours_expire() has work, or WT_NEVER. */
static inline wt_time wt_neighbours_deadline(const struct wt_neighbours *table)
{
	return table->due;
}
void wt_neighbours_expire(struct wt_neighbours *table, wt_time now);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* OLSR from inside: among its files (olsr.c: messages and time; olsr_routes.c: relays and ways). */
#ifndef WT_STACK_MESH_ROUTING_OLSR_H
#define WT_STACK_MESH_ROUTING_OLSR_H

#include "stack/mesh/list.h"
#include "stack/mesh/routing.h"
#include "stack/wire/olsr.h"

struct wt_olsr_params {
	uint64_t willingness, feedback;
	wt_time hello, tc; /* intervals */
	wt_time neighbour_hold, topology_hold, duplicate_hold, jitter;
};

/* A neighbour, with the link to it: stations have one interface each (4.2, 4.3). */
struct wt_olsr_neighbour {
	uint32_t addr;
	unsigned interface;
	wt_time sym, asym, until; /* until these times it hears us, we hear it; then it is forgotten */
	uint8_t willingness;
	bool mpr;                 /* we chose it */
	wt_time selector;         /* it chose us, until then */
};

struct wt_olsr_two_hop {
	uint32_t neighbour, addr;
	wt_time until;
};

/* One can be reached in the last hop from another (4.4), or a network from a gateway (12.3). */
struct wt_olsr_edge {
	uint32_t dst, last;
	uint16_t ansn;
	wt_time until;
};

struct wt_olsr_network {
	uint32_t gateway, network, mask;
	wt_time until;
};

struct wt_olsr_duplicate {
	uint32_t orig;
	uint16_t seq;
	bool passed_on;
	wt_time until;
};

struct wt_olsr {
	struct wt_mesh *mesh;
	struct wt_olsr_params params;
	struct wt_list neighbours, two_hops, edges, networks, duplicates;
	uint16_t packet_seq, message_seq, ansn;
	wt_time hello_due, tc_due, tc_until; /* tc_until: an empty TC is still sent (9.3) */
	wt_time due;                         /* the earliest of all */
	uint64_t known;                      /* a mark of all that relays and ways were last made from; 0: of nothing */
};

struct wt_olsr_neighbour *wt_olsr_find(struct wt_olsr *olsr, uint32_t addr);
bool wt_olsr_is_sym(const struct wt_olsr_neighbour *neighbour, wt_time now);
/* Chooses relays (8.3.1) and writes all ways anew (section 10), if what they are made from is other than the last time. */
void wt_olsr_settle(struct wt_olsr *olsr, wt_time now);

#endif

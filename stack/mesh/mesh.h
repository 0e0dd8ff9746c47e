/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mesh node: stands between a host and the links of its station, and forwards IPv4 by a routing protocol (docs/routing.md).
 *
 *   host or TAP ──port 0── mesh node ──port 1── air
 *                                    ──port 2── a wire (of a gateway)
 *
 * Node and host are one station with one address. What its host sends goes out as it is; what comes for the address goes to the host, but
 * for the messages of routing. All else is forwarded, with its TTL lowered, as a router does. To its host the node answers every question
 * of ARP: all stations are behind it.
 *
 * Ports of kind LINK are those where routing runs. There, and at port 0, everybody has the hardware address that wt_addr_mac() makes, so
 * nobody is asked for it. Ports of kind WIRE lead to networks that were told, and to one neighbour. Behind port 0 there may be further
 * addresses of the same station (wt_mesh_add_network() with 32 bits): a kernel and engines on one device.
 */
#ifndef WT_STACK_MESH_MESH_H
#define WT_STACK_MESH_MESH_H

#include "stack/mesh/routing.h"
#include "stack/text/trace.h"

#define WT_MESH_PORTS 16
#define WT_MESH_HEADROOM 136 /* bytes that routing may add to a packet: the header of DSR with 32 stations */

enum wt_mesh_port { WT_MESH_HOST, WT_MESH_LINK, WT_MESH_WIRE };

struct wt_mesh_config {
	const char *name;             /* of the node; its random numbers follow from it and the seed */
	struct wt_addr address;       /* of IPv4, the station's */
	struct wt_addr towards_host;  /* whom its own host hears of errors from: no host believes its own address. Family NONE: that address */
	unsigned ports;               /* 2 to WT_MESH_PORTS: port 0 is the host's */
	enum wt_mesh_port kind[WT_MESH_PORTS]; /* of port 0: WT_MESH_HOST */
	uint64_t seed;
	struct wt_pool *pool;
	const struct wt_routing_choice *routing; /* copied */
	struct wt_refusal_rate rate;  /* of its ICMP errors */
	struct wt_trace_sink *trace;  /* or NULL */
};

/* NULL: no memory. */
struct wt_node *wt_mesh_create(const struct wt_mesh_config *config);
struct wt_mesh *wt_mesh_of(struct wt_node *node);
/* The hardware address of a port: of links that of the station, so that one address is one station; to its host another. */
struct wt_mac wt_mesh_mac(const struct wt_addr *address, unsigned port);
/* A wire: whose frames are for us, and who is at the other end. */
void wt_mesh_set_wire(struct wt_node *node, unsigned port, const struct wt_mac *mac, const struct wt_mac *peer);
/* A network that is reached by a wire, or one more address behind port 0. 0 or -ENOMEM. */
int wt_mesh_add_network(struct wt_node *node, unsigned port, const struct wt_addr *network, unsigned prefix);

#endif

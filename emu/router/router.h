/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A router of IPv4 (RFC 1812) and IPv6 (RFC 8200, 4443, 4861), as far as a path needs it: the internet layer (stack/net/net.h) with
 * forwarding, as a node. It counts the TTL down, tells senders by
 * ICMP why a packet went no further, speaks ARP and neighbour discovery to the networks at its gateway addresses, and answers pings to
 * them. Between routers no addresses are needed. What is none of these, or a family the router has no address of and no way for, is
 * dropped (`protocol`).
 */
#ifndef WT_EMU_ROUTER_ROUTER_H
#define WT_EMU_ROUTER_ROUTER_H

#include "stack/base/node.h"
#include "stack/net/net.h"

#define WT_ROUTER_PORTS WT_NET_INTERFACES /* and as many routers: a byte each in a hardware address; of ports, in a frame's mark */

/* Node ports 0 to ports-1. `number` makes its hardware addresses: 02:77:74:10:NUMBER:PORT. `address`: by family, whose messages it
 * sends where it has no gateway address. NULL: no memory. */
struct wt_node *wt_router_create(const char *name, unsigned number, unsigned ports, const struct wt_addr address[WT_FAMILIES],
				 struct wt_pool *pool);
struct wt_mac wt_router_mac(unsigned number, unsigned port);
/* How many errors it may send; else as usual. */
void wt_router_limit_answers(struct wt_node *router, const struct wt_refusal_rate *rate);
/* What lies behind a port: a network the router stands in with this address, one of each family at most (0 or -ENOMEM); or another router. */
int wt_router_set_network(struct wt_node *router, unsigned port, const struct wt_addr *gateway, unsigned prefix);
void wt_router_set_peer(struct wt_node *router, unsigned port, const struct wt_mac *peer);
/* Hosts of IPv4 behind this port have the hardware addresses wt_addr_mac() makes: nobody is asked for them. */
void wt_router_know_hosts(struct wt_node *router, unsigned port);
/* A network that is reached by a port; those of wt_router_set_network() are known. 0 or -ENOMEM. */
int wt_router_add_route(struct wt_node *router, const struct wt_addr *network, unsigned prefix, unsigned port);
/* A host of IPv4 that roams: it is reached by the port its last packet came in by; until then by the way there is now, if there is one. (As
 * in Cellular IP: Campbell, Gomez, Kim et al. 2000.) 0 or -ENOMEM. */
int wt_router_let_roam(struct wt_node *router, const struct wt_addr *host);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is behind which port of a router, of either family: one table, the frames that wait for each, one clock of questions. ARP and
 * neighbour discovery differ in how they ask, and in whom they believe (router_ipv4.c, router_ipv6.c).
 */
#include "emu/router/parts.h"
#include "stack/base/bytes.h"

#define ASK_AGAIN WT_S          /* RFC 1122 2.3.2.1: at most one request per second and address; RETRANS_TIMER of RFC 4861 */
#define ASK_TIMES 3             /* MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT */
#define REACHABLE (30 * WT_S)   /* REACHABLE_TIME: who was not heard of for longer is asked again when needed */

static void ask(struct wt_router *router, struct wt_neighbour *neighbour, wt_time now)
{
	router->asking += neighbour->ask == WT_NEVER;
	neighbour->asked++;
	neighbour->ask = now + ASK_AGAIN;
	if (neighbour->address.family == WT_FAMILY_IPV4)
		wt_router_ask_arp(router, neighbour);
	else
		wt_router_ask_nd(router, neighbour);
}

static void ask_no_more(struct wt_router *router, struct wt_neighbour *neighbour)
{
	router->asking -= neighbour->ask != WT_NEVER;
	neighbour->ask = WT_NEVER;
	neighbour->asked = 0;
}

struct wt_neighbour *wt_router_find(struct wt_router *router, const struct wt_addr *address, unsigned port)
{
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		if (router->neighbour[i].port == port && wt_addr_eq(&router->neighbour[i].address, address))
			return &router->neighbour[i];
	return NULL;
}

static uint16_t type_of(const struct wt_addr *address)
{
	return address->family == WT_FAMILY_IPV4 ? WT_ETH_IPV4 : WT_ETH_IPV6;
}

/* The first of the frames that wait for a neighbour, taken out; NULL: none does. */
static struct wt_frame *next_waiting(struct wt_router *router, struct wt_neighbour *neighbour)
{
	struct wt_frame *frame = wt_frame_queue_pop(&neighbour->wait);

	router->waiting -= frame != NULL;
	router->node.audit.queued -= frame != NULL;
	return frame;
}

/*
 * Into the neighbour's queue. RFC 4861 7.2.2 has one each, of a packet or more, whose oldest makes room; where all places are taken the
 * longest queue gives one up: packets to one that is not there keep nobody else's from waiting.
 */
static void wait_for(struct wt_router *router, struct wt_neighbour *neighbour, struct wt_frame *frame, wt_time now)
{
	struct wt_neighbour *longest = neighbour;

	if (neighbour->wait.frames >= WT_ROUTER_WAITING_EACH || router->waiting >= WT_ROUTER_WAITING) {
		for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
			if (router->neighbour[i].wait.frames > longest->wait.frames)
				longest = &router->neighbour[i];
		wt_node_drop(&router->node, now, next_waiting(router, longest), WT_DROP_NEIGHBOUR);
	}
	router->waiting++;
	router->node.audit.queued++;
	wt_frame_queue_push(&neighbour->wait, frame);
}

static struct wt_neighbour *free_place(struct wt_router *router)
{
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		if (!router->neighbour[i].address.family)
			return &router->neighbour[i];
	return NULL;
}

/*
 * Who makes room. First who has not answered: a flood of addresses nobody has must not push out those that somebody has (RFC 6583
 * section 7). Of these, or where all have answered of those, one of the port that has most of them, so that none takes the places of
 * another that has fewer; there who was heard of, or first asked for, the longest ago.
 */
static struct wt_neighbour *least_missed(struct wt_router *router)
{
	unsigned held[2][WT_ROUTER_PORTS] = {{0}};
	struct wt_neighbour *least = &router->neighbour[0];

	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		held[router->neighbour[i].known][router->neighbour[i].port]++;
	for (unsigned i = 1; i < WT_ROUTER_NEIGHBOURS; i++) {
		struct wt_neighbour *one = &router->neighbour[i];
		unsigned many = held[one->known][one->port], most = held[least->known][least->port];

		if (one->known != least->known ? least->known : many != most ? many > most : one->heard < least->heard)
			least = one;
	}
	return least;
}

static void enter(struct wt_neighbour *place, const struct wt_addr *address, unsigned port, wt_time now)
{
	*place = (struct wt_neighbour){.address = *address, .port = port, .heard = now, .ask = WT_NEVER};
}

/* A place for one to be asked for, whoever has it now. */
static struct wt_neighbour *claim(struct wt_router *router, const struct wt_addr *address, unsigned port, wt_time now)
{
	struct wt_neighbour *place = free_place(router);
	struct wt_frame *frame;

	if (!place) {
		place = least_missed(router);
		ask_no_more(router, place);
		while ((frame = next_waiting(router, place)))
			wt_node_drop(&router->node, now, frame, WT_DROP_NEIGHBOUR);
	}
	enter(place, address, port, now);
	return place;
}

void wt_router_heard(struct wt_router *router, struct wt_neighbour *neighbour, wt_time now)
{
	struct wt_frame *frame;

	neighbour->heard = now;
	ask_no_more(router, neighbour);
	if (neighbour->known)
		return;
	neighbour->known = true;
	while ((frame = next_waiting(router, neighbour)))
		wt_router_send(router, frame, neighbour->port, &neighbour->mac, type_of(&neighbour->address));
}

static bool may_be_there(const struct wt_router_port *here, const struct wt_addr *address)
{
	const struct wt_addr *gateway = &here->gateway[address->family];
	static const struct wt_addr link_local = {WT_FAMILY_IPV6, {0xfe, 0x80}};

	if (!gateway->family || wt_addr_eq(address, gateway) || wt_addr_eq(address, &here->link_local) ||
	    wt_router_is_broadcast(here, address))
		return false;
	return wt_addr_in(address, gateway, here->prefix[address->family]) || wt_addr_in(address, &link_local, 10);
}

void wt_router_learn(struct wt_router *router, unsigned port, const struct wt_addr *address, const struct wt_mac *mac, wt_time now)
{
	struct wt_neighbour *neighbour;

	if (router->port[port].known && address->family == WT_FAMILY_IPV4)
		return;
	if (mac->bytes[0] & 1 || !may_be_there(&router->port[port], address))
		return;
	neighbour = wt_router_find(router, address, port);
	if (!neighbour) {
		neighbour = free_place(router);
		if (!neighbour) /* asked for when a packet goes there */
			return;
		enter(neighbour, address, port, now);
	}
	neighbour->mac = *mac;
	wt_router_heard(router, neighbour, now);
}

void wt_router_deliver(struct wt_router *router, struct wt_frame *frame, unsigned port, const struct wt_addr *next, wt_time now)
{
	const struct wt_router_port *out = &router->port[port];
	struct wt_neighbour *neighbour;

	if (!out->network) {
		wt_router_send(router, frame, port, &out->peer, type_of(next));
		return;
	}
	if (out->known && next->family == WT_FAMILY_IPV4) {
		struct wt_mac mac = wt_addr_mac(next);

		wt_router_send(router, frame, port, &mac, WT_ETH_IPV4);
		return;
	}
	neighbour = wt_router_find(router, next, port);
	if (neighbour && neighbour->known) {
		wt_router_send(router, frame, port, &neighbour->mac, type_of(next));
		if (neighbour->ask == WT_NEVER && now - neighbour->heard > REACHABLE)
			ask(router, neighbour, now);
		return;
	}
	if (!neighbour) {
		neighbour = claim(router, next, port, now);
		ask(router, neighbour, now);
	}
	wait_for(router, neighbour, frame, now);
}

/* Nobody answered: who sent the packets that waited is told. Their answers may wait in turn, and claim places in the table. */
static void give_up(struct wt_router *router, struct wt_neighbour *neighbour, wt_time now)
{
	struct wt_neighbour gone = *neighbour;
	struct wt_frame *frame;

	ask_no_more(router, neighbour);
	*neighbour = (struct wt_neighbour){.ask = WT_NEVER};
	while ((frame = next_waiting(router, &gone)))
		wt_router_refuse(router, now, frame, WT_REFUSAL_HOST, WT_DROP_NEIGHBOUR);
}

void wt_router_ask_again(struct wt_router *router, wt_time now)
{
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++) {
		struct wt_neighbour *neighbour = &router->neighbour[i];

		if (!neighbour->address.family || neighbour->ask > now)
			continue;
		if (neighbour->asked < ASK_TIMES)
			ask(router, neighbour, now);
		else
			give_up(router, neighbour, now);
	}
}

wt_time wt_router_next_ask(const struct wt_router *router)
{
	wt_time due = WT_NEVER;

	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS; i++)
		if (router->neighbour[i].address.family)
			due = wt_time_min(due, router->neighbour[i].ask);
	return due;
}

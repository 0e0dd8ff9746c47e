/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is behind which port of a router, of either family: one table, one queue of frames that wait, one clock of questions. ARP and
 * neighbour discovery differ in how they ask, and in whom they believe (router_ipv4.c, router_ipv6.c).
 */
#include "emu/daemon/router_parts.h"
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

/* Is a waiting frame for this neighbour? Hosts are next hops of their own packets alone. */
static bool waits_for(const struct wt_frame *frame, const struct wt_neighbour *neighbour)
{
	const uint8_t *ip = frame->data + WT_ROUTER_IP_AT;

	if (frame->mark != neighbour->port || wt_get16(frame->data + 12) != type_of(&neighbour->address))
		return false;
	return neighbour->address.family == WT_FAMILY_IPV4 ? !memcmp(ip + 16, neighbour->address.bytes, 4)
							   : !memcmp(ip + 24, neighbour->address.bytes, 16);
}

/* The first of the frames that wait for a neighbour, taken out; NULL: none does. Others keep their order. */
static struct wt_frame *next_waiting(struct wt_router *router, const struct wt_neighbour *neighbour)
{
	struct wt_frame_queue kept = {0};
	struct wt_frame *frame, *found = NULL;

	while ((frame = wt_frame_queue_pop(&router->wait))) {
		if (!found && waits_for(frame, neighbour))
			found = frame;
		else
			wt_frame_queue_push(&kept, frame);
	}
	router->wait = kept;
	router->node.audit.queued -= found != NULL;
	return found;
}

static struct wt_neighbour *claim(struct wt_router *router, const struct wt_addr *address, unsigned port, wt_time now)
{
	struct wt_neighbour *oldest = &router->neighbour[0], gone;
	struct wt_frame *frame;

	/* a flood of addresses nobody has must not push out those that somebody has (RFC 6583 section 7) */
	for (unsigned i = 0; i < WT_ROUTER_NEIGHBOURS && oldest->address.family; i++) {
		struct wt_neighbour *one = &router->neighbour[i];

		if (!one->address.family || one->known < oldest->known || (one->known == oldest->known && one->heard < oldest->heard))
			oldest = one;
	}
	gone = *oldest;
	if (gone.address.family)
		ask_no_more(router, oldest);
	*oldest = (struct wt_neighbour){.address = *address, .port = port, .heard = now, .ask = WT_NEVER};
	while (gone.address.family && (frame = next_waiting(router, &gone)))
		wt_node_drop(&router->node, now, frame, WT_DROP_NEIGHBOUR);
	return oldest;
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

	if (!gateway->family || wt_addr_eq(address, gateway) || wt_addr_eq(address, &here->link_local))
		return false;
	return wt_addr_in(address, gateway, here->prefix[address->family]) || wt_addr_in(address, &link_local, 10);
}

void wt_router_learn(struct wt_router *router, unsigned port, const struct wt_addr *address, const struct wt_mac *mac, wt_time now)
{
	struct wt_neighbour *neighbour;

	if (mac->bytes[0] & 1 || !may_be_there(&router->port[port], address))
		return;
	neighbour = wt_router_find(router, address, port);
	if (!neighbour)
		neighbour = claim(router, address, port, now);
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
	neighbour = wt_router_find(router, next, port);
	if (neighbour && neighbour->known) {
		wt_router_send(router, frame, port, &neighbour->mac, type_of(next));
		if (neighbour->ask == WT_NEVER && now - neighbour->heard > REACHABLE)
			ask(router, neighbour, now);
		return;
	}
	if (router->wait.frames >= WT_ROUTER_WAITING) {
		wt_node_drop(&router->node, now, frame, WT_DROP_NEIGHBOUR);
		return;
	}
	frame->mark = (uint8_t)port;
	wt_put16(frame->data + 12, type_of(next));
	router->node.audit.queued++;
	wt_frame_queue_push(&router->wait, frame);
	if (!neighbour)
		ask(router, claim(router, next, port, now), now);
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

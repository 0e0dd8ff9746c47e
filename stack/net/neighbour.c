/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/neighbour.h"

#include "stack/net/books.h"
#include "stack/net/net.h"

void wt_neighbours_init(struct wt_neighbours *table, struct wt_net *net)
{
	*table = (struct wt_neighbours){.net = net, .due = WT_NEVER};
}

void wt_neighbours_finish(struct wt_neighbours *table)
{
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		wt_frame_queue_clear(&table->at[i].waiting);
}

/* ---- the table ---------------------------------------------------------------------------------------- */

static bool is_of(const struct wt_neighbour *entry, unsigned interface, const struct wt_addr *addr)
{
	return entry->interface == interface && wt_addr_eq(&entry->addr, addr);
}

/* The hint answers for a host that talks to one peer, which most do. */
struct wt_neighbour *wt_neighbours_entry(struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr)
{
	if (is_of(&table->at[table->last], interface, addr))
		return &table->at[table->last];
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (is_of(&table->at[i], interface, addr))
			return &table->at[i];
	return NULL;
}

static void update_due(struct wt_neighbours *table)
{
	table->due = WT_NEVER;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (table->at[i].asking)
			table->due = wt_time_min(table->due, table->at[i].due);
}

/* The first of the frames that wait for a neighbour, taken out; NULL: none does. */
static struct wt_frame *next_waiting(struct wt_neighbours *table, struct wt_neighbour *entry)
{
	struct wt_frame *frame = wt_books_release(table->net->config.node, &entry->waiting);

	table->waiting -= frame != NULL;
	return frame;
}

/*
 * Who makes room; NULL: all are static. First who has not answered: a flood of addresses nobody has must not push out those that somebody
 * has (RFC 6583 section 7). Of these, or where all have answered of those, one of the interface that has most of them, so that none takes
 * the places of another that has fewer; there who was used, or heard of, the longest ago.
 */
static struct wt_neighbour *least_missed(struct wt_neighbours *table)
{
	unsigned held[2][WT_NET_INTERFACES] = {{0}};
	struct wt_neighbour *least = NULL;

	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		held[table->at[i].known][table->at[i].interface]++;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		struct wt_neighbour *one = &table->at[i];
		unsigned many = held[one->known][one->interface], most = least ? held[least->known][least->interface] : 0;

		if (one->fixed)
			continue;
		if (!least || (one->known != least->known ? least->known : many != most ? many > most : one->used < least->used))
			least = one;
	}
	return least;
}

static struct wt_neighbour *free_place(struct wt_neighbours *table)
{
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (!table->at[i].addr.family)
			return &table->at[i];
	return NULL;
}

static void enter(struct wt_neighbours *table, struct wt_neighbour *place, unsigned interface, const struct wt_addr *addr)
{
	*place = (struct wt_neighbour){.addr = *addr, .interface = interface, .used = ++table->uses};
}

/* A place for one to be asked for, whoever has it now; NULL if all are static. */
static struct wt_neighbour *claim(struct wt_neighbours *table, wt_time now, unsigned interface, const struct wt_addr *addr)
{
	struct wt_neighbour *place = free_place(table);
	struct wt_frame *frame;

	if (!place && !(place = least_missed(table)))
		return NULL;
	while ((frame = next_waiting(table, place)))
		wt_node_drop(table->net->config.node, now, frame, WT_DROP_NEIGHBOUR);
	enter(table, place, interface, addr);
	return place;
}

bool wt_neighbours_add(struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac)
{
	struct wt_neighbour *entry = wt_neighbours_entry(table, interface, addr);

	if (!entry)
		entry = claim(table, 0, interface, addr);
	if (!entry)
		return false;
	wt_usual_forget(&table->net->usual);
	entry->mac = *mac;
	entry->known = entry->fixed = true;
	entry->asking = false;
	entry->tries = 0;
	update_due(table);
	return true;
}

const struct wt_mac *wt_neighbours_find(const struct wt_neighbours *table, unsigned interface, const struct wt_addr *addr)
{
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (is_of(&table->at[i], interface, addr) && table->at[i].known)
			return &table->at[i].mac;
	return NULL;
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static void ask(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry, wt_time due)
{
	entry->asking = true;
	entry->tries++;
	entry->due = due;
	(entry->addr.family == WT_FAMILY_IPV4 ? wt_arp_ask : wt_nd_ask)(table->net, now, entry);
}

/* Of one that is new, at once; of one that was not confirmed for a long time, behind the frame that is sent to it. */
static void ask_if_due(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry)
{
	if (entry->fixed || entry->asking || now < entry->due)
		return;
	entry->asking = true;
	entry->due = now;
	if (!entry->known)
		ask(table, now, entry, wt_time_add(now, WT_NEIGHBOUR_RETRY));
	update_due(table);
}

/*
 * Into the neighbour's queue. RFC 4861 7.2.2 has one each, of a packet or more, whose oldest makes room (RFC 1122 2.3.2.2: the latest are
 * the ones to keep); where all places are taken the longest queue gives one up: packets to one that is not there keep nobody else's from
 * waiting.
 */
static void wait_for(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry, struct wt_frame *frame)
{
	struct wt_neighbour *longest = entry;

	if (entry->waiting.frames >= WT_NEIGHBOUR_WAITING || table->waiting >= WT_NEIGHBOUR_WAITING_ALL) {
		for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
			if (table->at[i].waiting.frames > longest->waiting.frames)
				longest = &table->at[i];
		wt_node_drop(table->net->config.node, now, next_waiting(table, longest), WT_DROP_NEIGHBOUR);
	}
	table->waiting++;
	wt_books_keep(table->net->config.node, &entry->waiting, frame);
}

/* The entry to send by, asked for if need be; NULL: there is no place for it, and the frame is gone. */
static struct wt_neighbour *entry_for(struct wt_neighbours *table, wt_time now, struct wt_frame *frame, unsigned interface,
				      const struct wt_addr *next)
{
	struct wt_neighbour *entry = wt_neighbours_entry(table, interface, next);

	if (!entry)
		entry = claim(table, now, interface, next);
	if (!entry) {
		wt_node_drop(table->net->config.node, now, frame, WT_DROP_NEIGHBOUR);
		return NULL;
	}
	table->last = (unsigned)(entry - table->at);
	entry->used = ++table->uses;
	return entry;
}

struct wt_frame *wt_neighbours_send(struct wt_neighbours *table, wt_time now, struct wt_frame *frame, unsigned interface,
				    const struct wt_addr *next)
{
	const struct wt_net_interface *here = &table->net->interface[interface];
	struct wt_neighbour *entry;
	struct wt_mac mac = here->peer;

	if (!here->wire && !(here->known && next->family == WT_FAMILY_IPV4)) {
		entry = entry_for(table, now, frame, interface, next);
		if (!entry)
			return NULL;
		ask_if_due(table, now, entry);
		if (!entry->known) {
			wait_for(table, now, entry, frame);
			return NULL;
		}
		mac = entry->mac;
	} else if (!here->wire) {
		mac = wt_addr_mac(next);
	}
	memcpy(wt_frame_own_head(frame), mac.bytes, sizeof(mac.bytes));
	return frame;
}

bool wt_neighbours_given(struct wt_neighbours *table, unsigned interface, const struct wt_addr *next)
{
	const struct wt_neighbour *entry = wt_neighbours_entry(table, interface, next);

	return entry && entry->fixed && !table->net->interface[interface].wire;
}

static uint16_t type_of(const struct wt_addr *addr)
{
	return addr->family == WT_FAMILY_IPV4 ? WT_ETH_IPV4 : WT_ETH_IPV6;
}

void wt_net_deliver(struct wt_net *net, wt_time now, struct wt_frame *frame, unsigned interface, const struct wt_addr *next)
{
	struct wt_eth eth = {.src = net->interface[interface].mac, .type = type_of(next)};

	wt_eth_emit(wt_frame_own_head(frame), &eth);
	frame->mark = (uint8_t)interface;
	frame = wt_neighbours_send(&net->neighbours, now, frame, interface, next);
	if (frame)
		wt_books_keep(net->config.node, &net->ready, frame);
}

/* Nobody answered: who sent the packets that waited is told. Their answers may wait in turn, and claim places in the table. */
static void give_up(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry)
{
	struct wt_neighbour gone = *entry;
	struct wt_frame *frame;

	*entry = (struct wt_neighbour){0};
	while ((frame = next_waiting(table, &gone)))
		wt_net_refuse(table->net, now, frame, WT_REFUSAL_HOST, WT_DROP_NEIGHBOUR);
}

void wt_neighbours_expire(struct wt_neighbours *table, wt_time now)
{
	if (now < table->due)
		return;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		struct wt_neighbour *entry = &table->at[i];

		if (!entry->asking || now < entry->due)
			continue;
		if (entry->tries < WT_NEIGHBOUR_TRIES)
			ask(table, now, entry, wt_time_add(entry->due, WT_NEIGHBOUR_RETRY));
		else
			give_up(table, now, entry);
	}
	update_due(table);
}

/* ---- hearing ------------------------------------------------------------------------------------------ */

void wt_neighbours_confirm(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry)
{
	struct wt_frame *frame;

	entry->known = true;
	entry->asking = false;
	entry->tries = 0;
	entry->used = ++table->uses;
	entry->due = wt_time_add(now, table->net->config.lifetime);
	while ((frame = next_waiting(table, entry))) {
		frame->time = now;
		wt_net_transmit(table->net, frame, entry->interface, &entry->mac, type_of(&entry->addr));
	}
	update_due(table);
}

/* Is it an address that a host of this link may have? */
static bool may_be_there(const struct wt_net *net, unsigned interface, const struct wt_addr *addr)
{
	static const struct wt_addr link_local = {WT_FAMILY_IPV6, {0xfe, 0x80}};
	const struct wt_net_address *at = wt_net_address_at(net, interface, addr->family, addr);

	if (!at || wt_net_is_ours(net, addr) || wt_addr_eq(addr, &net->interface[interface].link_local) || wt_net_is_broadcast(net, addr))
		return false;
	return wt_addr_in(addr, &at->addr, at->prefix) || wt_addr_in(addr, &link_local, 10);
}

bool wt_neighbours_hear(struct wt_neighbours *table, wt_time now, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac,
			bool new)
{
	struct wt_neighbour *entry = wt_neighbours_entry(table, interface, addr);

	if (table->net->config.forwards) {
		wt_neighbours_learn(table, now, interface, addr, mac);
		return true;
	}
	if (!entry && new)
		entry = claim(table, now, interface, addr);
	if (!entry)
		return false;
	if (!entry->fixed) {
		entry->mac = *mac;
		wt_neighbours_confirm(table, now, entry);
	}
	return true;
}

void wt_neighbours_learn(struct wt_neighbours *table, wt_time now, unsigned interface, const struct wt_addr *addr, const struct wt_mac *mac)
{
	const struct wt_net_interface *here = &table->net->interface[interface];
	struct wt_neighbour *entry;

	if (here->wire || (here->known && addr->family == WT_FAMILY_IPV4) || mac->bytes[0] & 1 || !may_be_there(table->net, interface, addr))
		return;
	entry = wt_neighbours_entry(table, interface, addr);
	if (!entry) {
		entry = free_place(table);
		if (!entry) /* asked for when a packet goes there */
			return;
		enter(table, entry, interface, addr);
	}
	if (entry->fixed)
		return;
	entry->mac = *mac;
	wt_neighbours_confirm(table, now, entry);
}

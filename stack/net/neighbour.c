/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/neighbour.h"

#include "stack/net/books.h"
#include "stack/wire/arp.h"
#include "stack/wire/ethernet.h"

static const struct wt_mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

void wt_neighbours_init(struct wt_neighbours *table, struct wt_node *node, struct wt_pool *pool,
			struct wt_frame_queue *ready, const struct wt_mac *mac, const struct wt_addr *addr)
{
	*table = (struct wt_neighbours){
		.node = node, .pool = pool, .ready = ready, .mac = *mac, .addr = *addr, .due = WT_NEVER};
}

void wt_neighbours_finish(struct wt_neighbours *table)
{
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		wt_frame_queue_clear(&table->at[i].waiting);
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* Its place, or WT_NEIGHBOURS. The hint answers for a host that talks to one peer, which most do. */
static unsigned find(const struct wt_neighbours *table, const struct wt_addr *addr)
{
	if (wt_addr_eq(&table->at[table->last].addr, addr))
		return table->last;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (wt_addr_eq(&table->at[i].addr, addr))
			return i;
	return WT_NEIGHBOURS;
}

static void drop_waiting(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry)
{
	struct wt_frame *frame;

	while ((frame = wt_books_release(table->node, &entry->waiting)))
		wt_node_drop(table->node, now, frame, WT_DROP_NEIGHBOUR);
}

/* Is `a` the better one to give up? Unanswered questions before knowledge, then the one unused for longest. */
static bool worth_less(const struct wt_neighbour *a, const struct wt_neighbour *b)
{
	return a->known != b->known ? b->known : a->used < b->used;
}

/* A fresh entry for `addr`, in a free place or that of the least useful; NULL if all are static. */
static struct wt_neighbour *claim(struct wt_neighbours *table, wt_time now, const struct wt_addr *addr)
{
	struct wt_neighbour *chosen = NULL;

	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		struct wt_neighbour *entry = &table->at[i];

		if (entry->addr.family == WT_FAMILY_NONE) {
			chosen = entry;
			break;
		}
		if (!entry->fixed && (!chosen || worth_less(entry, chosen)))
			chosen = entry;
	}
	if (!chosen)
		return NULL;
	drop_waiting(table, now, chosen);
	*chosen = (struct wt_neighbour){.addr = *addr, .used = ++table->uses};
	return chosen;
}

static void update_due(struct wt_neighbours *table)
{
	table->due = WT_NEVER;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++)
		if (table->at[i].tries)
			table->due = wt_time_min(table->due, table->at[i].due);
}

bool wt_neighbours_add(struct wt_neighbours *table, const struct wt_addr *addr, const struct wt_mac *mac)
{
	unsigned i = find(table, addr);
	struct wt_neighbour *entry = i < WT_NEIGHBOURS ? &table->at[i] : claim(table, 0, addr);

	if (!entry)
		return false;
	entry->mac = *mac;
	entry->known = entry->fixed = true;
	entry->tries = 0;
	update_due(table);
	return true;
}

const struct wt_mac *wt_neighbours_find(const struct wt_neighbours *table, const struct wt_addr *addr)
{
	unsigned i = find(table, addr);

	return i < WT_NEIGHBOURS && table->at[i].known ? &table->at[i].mac : NULL;
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static void send_arp(struct wt_neighbours *table, wt_time now, const struct wt_mac *to, const struct wt_arp *arp)
{
	struct wt_eth eth = {*to, table->mac, WT_ETH_ARP};
	struct wt_frame *frame = wt_books_make(table->node, table->pool, now);

	if (!frame)
		return;
	wt_eth_emit(frame->data, &eth);
	wt_arp_emit(frame->data + WT_ETH_HEADER, arp);
	frame->len = WT_ETH_HEADER + WT_ARP_LEN;
	wt_books_keep(table->node, table->ready, frame);
}

static void ask(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry, wt_time due)
{
	struct wt_arp arp = {.op = WT_ARP_REQUEST, .sender_mac = table->mac, .sender = table->addr, .target = entry->addr};

	entry->tries++;
	entry->due = due;
	send_arp(table, now, &broadcast, &arp);
}

struct wt_frame *wt_neighbours_send(struct wt_neighbours *table, wt_time now, struct wt_frame *frame,
				    const struct wt_addr *next_hop)
{
	unsigned i = find(table, next_hop);
	struct wt_neighbour *entry = i < WT_NEIGHBOURS ? &table->at[i] : claim(table, now, next_hop);

	if (!entry) {
		wt_node_drop(table->node, now, frame, WT_DROP_NEIGHBOUR);
		return NULL;
	}
	table->last = (unsigned)(entry - table->at);
	entry->used = ++table->uses;
	/* new, or not confirmed for a long time */
	if (!entry->fixed && !entry->tries && now >= entry->due) {
		ask(table, now, entry, wt_time_add(now, WT_NEIGHBOUR_RETRY));
		update_due(table);
	}
	if (entry->known) {
		memcpy(frame->data, entry->mac.bytes, sizeof(entry->mac.bytes));
		return frame;
	}
	/* RFC 1122 2.3.2.2: the latest frames are the ones to keep */
	if (entry->waiting.frames == WT_NEIGHBOUR_WAITING)
		wt_node_drop(table->node, now, wt_books_release(table->node, &entry->waiting), WT_DROP_NEIGHBOUR);
	wt_books_keep(table->node, &entry->waiting, frame);
	return NULL;
}

wt_time wt_neighbours_deadline(const struct wt_neighbours *table)
{
	return table->due;
}

void wt_neighbours_expire(struct wt_neighbours *table, wt_time now)
{
	if (now < table->due)
		return;
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		struct wt_neighbour *entry = &table->at[i];

		if (!entry->tries || now < entry->due)
			continue;
		if (entry->tries < WT_NEIGHBOUR_TRIES) {
			ask(table, now, entry, wt_time_add(entry->due, WT_NEIGHBOUR_RETRY));
		} else {
			drop_waiting(table, now, entry);
			*entry = (struct wt_neighbour){0};
		}
	}
	update_due(table);
}

/* ---- hearing ------------------------------------------------------------------------------------------ */

/* A sender nobody should learn from: a probe without address (RFC 5227), ourselves, or a group address. */
static bool credible(const struct wt_neighbours *table, const struct wt_arp *arp)
{
	return !(arp->sender_mac.bytes[0] & 1) && arp->sender.bytes[0] != 0 && arp->sender.bytes[0] < 224 &&
	       !wt_addr_eq(&arp->sender, &table->addr);
}

static void learn(struct wt_neighbours *table, wt_time now, struct wt_neighbour *entry, const struct wt_mac *mac)
{
	struct wt_frame *frame;

	if (entry->fixed)
		return;
	entry->mac = *mac;
	entry->known = true;
	entry->tries = 0;
	entry->due = wt_time_add(now, WT_NEIGHBOUR_LIFETIME);
	while ((frame = wt_books_release(table->node, &entry->waiting))) {
		memcpy(frame->data, mac->bytes, sizeof(mac->bytes));
		frame->time = now;
		wt_books_keep(table->node, table->ready, frame);
	}
	update_due(table);
}

void wt_neighbours_input(struct wt_neighbours *table, wt_time now, struct wt_frame *frame)
{
	struct wt_arp arp;
	struct wt_neighbour *entry = NULL;
	unsigned i;
	bool ours;

	if (frame->len < WT_ETH_HEADER + WT_ARP_LEN) {
		wt_node_drop(table->node, now, frame, WT_DROP_SHORT);
		return;
	}
	if (!wt_arp_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp)) {
		wt_node_drop(table->node, now, frame, WT_DROP_PROTOCOL);
		return;
	}
	/* RFC 826, "Packet Reception": update what is there; make an entry only if the target is us */
	ours = wt_addr_eq(&arp.target, &table->addr);
	if (credible(table, &arp)) {
		i = find(table, &arp.sender);
		entry = i < WT_NEIGHBOURS ? &table->at[i] : ours ? claim(table, now, &arp.sender) : NULL;
		if (entry)
			learn(table, now, entry, &arp.sender_mac);
	}
	if (!ours && !entry) {
		wt_node_drop(table->node, now, frame, WT_DROP_NOT_OURS);
		return;
	}
	if (ours && arp.op == WT_ARP_REQUEST) {
		struct wt_arp reply = {WT_ARP_REPLY, table->mac, arp.sender_mac, table->addr, arp.sender};

		send_arp(table, now, &arp.sender_mac, &reply);
	}
	wt_books_take(table->node, frame);
}

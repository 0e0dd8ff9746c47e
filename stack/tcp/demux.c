/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of chains by keyed hash of the tuple, so that nobody can aim at one chain. It doubles when it has more residents than chains, so few
 * connections take few pages of it; each resident is moved once on the average.
 */
#include "stack/tcp/demux.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/tcp/tcb.h"

#define LEAST 64u /* chains */

int wt_demux_init(struct wt_tcp_stack *stack)
{
	stack->table = calloc(LEAST, sizeof(*stack->table));
	if (!stack->table)
		return -ENOMEM;
	stack->table_mask = LEAST - 1;
	stack->hash = (uint32_t)wt_secret_tuple(&stack->key_hash, &stack->hashed);
	return 0;
}

/* A SYN, its entry, the connection and its TIME-WAIT ask for the same tuple one after the other. */
static uint32_t hash(struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	if (!wt_tuple_eq(&stack->hashed, tuple)) {
		stack->hash = (uint32_t)wt_secret_tuple(&stack->key_hash, tuple);
		stack->hashed = *tuple;
	}
	return stack->hash;
}

static struct wt_demux_entry **chain(struct wt_tcp_stack *stack, uint32_t hash)
{
	return &stack->table[hash & stack->table_mask];
}

/* Twice the chains; without memory for them they become longer. */
static void grow(struct wt_tcp_stack *stack)
{
	uint32_t size = 2 * (stack->table_mask + 1);
	struct wt_demux_entry **old = stack->table, **table = calloc(size, sizeof(*table)), *next;

	if (!table)
		return;
	stack->table = table;
	stack->table_mask = size - 1;
	for (uint32_t i = 0; i < size / 2; i++) {
		for (struct wt_demux_entry *entry = old[i]; entry; entry = next) {
			struct wt_demux_entry **head = chain(stack, entry->hash);

			next = entry->next;
			entry->next = *head;
			*head = entry;
		}
	}
	free(old);
}

/* Where a resident was found last, by ports alone: who aims at one place costs us the keyed hash, no more. The tuple decides. */
static struct wt_demux_entry **place_of(struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	return &stack->recent[(tuple->remote.port ^ tuple->local.port) % WT_DEMUX_RECENT];
}

static bool is_bound(const struct wt_demux_entry *entry)
{
	static const struct wt_addr any;

	return entry->kind == WT_DEMUX_LISTENER && !wt_addr_eq(&entry->tuple.local.addr, &any);
}

void wt_demux_add(struct wt_tcp_stack *stack, struct wt_demux_entry *entry)
{
	struct wt_demux_entry **head;

	if (stack->residents++ > stack->table_mask)
		grow(stack);
	entry->hash = hash(stack, &entry->tuple);
	head = chain(stack, entry->hash);
	entry->next = *head;
	*head = *place_of(stack, &entry->tuple) = entry;
	stack->bound += is_bound(entry);
}

void wt_demux_remove(struct wt_tcp_stack *stack, struct wt_demux_entry *entry)
{
	struct wt_demux_entry **recent = place_of(stack, &entry->tuple);

	if (entry->kind == WT_DEMUX_CONNECTION)
		wt_template_unheard((struct wt_tcp *)entry);
	if (*recent == entry)
		*recent = NULL;
	for (struct wt_demux_entry **link = chain(stack, entry->hash); *link; link = &(*link)->next) {
		if (*link == entry) {
			*link = entry->next;
			entry->next = NULL;
			stack->residents--;
			stack->bound -= is_bound(entry);
			return;
		}
	}
}

struct wt_demux_entry *wt_demux_find(struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	struct wt_demux_entry **recent = place_of(stack, tuple), *entry;

	if (*recent && wt_tuple_eq(&(*recent)->tuple, tuple))
		return *recent;
	for (entry = *chain(stack, hash(stack, tuple)); entry && !wt_tuple_eq(&entry->tuple, tuple);)
		entry = entry->next;
	if (entry)
		*recent = entry;
	return entry;
}

struct wt_tcp *wt_demux_connection(struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	struct wt_demux_entry *entry = wt_demux_find(stack, tuple);

	return entry && entry->kind == WT_DEMUX_CONNECTION ? (struct wt_tcp *)entry : NULL;
}

struct wt_tcp *wt_demux_listener_at(struct wt_tcp_stack *stack, const struct wt_addr *addr, uint16_t port)
{
	struct wt_tuple tuple = {.local = {*addr, port}};

	return (struct wt_tcp *)wt_demux_find(stack, &tuple);
}

struct wt_tcp *wt_demux_listener(struct wt_tcp_stack *stack, const struct wt_endpoint *local)
{
	static const struct wt_addr any;
	struct wt_tcp *bound = stack->bound ? wt_demux_listener_at(stack, &local->addr, local->port) : NULL;

	return bound ? bound : wt_demux_listener_at(stack, &any, local->port);
}

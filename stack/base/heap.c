/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/heap.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int wt_heap_init(struct wt_heap *heap, uint32_t room)
{
	*heap = (struct wt_heap){.slots = calloc((size_t)room + 1, sizeof(heap->slots[0])), .room = room};
	return heap->slots ? 0 : -ENOMEM;
}

int wt_heap_grow(struct wt_heap *heap, uint32_t room)
{
	struct wt_heap_entry **slots = calloc((size_t)room + 1, sizeof(slots[0]));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 1; i <= heap->count; i++)
		slots[i] = heap->slots[i];
	free(heap->slots);
	heap->slots = slots;
	heap->room = room;
	return 0;
}

void wt_heap_finish(struct wt_heap *heap)
{
	for (uint32_t i = 1; i <= heap->count; i++)
		heap->slots[i]->position = 0;
	free(heap->slots);
	*heap = (struct wt_heap){0};
}

static bool before(const struct wt_heap_entry *a, const struct wt_heap_entry *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void put(struct wt_heap *heap, uint32_t position, struct wt_heap_entry *entry)
{
	heap->slots[position] = entry;
	entry->position = position;
}

/* Moves `entry` from the free place `position` towards the root, then towards the leaves, until it is in order. */
static void settle(struct wt_heap *heap, uint32_t position, struct wt_heap_entry *entry)
{
	while (position > 1 && before(entry, heap->slots[position / 2])) {
		put(heap, position, heap->slots[position / 2]);
		position /= 2;
	}
	for (;;) {
		uint32_t child = position * 2;

		if (child > heap->count)
			break;
		if (child < heap->count && before(heap->slots[child + 1], heap->slots[child]))
			child++;
		if (!before(heap->slots[child], entry))
			break;
		put(heap, position, heap->slots[child]);
		position = child;
	}
	put(heap, position, entry);
}

static void take_out(struct wt_heap *heap, struct wt_heap_entry *entry)
{
	uint32_t position = entry->position;
	struct wt_heap_entry *last = heap->slots[heap->count--];

	entry->position = 0;
	if (last != entry)
		settle(heap, position, last);
}

void wt_heap_set(struct wt_heap *heap, struct wt_heap_entry *entry, wt_time due)
{
	uint32_t position = entry->position;

	entry->due = due;
	if (due == WT_NEVER) {
		if (position)
			take_out(heap, entry);
		return;
	}
	if (!position) {
		assert(heap->count < heap->room);
		position = ++heap->count;
	}
	settle(heap, position, entry);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The times stand in the heap itself, beside the entries they belong to: a move reads no entry but where two times are equal. */
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
	struct wt_heap_slot *slots = calloc((size_t)room + 1, sizeof(slots[0]));

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
		heap->slots[i].entry->position = 0;
	free(heap->slots);
	*heap = (struct wt_heap){0};
}

static inline bool before(const struct wt_heap_slot *a, const struct wt_heap_slot *b)
{
	return a->due < b->due || (a->due == b->due && a->entry->order < b->entry->order);
}

static inline void put(struct wt_heap_slot *slots, uint32_t position, struct wt_heap_slot slot)
{
	slots[position] = slot;
	slot.entry->position = position;
}

/* From the free place `position` towards the root. */
static void rise(struct wt_heap_slot *slots, uint32_t position, struct wt_heap_slot slot)
{
	for (; position > 1 && before(&slot, &slots[position / 2]); position /= 2)
		put(slots, position, slots[position / 2]);
	put(slots, position, slot);
}

/* From the free place `position` towards the leaves. */
static void sink(struct wt_heap_slot *slots, uint32_t count, uint32_t position, struct wt_heap_slot slot)
{
	uint32_t child;

	for (; (child = position * 2) <= count; position = child) {
		if (child < count && before(&slots[child + 1], &slots[child]))
			child++;
		if (!before(&slots[child], &slot))
			break;
		put(slots, position, slots[child]);
	}
	put(slots, position, slot);
}

static void take_out(struct wt_heap *heap, struct wt_heap_entry *entry)
{
	uint32_t position = entry->position;
	struct wt_heap_slot last = heap->slots[heap->count--];

	entry->position = 0;
	if (last.entry == entry)
		return;
	if (position > 1 && before(&last, &heap->slots[position / 2]))
		rise(heap->slots, position, last);
	else
		sink(heap->slots, heap->count, position, last);
}

void wt_heap_set(struct wt_heap *heap, struct wt_heap_entry *entry, wt_time due)
{
	uint32_t position = entry->position;
	wt_time was = entry->due;

	entry->due = due;
	if (due == WT_NEVER) {
		if (position)
			take_out(heap, entry);
		return;
	}
	if (!position) {
		assert(heap->count < heap->room);
		rise(heap->slots, ++heap->count, (struct wt_heap_slot){due, entry});
	} else if (due > was) {
		sink(heap->slots, heap->count, position, (struct wt_heap_slot){due, entry});
	} else {
		rise(heap->slots, position, (struct wt_heap_slot){due, entry});
	}
}

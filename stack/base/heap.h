/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An indexed min-heap of deadlines. Ties are broken by `order`, never by address, so that two entries due at
 * the same nanosecond fire in the same order in every build.
 */
#ifndef WT_STACK_BASE_HEAP_H
#define WT_STACK_BASE_HEAP_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

/* Embed one per thing that has a deadline. Zero-initialised means "not in a heap". */
struct wt_heap_entry {
	wt_time due;
	uint32_t order;
	uint32_t position; /* 1-based place in the heap; 0: not in it */
};

struct wt_heap_slot {
	wt_time due; /* the entry's */
	struct wt_heap_entry *entry;
};

struct wt_heap {
	struct wt_heap_slot *slots; /* 1-based */
	uint32_t count, room;
};

/* Room for `room` entries; 0 or -ENOMEM. Finish accepts a zeroed heap. */
int wt_heap_init(struct wt_heap *heap, uint32_t room);
void wt_heap_finish(struct wt_heap *heap);
/* Makes room for more; entries stay in it. A zeroed heap is one without room. 0 or -ENOMEM. */
int wt_heap_grow(struct wt_heap *heap, uint32_t room);
/* Inserts, moves, or (due == WT_NEVER) removes the entry. The heap must have room for it. */
void wt_heap_set(struct wt_heap *heap, struct wt_heap_entry *entry, wt_time due);
/* The earliest entry, not removed, or NULL. */
static inline struct wt_heap_entry *wt_heap_min(const struct wt_heap *heap)
{
	return heap->count ? heap->slots[1].entry : NULL;
}

/* Is there one whose time has come? */
static inline bool wt_heap_is_due(const struct wt_heap *heap, wt_time now)
{
	return heap->count && heap->slots[1].due <= now;
}

/* When it is due; WT_NEVER: the heap is empty. */
static inline wt_time wt_heap_due(const struct wt_heap *heap)
{
	return heap->count ? heap->slots[1].due : WT_NEVER;
}

#endif

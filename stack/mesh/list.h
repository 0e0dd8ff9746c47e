/* SPDX-License-Identifier: BSD-2-Clause */
/* What routing modules keep: growing lists of records, and how often something may be done. */
#ifndef WT_STACK_MESH_LIST_H
#define WT_STACK_MESH_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/time.h"

/* A growing list of one kind of record. */
struct wt_list {
	void *at;
	unsigned count, room;
};

struct wt_rate {
	wt_time since;
	uint64_t count;
};

/* One more, not yet written; NULL: no memory. Those there may have moved. */
static inline void *wt_list_add(struct wt_list *list, size_t size)
{
	unsigned room = list->room ? 2 * list->room : 8;
	void *at = list->at;

	if (list->count == list->room) {
		at = calloc(room, size);
		if (!at)
			return NULL;
		if (list->count)
			memcpy(at, list->at, list->count * size);
		free(list->at);
		list->at = at;
		list->room = room;
	}
	return (char *)at + list->count++ * size;
}

static inline void wt_list_take(struct wt_list *list, unsigned i, size_t size)
{
	char *at = (char *)list->at + i * size;

	list->count--;
	memmove(at, at + size, (list->count - i) * size);
}

/* At most `limit` in a second. */
static inline bool wt_rate_may(struct wt_rate *rate, uint64_t limit, wt_time now)
{
	if (!rate->count || now >= rate->since + WT_S)
		*rate = (struct wt_rate){.since = now};
	return !limit || rate->count++ < limit;
}

#endif

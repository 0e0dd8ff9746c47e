/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that a rate has handed out before their time (struct wt_ahead_ops): when each came and leaves, and the bucket as it was when it
 * came, so that all of it can be taken back.
 */
#ifndef WT_EMU_STAGES_DEPARTURES_H
#define WT_EMU_STAGES_DEPARTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

struct wt_departure {
	wt_time came, leaves;
	wt_time last; /* of the bucket, as the frame before left it */
	int64_t level;
	uint32_t len;
	bool idle; /* it found nothing to wait for: tokens have come in until it came */
};

/* A ring, the next to leave first, by serial numbers. Zero-initialised it is empty. */
struct wt_departures {
	struct wt_departure *at;
	uint32_t room;  /* a power of two, or 0 */
	uint32_t first; /* the oldest that is kept: those that are over go when the place is wanted */
	uint32_t gone;  /* the first that has not left when the next one comes */
	uint32_t end;   /* behind the last */
	uint64_t bytes; /* of those from `gone` on */
};

bool wt_departures_make_room(struct wt_departures *all, wt_time now); /* those that left by now go. False: no memory */
bool wt_departures_grow(struct wt_departures *all);                   /* false: no memory */
void wt_departures_finish(struct wt_departures *all);

static inline uint32_t wt_departures_count(const struct wt_departures *all)
{
	return all->end - all->first;
}

static inline struct wt_departure *wt_departures_at(const struct wt_departures *all, uint32_t serial)
{
	return &all->at[serial & (all->room - 1)];
}

/* The place for another, which wt_departures_push() takes; NULL: no memory. */
static inline struct wt_departure *wt_departures_new(struct wt_departures *all, wt_time now)
{
	if (wt_departures_count(all) == all->room && !wt_departures_make_room(all, now))
		return NULL;
	return wt_departures_at(all, all->end);
}

static inline void wt_departures_push(struct wt_departures *all, const struct wt_departure *departure)
{
	all->end++;
	all->bytes += departure->len;
}

/* The next one comes at `at`. */
static inline void wt_departures_reach(struct wt_departures *all, wt_time at)
{
	for (; all->gone != all->end && wt_departures_at(all, all->gone)->leaves <= at; all->gone++)
		all->bytes -= wt_departures_at(all, all->gone)->len;
}

/* The first is over, or was taken back. */
static inline void wt_departures_pop(struct wt_departures *all)
{
	if (all->gone == all->first)
		all->bytes -= wt_departures_at(all, all->gone++)->len;
	all->first++;
}

#endif

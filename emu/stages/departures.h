/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that a rate has handed out before their time (struct wt_ahead_ops): when each came and leaves, and the bucket as it was when its
 * transmission began, so that all of it can be taken back.
 */
#ifndef WT_EMU_STAGES_DEPARTURES_H
#define WT_EMU_STAGES_DEPARTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

struct wt_departure {
	wt_time came, leaves;
	wt_time last; /* of the bucket */
	int64_t level;
	wt_time last_before; /* of the bucket before it came, if it found nothing to wait for */
	int64_t level_before;
	uint32_t len;
};

/* A ring, the next to leave first. Zero-initialised it is empty. */
struct wt_departures {
	struct wt_departure *at;
	uint32_t room, first, count; /* room: a power of two */
	uint32_t gone;  /* of these, those that have left when the next one comes */
	uint64_t bytes; /* of the others */
};

bool wt_departures_grow(struct wt_departures *all); /* false: no memory */
void wt_departures_finish(struct wt_departures *all);

static inline struct wt_departure *wt_departures_at(const struct wt_departures *all, uint32_t n)
{
	return &all->at[(all->first + n) & (all->room - 1)];
}

/* False: no memory. */
static inline bool wt_departures_push(struct wt_departures *all, const struct wt_departure *departure)
{
	if (all->count == all->room && !wt_departures_grow(all))
		return false;
	*wt_departures_at(all, all->count++) = *departure;
	all->bytes += departure->len;
	return true;
}

/* The next one comes at `at`. */
static inline void wt_departures_reach(struct wt_departures *all, wt_time at)
{
	while (all->gone < all->count && wt_departures_at(all, all->gone)->leaves <= at)
		all->bytes -= wt_departures_at(all, all->gone++)->len;
}

/* The first is over, or was taken back. */
static inline void wt_departures_pop(struct wt_departures *all)
{
	if (all->gone)
		all->gone--;
	else
		all->bytes -= all->at[all->first].len;
	all->first = (all->first + 1) & (all->room - 1);
	all->count--;
}

#endif

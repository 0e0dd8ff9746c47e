/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lane: a plain queue in front of tokens that flow, of which is known when a frame leaves as soon as it comes (struct wt_ahead_ops). It keeps when
 * each frame came and leaves, and the level it found, so that all of it can be taken back.
 *
 * Levels are those of a bucket (emu/stages/bucket.h): in units of 10^-9 bit, of which `rate` flow in with each nanosecond.
 */
#ifndef WT_STACK_BASE_LANE_H
#define WT_STACK_BASE_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_LANE_BYTE INT64_C(8000000000) /* what a byte costs */

struct wt_departure {
	wt_time came, leaves;
	int64_t level;      /* as the frame before left it */
	uint64_t upto_idle; /* twice the bytes of all frames since the beginning, this one included; and 1 if it found nothing to wait for: tokens
			       have come in until it came */
};

static inline uint64_t wt_departure_upto(const struct wt_departure *departure)
{
	return departure->upto_idle >> 1;
}

static inline bool wt_departure_idle(const struct wt_departure *departure)
{
	return departure->upto_idle & 1;
}

struct wt_lane {
	struct wt_departure *at; /* a ring, the next to leave first, by serial numbers */
	uint64_t room;           /* a power of two, or 0 */
	uint64_t end;            /* behind the last */
	uint64_t first;          /* the oldest that is kept: those that are over go when the place is wanted */
	wt_time last;            /* the last frame leaves, and what is left then */
	int64_t level;
	uint64_t bytes;          /* of all frames since the beginning */
	uint64_t gone;           /* those before have left when the next one comes, and had so many bytes; looked up when that may matter */
	uint64_t gone_bytes;
	uint64_t until, most;    /* what limit, gone and room come to: the end and the bytes up to which the next frame surely has a place and may wait */
	uint64_t limit;          /* of those that wait: packets or bytes. This and what follows does not change while the lane is in use */
	int64_t rate, depth;
	uint32_t overhead;
	bool packets;
	uint32_t len;            /* frames are mostly of one length: what one of these costs, */
	int64_t cost, rest;      /* and that as so many nanoseconds of tokens and a rest */
	wt_time count;
	wt_time before;          /* when the one before the first left */
	uint64_t counted;        /* up to here they are in the books of the node */
};

bool wt_lane_grow(struct wt_lane *lane, uint64_t room); /* to at least that. False: no memory */
void wt_lane_reach(struct wt_lane *lane, wt_time at); /* the next one comes at `at` */
void wt_lane_make_room(struct wt_lane *lane, wt_time now); /* those that left by now go */
void wt_lane_measure(struct wt_lane *lane, uint32_t len); /* sets what is kept of a length */
void wt_lane_bound(struct wt_lane *lane); /* sets until and most; for who has changed what they come from */
void wt_lane_finish(struct wt_lane *lane);

static inline uint64_t wt_lane_count(const struct wt_lane *lane)
{
	return lane->end - lane->first;
}

static inline struct wt_departure *wt_lane_at(const struct wt_lane *lane, uint64_t serial)
{
	return &lane->at[serial & (lane->room - 1)];
}

/* Is there a place in the ring? */
static inline bool wt_lane_has_place(const struct wt_lane *lane)
{
	return lane->end - lane->first < lane->room;
}

/* May it wait, of those that were found to have left? */
static inline bool wt_lane_has_room(const struct wt_lane *lane, uint32_t len)
{
	return lane->packets ? lane->end - lane->gone + 1 <= lane->limit : lane->bytes - lane->gone_bytes + len <= lane->limit;
}

/* The first is over, or was taken back. */
static inline void wt_lane_pop(struct wt_lane *lane)
{
	const struct wt_departure *departure = wt_lane_at(lane, lane->first);

	lane->before = departure->leaves;
	if (lane->gone == lane->first++) {
		lane->gone++;
		lane->gone_bytes = wt_departure_upto(departure);
	}
}

/* Nothing waits: the level at `at`. */
static inline int64_t wt_lane_level(const struct wt_lane *lane, wt_time at)
{
	int64_t level = lane->level < lane->depth ? lane->level : lane->depth, flow;

	if (at <= lane->last)
		return level;
	/* after a long idle time the product may not fit: then it is more than the depth, too */
	if (__builtin_mul_overflow(lane->rate, at - lane->last, &flow) || flow > lane->depth - level)
		return lane->depth;
	return level + flow;
}

static inline int64_t wt_lane_cost(const struct wt_lane *lane, uint32_t len)
{
	return (int64_t)(len + lane->overhead) * WT_LANE_BYTE;
}

/* A frame comes, for which there is a place: when it leaves. */
static inline wt_time wt_lane_push(struct wt_lane *lane, wt_time at, uint32_t len)
{
	struct wt_departure *departure = wt_lane_at(lane, lane->end);
	wt_time last = lane->last, count;
	int64_t level = lane->level, rate = lane->rate;
	bool idle = last <= at;

	lane->bytes += len;
	departure->came = at;
	departure->level = level;
	departure->upto_idle = 2 * lane->bytes + idle;
	if (idle) {
		level = lane->depth ? wt_lane_level(lane, at) : 0;
		last = at;
	}
	if (__builtin_expect(len != lane->len, 0))
		wt_lane_measure(lane, len);
	if ((uint64_t)level < (uint64_t)rate) { /* less than one nanosecond's, so all but one of these are as without it */
		bool more = lane->rest > level;

		count = lane->count + more;
		level += (more ? rate : 0) - lane->rest;
	} else {
		int64_t missing = lane->cost - level;

		count = missing > 0 ? (missing + rate - 1) / rate : 0;
		level = rate * count - missing;
	}
	last = wt_time_after(last, count);
	departure->leaves = last;
	lane->level = level;
	lane->last = last;
	lane->end++;
	return last;
}

/* The same where nothing stands in its way. False: something may, and nothing has happened. */
static inline bool wt_lane_take(struct wt_lane *lane, wt_time at, uint32_t len, wt_time *leaves)
{
	if (lane->end >= lane->until || lane->bytes + len > lane->most)
		return false;
	*leaves = wt_lane_push(lane, at, len);
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a link lets a frame go: tokens that flow, tokens that come in lumps, or the opportunities of a trace.
 *
 *   flow   ╱ level grows by `rate` units each nanosecond      lumps  ▁▁█▁▁▁█▁▁▁█  at intervals
 *   trace  │  │││   │ │     each opportunity carries 1500 bytes, used or not
 *
 * Levels are integers in units of 10^-9 bit: in one nanosecond exactly `rate` units flow in, and a byte costs 8 * 10^9.
 * So no division ever rounds a level and nothing drifts.
 */
#ifndef WT_EMU_STAGES_BUCKET_H
#define WT_EMU_STAGES_BUCKET_H

#include "emu/stage.h"

struct wt_bucket {
	const struct wt_rate_config *config;
	int64_t level;      /* at time `last`; of a trace: bytes left of the opportunity taken last */
	wt_time last;
	uint64_t next;      /* of a trace: number of the next opportunity, counted from the start of the scenario */
	wt_time trace_due;  /* of a trace: when the frame being sent is complete */
};

/* A full bucket at time 0. The config is the caller's and may change between calls, announced by wt_bucket_before_change(). */
void wt_bucket_init(struct wt_bucket *link, const struct wt_rate_config *config);
/* The config is about to change at `now`; `waits`: a frame is being sent. */
void wt_bucket_before_change(struct wt_bucket *link, wt_time now, bool waits);
/* The trace is another one: opportunities are counted anew. */
void wt_bucket_retrace(struct wt_bucket *link);
/* The frame that is sent is taken away at `now`: opportunities after that are anybody's again. */
void wt_bucket_abandon(struct wt_bucket *link, wt_time now);
/* When the tokens for a frame are complete; of a trace: when the frame being sent is. */
wt_time wt_bucket_due(const struct wt_bucket *link, uint32_t len);

/* ---- for each frame: of a trace in link.c, of tokens here ------------------------------------------------- */

void wt_bucket_trace_begin(struct wt_bucket *link, wt_time now, uint32_t len);
bool wt_bucket_trace_open(const struct wt_bucket *link, wt_time now, uint32_t len);

#define WT_BUCKET_BYTE WT_LANE_BYTE

static inline int64_t wt_bucket_cost(const struct wt_bucket *link, uint32_t len)
{
	return (int64_t)(len + link->config->overhead) * WT_BUCKET_BYTE;
}

static inline int64_t wt_bucket_depth(const struct wt_bucket *link)
{
	return (int64_t)link->config->burst * WT_BUCKET_BYTE;
}

/* Lets tokens come in up to `now`, at most to `cap`. */
static inline void wt_bucket_refill(struct wt_bucket *link, wt_time now, int64_t cap)
{
	const struct wt_rate_config *config = link->config;
	int64_t portion = (int64_t)config->rate, flow;
	wt_time count = now - link->last;

	if (count <= 0)
		return;
	if (config->every) {
		portion = (int64_t)config->lump * WT_BUCKET_BYTE;
		count = now / config->every - link->last / config->every;
	}
	link->last = now;
	if (link->level >= cap)
		return;
	/* after a long idle time the product may not fit: then it is more than the cap, too */
	if (__builtin_mul_overflow(portion, count, &flow) || flow > cap - link->level)
		link->level = cap;
	else
		link->level += flow;
}

/* Nothing waits: tokens may rise to the depth until `now`. */
static inline void wt_bucket_idle(struct wt_bucket *link, wt_time now)
{
	if (!link->config->trace)
		wt_bucket_refill(link, now, wt_bucket_depth(link));
}

/* Could a frame of this length go at `now` (to which the link is idle)? */
static inline bool wt_bucket_open(const struct wt_bucket *link, wt_time now, uint32_t len)
{
	return link->config->trace ? wt_bucket_trace_open(link, now, len) : link->level >= wt_bucket_cost(link, len);
}

/* At `now` a frame of this length becomes the one that is sent; when it is complete. */
static inline wt_time wt_bucket_begin(struct wt_bucket *link, wt_time now, uint32_t len)
{
	if (link->config->trace)
		wt_bucket_trace_begin(link, now, len);
	return wt_bucket_due(link, len);
}

/* What the bucket holds at most while a frame waits: its depth, the frame's cost if that is more, or one lump. */
static inline int64_t wt_bucket_most(const struct wt_bucket *link, int64_t cost)
{
	int64_t depth = wt_bucket_depth(link), lump = (int64_t)link->config->lump * WT_BUCKET_BYTE, most = depth > lump ? depth : lump;

	return most > cost ? most : cost;
}

/* It is, at `time`. */
static inline void wt_bucket_end(struct wt_bucket *link, wt_time time, uint32_t len)
{
	int64_t cost = wt_bucket_cost(link, len), most = INT64_MAX;

	if (link->config->trace)
		return;
	/* `time` is the first instant with enough: what flowed in is less than a nanosecond's portion more, which carries over; a lump
	 * may be more than there is room for */
	if (link->config->every)
		most = wt_bucket_most(link, cost);
	wt_bucket_refill(link, time, most);
	link->level -= cost;
}

/* No other frame waits: the rest below a nanosecond is kept for a frame that waits; an idle bucket holds no more than its depth. */
static inline void wt_bucket_rest(struct wt_bucket *link)
{
	if (!link->config->trace && link->level > wt_bucket_depth(link))
		link->level = wt_bucket_depth(link);
}

#endif

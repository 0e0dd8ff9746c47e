/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a link lets a frame go: tokens that flow, tokens that come in lumps, or the opportunities of a trace.
 *
 *   flow   ╱ level grows by `rate` units each nanosecond      lumps  ▁▁█▁▁▁█▁▁▁█  every so often
 *   trace  │  │││   │ │     each opportunity carries 1500 bytes, used or not
 *
 * Levels are integers in units of 10^-9 bit: in one nanosecond exactly `rate` units flow in, and a byte costs 8 * 10^9.
 * So no division ever rounds a level and nothing drifts.
 */
#ifndef WT_EMU_LINK_H
#define WT_EMU_LINK_H

#include "emu/stage.h"

struct wt_link {
	const struct wt_rate_config *config;
	int64_t level;      /* at time `last`; of a trace: bytes left of the opportunity taken last */
	wt_time last;
	uint64_t next;      /* of a trace: number of the next opportunity, counted from the start of the scenario */
	wt_time trace_due;  /* of a trace: when the frame being sent is complete */
};

/* A full bucket at time 0. The config is the caller's and may change between calls, announced by wt_link_changed(). */
void wt_link_init(struct wt_link *link, const struct wt_rate_config *config);
/* Nothing waits: tokens may rise to the depth until `now`. */
void wt_link_idle(struct wt_link *link, wt_time now);
/* Could a frame of this length go at `now` (to which the link is idle)? */
bool wt_link_open(const struct wt_link *link, wt_time now, uint32_t len);
/* At `now` a frame of this length becomes the one that is sent. */
void wt_link_begin(struct wt_link *link, wt_time now, uint32_t len);
/* When the frame being sent is complete. */
wt_time wt_link_due(const struct wt_link *link, uint32_t len);
/* It is, at `time` = wt_link_due(). */
void wt_link_end(struct wt_link *link, wt_time time, uint32_t len);
/* No other frame waits: the level is cut to the depth. */
void wt_link_rest(struct wt_link *link);
/* The config is about to change at `now`; `waits`: a frame is being sent. */
void wt_link_before_change(struct wt_link *link, wt_time now, bool waits);

/* The trace is another one: opportunities are counted anew. */
void wt_link_retrace(struct wt_link *link);

#endif

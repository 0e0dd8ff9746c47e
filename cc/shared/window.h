/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The greatest or least value of a sliding window, kept in three samples: the best, the best after it, and the best after that
 * (Nichols' estimator, as in Cardwell et al. 2016). Exact while values rise (of the greatest) or fall (of the least); otherwise the
 * greatest is never above that of the window, and never below that of its newest quarter; the least alike.
 *
 * The unit of `time` is the caller's: nanoseconds, round trips, cycles of a state machine. It never runs backwards.
 */
#ifndef WT_CC_SHARED_WINDOW_H
#define WT_CC_SHARED_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct wt_window_sample {
	uint64_t time, value;
};

struct wt_window {
	bool any; /* false: no value yet */
	struct wt_window_sample at[3];
};

static inline void wt_window_reset(struct wt_window *w, uint64_t time, uint64_t value)
{
	w->any = true;
	w->at[0] = w->at[1] = w->at[2] = (struct wt_window_sample){time, value};
}

/* The present extreme; 0: none yet. */
static inline uint64_t wt_window_value(const struct wt_window *w)
{
	return w->any ? w->at[0].value : 0;
}

/* Time has passed: what is older than the window goes; a runner-up that is about to go is renewed. */
static inline void wt_window_age(struct wt_window *w, uint64_t length, struct wt_window_sample now)
{
	uint64_t age = now.time - w->at[0].time;

	if (age > length) {
		w->at[0] = w->at[1];
		w->at[1] = w->at[2];
		w->at[2] = now;
		if (now.time - w->at[0].time > length) {
			w->at[0] = w->at[1];
			w->at[1] = w->at[2];
		}
	} else if (w->at[1].time == w->at[0].time && age > length / 4) {
		w->at[1] = w->at[2] = now;
	} else if (w->at[2].time == w->at[1].time && age > length / 2) {
		w->at[2] = now;
	}
}

static inline uint64_t wt_window_take(struct wt_window *w, uint64_t length, uint64_t time, uint64_t value, bool greatest)
{
	struct wt_window_sample now = {time, value};

	if (!w->any || time - w->at[2].time > length || (greatest ? value >= w->at[0].value : value <= w->at[0].value)) {
		wt_window_reset(w, time, value);
		return value;
	}
	if (greatest ? value >= w->at[1].value : value <= w->at[1].value)
		w->at[1] = w->at[2] = now;
	else if (greatest ? value >= w->at[2].value : value <= w->at[2].value)
		w->at[2] = now;
	wt_window_age(w, length, now);
	return w->at[0].value;
}

/* Takes a value; the greatest of those whose time lies no more than `length` back. */
static inline uint64_t wt_window_max(struct wt_window *w, uint64_t length, uint64_t time, uint64_t value)
{
	return wt_window_take(w, length, time, value, true);
}

/* The least, alike. */
static inline uint64_t wt_window_min(struct wt_window *w, uint64_t length, uint64_t time, uint64_t value)
{
	return wt_window_take(w, length, time, value, false);
}

#endif

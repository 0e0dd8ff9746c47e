/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wave level of a TCP-Real receiver: from the ratio of two receiving rates to the next level, and the queueing
 * delay that guards it. The paper's figure 1 with the update is lost; it gives the formula
 *
 *   level := level * (preserve_weight + adjust_weight * rate / previous rate),  the weights sum to 1
 *
 * and that the weights depend on the side of a threshold. The rest is this project's choice, each a parameter.
 */
#ifndef WT_CC_TCP_REAL_LEVEL_H
#define WT_CC_TCP_REAL_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_REAL_Q8 256u /* levels are kept with eight fractional bits */

struct wt_real_level_rule {
	double band;               /* a ratio below 1 - band falls, above 1 + band rises */
	double up_low, up_high;    /* adjust weight, rate rising, level below / not below the threshold */
	double down_low, down_high;
	double ratio_min, ratio_max;
	double grow_low;           /* factor per wave below the threshold while the rate does not fall */
	double grow_high;          /* levels per wave above it */
	uint32_t max;              /* Q8 */
};

struct wt_real_level {
	uint32_t level, threshold; /* Q8 */
	bool has_rate;
	double rate;               /* of the last wave with a sample, bytes per second */
};

/* One closed wave. rate: bytes per second, 0: no usable sample. Returns the ratio it acted on. */
double wt_real_level_update(struct wt_real_level *level, const struct wt_real_level_rule *rule, double rate,
			    bool timed_out, bool guard);

/* Variation of the one-way delay, from the peer's timestamps: no synchronised clocks needed. */
struct wt_real_delay {
	bool started;
	uint32_t tsval;
	wt_time peer;              /* elapsed on the peer's clock */
	wt_time epoch;             /* start of the present window of minimum and maximum */
	wt_time low, low_before;   /* smallest delay of this window and of the one before */
	wt_time high, high_before; /* largest */
	wt_time now;               /* of the last segment */
};

void wt_real_delay_take(struct wt_real_delay *delay, wt_time now, uint32_t tsval, wt_time tick, wt_time window);
/* Queueing delay of the last segment and the largest seen; 0 before the first. */
wt_time wt_real_delay_now(const struct wt_real_delay *delay);
wt_time wt_real_delay_max(const struct wt_real_delay *delay);

#endif

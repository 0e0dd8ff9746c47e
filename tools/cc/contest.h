/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows of chosen sender modules over one path in virtual time, and what becomes of each: for `wavetank cc compare`. */
#ifndef WT_TOOLS_CC_CONTEST_H
#define WT_TOOLS_CC_CONTEST_H

#include "tools/app/flow.h"

#define WT_CC_BINS 200    /* slices of a run's time */
#define WT_CC_FLOWS 32    /* at most, in one run */

/* One flow in one run. */
struct wt_cc_lane {
	wt_time start;
	double goodput;          /* bit/s of payload acknowledged, from its start to the end of the run */
	double resent;           /* share of the segments sent that were sent again */
	double rtt_mean, rtt_p99; /* s, of all samples; NaN: none */
	double delivered[WT_CC_BINS]; /* bytes acknowledged in each slice */
	double cwnd[WT_CC_BINS]; /* bytes, as the slice ended; NaN: not yet known */
	double rtt[WT_CC_BINS];  /* s, mean of the slice's samples; NaN: none */
};

struct wt_cc_contest {
	const char *fwd, *rev; /* words of the path */
	wt_time time;
	wt_time late;          /* all flows but the first start so much later; 0: with it */
	uint64_t seed;         /* of the path, and of the starts: each is put off by up to 100 ms */
	unsigned flows;
	const struct wt_app_flow *flow[WT_CC_FLOWS];
};

/* Fills a lane per flow. 0, or negative errno with a sentence. */
int wt_cc_contest_run(const struct wt_cc_contest *contest, struct wt_cc_lane *lane, char *err, size_t err_len);

/* Jain's index of what the lanes had delivered in the slices from..to-1. */
double wt_cc_contest_jain(const struct wt_cc_lane *lane, unsigned lanes, unsigned from, unsigned to);
/*
 * Seconds from the last start until Jain's index of a twentieth of the run's time is at least 0.95, and of the next twentieth too. NaN: it
 * never is.
 */
double wt_cc_contest_convergence(const struct wt_cc_contest *contest, const struct wt_cc_lane *lane);

#endif

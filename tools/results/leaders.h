/* SPDX-License-Identifier: BSD-2-Clause */
/* Who leads each row of a result, by how much, and whether chance alone could have done it. */
#ifndef WT_TOOLS_RESULTS_LEADERS_H
#define WT_TOOLS_RESULTS_LEADERS_H

#include "stack/record/json.h"
#include "tools/results/results.h"

enum wt_leads {
	WT_LEADS,       /* every other protocol of the row is behind, beyond chance */
	WT_LEADS_MAYBE, /* some other protocol is within chance of it */
	WT_LEADS_LEVEL, /* the next one is shown to lie within 2 % of it */
	WT_LEADS_ALONE, /* the row has no other protocol with runs that finished */
};
extern const char *const wt_leads_names[];

struct wt_leader {
	const char *point;
	const struct wt_results_cell *best, *second; /* second NULL: alone */
	double ratio;                /* of the better mean to the second, on the same seeds; NaN: none */
	struct wt_interval interval; /* bootstrap, 95 % */
	enum wt_leads leads;
};

/*
 * One entry per row that has a protocol with finished runs, at most `max`; their count. `least`: the smaller mean leads (times, losses).
 * Judged by the paired differences of all pairs of all rows together (Holm, 5 %): in at most 5 % of all results is any row called
 * decided that is not. A protocol that stands there twice counts once: all of its runs are equal. Runs without any randomness differ by nothing but the protocol, and decide with one pair.
 */
unsigned wt_leaders(const struct wt_results *results, bool least, struct wt_leader *leader, unsigned max);
/* Whether less of a metric is better (by its name): 1; more is: 0; who knows: -1. */
int wt_metric_least(const char *metric);
/* An object per row into the open array. */
void wt_leaders_json(struct wt_json *json, const struct wt_results *results);

#endif

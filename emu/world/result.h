/* SPDX-License-Identifier: BSD-2-Clause */
/* The shape of a result, in virtual and in real time: the books of every hop, and the sum of the flows. */
#ifndef WT_EMU_WORLD_RESULT_H
#define WT_EMU_WORLD_RESULT_H

#include <stdio.h>

#include "emu/world/books.h"
#include "stack/record/json.h"

/* What flows came to together. */
struct wt_flow_sum {
	unsigned flows;
	uint64_t payload;      /* bytes that arrived */
	double goodput;        /* bytes per second, of all */
	uint64_t segs, retransmits_segs;
	double squares;        /* of the goodputs, for Jain's index */
};

void wt_flow_sum_add(struct wt_flow_sum *sum, uint64_t payload, double goodput, uint64_t segs, uint64_t retransmits_segs);
/* Jain's index of fairness of the goodputs; NaN without any. */
double wt_flow_sum_jain(const struct wt_flow_sum *sum);
/* "[SUM] 4 flows: ..." as one line; as an object "sum" in the open one. */
void wt_flow_sum_text(FILE *out, const struct wt_flow_sum *sum);
void wt_flow_sum_json(struct wt_json *json, const struct wt_flow_sum *sum);

/* Every hop with stages: a line each; an array "hops" in the open object. hop: by link, fwd and rev. */
void wt_hops_text(FILE *out, const struct wt_world *world, struct wt_hop_books (*hop)[2]);
/* Of one hop: its line. */
void wt_hop_text(FILE *out, const char *link, const char *direction, const struct wt_hop_books *books);
/* Of one hop: keys of the open object. */
void wt_hop_books_json(struct wt_json *json, const struct wt_hop_books *books);
void wt_hops_json(struct wt_json *json, const struct wt_world *world, struct wt_hop_books (*hop)[2]);
/* The stations of an air, in the order of hosts: what they sent, what became of it, shares of time. One line of all together, an array "air"
 * in the open object; nothing where there are none. `time`: how long it went on. */
void wt_air_text(FILE *out, const struct wt_world *world, const struct wt_air_count *count, wt_time time);
void wt_air_json(struct wt_json *json, const struct wt_world *world, const struct wt_air_count *count, wt_time time);
/*
 * Of a flow between stations that move: keys of an object "ways" in the open one, the share of its time at so many hops by the shortest way ("none",
 * "1", "2" ...), each second. Nothing of others, and of worlds with more than WT_WAYS_STATIONS, where that would take longer than the run.
 */
#define WT_WAYS_STATIONS 100
void wt_flow_ways_json(struct wt_json *json, const struct wt_world *world, unsigned flow, wt_time until);
/* in = acked + to all + returned + dropped + waiting, at every station. */
bool wt_air_holds(const struct wt_world *world, const struct wt_air_count *count);
/* The same of a network as it is now. */
void wt_network_hops_json(struct wt_json *json, const struct wt_network *net);

#endif

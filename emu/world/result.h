/* SPDX-License-Identifier: BSD-2-Clause */
/* The shape of a result, in virtual and in real time: the books of every hop, and the sum of the flows. */
#ifndef WT_EMU_WORLD_RESULT_H
#define WT_EMU_WORLD_RESULT_H

#include <stdio.h>

#include "emu/world/books.h"
#include "stack/record/json.h"

/* What one flow adds to a sum. All times are of one clock. */
struct wt_flow_part {
	wt_time from, to;      /* the time that its goodput is of */
	uint64_t bytes;        /* payload that arrived in that time */
	uint64_t payload;      /* all that arrived */
	double goodput;        /* of this flow alone, bytes per second; 0: it did not finish */
	uint64_t segs, retransmits_segs;
};

/*
 * What flows came to together. Their goodput is the bytes of all over the time from the first start to the last end. The sum of their
 * goodputs would be more than the link carried wherever flows end at different times.
 */
struct wt_flow_sum {
	unsigned flows;
	wt_time from, to;      /* of flows that delivered something */
	uint64_t bytes;        /* that arrived in that time */
	uint64_t payload;      /* bytes that arrived */
	uint64_t segs, retransmits_segs;
	double goodputs, squares; /* sums of the goodputs and of their squares, for Jain's index */
};

void wt_flow_sum_add(struct wt_flow_sum *sum, const struct wt_flow_part *part);
/* Bytes per second of all flows together, by the definition above; 0 if nothing arrived. */
double wt_flow_sum_goodput(const struct wt_flow_sum *sum);
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

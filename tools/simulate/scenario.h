/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One scenario in virtual time: two hosts, a path each way, bulk flows from a to b, nothing else.
 *
 *    host a ─► [taps] ─► fwd stages ─► [taps] ─► host b
 *           ◄─        ◄─ rev stages ◄─        ◄─
 *
 * Neighbours are static, so every frame is TCP. All randomness comes from `seed`: the path's streams, the hosts' secrets
 * (and with them ISNs and the phase of coarse clock ticks), the payload. Two scenarios that differ only in their modules
 * meet the same losses. Nothing here asks the time but for `wall`.
 */
#ifndef WT_TOOLS_SIMULATE_SCENARIO_H
#define WT_TOOLS_SIMULATE_SCENARIO_H

#include "emu/daemon/plan.h"
#include "stack/record/json.h"
#include "tools/app/bulk.h"
#include "tools/app/playback.h"
#include "tools/app/token_meter.h"

#define WT_SCENARIO_FLOWS 64
#define WT_SCENARIO_PORT 5001

struct wt_scenario {
	struct wt_tcp_config a, b; /* settings and modules of the sender's and of the receiver's host */
	const struct wt_tcp_config *rival_a, *rival_b; /* of every other flow, to a port of its own; NULL: all are alike */
	const char *fwd, *rev;     /* path words (emu/path.h); NULL: a wire without delay */
	struct wt_samples_shelf *shelf; /* files that words and events name, read before; may be NULL */
	const struct wt_plan *plan; /* of its events: what changes when; NULL: nothing */
	uint32_t mtu;              /* 0: 1500 */
	uint64_t size;             /* payload of each flow; 0: by time */
	wt_time time;              /* 0: by size */
	const struct wt_playback_config *playback; /* the flows are streams that are played; NULL: bulk */
	const struct wt_token_config *tokens; /* counts those the first flow takes of the first rate on its way; NULL: nobody does */
	const char *tokens_trace;  /* CSV file, NULL: none */
	struct wt_refusal_rate icmp_limit; /* of each stage's answers */
	unsigned flows;            /* 0: 1; at most WT_SCENARIO_FLOWS. All start at time 0 */
	uint64_t seed;
	wt_time limit;             /* simulated time after which the run has failed; 0: a day */
	const char *capture;       /* pcapng file, NULL: none */
	const char *trace;         /* JSON Lines file, NULL: none */
	const char *log;           /* JSON Lines file of drops and of the states of the path, NULL: none */
	struct wt_trace_sink *sink_a, *sink_b; /* instead of the file: tests */
	bool digest;               /* of every frame at both hosts */
	bool checked;              /* audit every node after every step */
	bool ties_reversed;        /* wt_graph_reverse_ties(): tests */
	const volatile int *interrupt; /* polled about every simulated second; nonzero ends the run. NULL: none */
	wt_time interval;          /* of the first flow */
	void (*on_interval)(void *arg, const struct wt_bulk_interval *interval);
	void *arg;
};

struct wt_scenario_result {
	enum wt_bulk_fail fail; /* the first failure of any flow */
	int error;
	bool out_of_time, interrupted;
	wt_time simulated;      /* scenario time at the end */
	double wall_s;
	uint64_t digest;        /* 0 if not asked for */
	uint64_t frames, frames_of[2]; /* made by both hosts; by a and by b */
	uint64_t dropped[WT_DROP_CAUSES];
	uint64_t marked;        /* CE marks, of all queues */
	char path[2][WT_PATH_TEXT], path_end[2][WT_PATH_TEXT]; /* fwd and rev in normal form: from time 0 on, and in the end */
	struct wt_token_count tokens[WT_TOKEN_UNITS]; /* 0 units if nobody counted */
	unsigned flows;
	struct wt_bulk_sender *flow; /* as they ended: times, info, the receiver's result. wt_scenario_finish() frees */
};

/* The modern preset on both hosts, newreno, no path, 1 flow, seed 1. */
void wt_scenario_init(struct wt_scenario *scenario);

/*
 * Runs to the end. 0: it ran, the result says how; or negative errno, with one sentence in err: -EINVAL (path words),
 * -ENOMEM, or of a file. Finish after 0.
 */
int wt_scenario_run(const struct wt_scenario *scenario, struct wt_scenario_result *result, char *err, size_t err_len);
void wt_scenario_finish(struct wt_scenario_result *result);

/* Did every byte of every flow arrive as sent? */
bool wt_scenario_ok(const struct wt_scenario_result *result);
/* Simulated seconds per wall second. */
double wt_scenario_speed(const struct wt_scenario_result *result);
/* The whole record as one JSON object. */
void wt_scenario_json(FILE *out, const struct wt_scenario *scenario, const struct wt_scenario_result *result);

#endif

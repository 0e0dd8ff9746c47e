/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world in virtual time: every host is an engine of ours, and its flows run until all are done, or until the world's time is over.
 *
 * In a world without [port] neighbours are static, so every frame is TCP. All randomness comes from its seed: the paths' streams, the
 * hosts' secrets (and with them ISNs and the phase of coarse clock ticks), the payload. Two runs that differ only in their modules meet
 * the same losses. Nothing here asks the time but for `wall`.
 */
#ifndef WT_TOOLS_APP_SIMULATION_H
#define WT_TOOLS_APP_SIMULATION_H

#include "emu/world/result.h"
#include "stack/record/json.h"
#include "tools/app/flow.h"
#include "tools/app/token_meter.h"

struct wt_simulation {
	struct wt_world world;
	struct wt_app_flow *flow;      /* world.flows of them; see wt_simulation_resolve() */
	const struct wt_token_config *tokens; /* counts those the first flow takes of the first rate on the first link; NULL: nobody does */
	const char *tokens_trace;  /* CSV file, NULL: none */
	const char *capture;       /* pcapng file, NULL: none */
	const char *trace;         /* JSON Lines file, NULL: none */
	const char *log;           /* JSON Lines file of drops and of the states of the paths, NULL: none */
	struct wt_trace_sink *sink[2]; /* of the first two hosts, instead of the file: tests */
	bool digest;               /* of every frame at every host */
	bool checked;              /* audit every node after every step */
	bool foretells;            /* flows of the kernel's TCP are run by ours: what they would be like */
	bool ties_reversed;        /* wt_graph_reverse_ties(): tests */
	bool long_way;             /* no shortcut: every departure is an event, every frame has all its bytes, whoever gets it checks them: tests */
	const volatile int *interrupt; /* polled every few thousand frames; nonzero ends the run. NULL: none */
	wt_time interval;          /* of the first flow */
	void (*on_interval)(void *arg, const struct wt_bulk_interval *interval);
	struct wt_drop_sink *drops; /* told of every drop; NULL: nobody */
	void (*on_built)(void *arg, struct wt_network *net); /* before anything runs, it lasts until the run is over: tests. NULL: nobody */
	void *arg;
};

struct wt_simulation_result {
	enum wt_bulk_fail fail; /* the first failure of any flow */
	int error;
	int file_error; /* negative errno: the run is whole, but a file that it was to write is not; the sentence is in err */
	bool out_of_time, interrupted, ended; /* ended: by the world's time */
	wt_time simulated;      /* scenario time at the end */
	double wall_s;
	uint64_t digest;        /* 0 if not asked for */
	uint64_t frames, frames_of[2]; /* made by the hosts; by the first and by the second */
	uint64_t dropped[WT_DROP_CAUSES];
	uint64_t marked;        /* CE marks, of all queues */
	unsigned links, flows;
	char *(*path)[2], *(*path_end)[2]; /* by link, fwd and rev, in normal form: from time 0 on, and in the end */
	struct wt_hop_books (*hop)[2];     /* by link */
	struct wt_air_count *air;          /* by number of station; NULL: there are none */
	struct wt_token_count tokens[WT_TOKEN_UNITS]; /* 0 units if nobody counted */
	struct wt_bulk_sender *flow; /* as they ended: times, info, the receiver's result */
	struct wt_rr *rr; /* by flow: what those that ask have counted; theirs is flow[i].config.rr */
	struct wt_cbr_sender *datagram_sender; /* of flows that are datagrams, instead; NULL: there are none */
	struct wt_cbr_sink *datagram_sink;
};

/* An empty world of seed 1. */
void wt_simulation_init(struct wt_simulation *simulation);
void wt_simulation_finish(struct wt_simulation *simulation);
/*
 * Puts every host inside, checks the world, and resolves its flows, which the caller may change then. 0, or -EINVAL with a sentence in
 * err, -ENOMEM.
 */
int wt_simulation_resolve(struct wt_simulation *simulation, char *err, size_t err_len);

/* Two hosts a and b, a link of these words, and so many flows from a to b, all of them `flow`. 0, or negative errno with a sentence. */
int wt_simulation_pair(struct wt_simulation *simulation, const char *fwd, const char *rev, const struct wt_app_flow *flow, unsigned flows,
		       char *err, size_t err_len);

/*
 * Runs to the end. 0: it ran, and the result says how (also of files that could not be written whole: file_error); or negative errno, with one
 * sentence in err: -EINVAL (words), -ENOMEM, or of a file that could not be opened.
 * Finish the result after 0.
 */
int wt_simulation_run(const struct wt_simulation *simulation, struct wt_simulation_result *result, char *err, size_t err_len);
void wt_simulation_result_finish(struct wt_simulation_result *result);

/* Did every byte of every flow arrive as sent, or as many as the world's time was for? */
bool wt_simulation_ok(const struct wt_simulation_result *result);
/* Simulated seconds per wall second. */
double wt_simulation_speed(const struct wt_simulation_result *result);
/* Is this flow one of datagrams? (False for a flow that did not start.) */
bool wt_simulation_is_datagrams(const struct wt_simulation_result *result, unsigned flow);
/* The TCP flows together. */
struct wt_flow_sum wt_simulation_sum(const struct wt_simulation_result *result);
/* The whole record as one JSON object. */
void wt_simulation_json(FILE *out, const struct wt_simulation *simulation, const struct wt_simulation_result *result);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a sweep. Runs are done in rounds: everything that is wanted and not yet done goes to the workers; then the stop rule looks at
 * each point. It looks only after fixed numbers of repeats (`repeats`, then a quarter more each time), at the results in the order of
 * the repeats, never at what happened to be finished: so it decides the same on any machine, and shards decide it for themselves.
 */
#ifndef WT_TOOLS_SWEEP_RUN_H
#define WT_TOOLS_SWEEP_RUN_H

#include "tools/common/progress.h"
#include "tools/results/stats.h"
#include "tools/sweep/store.h"

struct wt_sweep_point {
	char digest[WT_SHA256_TEXT];
	uint32_t wanted;  /* repeats, so far as is known */
	uint32_t done, failed, invalid; /* of those */
	bool settled;     /* all are there and no more are wanted */
	struct wt_mean mean; /* of the metric over what is there of `wanted` */
	double wall;      /* of all runs there are; and how many */
	uint32_t timed;
};

struct wt_sweep_state {
	const struct wt_sweep *sweep;
	struct wt_sweep_store store;
	struct wt_sweep_point *point;
	uint32_t shard, shards; /* shards 0: all of it */
	uint32_t *shard_of;     /* of a point, or (without stop rule) of a run: point * repeats + repeat. NULL: one shard */
	unsigned jobs;
};

struct wt_sweep_totals {
	uint64_t wanted, done, failed, invalid, settled;
	double worst;         /* the widest interval over its mean; NaN: none known */
	uint32_t worst_point;
	double wall;          /* mean of a run; NaN: none known */
};

/* Opens the store. 0 or negative errno with err. Finish in any case. */
int wt_sweep_state_init(struct wt_sweep_state *state, const struct wt_sweep *sweep, const char *dir, char *err, size_t err_len);
/* Computes the digests, from which the names of runs follow: sweep->kernel is known by now. */
int wt_sweep_state_name(struct wt_sweep_state *state, char *err, size_t err_len);
/* This is shard `shard` of `shards`. */
int wt_sweep_state_shard(struct wt_sweep_state *state, uint32_t shard, uint32_t shards);
void wt_sweep_state_finish(struct wt_sweep_state *state);

/* Does the run belong to our shard? */
bool wt_sweep_ours(const struct wt_sweep_state *state, uint32_t point, uint32_t repeat);
const struct wt_sweep_done *wt_sweep_find(const struct wt_sweep_state *state, uint32_t point, uint32_t repeat);
/* Looks at what is done, applies the stop rule. True: some point got more repeats. */
bool wt_sweep_settle(struct wt_sweep_state *state);
void wt_sweep_totals(const struct wt_sweep_state *state, struct wt_sweep_totals *totals);
/* Runs in the store that are none of this sweep: of other words, settings or seeds, as before its file was changed. */
uint64_t wt_sweep_others(const struct wt_sweep_state *state);

/* Opens the store for writing to DIR/NAME, and notes there who works, if there is work. 0 or negative errno with err. */
int wt_sweep_begin(struct wt_sweep_state *state, const char *name, char *err, size_t err_len);
/*
 * Does what is missing; wt_sweep_begin() was called. 0, -EINTR after *interrupt, or an error of writing or of starting workers; what
 * is finished is kept in any case.
 */
int wt_sweep_execute(struct wt_sweep_state *state, volatile int *interrupt);

/* One run of each of up to 24 points, spread evenly, for at most `seconds`: sets `wall` and `timed`, and the mean bytes of a result. */
double wt_sweep_probe(struct wt_sweep_state *state, double seconds, volatile int *interrupt);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/run.h"

int wt_sweep_state_init(struct wt_sweep_state *state, const struct wt_sweep *sweep, const char *dir, char *err, size_t err_len)
{
	memset(state, 0, sizeof(*state));
	state->sweep = sweep;
	state->store.out.fd = -1;
	snprintf(err, err_len, "no memory");
	state->point = calloc(sweep->points, sizeof(*state->point));
	return state->point ? wt_sweep_store_open(&state->store, dir, sweep->metric, err, err_len) : -ENOMEM;
}

int wt_sweep_state_name(struct wt_sweep_state *state, char *err, size_t err_len)
{
	const struct wt_sweep *sweep = state->sweep;
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int error = run ? 0 : -ENOMEM;

	snprintf(err, err_len, "no memory");
	for (uint32_t i = 0; i < sweep->points && !error; i++) {
		error = wt_sweep_resolve(sweep, i, run, err, err_len);
		if (!error)
			error = wt_sweep_digest(sweep, run, state->point[i].digest);
		state->point[i].wanted = (uint32_t)sweep->repeats;
	}
	free(run);
	return error;
}

void wt_sweep_state_finish(struct wt_sweep_state *state)
{
	wt_sweep_store_close(&state->store);
	free(state->shard_of);
	free(state->point);
	memset(state, 0, sizeof(*state));
}

/* ---- shards ----------------------------------------------------------------------------------------------- */

struct ranked {
	char id[WT_SWEEP_ID];
	uint32_t index;
};

static int by_id(const void *a, const void *b)
{
	int order = strcmp(((const struct ranked *)a)->id, ((const struct ranked *)b)->id);

	return order ? order : ((const struct ranked *)a)->index < ((const struct ranked *)b)->index ? -1 : 1;
}

/*
 * Dealt out in the order of ids, which is no order at all: shards are equally large, and no shard gets all of the slow points. With a
 * stop rule the repeats of a point stay together, because the rule must see them all.
 */
int wt_sweep_state_shard(struct wt_sweep_state *state, uint32_t shard, uint32_t shards)
{
	const struct wt_sweep *sweep = state->sweep;
	uint32_t repeats = sweep->relative > 0 ? 1 : (uint32_t)sweep->repeats, count = sweep->points * repeats;
	struct ranked *ranked = calloc(count, sizeof(*ranked));

	state->shard_of = calloc(count, sizeof(*state->shard_of));
	if (!ranked || !state->shard_of) {
		free(ranked);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		wt_sweep_id(state->point[i / repeats].digest, sweep->seed + i % repeats, ranked[i].id);
		ranked[i].index = i;
	}
	qsort(ranked, count, sizeof(*ranked), by_id);
	for (uint32_t i = 0; i < count; i++)
		state->shard_of[ranked[i].index] = i % shards;
	state->shard = shard;
	state->shards = shards;
	free(ranked);
	return 0;
}

bool wt_sweep_ours(const struct wt_sweep_state *state, uint32_t point, uint32_t repeat)
{
	const struct wt_sweep *sweep = state->sweep;

	if (!state->shard_of)
		return true;
	return state->shard_of[sweep->relative > 0 ? point : point * (uint32_t)sweep->repeats + repeat] == state->shard;
}

/* ---- what is done ----------------------------------------------------------------------------------------- */

const struct wt_sweep_done *wt_sweep_find(const struct wt_sweep_state *state, uint32_t point, uint32_t repeat)
{
	char id[WT_SWEEP_ID];

	if (!state->store.count)
		return NULL;
	wt_sweep_id(state->point[point].digest, state->sweep->seed + repeat, id);
	return wt_sweep_store_find(&state->store, id);
}

static void look(struct wt_sweep_state *state, uint32_t index, double *sample)
{
	struct wt_sweep_point *point = &state->point[index];
	uint32_t ours = 0, n = 0;

	point->done = point->failed = point->invalid = point->timed = 0;
	point->wall = 0;
	for (uint32_t repeat = 0; repeat < point->wanted; repeat++) {
		const struct wt_sweep_done *done;

		if (!wt_sweep_ours(state, index, repeat))
			continue;
		ours++;
		done = wt_sweep_find(state, index, repeat);
		if (!done)
			continue;
		point->done++;
		point->failed += done->outcome == WT_SWEEP_FAILED;
		point->invalid += done->outcome == WT_SWEEP_INVALID;
		point->wall += done->wall;
		point->timed++;
		sample[n++] = done->metric;
	}
	point->mean = wt_mean_of(sample, n);
	point->settled = point->done == ours;
}

bool wt_sweep_settle(struct wt_sweep_state *state)
{
	const struct wt_sweep *sweep = state->sweep;
	double *sample = calloc((size_t)wt_sweep_most(sweep), sizeof(*sample));
	bool more = false;

	for (uint32_t i = 0; i < sweep->points && sample; i++) {
		struct wt_sweep_point *point = &state->point[i];

		for (;;) {
			look(state, i, sample);
			/* Without any result (all failed) more repeats bring none. */
			if (!point->settled || !(sweep->relative > 0) || point->wanted >= sweep->most || !point->mean.n ||
			    !wt_sweep_ours(state, i, 0))
				break;
			if (point->mean.half <= sweep->relative * fabs(point->mean.mean))
				break;
			point->wanted += (point->wanted + 3) / 4;
			if (point->wanted > sweep->most)
				point->wanted = (uint32_t)sweep->most;
			point->settled = false;
			more = true;
		}
	}
	free(sample);
	return more;
}

uint64_t wt_sweep_others(const struct wt_sweep_state *state)
{
	uint64_t ours = 0;

	for (uint32_t point = 0; point < state->sweep->points && state->store.count; point++)
		for (uint32_t repeat = 0; repeat < wt_sweep_most(state->sweep); repeat++)
			ours += wt_sweep_find(state, point, repeat) != NULL;
	return state->store.count - ours;
}

void wt_sweep_totals(const struct wt_sweep_state *state, struct wt_sweep_totals *totals)
{
	uint64_t timed = 0;
	double wall = 0;

	*totals = (struct wt_sweep_totals){.worst = NAN};
	for (uint32_t i = 0; i < state->sweep->points; i++) {
		const struct wt_sweep_point *point = &state->point[i];
		double width = point->mean.n > 1 ? point->mean.half / fabs(point->mean.mean) : NAN;

		for (uint32_t r = 0; r < point->wanted; r++)
			totals->wanted += wt_sweep_ours(state, i, r);
		totals->done += point->done;
		totals->failed += point->failed;
		totals->invalid += point->invalid;
		totals->settled += point->settled;
		wall += point->wall;
		timed += point->timed;
		if (isfinite(width) && !(width <= totals->worst)) {
			totals->worst = width;
			totals->worst_point = i;
		}
	}
	totals->wall = timed ? wall / (double)timed : NAN;
}

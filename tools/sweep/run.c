/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/sweep/files.h"

#define LIVES 3 /* so often may the worker of a run die before the run is recorded as failed */

struct job {
	uint32_t point, repeat;
	unsigned deaths;
	bool done;
};

struct round {
	struct wt_sweep_state *state;
	struct job *job;
	uint32_t count;
	volatile int *interrupt;
	struct wt_progress progress;
	uint64_t before; /* done when the round began */
	double looked, look_cost; /* when we last looked at the intervals, and how long that took */
	int error;
	bool probe;
	double deadline;
	volatile int stop; /* ours and the caller's */
	uint64_t bytes, results;
};

static void work(void *arg, uint32_t index, void *result, const volatile int *stop)
{
	struct round *round = arg;
	const struct job *job = &round->job[index];

	if (round->probe && strcmp(round->state->sweep->backend, "sim") != 0) {
		wt_sweep_predict(round->state->sweep, job->point, result, stop);
		return;
	}
	wt_sweep_work(round->state->sweep, job->point, job->repeat, result, stop);
}

static void done(void *arg, uint32_t index, const void *answer, bool lost)
{
	struct round *round = arg;
	struct job *job = &round->job[index];
	struct wt_sweep_point *point = &round->state->point[job->point];
	const struct wt_sweep_result *result = answer;
	static struct wt_sweep_result dead;
	char id[WT_SWEEP_ID];

	if (lost && ++job->deaths < LIVES)
		return;
	if (lost) {
		memset(&dead, 0, offsetof(struct wt_sweep_result, text));
		wt_sweep_fail(&dead, WT_SWEEP_FAILED, "its worker process died, three times");
		result = &dead;
	}
	if (result->outcome == WT_SWEEP_STOPPED)
		return;
	job->done = true;
	point->wall += result->wall;
	point->timed++;
	round->bytes += result->len;
	round->results++;
	if (round->probe || round->error)
		return;
	wt_sweep_id(point->digest, round->state->sweep->seed + job->repeat, id);
	round->error = wt_sweep_store_add(&round->state->store, id, result, lost || result->outcome == WT_SWEEP_INVALID,
					  job->deaths + (result->attempts ? result->attempts : 1));
	if (round->error)
		round->stop = 1; /* the disk is full, most likely: the others would be lost as well */
}

static double mean_wall(const struct wt_sweep_state *state)
{
	double wall = 0, timed = 0;

	for (uint32_t i = 0; i < state->sweep->points; i++) {
		wall += state->point[i].wall;
		timed += state->point[i].timed;
	}
	return timed > 0 ? wall / timed : NAN;
}

/* Work left, of one core: each point costs what its runs so far cost. */
static double work_left(const struct round *round)
{
	double mean = mean_wall(round->state), left = 0;

	for (uint32_t i = 0; i < round->count; i++) {
		const struct wt_sweep_point *point = &round->state->point[round->job[i].point];

		if (!round->job[i].done)
			left += point->timed ? point->wall / point->timed : mean;
	}
	return left;
}

static void tick(void *arg, uint32_t finished)
{
	struct round *round = arg;
	struct wt_sweep_state *state = round->state;
	struct wt_sweep_totals totals;
	char extra[400] = "", at[300];
	double now = wt_wall_clock();

	if (*round->interrupt || (round->deadline > 0 && now > round->deadline))
		round->stop = 1;
	if (round->probe || !wt_progress_due(&round->progress, now))
		return;
	if (now - round->looked > 2 && now - round->looked > 20 * round->look_cost) { /* looking at millions of runs takes its time */
		wt_sweep_settle(state);
		round->looked = wt_wall_clock();
		round->look_cost = round->looked - now;
	}
	wt_sweep_totals(state, &totals);
	round->progress.total = totals.wanted ? totals.wanted : 1;
	if (isfinite(totals.worst))
		snprintf(extra, sizeof(extra), "worst interval ±%.1f %% at %s", totals.worst * 100,
			 wt_sweep_point_text(state->sweep, totals.worst_point, at, sizeof(at)));
	wt_progress_show(&round->progress, round->before + finished, work_left(round) / state->jobs, extra, wt_wall_clock());
}

/* Every run that is wanted and not there, repeat by repeat, so that an ended sweep has some of every point. */
static int collect(struct round *round)
{
	struct wt_sweep_state *state = round->state;
	uint32_t most = 0, room = 0;

	for (uint32_t i = 0; i < state->sweep->points; i++)
		most = state->point[i].wanted > most ? state->point[i].wanted : most;
	round->count = 0;
	for (uint32_t repeat = 0; repeat < most; repeat++)
		for (uint32_t point = 0; point < state->sweep->points; point++) {
			if (repeat >= state->point[point].wanted || !wt_sweep_ours(state, point, repeat) ||
			    wt_sweep_find(state, point, repeat))
				continue;
			if (round->count == room) {
				struct job *more = realloc(round->job, (room ? room * 2 : 1024) * sizeof(*more));

				if (!more)
					return -ENOMEM;
				round->job = more;
				room = room ? room * 2 : 1024;
			}
			round->job[round->count++] = (struct job){.point = point, .repeat = repeat};
		}
	return 0;
}

/* Jobs whose worker died once or twice move to the front and are all that is left. */
static uint32_t keep_lost(struct round *round)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < round->count; i++)
		if (!round->job[i].done && round->job[i].deaths && round->job[i].deaths < LIVES)
			round->job[kept++] = round->job[i];
	round->count = kept;
	return kept;
}

static int run_round(struct round *round)
{
	int64_t finished;

	do {
		struct wt_jobs jobs = {.count = round->count, .workers = round->state->jobs, .result_size = sizeof(struct wt_sweep_result),
				       .work = work, .done = done, .tick = tick, .arg = round, .interrupt = &round->stop};

		finished = wt_jobs_run(&jobs);
	} while (finished >= 0 && !round->stop && keep_lost(round));
	return finished < 0 ? (int)finished : round->error ? round->error : round->stop ? -EINTR : 0;
}

int wt_sweep_begin(struct wt_sweep_state *state, const char *name, char *err, size_t err_len)
{
	struct wt_sweep_totals totals;
	char *start = NULL;
	int error = wt_sweep_store_write(&state->store, name, err, err_len);

	if (error)
		return error;
	wt_sweep_settle(state);
	wt_sweep_totals(state, &totals);
	if (totals.done < totals.wanted)
		start = wt_sweep_start_text(state);
	error = start ? wt_sweep_store_line(&state->store, start) : 0;
	free(start);
	if (error)
		snprintf(err, err_len, "%s: %s; finished runs are kept", state->store.dir, strerror(-error));
	return error;
}

int wt_sweep_execute(struct wt_sweep_state *state, volatile int *interrupt)
{
	struct round round = {.state = state, .interrupt = interrupt};
	struct wt_sweep_totals totals;
	int error = 0;

	wt_sweep_settle(state);
	wt_progress_start(&round.progress, state->sweep->name, 1, wt_wall_clock());
	while (!error) {
		wt_sweep_totals(state, &totals);
		round.progress.total = totals.wanted ? totals.wanted : 1;
		round.before = totals.done;
		error = collect(&round);
		if (error || !round.count)
			break;
		error = run_round(&round);
		wt_sweep_settle(state);
	}
	wt_sweep_settle(state);
	wt_progress_end(&round.progress);
	free(round.job);
	return error;
}

double wt_sweep_probe(struct wt_sweep_state *state, double seconds, volatile int *interrupt)
{
	struct round round = {.state = state, .interrupt = interrupt, .probe = true, .deadline = wt_wall_clock() + seconds};
	uint32_t points = state->sweep->points, count = points < 24 ? points : 24;

	round.job = calloc(count ? count : 1, sizeof(*round.job));
	for (uint32_t i = 0; i < count && round.job; i++) {
		uint32_t point = (uint32_t)((uint64_t)i * points / count);

		if (!state->point[point].timed)
			round.job[round.count++] = (struct job){.point = point};
	}
	if (round.count)
		run_round(&round);
	free(round.job);
	return round.results ? (double)round.bytes / (double)round.results : NAN;
}

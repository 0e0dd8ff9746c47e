/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emu/path.h"
#include "stack/record/json.h"
#include "tools/common/jobs.h"
#include "tools/paper/store.h"
#include "tools/common/progress.h"
#include "tools/words/tcp_words.h"

uint32_t wt_paper_count(const struct wt_paper_plan *plan)
{
	return plan->repeats * plan->points * plan->paper->variants;
}

struct wt_paper_place wt_paper_at(const struct wt_paper_plan *plan, uint32_t index)
{
	unsigned variants = plan->paper->variants;

	return (struct wt_paper_place){index / (plan->points * variants), index / variants % plan->points, index % variants};
}

const struct wt_paper_record *wt_paper_record(const struct wt_paper_plan *plan, const struct wt_paper_record *records,
					      unsigned repeat, unsigned point, unsigned variant)
{
	return &records[(repeat * plan->points + point) * plan->paper->variants + variant];
}

int wt_paper_simulation(const struct wt_paper_plan *plan, unsigned point, unsigned variant, uint64_t seed,
		      struct wt_paper_words *words, struct wt_simulation *simulation, char *err, size_t err_len)
{
	const struct wt_paper *paper = plan->paper;
	const struct wt_paper_variant *v = &paper->variant[variant];
	const char *p = paper->point[plan->point[point]].p;
	struct wt_tcp_words a = {
		.preset = *paper->preset ? paper->preset : NULL,
		.settings = *paper->settings ? paper->settings : NULL,
		.sender = v->sender,
		.recovery = *v->recovery ? v->recovery : NULL,
	};
	struct wt_tcp_words b = {.preset = a.preset, .settings = a.settings, .receiver = *v->receiver ? v->receiver : NULL};
	int error;

	wt_simulation_init(simulation);
	memset(&words->flow, 0, sizeof(words->flow));
	wt_tcp_config_init(&words->flow.a);
	wt_tcp_config_init(&words->flow.b);
	words->flow.size = paper->size;
	wt_paper_words(paper->fwd, p, words->fwd, sizeof(words->fwd));
	wt_paper_words(paper->rev, p, words->rev, sizeof(words->rev));
	wt_paper_words(paper->app, p, words->app, sizeof(words->app));
	words->flow.plays = *words->app;
	if (*words->app && wt_playback_parse(words->app, &words->flow.playback, err, err_len))
		return -EINVAL;
	if (*paper->meter) {
		char meter[96];

		wt_paper_words(paper->meter, p, meter, sizeof(meter));
		if (wt_token_parse(meter, &words->tokens, err, err_len))
			return -EINVAL;
		simulation->tokens = &words->tokens;
	}
	simulation->world.limit = paper->limit;
	simulation->world.seed = seed;
	error = wt_tcp_words_apply(&a, &words->flow.a, err, err_len);
	if (!error)
		error = wt_tcp_words_apply(&b, &words->flow.b, err, err_len);
	return error ? error : wt_simulation_pair(simulation, words->fwd, words->rev, &words->flow, 1, err, err_len);
}

int wt_paper_check(const struct wt_paper_plan *plan, char *err, size_t err_len)
{
	struct wt_paper_words words;
	struct wt_simulation simulation;

	for (unsigned point = 0; point < plan->points; point++)
		for (unsigned variant = 0; variant < plan->paper->variants; variant++) {
			int error = wt_paper_simulation(plan, point, variant, 1, &words, &simulation, err, err_len);

			wt_simulation_finish(&simulation);
			if (error)
				return error;
		}
	return 0;
}

static void fill(struct wt_paper_record *record, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	const struct wt_bulk_sender *s = &result->flow[0];

	record->simulated = (double)result->simulated / 1e9;
	record->wall = result->wall_s;
	record->sent_segs = s->info.segs_sent;
	record->retransmits_segs = s->info.retransmits_segs;
	record->fast_recoveries = s->info.fast_recoveries;
	record->timeouts = s->info.timeouts;
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		record->dropped_frames += result->dropped[i];
	if (result->interrupted) {
		record->outcome = WT_PAPER_STOPPED;
	} else if (wt_simulation_ok(result)) {
		record->outcome = WT_PAPER_OK;
		record->goodput = wt_bulk_goodput(s) / 1000;
		record->time = (double)(s->acked - s->start) / 1e9;
		record->success = wt_playback_success(&s->result);
		record->tokens = record->tokens_spread = NAN;
		if (simulation->tokens) {
			record->tokens = result->tokens[simulation->tokens->per].mean;
			record->tokens_spread = result->tokens[simulation->tokens->per].spread;
		}
	} else {
		record->outcome = WT_PAPER_FAILED;
		if (result->out_of_time)
			snprintf(record->why, sizeof(record->why), "not finished after %.0f simulated seconds", record->simulated);
		else
			snprintf(record->why, sizeof(record->why), "%s%s%s", wt_bulk_fail_text(result->fail),
				 result->error ? ": " : "", result->error ? strerror(-result->error) : "");
	}
}

void wt_paper_run_sim(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record, const volatile int *stop)
{
	struct wt_paper_place at = wt_paper_at(plan, index);
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	struct wt_paper_words words;
	int error = wt_paper_simulation(plan, at.point, at.variant, plan->seed + at.repeat, &words, &simulation, record->why,
					sizeof(record->why));

	simulation.interrupt = stop;
	if (!error)
		error = wt_simulation_run(&simulation, &result, record->why, sizeof(record->why));
	if (error) {
		record->outcome = WT_PAPER_FAILED;
	} else {
		fill(record, &simulation, &result);
		wt_simulation_result_finish(&result);
	}
	wt_simulation_finish(&simulation);
}

int wt_paper_trace_tokens(const struct wt_paper_plan *plan, unsigned point, unsigned variant, const char *file)
{
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	struct wt_paper_words words;
	char err[300];
	int error = wt_paper_simulation(plan, point, variant, plan->seed, &words, &simulation, err, sizeof(err));

	simulation.tokens_trace = file;
	if (!error)
		error = wt_simulation_run(&simulation, &result, err, sizeof(err));
	if (!error)
		wt_simulation_result_finish(&result);
	wt_simulation_finish(&simulation);
	return error;
}

/* ---- sweep -------------------------------------------------------------------------------------------- */

struct sweep {
	const struct wt_paper_plan *plan;
	wt_paper_run_fn *run;
	struct wt_paper_record *records;
	struct wt_paper_store *keep;
	uint32_t *index; /* of a job */
	uint32_t before, count; /* done when we began; to do */
	const volatile int *interrupt;
	volatile int stop;
	unsigned failed, invalid, repetitions;
	struct wt_progress progress;
};

static void work(void *arg, uint32_t job, void *result, const volatile int *stop)
{
	struct sweep *sweep = arg;

	sweep->run(sweep->plan, sweep->index[job], result, stop);
}

static void done(void *arg, uint32_t job, const void *result, bool lost)
{
	struct sweep *sweep = arg;
	struct wt_paper_record *record = &sweep->records[sweep->index[job]];

	memcpy(record, result, sizeof(*record));
	if (lost) {
		record->outcome = WT_PAPER_FAILED;
		snprintf(record->why, sizeof(record->why), "the process that ran it died");
	}
	if (record->outcome == WT_PAPER_STOPPED)
		return;
	sweep->failed += record->outcome == WT_PAPER_FAILED;
	sweep->invalid += record->outcome == WT_PAPER_INVALID;
	sweep->repetitions += record->attempts > 1 ? record->attempts - 1 : 0;
	if (sweep->keep && wt_paper_store_add(sweep->keep, sweep->plan, sweep->index[job], record))
		sweep->stop = 1; /* the disk is full, most likely: the others would be lost as well */
}

static void tick(void *arg, uint32_t finished)
{
	struct sweep *sweep = arg;
	char extra[100];
	double now = wt_wall_clock(), left = finished ? (now - sweep->progress.started) / finished * (sweep->count - finished) : -1;
	int at = 0;

	if (*sweep->interrupt)
		sweep->stop = 1;
	if (sweep->failed)
		at = snprintf(extra, sizeof(extra), "%u failed", sweep->failed);
	if (sweep->repetitions)
		at += snprintf(extra + at, sizeof(extra) - (size_t)at, "%shost too busy: %u repeated, %u invalid", at ? ", " : "",
			       sweep->repetitions, sweep->invalid);
	wt_progress_show(&sweep->progress, sweep->before + finished, left, at ? extra : NULL, now);
}

/* What has no record yet of the first `upto` repeats. */
static int64_t look(const struct wt_paper_plan *plan, wt_paper_run_fn *run, struct wt_paper_record *records, struct wt_paper_store *keep,
		    uint32_t upto, const volatile int *interrupt)
{
	uint32_t count = wt_paper_count(plan);
	struct sweep sweep = {.plan = plan, .run = run, .records = records, .keep = keep, .interrupt = interrupt};
	struct wt_jobs jobs = {
		.workers = plan->jobs,
		.result_size = sizeof(struct wt_paper_record),
		.work = work,
		.done = done,
		.tick = tick,
		.arg = &sweep,
		.interrupt = &sweep.stop,
	};
	const char *slash = strrchr(plan->paper->id, '/');
	char what[96];
	int64_t finished;

	sweep.index = calloc(count, sizeof(*sweep.index));
	if (!sweep.index)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (records[i].outcome == WT_PAPER_NOT_RUN && wt_paper_at(plan, i).repeat < upto)
			sweep.index[jobs.count++] = i;
	count = wt_paper_count(plan) / plan->repeats * upto;
	sweep.before = count - jobs.count;
	sweep.count = jobs.count;
	if (!jobs.count) {
		free(sweep.index);
		return 0;
	}
	snprintf(what, sizeof(what), "%s@%s", slash ? slash + 1 : plan->paper->id, plan->backend);
	wt_progress_start(&sweep.progress, what, count, wt_wall_clock());
	finished = wt_jobs_run(&jobs);
	wt_progress_end(&sweep.progress);
	free(sweep.index);
	return finished;
}

/* Rows in which more repeats would say nothing new. False: there is no memory. */
static bool spare(const struct wt_paper_plan *plan, struct wt_paper_record *records)
{
	struct wt_paper_report *report = malloc(sizeof(*report));

	if (!report)
		return false;
	wt_paper_judge(plan, records, report);
	for (uint32_t i = 0; i < wt_paper_count(plan); i++)
		if (records[i].outcome == WT_PAPER_NOT_RUN && !report->row[wt_paper_at(plan, i).point].open)
			records[i].outcome = WT_PAPER_SPARED;
	free(report);
	return true;
}

int64_t wt_paper_sweep(const struct wt_paper_plan *plan, wt_paper_run_fn *run, struct wt_paper_record *records, struct wt_paper_store *keep,
		       const volatile int *interrupt)
{
	uint32_t upto = plan->looks > 1 ? plan->first : plan->repeats;
	int64_t finished = 0;

	for (;;) {
		int64_t more = look(plan, run, records, keep, upto < plan->repeats ? upto : plan->repeats, interrupt);

		if (more < 0)
			return more;
		finished += more;
		if (upto >= plan->repeats || *interrupt || (keep && keep->error))
			return finished;
		if (!spare(plan, records))
			return -ENOMEM;
		upto *= 3;
	}
}

void wt_paper_record_json(FILE *out, const struct wt_paper_plan *plan, uint32_t index, const struct wt_paper_record *record)
{
	struct wt_paper_place at = wt_paper_at(plan, index);
	const struct wt_paper *paper = plan->paper;
	struct wt_json json;

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "run");
	wt_json_string(&json, "point", paper->point[plan->point[at.point]].label);
	wt_json_string(&json, "variant", paper->variant[at.variant].name);
	wt_json_u64(&json, "repeat", at.repeat);
	wt_json_u64(&json, "seed", plan->seed + at.repeat);
	wt_json_bool(&json, "ok", record->outcome == WT_PAPER_OK);
	if (record->outcome != WT_PAPER_OK)
		wt_json_string(&json, "why", record->why);
	if (strcmp(plan->backend, "sim")) {
		wt_json_bool(&json, "invalid", record->outcome == WT_PAPER_INVALID);
		wt_json_u64(&json, "attempts", record->attempts);
	}
	wt_json_number(&json, "goodput_kBps", record->goodput);
	wt_json_number(&json, "connection_time_s", record->time);
	if (record->outcome == WT_PAPER_OK && !isnan(record->success))
		wt_json_number(&json, "success_percent", record->success);
	if (record->outcome == WT_PAPER_OK && !isnan(record->tokens)) {
		wt_json_number(&json, "tokens_kB", record->tokens);
		wt_json_number(&json, "tokens_spread", record->tokens_spread);
	}
	wt_json_number(&json, "simulated_s", record->simulated);
	wt_json_u64(&json, "sent_segs", record->sent_segs);
	wt_json_u64(&json, "retransmits_segs", record->retransmits_segs);
	wt_json_u64(&json, "fast_recoveries", record->fast_recoveries);
	wt_json_u64(&json, "timeouts", record->timeouts);
	wt_json_u64(&json, "dropped_frames", record->dropped_frames);
	wt_json_end(&json);
}

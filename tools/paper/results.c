/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/results/metric.h"
#include "tools/results/results.h"

#define REPEATS_MAX 1000000

static int take_plan(struct wt_paper_results *results, json_t *line)
{
	struct wt_paper_plan *plan = &results->plan;
	json_int_t seed = -1, repeats = 0, looks = 1;
	const char *name = NULL, *backend = "sim";

	if (json_unpack(line, "{s:s, s:I, s:I, s?:s, s?:I, s?:F, s?:F, s?:F}", "name", &name, "seed", &seed, "most_repeats", &repeats, "backend",
			&backend, "looks", &looks, "level", &plan->level, "margin", &plan->margin, "cells", &plan->cells) ||
	    strcmp(name, results->paper.id) || repeats < 1 || repeats > REPEATS_MAX || results->records)
		return -EINVAL;
	snprintf(plan->backend, sizeof(plan->backend), "%.7s", backend);
	plan->seed = (uint64_t)seed;
	plan->looks = (uint32_t)looks;
	plan->repeats = (uint32_t)repeats;
	results->records = calloc(wt_paper_count(plan), sizeof(*results->records));
	return results->records ? 0 : -ENOMEM;
}

static int take_run(struct wt_paper_results *results, json_t *line)
{
	const struct wt_paper *paper = &results->paper;
	const char *row = NULL, *variant = NULL, *outcome = NULL;
	const char *why = json_string_value(json_object_get(line, "why"));
	struct wt_paper_record *record;
	unsigned p = 0, v = 0;
	json_int_t repeat = -1;

	if (!results->records || json_unpack(line, "{s:s, s:s, s:I, s:s}", "row", &row, "variant", &variant, "repeat", &repeat, "outcome", &outcome) ||
	    repeat < 0 || repeat >= results->plan.repeats)
		return -EINVAL;
	while (p < paper->points && strcmp(paper->point[p].label, row))
		p++;
	while (v < paper->variants && strcmp(paper->variant[v].name, variant))
		v++;
	if (p == paper->points || v == paper->variants)
		return -EINVAL;
	record = &results->records[((uint32_t)repeat * paper->points + p) * paper->variants + v];
	record->outcome = !strcmp(outcome, "ok") ? WT_PAPER_OK : !strcmp(outcome, "invalid") ? WT_PAPER_INVALID : WT_PAPER_FAILED;
	record->attempts = (uint32_t)json_integer_value(json_object_get(line, "attempts"));
	record->value = wt_metric_of(line, paper->metric.path);
	record->spread = wt_metric_of(line, "tokens_spread");
	record->simulated = wt_metric_of(line, "simulated_s");
	if (isnan(record->simulated)) /* in real time */
		record->simulated = wt_metric_of(line, "connection_time_s");
	if (isnan(record->simulated))
		record->simulated = 0;
	snprintf(record->why, sizeof(record->why), "%.159s", why ? why : "");
	return 0;
}

static int take(void *arg, json_t *record, unsigned long number, char *why, size_t len)
{
	struct wt_paper_results *results = arg;
	const char *kind = json_string_value(json_object_get(record, "record"));

	snprintf(why, len, "not a record of %s", results->paper.id);
	if (kind && !strcmp(kind, "plan"))
		return take_plan(results, record);
	if (kind && !strcmp(kind, "run"))
		return take_run(results, record);
	if (kind && !strcmp(kind, "end"))
		results->complete = json_is_true(json_object_get(record, "complete"));
	return kind && (!strcmp(kind, "point") || !strcmp(kind, "end")) ? 0 : -EINVAL;
}

int wt_paper_results_read(struct wt_paper_results *results, const char *dir, char *err, size_t err_len)
{
	int error;

	results->records = NULL;
	results->complete = false;
	results->plan = (struct wt_paper_plan){.paper = &results->paper};
	error = wt_results_records(dir, take, results, err, err_len);
	if (!error && !results->records) {
		snprintf(err, err_len, "%s/runs.jsonl has no plan in it", dir);
		error = -EINVAL;
	}
	if (error)
		wt_paper_results_finish(results);
	return error;
}

void wt_paper_results_dir(const char *dir, const char *table, char *path, size_t len)
{
	snprintf(path, len, "%s/%s", dir, table);
	if (strchr(table, '/') && access(path, F_OK))
		snprintf(path, len, "%s/%s", dir, strrchr(table, '/') + 1);
}

int wt_paper_results_load(struct wt_paper_results *results, const char *dir, const char *family, const char *object, const char *metric,
			  char *err, size_t err_len)
{
	const char *slash = strrchr(object, '/');
	char id[160], path[700];

	memset(results, 0, sizeof(*results));
	snprintf(id, sizeof(id), "%s%s%s", slash ? "" : family, slash ? "" : "/", object);
	wt_paper_results_dir(dir, id, path, sizeof(path));
	if (wt_paper_load(id, metric, &results->paper, err, err_len))
		return -EINVAL;
	return wt_paper_results_read(results, path, err, err_len);
}

void wt_paper_results_finish(struct wt_paper_results *results)
{
	free(results->records);
	results->records = NULL;
}

double wt_paper_results_value(const struct wt_paper_results *results, unsigned repeat, unsigned point, unsigned variant)
{
	const struct wt_paper_record *record = wt_paper_record(&results->plan, results->records, repeat, point, variant);

	return record->outcome == WT_PAPER_OK ? record->value : NAN;
}

const char *wt_paper_results_said(const char *said)
{
	if (!said || !access(said, F_OK))
		return said ? said : WT_PAPER_RESULTS_DIR;
	wt_fail(WT_EXIT_USAGE, "--results %s: %s; 'wavetank paper run tcp-real-2001 -o %s' makes it", said, strerror(errno), said);
	return NULL;
}

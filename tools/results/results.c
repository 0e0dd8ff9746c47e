/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/results.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/results/metric.h"

#define REPEATS_MAX 10000000

static bool has_runs(const char *dir)
{
	char path[600];

	return snprintf(path, sizeof(path), "%s/runs.jsonl", dir) < (int)sizeof(path) && access(path, F_OK) == 0;
}

unsigned wt_results_folders(const char *dir, void (*fn)(void *arg, const char *dir), void *arg)
{
	struct dirent **entries;
	unsigned count = 0;
	int n;

	if (has_runs(dir)) {
		fn(arg, dir);
		return 1;
	}
	n = scandir(dir, &entries, NULL, versionsort);
	for (int i = 0; i < n; i++) {
		char below[520];

		if (entries[i]->d_name[0] != '.' &&
		    snprintf(below, sizeof(below), "%s/%s", dir, entries[i]->d_name) < (int)sizeof(below) && has_runs(below)) {
			fn(arg, below);
			count++;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return count;
}

static const char *string(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

int wt_results_records(const char *dir, wt_results_take *take, void *arg, char *err, size_t err_len)
{
	char path[700], why[300] = "not a JSON object", *line = NULL; /* lines are long */
	unsigned long number = 0;
	size_t room = 0;
	ssize_t len;
	int error = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/runs.jsonl", dir);
	file = fopen(path, "re");
	if (!file) {
		error = -errno;
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
		return error;
	}
	while (!error && (len = getline(&line, &room, file)) > 0) {
		json_t *record = json_loadb(line, (size_t)len, 0, NULL);

		number++;
		if (record)
			error = take(arg, record, number, why, sizeof(why));
		else if (line[len - 1] == '\n')
			error = -EINVAL;
		json_decref(record);
	}
	free(line);
	fclose(file);
	if (error < 0)
		snprintf(err, err_len, "%s:%lu: %s", path, number, why);
	return error < 0 ? error : 0;
}

static int keep_plan(void *arg, json_t *record, unsigned long number, char *why, size_t len)
{
	if (!strcmp(string(record, "record"), "plan"))
		*(json_t **)arg = json_incref(record);
	return 1;
}

/* The first record of a folder, the plan. NULL: none. */
static json_t *plan_of(const char *dir)
{
	json_t *plan = NULL;
	char err[1100];

	wt_results_records(dir, keep_plan, &plan, err, sizeof(err));
	return plan;
}

struct search {
	const char *table, *backend;
	char *dir;
	size_t len;
	struct timespec newest;
	bool found;
};

static void consider(void *arg, const char *dir)
{
	struct search *search = arg;
	json_t *plan = plan_of(dir);
	const char *table = string(plan, "name"), *last = strrchr(table, '/');
	char path[600];
	struct stat facts;

	snprintf(path, sizeof(path), "%s/runs.jsonl", dir);
	if (plan && !stat(path, &facts) && (!strcmp(table, search->table) || (last && !strcmp(last + 1, search->table))) &&
	    !strcmp(string(plan, "backend"), search->backend) &&
	    (!search->found || facts.st_mtim.tv_sec > search->newest.tv_sec ||
	     (facts.st_mtim.tv_sec == search->newest.tv_sec && facts.st_mtim.tv_nsec > search->newest.tv_nsec))) {
		search->found = true;
		search->newest = facts.st_mtim;
		snprintf(search->dir, search->len, "%s", dir);
	}
	json_decref(plan);
}

int wt_results_find(const char *word, char *dir, size_t len, char *err, size_t err_len)
{
	const char *at = strrchr(word, '@');
	struct search search = {.dir = dir, .len = len};
	char table[128];
	struct dirent **entries;
	int n;

	if (has_runs(word)) {
		snprintf(dir, len, "%s", word);
		return 0;
	}
	if (!at || at == word || strlen(word) >= sizeof(table)) {
		snprintf(err, err_len, "%s: no runs.jsonl in it, and not of the form TABLE@BACKEND (table1@sim)", word);
		return -ENOENT;
	}
	snprintf(table, sizeof(table), "%.*s", (int)(at - word), word);
	search.table = table;
	search.backend = at + 1;
	n = scandir("results", &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char below[520];

		if (entries[i]->d_name[0] != '.' && snprintf(below, sizeof(below), "results/%s", entries[i]->d_name) < (int)sizeof(below))
			wt_results_folders(below, consider, &search);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (!search.found) {
		snprintf(err, err_len, "no results of %s on %s below results/; 'wavetank paper run %s --backend %s' makes them", table,
			 search.backend, table, search.backend);
		return -ENOENT;
	}
	return 0;
}

/* The axis whose words are the protocols of the page; the others make the rows. */
static void choose_series(struct wt_results *results, const json_t *plan)
{
	static const char *const candidates[] = {"variant", "stack", "sender"};
	const json_t *axes = json_object_get(plan, "axes"), *axis;
	size_t at;

	results->series[0] = '\0';
	for (unsigned i = 0; i < 3 && !results->series[0]; i++)
		json_array_foreach(axes, at, axis)
			if (!strcmp(string(axis, "name"), candidates[i]))
				snprintf(results->series, sizeof(results->series), "%s", candidates[i]);
}

static void take_plan(struct wt_results *results, const json_t *plan)
{
	const char *metric = string(plan, "metric"), *unit = strrchr(metric, '_'); /* "goodput_kBps": the unit is in the name */

	snprintf(results->table, sizeof(results->table), "%s", string(plan, "name"));
	snprintf(results->backend, sizeof(results->backend), "%s", string(plan, "backend"));
	snprintf(results->metric, sizeof(results->metric), "%s", metric);
	snprintf(results->unit, sizeof(results->unit), "%s", unit ? unit + 1 : "");
	choose_series(results, plan);
}

/* The point of a sweep's run in words: those of its axes but the series. */
static void axes_text(const json_t *run, const char *series, char *text, size_t len)
{
	json_t *axes = json_object_get(run, "axes"), *word;
	const char *name;
	size_t at = 0;

	*text = '\0';
	json_object_foreach(axes, name, word)
		if (strcmp(name, series) && at < len)
			at += (size_t)snprintf(text + at, len - at, "%s%s", at ? " " : "", json_is_string(word) ? json_string_value(word) : "");
}

/* Samples stand at the place of their repeat, so that those of one repeat are pairs in any cells. */
static int make_room(struct wt_results_cell *cell, json_int_t repeat)
{
	size_t room = cell->room ? cell->room : 32;

	while (room <= (size_t)repeat)
		room *= 2;
	if (room != cell->room) {
		double *grown = realloc(cell->sample, room * sizeof(double));

		if (!grown)
			return -ENOMEM;
		cell->sample = grown;
		cell->room = room;
	}
	while (cell->count <= (size_t)repeat)
		cell->sample[cell->count++] = NAN;
	return 0;
}

static void take_jain(struct wt_results *results, struct wt_results_cell *cell, const json_t *run)
{
	double jain = wt_metric_of(run, "jain");

	if (json_object_size(json_object_get(run, "flow")) < 2 || isnan(jain))
		return;
	cell->jain_sum += jain;
	cell->jains++;
	results->jain = true;
}

static int take_run(struct wt_results *results, const json_t *run)
{
	struct wt_results_cell *cell;
	const char *row = json_string_value(json_object_get(run, "row")), *variant = string(run, "variant");
	json_int_t repeat = json_integer_value(json_object_get(run, "repeat"));
	char point[96];
	int error;

	if (repeat < 0 || repeat >= REPEATS_MAX)
		return -EINVAL;
	results->printed |= row != NULL;
	snprintf(point, sizeof(point), "%s", row ? row : "");
	if (!row) {
		axes_text(run, results->series, point, sizeof(point));
		variant = string(json_object_get(run, "axes"), results->series);
	}
	cell = (struct wt_results_cell *)wt_results_cell(results, point, variant);
	if (!cell) {
		if (results->cells == WT_RESULTS_CELLS)
			return -E2BIG;
		cell = &results->cell[results->cells++];
		snprintf(cell->point, sizeof(cell->point), "%s", point);
		snprintf(cell->variant, sizeof(cell->variant), "%s", variant);
	}
	error = make_room(cell, repeat);
	if (error)
		return error;
	take_jain(results, cell, run);
	cell->sample[repeat] = strcmp(string(run, "outcome"), "ok") ? NAN : wt_metric_of(run, results->metric);
	return 0;
}

static int take_record(void *arg, json_t *record, unsigned long number, char *why, size_t len)
{
	struct wt_results *results = arg;
	const char *kind = string(record, "record");
	int error = 0;

	if (number == 1 && strcmp(kind, "plan")) {
		snprintf(why, len, "not results of this program: the first record is no plan");
		return -EINVAL;
	}
	if (!strcmp(kind, "plan"))
		take_plan(results, record);
	else if (!strcmp(kind, "run"))
		error = take_run(results, record);
	else if (!strcmp(kind, "end")) {
		results->ended = true;
		results->complete = json_is_true(json_object_get(record, "complete"));
	}
	results->planned = true;
	snprintf(why, len, "%s", error == -E2BIG ? "more cells than can be put side by side" : strerror(-error));
	return error;
}

static void conclude(struct wt_results_cell *cell)
{
	cell->mean = wt_mean_of(cell->sample, cell->count);
	cell->jain = cell->jains ? cell->jain_sum / (double)cell->jains : NAN;
}

/* Reno in one of its forms, else the protocol that came last. */
static void choose_baseline(struct wt_results *results)
{
	static const char *const reno[] = {"reno", "user:reno", "kernel:reno"};
	const char *chosen = "", *only = results->cells ? results->cell[0].variant : "";
	bool several = false;

	for (unsigned i = 0; i < results->cells; i++)
		several |= strcmp(results->cell[i].variant, only) != 0;
	if (several)
		chosen = results->cell[results->cells - 1].variant;
	for (unsigned k = 3; several && k-- > 0;)
		for (unsigned i = 0; i < results->cells; i++)
			if (!strcmp(results->cell[i].variant, reno[k]))
				chosen = reno[k];
	snprintf(results->baseline, sizeof(results->baseline), "%s", chosen);
}

int wt_results_load(struct wt_results *results, const char *dir, char *err, size_t err_len)
{
	int error;

	memset(results, 0, sizeof(*results));
	snprintf(results->dir, sizeof(results->dir), "%s", dir);
	error = wt_results_records(dir, take_record, results, err, err_len);
	if (!error && !results->planned) {
		snprintf(err, err_len, "%s/runs.jsonl: empty", dir);
		error = -EINVAL;
	}
	for (unsigned i = 0; i < results->cells; i++)
		conclude(&results->cell[i]);
	choose_baseline(results);
	return error;
}

void wt_results_finish(struct wt_results *results)
{
	for (unsigned i = 0; i < results->cells; i++)
		free(results->cell[i].sample);
	results->cells = 0;
}

const struct wt_results_cell *wt_results_cell(const struct wt_results *results, const char *point, const char *variant)
{
	for (unsigned i = 0; i < results->cells; i++)
		if (!strcmp(results->cell[i].point, point) && !strcmp(results->cell[i].variant, variant))
			return &results->cell[i];
	return NULL;
}

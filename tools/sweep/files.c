/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "tools/common/host_facts.h"
#include "tools/results/metric.h"
#include "tools/source.h"
#include "tools/version.h"
#include "tools/words/ini_text.h"

/* ---- facts ------------------------------------------------------------------------------------------------ */

char *wt_sweep_start_text(const struct wt_sweep_state *state)
{
	char *text = NULL, cpu[200], when[32];
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	time_t now = time(NULL);
	struct utsname host;
	struct wt_json json;
	struct tm utc;

	if (!file)
		return NULL;
	uname(&host);
	wt_host_cpu(cpu, sizeof(cpu));
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "start");
	wt_json_string(&json, "started", when);
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "commit", WT_COMMIT);
	wt_json_string(&json, "source", WT_SOURCE);
	wt_json_string(&json, "compiler", WT_COMPILER);
	wt_json_string(&json, "host", host.nodename);
	wt_json_string(&json, "kernel", host.release);
	wt_json_string(&json, "machine", host.machine);
	wt_json_string(&json, "cpu", cpu);
	wt_json_u64(&json, "cores", wt_cores());
	wt_json_u64(&json, "jobs", state->jobs);
	if (state->shards) {
		wt_json_u64(&json, "shard", state->shard);
		wt_json_u64(&json, "shards", state->shards);
	}
	wt_json_end(&json);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void copy_line(void *arg, const char *text)
{
	fprintf(arg, "%s\n", text);
}

/* The head of a done line becomes a fact: everything before the result. */
static void write_fact(FILE *file, uint32_t point, uint32_t repeat, const struct wt_sweep_done *done, const char *line)
{
	static const char head[] = "{\"record\":\"done\",";
	static const char result[] = ",\"result\":";

	fprintf(file, "{\"record\":\"run\",\"point\":%" PRIu32 ",\"repeat\":%" PRIu32 ",%.*s}\n", point, repeat,
		(int)(done->result_at - (sizeof(head) - 1) - (sizeof(result) - 1)), line + sizeof(head) - 1);
}

/* ---- results ---------------------------------------------------------------------------------------------- */

static void plan_json(FILE *file, const struct wt_sweep *sweep)
{
	struct wt_json json;

	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sweep.1");
	wt_json_string(&json, "record", "plan");
	wt_json_string(&json, "name", sweep->name);
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "source", WT_SOURCE);
	wt_json_string(&json, "backend", sweep->backend);
	wt_json_u64(&json, "seed", sweep->seed);
	wt_json_u64(&json, "repeats", sweep->repeats);
	wt_json_string(&json, "metric", sweep->metric);
	wt_json_number(&json, "stop_relative", sweep->relative > 0 ? sweep->relative : NAN);
	wt_json_u64(&json, "most_repeats", wt_sweep_most(sweep));
	if (sweep->changed)
		wt_json_string(&json, "changed", sweep->changed);
	if (sweep->looks) {
		wt_json_u64(&json, "looks", sweep->looks);
		wt_json_number(&json, "level", sweep->level);
		wt_json_number(&json, "margin", sweep->margin);
		wt_json_number(&json, "cells", sweep->cells);
	}
	wt_json_array(&json, "axes");
	for (unsigned i = 0; i < sweep->axes; i++) {
		wt_json_object(&json, NULL);
		wt_json_string(&json, "name", sweep->axis[i].name);
		wt_json_array(&json, "words");
		for (unsigned w = 0; w < sweep->axis[i].words; w++)
			wt_json_string(&json, NULL, sweep->axis[i].word[w]);
		wt_json_end(&json);
		wt_json_end(&json);
	}
	wt_json_end(&json);
	wt_json_object(&json, "run");
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		if (sweep->param[i].text)
			wt_json_string(&json, wt_sweep_param_name[i], sweep->param[i].text);
	wt_json_end(&json);
	wt_json_u64(&json, "points", sweep->points);
	wt_json_end(&json);
}

static int point_json(FILE *file, const struct wt_sweep_state *state, uint32_t point, struct wt_sweep_run *run)
{
	struct wt_json json;
	char err[400];
	int error = wt_sweep_resolve(state->sweep, point, run, err, sizeof(err));

	if (error)
		return error;
	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "point");
	wt_json_u64(&json, "point", point);
	wt_sweep_axes_json(&json, state->sweep, point);
	wt_json_u64(&json, "repeats", state->point[point].wanted);
	wt_sweep_config_json(&json, state->sweep, run);
	wt_json_end(&json);
	return 0;
}

/* The result's own keys follow ours in the same object. */
static void run_json(FILE *file, const struct wt_sweep_state *state, uint32_t point, uint32_t repeat, const struct wt_sweep_done *done,
		     const char *line)
{
	int series = wt_sweep_series(state->sweep);
	char *text = NULL, row[300];
	size_t len = 0;
	FILE *head = open_memstream(&text, &len);
	struct wt_json json;

	if (!head)
		return;
	wt_json_init(&json, head);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "run");
	wt_json_u64(&json, "point", point);
	wt_json_u64(&json, "repeat", repeat);
	wt_json_u64(&json, "seed", state->sweep->seed + repeat);
	wt_json_string(&json, "id", done->id);
	wt_sweep_axes_json(&json, state->sweep, point);
	if (wt_sweep_is_table(state->sweep) && series >= 0) {
		wt_json_string(&json, "row", wt_sweep_row_text(state->sweep, point, row, sizeof(row)));
		wt_json_string(&json, "variant", wt_sweep_word(state->sweep, point, (unsigned)series));
	}
	wt_json_end(&json);
	fclose(head);
	/* "{...}\n" without its end, then `"outcome":...}}` of the done line without its beginning and last brace */
	fprintf(file, "%.*s,%.*s\n", (int)len - 2, text, (int)(done->len - done->result_at - 2), line + done->result_at + 1);
	free(text);
}

static void end_json(FILE *file, const struct wt_sweep_state *state)
{
	struct wt_sweep_totals totals;
	struct wt_json json;

	wt_sweep_totals(state, &totals);
	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "end");
	wt_json_u64(&json, "runs", totals.done);
	wt_json_u64(&json, "failed", totals.failed);
	wt_json_u64(&json, "invalid", totals.invalid);
	wt_json_bool(&json, "complete", totals.settled == state->sweep->points);
	wt_json_end(&json);
}

/* ---- the same as a table ---------------------------------------------------------------------------------- */

#define COLUMNS 48

static void csv_field(FILE *file, const char *text)
{
	bool quoted = text[strcspn(text, ",\"\n")];

	fputs(quoted ? ",\"" : ",", file);
	for (; *text; text++)
		fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
	if (quoted)
		putc('"', file);
}

/* Numbers by name, which ends in the unit, and those that the sweep asks for by their path. */
static unsigned csv_columns(const struct wt_sweep *sweep, const char *column[COLUMNS])
{
	unsigned count = 0;

	while (count < COLUMNS && (column[count] = wt_sweep_metric_name(count)))
		count++;
	if (strchr(sweep->metric, '.') && count < COLUMNS)
		column[count++] = sweep->metric;
	for (unsigned i = 0; i < sweep->notes && count < COLUMNS; i++) {
		const char *path = wt_ini_name(sweep->note[i].section, "printed");

		if (path && strchr(path, '.') && strcmp(path, column[count - 1]) && strcmp(path, sweep->metric))
			column[count++] = path;
	}
	return count;
}

static void csv_head(FILE *file, const struct wt_sweep *sweep)
{
	const char *column[COLUMNS];
	unsigned columns = csv_columns(sweep, column);

	fputs("point,repeat,seed", file);
	for (unsigned i = 0; i < sweep->axes; i++)
		csv_field(file, sweep->axis[i].name);
	fputs(",outcome", file);
	for (unsigned i = 0; i < columns; i++)
		csv_field(file, column[i]);
	fputs("\r\n", file);
}

static void csv_run(FILE *file, const struct wt_sweep *sweep, uint32_t point, uint32_t repeat, const char *line)
{
	json_t *root = json_loads(line, 0, NULL);
	const json_t *result = json_object_get(root, "result");
	const char *column[COLUMNS];
	unsigned columns = csv_columns(sweep, column);

	fprintf(file, "%" PRIu32 ",%" PRIu32 ",%" PRIu64, point, repeat, sweep->seed + repeat);
	for (unsigned i = 0; i < sweep->axes; i++)
		csv_field(file, wt_sweep_word(sweep, point, i));
	csv_field(file, json_string_value(json_object_get(result, "outcome")));
	for (unsigned i = 0; i < columns; i++) {
		double value = wt_metric_of(result, column[i]);

		fprintf(file, isnan(value) ? "," : ",%.9g", value);
	}
	fputs("\r\n", file);
	json_decref(root);
}

static int write_runs(FILE *runs, FILE *facts, FILE *csv, const struct wt_sweep_state *state)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int error = run ? 0 : -ENOMEM;

	plan_json(runs, state->sweep);
	csv_head(csv, state->sweep);
	for (uint32_t point = 0; point < state->sweep->points && !error; point++)
		error = point_json(runs, state, point, run);
	wt_sweep_store_starts(&state->store, copy_line, facts);
	for (uint32_t point = 0; point < state->sweep->points && !error; point++)
		for (uint32_t repeat = 0; repeat < state->point[point].wanted && !error; repeat++) {
			const struct wt_sweep_done *done = wt_sweep_find(state, point, repeat);
			char *line = done ? wt_sweep_store_text(&state->store, done) : NULL;

			if (line) {
				run_json(runs, state, point, repeat, done, line);
				write_fact(facts, point, repeat, done, line);
				csv_run(csv, state->sweep, point, repeat, line);
			} else if (done) {
				error = -EIO;
			}
			free(line);
			if (ferror(runs) || ferror(facts) || ferror(csv))
				error = -ENOSPC;
		}
	end_json(runs, state);
	free(run);
	return error;
}

static int temporary(char path[740], const char *dir, const char *name)
{
	return snprintf(path, 740, "%s/%s.%d", dir, name, (int)getpid()) < 740 ? 0 : -ENAMETOOLONG;
}

FILE *wt_sweep_create(const char *dir, const char *name)
{
	char path[740];

	return temporary(path, dir, name) ? NULL : wt_create_stream(path);
}

int wt_sweep_shut(FILE *file, int error, const char *dir, const char *name)
{
	char from[740], to[740];

	if (!file)
		return error ? error : errno ? -errno : -EIO;
	if (!error && (ferror(file) || fflush(file) || fsync(fileno(file))))
		error = errno ? -errno : -EIO;
	if (fclose(file) && !error)
		error = -errno;
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	temporary(from, dir, name);
	if (!error && rename(from, to))
		error = -errno;
	if (error)
		unlink(from);
	return error;
}

int wt_sweep_compose(const struct wt_sweep_state *state, char *err, size_t err_len)
{
	const char *dir = state->store.dir;
	FILE *runs = wt_sweep_create(dir, "runs.jsonl"), *facts = wt_sweep_create(dir, "facts.jsonl");
	FILE *csv = wt_sweep_create(dir, "runs.csv");
	int error = runs && facts && csv ? write_runs(runs, facts, csv, state) : -errno;

	error = wt_sweep_shut(runs, error, dir, "runs.jsonl");
	error = wt_sweep_shut(facts, error, dir, "facts.jsonl");
	error = wt_sweep_shut(csv, error, dir, "runs.csv");
	if (error)
		snprintf(err, err_len, "%s/runs.jsonl: %s; what is finished is kept in done.jsonl", dir, strerror(-error));
	return error;
}

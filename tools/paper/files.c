/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/record/json.h"
#include "tools/common/host_facts.h"
#include "tools/source.h"
#include "tools/version.h"

/* mkdir -p; 0, or negative errno (-EEXIST: the last part was there). */
static int make(const char *dir)
{
	char part[512];
	size_t len = strlen(dir);

	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	for (size_t i = 1; i < len; i++)
		if (dir[i] == '/') {
			snprintf(part, sizeof(part), "%.*s", (int)i, dir);
			if (mkdir(part, 0777) && errno != EEXIST)
				return -errno;
		}
	return mkdir(dir, 0777) ? -errno : 0;
}

int wt_paper_files_fresh(char dir[512], const char *id, const char *backend)
{
	char name[96];

	snprintf(name, sizeof(name), "%s", id);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '-';
	for (unsigned n = 1; n < 10000; n++) {
		int error;

		if (n == 1)
			snprintf(dir, 512, "results/%s-%s", name, backend);
		else
			snprintf(dir, 512, "results/%s-%s-%u", name, backend, n);
		error = make(dir);
		if (error != -EEXIST)
			return error;
	}
	return -EEXIST;
}

static int temporary(char path[640], const char *dir, const char *name)
{
	return snprintf(path, 640, "%s/%s.%d", dir, name, (int)getpid()) < 640 ? 0 : -ENAMETOOLONG;
}

FILE *wt_paper_files_create(const char *dir, const char *name)
{
	char path[640];

	return temporary(path, dir, name) ? NULL : fopen(path, "we");
}

int wt_paper_files_shut(FILE *file, const char *dir, const char *name)
{
	char from[640], to[640];
	int error = file ? 0 : errno ? -errno : -EIO;

	if (file && ferror(file))
		error = -ENOSPC;
	if (file && fclose(file) && !error)
		error = errno ? -errno : -EIO;
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	if (!error)
		error = temporary(from, dir, name);
	if (!error && rename(from, to))
		error = -errno;
	if (error && !temporary(from, dir, name))
		unlink(from);
	return error;
}

static void plan_json(FILE *file, const struct wt_paper_plan *plan)
{
	struct wt_json json;

	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.paper.1");
	wt_json_string(&json, "record", "plan");
	wt_json_string(&json, "table", plan->paper->id);
	wt_json_string(&json, "backend", plan->backend);
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "commit", WT_COMMIT);
	wt_json_string(&json, "source", WT_SOURCE); /* two builds of one commit with changes, or of none, are two programs */
	wt_json_u64(&json, "seed", plan->seed);
	wt_json_u64(&json, "repeats", plan->repeats);
	wt_json_u64(&json, "looks", plan->looks > 1 ? plan->looks : 1);
	wt_json_number(&json, "level", plan->level > 0 ? plan->level : 0.05);
	wt_json_number(&json, "margin", plan->margin);
	wt_json_string(&json, "changed", plan->paper->changed);
	wt_json_string(&json, "fwd", plan->paper->fwd);
	wt_json_string(&json, "rev", plan->paper->rev);
	wt_json_string(&json, "preset", plan->paper->preset);
	wt_json_string(&json, "settings", plan->paper->settings);
	wt_paper_describe(&json, plan->paper);
	wt_json_end(&json);
}

static char *plan_line(const struct wt_paper_plan *plan)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return NULL;
	plan_json(file, plan);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

static int set_dir(struct wt_paper_files_out *out, const char *dir, char *err, size_t err_len)
{
	memset(out, 0, sizeof(*out));
	if (snprintf(out->dir, sizeof(out->dir), "%s", dir) < (int)sizeof(out->dir))
		return 0;
	snprintf(err, err_len, "name of the results folder is too long");
	return -ENAMETOOLONG;
}

int wt_paper_files_open(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan, char *err,
			size_t err_len)
{
	char *line = plan_line(plan);
	int error = set_dir(out, dir ? dir : "", err, err_len);

	if (!error && dir) {
		error = make(dir);
		if (error == -EEXIST)
			error = 0; /* a folder of the user's; files in it are not overwritten */
	} else if (!error) {
		error = wt_paper_files_fresh(out->dir, plan->paper->id, plan->backend);
	}
	if (!error)
		error = line ? wt_paper_store_create(&out->store, out->dir, line) : -ENOMEM;
	if (error)
		snprintf(err, err_len, "%s: %s", out->dir, error == -EEXIST ? "there are results in it; --resume goes on with them" : strerror(-error));
	free(line);
	return error;
}

int wt_paper_files_resume(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan,
			  struct wt_paper_record *records, char *err, size_t err_len)
{
	char *line = plan_line(plan);
	int error = set_dir(out, dir, err, err_len);

	snprintf(err, err_len, "no memory");
	if (!error)
		error = line ? wt_paper_store_resume(&out->store, dir, line, plan, records, err, err_len) : -ENOMEM;
	free(line);
	return error;
}

/* tokens-POINT-VARIANT.csv: the curves behind a mean number of tokens, of the first repeat. */
static int token_traces(const struct wt_paper_files_out *out, const struct wt_paper_plan *plan)
{
	char path[640];
	int error = 0;

	for (unsigned p = 0; p < plan->points && *plan->paper->meter; p++)
		for (unsigned v = 0; v < plan->paper->variants && !error; v++) {
			size_t at = (size_t)snprintf(path, sizeof(path), "%s/tokens-", out->dir);

			snprintf(path + at, sizeof(path) - at, "%s-%s.csv", plan->paper->point[plan->point[p]].label,
				 plan->paper->variant[v].name);
			for (char *c = path + at; *c; c++)
				if (*c == ' ')
					*c = '-';
			error = wt_paper_trace_tokens(plan, p, v, path);
		}
	return error;
}

/* What differs from machine to machine, so that the other files do not. */
static int write_facts(const struct wt_paper_files_out *out, const struct wt_paper_plan *plan, double wall)
{
	FILE *file = wt_paper_files_create(out->dir, "facts.jsonl");
	struct wt_json json;

	if (file) {
		wt_json_init(&json, file);
		wt_json_object(&json, NULL);
		wt_json_string(&json, "record", "facts");
		wt_json_string(&json, "version", WT_VERSION);
		wt_json_string(&json, "commit", WT_COMMIT);
		wt_json_string(&json, "source", WT_SOURCE);
		wt_json_string(&json, "compiler", WT_COMPILER);
		wt_json_u64(&json, "jobs", plan->jobs);
		wt_json_number(&json, "wall_s", wall > 0 ? wall : NAN);
		wt_host_facts(&json, "machine");
		wt_json_end(&json);
	}
	return wt_paper_files_shut(file, out->dir, "facts.jsonl");
}

static int write_runs(const struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_record *records,
		      const struct wt_paper_report *report)
{
	FILE *file = wt_paper_files_create(out->dir, "runs.jsonl");
	struct wt_json json;

	if (file) {
		plan_json(file, plan);
		for (uint32_t i = 0; i < wt_paper_count(plan); i++)
			if (records[i].outcome != WT_PAPER_NOT_RUN && records[i].outcome != WT_PAPER_STOPPED &&
			    records[i].outcome != WT_PAPER_SPARED)
				wt_paper_record_json(file, plan, i, &records[i]);
		wt_paper_json(file, plan, report);
		wt_json_init(&json, file);
		wt_json_object(&json, NULL);
		wt_json_string(&json, "record", "end");
		wt_json_u64(&json, "runs", report->runs);
		wt_json_u64(&json, "failed", report->failed);
		wt_json_u64(&json, "invalid", report->invalid);
		wt_json_u64(&json, "repetitions", report->repetitions);
		wt_json_bool(&json, "complete", report->complete);
		wt_json_number(&json, "simulated_s", report->simulated);
		wt_json_end(&json);
	}
	return wt_paper_files_shut(file, out->dir, "runs.jsonl");
}

static int write_tables(const struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report)
{
	FILE *file = wt_paper_files_create(out->dir, "table.csv");
	int error;

	if (file)
		wt_paper_csv(file, plan, report);
	error = wt_paper_files_shut(file, out->dir, "table.csv");
	file = error ? NULL : wt_paper_files_create(out->dir, "table.txt");
	if (file)
		wt_paper_print(file, plan, report, 0);
	return error ? error : wt_paper_files_shut(file, out->dir, "table.txt");
}

int wt_paper_files_close(struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_record *records,
			 const struct wt_paper_report *report, double wall)
{
	int error = out->store.error;

	if (!error)
		error = write_runs(out, plan, records, report);
	if (!error)
		error = write_tables(out, plan, report);
	if (!error)
		error = write_facts(out, plan, wall);
	if (!error)
		error = token_traces(out, plan);
	wt_paper_store_close(&out->store, !error && report->complete && !report->invalid);
	return error;
}

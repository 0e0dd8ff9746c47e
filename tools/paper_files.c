/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/drive/json.h"
#include "tools/host_facts.h"
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

FILE *wt_paper_files_create(const char *dir, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "wxe");
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
	wt_json_u64(&json, "seed", plan->seed);
	wt_json_u64(&json, "repeats", plan->repeats);
	wt_json_string(&json, "fwd", plan->paper->fwd);
	wt_json_string(&json, "rev", plan->paper->rev);
	wt_json_string(&json, "preset", plan->paper->preset);
	wt_json_string(&json, "settings", plan->paper->settings);
	wt_paper_describe(&json, plan->paper);
	wt_json_end(&json);
}

int wt_paper_files_open(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan, char *err,
			size_t err_len)
{
	int error;

	memset(out, 0, sizeof(*out));
	if (dir) {
		if (strlen(dir) >= sizeof(out->dir)) {
			snprintf(err, err_len, "name of the results folder is too long");
			return -ENAMETOOLONG;
		}
		snprintf(out->dir, sizeof(out->dir), "%s", dir);
		error = make(dir);
		if (error == -EEXIST)
			error = 0; /* a folder of the user's; files in it are not overwritten */
	} else {
		error = wt_paper_files_fresh(out->dir, plan->paper->id, plan->backend);
	}
	if (!error) {
		out->runs = wt_paper_files_create(out->dir, "runs.jsonl");
		if (!out->runs)
			error = -errno;
	}
	if (error) {
		snprintf(err, err_len, "%s/runs.jsonl: %s", out->dir, strerror(-error));
		return error;
	}
	plan_json(out->runs, plan);
	return 0;
}

/* After a failed write the file may end in a torn line: cut it off. */
static void cut_torn_line(const struct wt_paper_files_out *out)
{
	char path[600];
	FILE *file;
	long whole = 0;
	int c;

	snprintf(path, sizeof(path), "%s/runs.jsonl", out->dir);
	file = fopen(path, "re");
	while (file && (c = getc(file)) != EOF)
		if (c == '\n')
			whole = ftell(file);
	if (file)
		fclose(file);
	if (truncate(path, whole) && errno != ENOENT)
		fprintf(stderr, "wavetank: %s: %s\n", path, strerror(errno));
}

int wt_paper_files_shut(FILE *file)
{
	int error;

	if (!file)
		return errno ? -errno : -EIO;
	error = ferror(file) ? -ENOSPC : 0;
	if (fclose(file) && !error)
		error = errno ? -errno : -EIO;
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
		wt_json_number(&json, "wall_s", wall);
		wt_host_facts(&json, "machine");
		wt_json_end(&json);
	}
	return wt_paper_files_shut(file);
}

int wt_paper_files_close(struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report,
			 double wall)
{
	struct wt_json json;
	FILE *file;
	int error, more;

	wt_paper_json(out->runs, plan, report);
	wt_json_init(&json, out->runs);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "end");
	wt_json_u64(&json, "runs", report->runs);
	wt_json_u64(&json, "failed", report->failed);
	wt_json_u64(&json, "invalid", report->invalid);
	wt_json_u64(&json, "repetitions", report->repetitions);
	wt_json_bool(&json, "complete", report->runs == wt_paper_count(plan));
	wt_json_number(&json, "simulated_s", report->simulated);
	wt_json_end(&json);
	error = wt_paper_files_shut(out->runs);
	if (error)
		cut_torn_line(out);
	file = wt_paper_files_create(out->dir, "table.csv");
	if (file)
		wt_paper_csv(file, plan, report);
	more = wt_paper_files_shut(file);
	error = error ? error : more;
	file = wt_paper_files_create(out->dir, "table.txt");
	if (file)
		wt_paper_print(file, plan, report, 0);
	more = wt_paper_files_shut(file);
	error = error ? error : more;
	more = write_facts(out, plan, wall);
	error = error ? error : more;
	more = token_traces(out, plan);
	return error ? error : more;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/store.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/paper/results.h"

static int name(char path[600], const char *dir, const char *file)
{
	return snprintf(path, 600, "%s/%s", dir, file) < 600 ? 0 : -ENAMETOOLONG;
}

static int open_for_lines(struct wt_paper_store *store, int flags)
{
	store->file.fd = open(store->path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
	return store->file.fd < 0 ? -errno : wt_line_file_lock(store->file.fd);
}

int wt_paper_store_create(struct wt_paper_store *store, const char *dir, const char *plan_line)
{
	char results[600];
	int error = name(results, dir, "runs.jsonl");

	*store = (struct wt_paper_store){.file = {.fd = -1}};
	if (!error)
		error = name(store->path, dir, "done.jsonl");
	if (!error && access(results, F_OK) == 0)
		error = -EEXIST;
	if (!error)
		error = open_for_lines(store, O_CREAT | O_EXCL);
	return error ? error : wt_line_file_add(&store->file, plan_line, strlen(plan_line));
}

/* ---- what is there ---------------------------------------------------------------------------------------- */

/* False: the line is torn, or none of ours. */
static bool take(const char *line, const struct wt_paper_plan *plan, struct wt_paper_record *records)
{
	json_t *root = json_loads(line, 0, NULL);
	const char *kind = json_string_value(json_object_get(root, "record"));
	struct wt_paper_record record;
	uint32_t index;
	bool known = kind != NULL;

	if (kind && !strcmp(kind, "run")) {
		known = wt_paper_record_parse(plan, root, &index, &record) == 0;
		if (known)
			records[index] = record;
	}
	json_decref(root);
	return known;
}

/* *end: where its last whole line ends. */
static int read_lines(const char *path, const char *plan_line, const struct wt_paper_plan *plan, struct wt_paper_record *records,
		      uint64_t *end, char *err, size_t err_len)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int error = 0;
	ssize_t len;

	*end = 0;
	if (!file)
		return -errno;
	for (unsigned number = 1; !error && (len = getline(&line, &room, file)) > 0 && line[len - 1] == '\n'; number++) {
		if (number == 1 ? strcmp(line, plan_line) != 0 : !take(line, plan, records)) {
			error = -EINVAL;
			snprintf(err, err_len, "%s:%u: %s", path, number,
				 number > 1 ? "not a record of this table" :
				 "this is of another table, seed, number of repeats or version of the program; -o another folder");
		}
		*end += (uint64_t)len;
	}
	if (!error && !*end) {
		error = -EINVAL;
		snprintf(err, err_len, "%s: no plan in it", path);
	}
	free(line);
	fclose(file);
	return error;
}

/* In real time the host may be less busy by now. */
static void forget_invalid(const struct wt_paper_plan *plan, struct wt_paper_record *records)
{
	for (uint32_t i = 0; i < wt_paper_count(plan); i++)
		if (records[i].outcome == WT_PAPER_INVALID)
			records[i] = (struct wt_paper_record){.outcome = WT_PAPER_NOT_RUN};
}

static bool missing(const struct wt_paper_plan *plan, const struct wt_paper_record *records)
{
	for (uint32_t i = 0; i < wt_paper_count(plan); i++)
		if (records[i].outcome == WT_PAPER_NOT_RUN)
			return true;
	return false;
}

/* From results that did not come to their end and whose done.jsonl is gone. */
static int begin_anew(struct wt_paper_store *store, const char *plan_line, const struct wt_paper_plan *plan,
		      const struct wt_paper_record *records)
{
	int error = open_for_lines(store, O_CREAT | O_EXCL);

	if (!error)
		error = wt_line_file_add(&store->file, plan_line, strlen(plan_line));
	for (uint32_t i = 0; i < wt_paper_count(plan) && !error; i++)
		if (records[i].outcome != WT_PAPER_NOT_RUN)
			error = wt_paper_store_add(store, plan, i, &records[i]);
	return error;
}

int wt_paper_store_resume(struct wt_paper_store *store, const char *dir, const char *plan_line, const struct wt_paper_plan *plan,
			  struct wt_paper_record *records, char *err, size_t err_len)
{
	char results[600];
	uint64_t end;
	int error = name(results, dir, "runs.jsonl");

	*store = (struct wt_paper_store){.file = {.fd = -1}};
	*err = '\0';
	if (!error)
		error = name(store->path, dir, "done.jsonl");
	if (!error)
		error = open_for_lines(store, 0); /* before it is read: another may be adding to it */
	if (!error)
		error = read_lines(store->path, plan_line, plan, records, &store->file.size, err, err_len);
	if (!error)
		error = wt_line_file_cut(&store->file);
	if (error == -ENOENT) { /* it came to its end */
		error = read_lines(results, plan_line, plan, records, &end, err, err_len);
		if (!error && missing(plan, records))
			error = begin_anew(store, plan_line, plan, records);
	}
	if (error && !*err)
		snprintf(err, err_len, "%s: %s", dir, error == -EBUSY ? "another process is at it" :
			 error == -ENOENT ? "nothing to go on with" : strerror(-error));
	if (!error)
		forget_invalid(plan, records);
	return error;
}

/* ---- what is added ---------------------------------------------------------------------------------------- */

int wt_paper_store_add(struct wt_paper_store *store, const struct wt_paper_plan *plan, uint32_t index, const struct wt_paper_record *record)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = store->error ? NULL : open_memstream(&text, &len);

	if (file) {
		wt_paper_record_json(file, plan, index, record);
		store->error = fclose(file) ? -ENOMEM : wt_line_file_add(&store->file, text, len);
		free(text);
	}
	return store->error;
}

void wt_paper_store_close(struct wt_paper_store *store, bool whole)
{
	if (store->file.fd >= 0)
		close(store->file.fd);
	if (whole && *store->path)
		unlink(store->path);
	store->file.fd = -1;
}

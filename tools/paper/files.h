/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of a table: done.jsonl while it goes on (paper_store.h), at the end runs.jsonl, table.csv, table.txt and facts.jsonl. */
#ifndef WT_TOOLS_PAPER_FILES_H
#define WT_TOOLS_PAPER_FILES_H

#include "stack/record/json.h"
#include "tools/paper/run.h"
#include "tools/paper/store.h"

struct wt_paper_files_out {
	char dir[512];
	struct wt_paper_store store;
};

/* Makes results/NAME-BACKEND, with -2, -3 ... if it is taken (slashes of the name become dashes), and writes its name to dir. */
int wt_paper_files_fresh(char dir[512], const char *id, const char *backend);
/* Opens a file of results under another name, and closes it: only a whole file takes its place. 0, or negative errno (a full disk). */
FILE *wt_paper_files_create(const char *dir, const char *name);
int wt_paper_files_shut(FILE *file, const char *dir, const char *name);
/*
 * Makes `dir`, which must not exist or be empty of results; NULL: results/TABLE-BACKEND, with -2, -3 ... if it is taken. 0, or negative
 * errno with a sentence in err.
 */
int wt_paper_files_open(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan, char *err,
			size_t err_len);
/* Goes on with `dir`, which must be there: reads the records of what is done. */
int wt_paper_files_resume(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan,
			  struct wt_paper_record *records, char *err, size_t err_len);
/* Writes the result files and closes. 0, or the first write error: what is done is in done.jsonl then. */
int wt_paper_files_close(struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_record *records,
			 const struct wt_paper_report *report, double wall);

/* An object "experiment": title, source, parameters, protocols, rows with their notes. */
void wt_paper_describe(struct wt_json *json, const struct wt_paper *paper);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder a sweep writes to: runs.jsonl while it goes on, table.csv and table.txt at the end. */
#ifndef WT_TOOLS_PAPER_FILES_H
#define WT_TOOLS_PAPER_FILES_H

#include "stack/drive/json.h"
#include "tools/paper_run.h"

struct wt_paper_files_out {
	char dir[512];
	FILE *runs;
};

/* Makes results/NAME-BACKEND, with -2, -3 ... if it is taken (slashes of the name become dashes), and writes its name to dir. */
int wt_paper_files_fresh(char dir[512], const char *id, const char *backend);
/* Creates a file of results that must not be there yet, and closes one: 0, or negative errno (a full disk, a missing file). */
FILE *wt_paper_files_create(const char *dir, const char *name);
int wt_paper_files_shut(FILE *file);
/*
 * Makes `dir`, which must not exist or be empty of results; NULL: results/TABLE-BACKEND, with -2, -3 ... if it is taken. 0, or negative
 * errno with a sentence in err.
 */
int wt_paper_files_open(struct wt_paper_files_out *out, const char *dir, const struct wt_paper_plan *plan, char *err,
			size_t err_len);
/* Writes what is left and closes. 0, or the first write error: runs.jsonl then ends with the last whole line. */
int wt_paper_files_close(struct wt_paper_files_out *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report,
			 double wall);

/* An object "experiment": title, source, parameters, protocols, rows with their notes. */
void wt_paper_describe(struct wt_json *json, const struct wt_paper *paper);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads back what a sweep over a published table has written: runs.jsonl. */
#ifndef WT_TOOLS_PAPER_RESULTS_H
#define WT_TOOLS_PAPER_RESULTS_H

#include "tools/paper/judge.h"

struct wt_paper_results {
	struct wt_paper paper;
	struct wt_paper_plan plan; /* of all rows; those that were not run have no records that are OK */
	struct wt_paper_record *records;
	bool complete; /* the sweep reached its end: no run of the plan is missing */
};

/*
 * DIR/runs.jsonl as runs of results->paper, which the caller has set. 0, -ENOENT (no such file), -EINVAL (not one of ours, or of another
 * table), each with a sentence in err. Finish after 0.
 */
int wt_paper_results_read(struct wt_paper_results *results, const char *dir, char *err, size_t err_len);
/* Where the results of a table, "PAPER/TABLE" or "TABLE", are below DIR: PAPER/TABLE if there is such a folder, else TABLE. */
void wt_paper_results_dir(const char *dir, const char *table, char *path, size_t len);
/* FAMILY/OBJECT from where wt_paper_results_dir() finds it; metric NULL: its first. An object that names its own paper, "PAPER/TABLE", is that. */
int wt_paper_results_load(struct wt_paper_results *results, const char *dir, const char *family, const char *object, const char *metric,
			  char *err, size_t err_len);
void wt_paper_results_finish(struct wt_paper_results *results);
/* The number of one run in the table's metric, NaN if it failed or never was. */
double wt_paper_results_value(const struct wt_paper_results *results, unsigned repeat, unsigned point, unsigned variant);

#define WT_PAPER_RESULTS_DIR "results/tcp-real-2001-sim" /* where 'paper run tcp-real-2001' writes, unless told otherwise */
/* The folder of --results, or that default where nothing was said. A folder that was named and is not there: NULL, said in one line. */
const char *wt_paper_results_said(const char *said);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads back what a sweep has written: runs.jsonl of one table. */
#ifndef WT_TOOLS_PAPER_RESULTS_H
#define WT_TOOLS_PAPER_RESULTS_H

#include <jansson.h>

#include "tools/paper/run.h"

struct wt_paper_results {
	struct wt_paper paper;
	struct wt_paper_plan plan; /* of all rows; those that were not run have no records that are OK */
	struct wt_paper_record *records;
};

/*
 * FAMILY/OBJECT from DIR/OBJECT/runs.jsonl. 0, -ENOENT (no such file), -EINVAL (not one of ours, or of another table), each with a
 * sentence in err. Finish after 0.
 */
int wt_paper_results_load(struct wt_paper_results *results, const char *dir, const char *family, const char *object, char *err,
			  size_t err_len);
void wt_paper_results_finish(struct wt_paper_results *results);
/* The record of a run and its place in the plan, from its line. 0 or -EINVAL: not of this plan. */
int wt_paper_record_parse(const struct wt_paper_plan *plan, const json_t *line, uint32_t *index, struct wt_paper_record *record);
/* The number of one run in the table's metric, NaN if it failed or never was. */
double wt_paper_results_value(const struct wt_paper_results *results, unsigned repeat, unsigned point, unsigned variant);

#endif

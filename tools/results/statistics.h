/* SPDX-License-Identifier: BSD-2-Clause */
/* What the repeats of each cell come to, beyond mean and t: for people, for JSON, and for the page of `report build`. */
#ifndef WT_TOOLS_RESULTS_STATISTICS_H
#define WT_TOOLS_RESULTS_STATISTICS_H

#include <stdio.h>

#include "stack/record/json.h"
#include "tools/results/results.h"

void wt_report_stats_print(FILE *out, const struct wt_results *results);
/* An object per cell into the open array. */
void wt_report_stats_json(struct wt_json *json, const struct wt_results *results);
/* Loads a results folder and prints it. An exit code. */
int wt_report_stats_folder(const char *dir, bool json);

#endif

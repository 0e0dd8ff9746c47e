/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WT_TOOLS_REPORT_COMPARE_H
#define WT_TOOLS_REPORT_COMPARE_H

#include <stdio.h>

#include "stack/record/json.h"
#include "tools/results/results.h"

struct wt_comparison {
	unsigned cells, agree, empty; /* empty: no finished run on one side */
};

/* The cells both have. With json: an object per cell is added to an array that is open. out NULL: nothing printed. */
struct wt_comparison wt_report_compare(FILE *out, struct wt_json *json, const struct wt_results *a, const struct wt_results *b);

#endif

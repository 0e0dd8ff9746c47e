/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of the printed numbers a set of results explains: the root mean square of the natural logarithms of ours over printed (0.1:
 * ten per cent off), table by table, as the files have it and under each change that has results.
 */
#ifndef WT_TOOLS_PAPER_EXPLAIN_H
#define WT_TOOLS_PAPER_EXPLAIN_H

#include <stdio.h>

#include "stack/record/json.h"
#include "tools/paper/results.h"

#define WT_EXPLAIN_TABLES 16
#define WT_EXPLAIN_DRAWS 200

struct wt_misprint {
	unsigned cells, match;   /* match: the printed value lies where 95 % of our single runs lie */
	double squares[1 + WT_EXPLAIN_DRAWS]; /* sum over the cells; [1...] with the repeats of each table drawn anew (bootstrap) */
	double rms, low, high;   /* with its 95 % interval, which is that of our means: the printed runs are what they are */
};

struct wt_explained {
	char name[64]; /* of the change; empty: none */
	struct wt_misprint table[WT_EXPLAIN_TABLES], all;
};

struct wt_explanation {
	unsigned tables, ways;
	char table[WT_EXPLAIN_TABLES][24];
	struct wt_explained way[1 + WT_PAPER_CHANGES];
	unsigned cells, neither; /* of the cells that every stack has: those that match under none of them */
};

/* Adds the cells of one table's results to `into`. */
void wt_explain_add(struct wt_misprint *into, const struct wt_paper_results *results);
/* rms, low and high from the sums. */
void wt_explain_settle(struct wt_misprint *misprint);
/* All tables in DIR and in DIR/CHANGE. False: there are none, or no memory. */
bool wt_explain(struct wt_explanation *explanation, const char *dir);
/* One sentence: which stack explains more, with intervals, and what neither does; empty: there is only one. */
void wt_explain_headline(const struct wt_explanation *explanation, char *out, size_t len);
void wt_explain_print(FILE *out, const struct wt_explanation *explanation);
/* As the members of an object that is open. */
void wt_explain_json(struct wt_json *json, const struct wt_explanation *explanation);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A published table: the printed side of a sweep (tools/sweep/file.h). Its rows are the points of the sweep, its columns the words of the axis
 * `variant`; [printed] has the numbers of the sweep's metric, [printed METRIC] those of another one, each a table of its own.
 */
#ifndef WT_TOOLS_PAPER_TABLE_H
#define WT_TOOLS_PAPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sweep/file.h"

#define WT_PAPER_POINTS 16
#define WT_PAPER_VARIANTS 12
#define WT_PAPER_METRICS 12
#define WT_PAPER_CHANGES 12

/* What a table counts: a number of the result (tools/results/metric.h). Its column names are NAME_mean_UNIT and so on. */
struct wt_paper_metric {
	char path[96];  /* "goodput_kBps" */
	char name[64];  /* "goodput" */
	char unit[16];  /* as in print: "KB/s" */
	char key[16];   /* in column names: "kBps" */
	char heading[96]; /* for people */
};

struct wt_paper_cell {
	double value;   /* in the table's metric, as printed; NaN: not printed */
	double time;    /* seconds, as printed, beside a goodput; NaN */
	char suspect[200]; /* why the printed value is not to be trusted; empty: it may be */
};

struct wt_paper_point {
	char label[48];
	char note[240];
	struct wt_paper_cell cell[WT_PAPER_VARIANTS];
};

struct wt_paper_variant {
	char name[32], label[32];
};

struct wt_paper {
	char id[128], title[160], source[320], axis[80];
	char changed[64]; /* the name of the change that was made; empty: none */
	struct wt_paper_metric metric;
	unsigned points, variants;
	struct wt_paper_point point[WT_PAPER_POINTS];
	struct wt_paper_variant variant[WT_PAPER_VARIANTS];
};

/* How many metrics a sweep has printed numbers of: each is a table. 0: it is no published table. */
unsigned wt_paper_tables(const struct wt_sweep *sweep);
/* One of them. 0, or -EINVAL with "FILE:LINE: ..." in err. */
int wt_paper_view(const struct wt_sweep *sweep, unsigned table, struct wt_paper *paper, char *err, size_t err_len);
/* That of a metric (NULL: the first one) of a sweep by name. 0, -EINVAL, or an error of wt_sweep_load(), with a sentence in err. */
int wt_paper_load(const char *id, const char *metric, struct wt_paper *paper, char *err, size_t err_len);

/* A parameter as the section of a variant has it, else as [run] has it (variant NULL: that); empty: the default. */
const char *wt_paper_param(const struct wt_sweep *sweep, const char *variant, enum wt_sweep_param which);

/* The names of all changes that the tables of a paper ("tcp-real-2001") declare, in their order. */
struct wt_paper_changes {
	unsigned count;
	char name[WT_PAPER_CHANGES][64];
};
void wt_paper_changes_of(const char *family, struct wt_paper_changes *changes);
/* Is the table of this paper? */
bool wt_paper_belongs(const char *table, const char *family);

#endif

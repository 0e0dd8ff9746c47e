/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of a published table beside its printed numbers: one record per run, verdicts on cells and orders, the table in text, CSV, JSON. */
#ifndef WT_TOOLS_PAPER_JUDGE_H
#define WT_TOOLS_PAPER_JUDGE_H

#include <stdio.h>

#include "stack/record/json.h"
#include "tools/paper/table.h"
#include "tools/results/stats.h"

#define WT_PAPER_LEVEL 0.05  /* of every verdict on an order */
#define WT_PAPER_CELLS 0.05  /* of every word on a cell */
#define WT_PAPER_MARGIN 0.02 /* a difference shown to lie within this share of the larger mean is level */

enum wt_paper_outcome {
	WT_PAPER_NOT_RUN, /* not reached, or the row was decided without it */
	WT_PAPER_OK,
	WT_PAPER_FAILED,  /* did not finish within the limit, connection lost, bytes wrong */
	WT_PAPER_INVALID, /* in real time: the host was too busy for the result to mean anything */
};

struct wt_paper_record {
	enum wt_paper_outcome outcome;
	uint32_t attempts; /* in real time */
	char why[160];     /* of FAILED and INVALID */
	double value;      /* in the table's metric; NaN: the run has none */
	double spread;     /* of tokens: deviation over mean of one round trip's */
	double simulated;
};

/* Runs are numbered repeat by repeat: index = (repeat * points + point) * variants + variant. */
struct wt_paper_plan {
	const struct wt_paper *paper;
	char backend[8]; /* "sim", "tap", "packet" */
	uint32_t repeats; /* with looks: at most */
	/*
	 * Looks: 1, or after the first repeats a row is judged, and those still open get three times as many, and again. So often is each
	 * pair asked, so each time at `level` = 5 % / looks: a wrong word at any look in at most 5 % of cases (Bonferroni).
	 */
	uint32_t looks;
	double level;  /* of every verdict on an order; 0: 5 % */
	double margin; /* 0: only identical runs are level */
	double cells;  /* how often the word on a cell may be wrong (tools/paper/cell.h); 0: a word at once, by the spread of these runs */
	uint64_t seed; /* repeat k ran with seed + k: the same losses for every variant and point */
};

struct wt_paper_place {
	unsigned repeat, point, variant;
};

uint32_t wt_paper_count(const struct wt_paper_plan *plan);
struct wt_paper_place wt_paper_at(const struct wt_paper_plan *plan, uint32_t index);
const struct wt_paper_record *wt_paper_record(const struct wt_paper_plan *plan, const struct wt_paper_record *records,
					      unsigned repeat, unsigned point, unsigned variant);

/* ---- what is made of them ----------------------------------------------------------------------------- */

enum wt_paper_order { WT_ORDER_NONE, WT_ORDER_AGREES, WT_ORDER_UNDECIDED, WT_ORDER_DIFFERS, WT_ORDER_LEVEL, WT_ORDERS };

/* Two protocols in one row: by paired differences a - b of the same seeds. */
struct wt_paper_pair {
	struct wt_mean difference;
	double p;   /* how likely by chance */
	bool level; /* shown to be level within the margin, or the same runs */
	bool same;  /* the same number in every repeat: the same runs */
};

struct wt_paper_pair wt_paper_compare(const double *a, const double *b, size_t repeats, double level, double margin);

struct wt_paper_cell_result {
	struct wt_mean ours; /* in the table's metric */
	unsigned failed, invalid;
	double ratio;        /* ours / paper; NaN */
	double one;          /* half of the 95 % interval of one run of ours, beside which one printed run is judged; NaN */
	bool in_mean;        /* the 95 % interval of our mean holds the printed value too */
	const char *verdict; /* match near rank differs undecided suspect failed invalid n/a */
};

struct wt_paper_row_result {
	struct wt_paper_cell_result cell[WT_PAPER_VARIANTS];
	enum wt_paper_order order;
	bool open;  /* a pair of protocols is neither decided nor shown to be level, or a cell is undecided */
	double tau; /* Kendall, suspect cells left out */
};

struct wt_paper_report {
	struct wt_paper_row_result row[WT_PAPER_POINTS]; /* by point */
	unsigned runs, failed, invalid; /* runs: all that ended, those too */
	unsigned repeated;              /* runs that were tried more than once; and how often in all */
	unsigned repetitions;
	double simulated;
};

void wt_paper_judge(const struct wt_paper_plan *plan, const struct wt_paper_record *records, struct wt_paper_report *report);
/* The table for people (wall 0: without the time it took); the same as CSV; as JSON Lines, one per cell. */
void wt_paper_print(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report, double wall);
/* One line: how many cells of each verdict, how many orders. */
void wt_paper_summary(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report);
void wt_paper_csv(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report);
void wt_paper_json(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report);
/* The table itself as one JSON line: what a page needs to know of it beside the runs. */
void wt_paper_describe(FILE *out, const struct wt_paper_plan *plan, const struct wt_sweep *sweep);

/*
 * Says cell by cell whether the real-time mean agrees with virtual time: whether one distribution explains both. The number of cells that
 * do; *cells, of how many.
 */
unsigned wt_paper_agreement(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *real,
			    const struct wt_paper_report *virtual_time, unsigned virtual_repeats, unsigned *cells);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of a published table: the plan, one record per run, what is made of them. */
#ifndef WT_TOOLS_PAPER_RUN_H
#define WT_TOOLS_PAPER_RUN_H

#include <stdio.h>

#include "emu/daemon/verdict.h"
#include "tools/paper/table.h"
#include "tools/app/simulation.h"
#include "tools/results/stats.h"

enum wt_paper_outcome {
	WT_PAPER_NOT_RUN, /* not reached (^C) */
	WT_PAPER_OK,
	WT_PAPER_FAILED,  /* did not finish within the limit, connection lost, bytes wrong */
	WT_PAPER_STOPPED, /* cut short by ^C: counts as not run */
	WT_PAPER_INVALID, /* in real time: the host was too busy for the result to mean anything */
	WT_PAPER_SPARED,  /* the row was decided without it */
};

struct wt_paper_record {
	uint32_t outcome; /* enum wt_paper_outcome */
	uint32_t attempts; /* in real time */
	char why[160];    /* of FAILED and INVALID */
	double goodput;   /* KB/s, 1000 bytes */
	double time;      /* seconds, first SYN to last acknowledgement */
	double success;   /* % of the reads of the application; NaN: it makes none */
	double tokens;    /* KB of tokens per round trip; NaN: no bucket is watched */
	double tokens_spread; /* deviation over mean of one round trip's */
	double simulated, wall;
	uint64_t sent_segs, retransmits_segs, fast_recoveries, timeouts, dropped_frames;
};

/* Runs are numbered repeat by repeat, so that a sweep cut short is balanced: index = (repeat * points + point) * variants + variant. */
struct wt_paper_plan {
	const struct wt_paper *paper;
	const char *backend; /* "sim", "tap", "packet" */
	unsigned points, point[WT_PAPER_POINTS]; /* indices into paper->point */
	uint32_t repeats; /* with looks: at most */
	/*
	 * Looks: 1, or after `first` repeats a row is judged, and those still open get three times as many, up to `repeats`. So
	 * often is each pair asked, so each time at `level` = 5 % / looks: a wrong word at any look in at most 5 % of cases (Bonferroni).
	 */
	uint32_t first, looks;
	double level;  /* of every verdict on an order; 0: 5 % */
	double margin; /* a difference shown to lie within this share of the larger mean is level; 0: only identical runs are */
	uint64_t seed; /* repeat k runs with seed + k: the same losses for every variant and point */
	unsigned jobs; /* at a time; 0: as many as cores */
	struct wt_verdict_bounds bounds; /* in real time, of a run while the host is not too busy */
	uint64_t attempts; /* in real time, at most, while the host is too busy */
};

/* The record's number in the table's metric. */
double wt_paper_value(const struct wt_paper *paper, const struct wt_paper_record *record);

struct wt_paper_place {
	unsigned repeat, point, variant; /* point: index into plan->point */
};

uint32_t wt_paper_count(const struct wt_paper_plan *plan);
struct wt_paper_place wt_paper_at(const struct wt_paper_plan *plan, uint32_t index);
const struct wt_paper_record *wt_paper_record(const struct wt_paper_plan *plan, const struct wt_paper_record *records,
					      unsigned repeat, unsigned point, unsigned variant);

/* What a cell says. */
struct wt_paper_words {
	char fwd[640], rev[640], app[256];
	struct wt_app_flow flow;
	struct wt_token_config tokens;
};
/* Its world, which uses the words; 0, or -EINVAL with a sentence in err. Finish either way. */
int wt_paper_simulation(const struct wt_paper_plan *plan, unsigned point, unsigned variant, uint64_t seed,
		      struct wt_paper_words *words, struct wt_simulation *simulation, char *err, size_t err_len);
/* Checks every cell's words without running anything. */
int wt_paper_check(const struct wt_paper_plan *plan, char *err, size_t err_len);

/* One run of the first repeat again, to write the tokens of each round trip to a CSV file. 0, or negative errno. */
int wt_paper_trace_tokens(const struct wt_paper_plan *plan, unsigned point, unsigned variant, const char *file);
/* One run in virtual time. */
void wt_paper_run_sim(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record, const volatile int *stop);

/*
 * Runs what of the plan has no record yet on all workers, with a progress bar; `run` is the backend's. records: wt_paper_count(). keep: is
 * called for each run as it ends, in no order, NULL: nowhere; if it fails the rest is not run. The number finished, or negative errno.
 */
typedef void wt_paper_run_fn(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record,
			     const volatile int *stop);
struct wt_paper_store;
/* With looks the rows that are decided early are spared the rest. */
int64_t wt_paper_sweep(const struct wt_paper_plan *plan, wt_paper_run_fn *run, struct wt_paper_record *records, struct wt_paper_store *keep,
		       const volatile int *interrupt);

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
	const char *verdict; /* match near rank differs suspect failed invalid n/a */
};

struct wt_paper_row_result {
	struct wt_paper_cell_result cell[WT_PAPER_VARIANTS];
	enum wt_paper_order order;
	bool open;  /* a pair of protocols is neither decided nor shown to be level */
	double tau; /* Kendall, suspect cells left out */
};

struct wt_paper_report {
	struct wt_paper_row_result row[WT_PAPER_POINTS]; /* by plan->point */
	unsigned runs, failed, invalid; /* runs: all that ended, those too */
	bool complete; /* nothing is left to run */
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
/* One run as a JSON line. */
void wt_paper_record_json(FILE *out, const struct wt_paper_plan *plan, uint32_t index, const struct wt_paper_record *record);

#endif

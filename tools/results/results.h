/* SPDX-License-Identifier: BSD-2-Clause */
/* Result folders read back (runs.jsonl, docs/files.md): for reports and comparisons. */
#ifndef WT_TOOLS_RESULTS_RESULTS_H
#define WT_TOOLS_RESULTS_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "tools/results/stats.h"

#define WT_RESULTS_CELLS 4096

struct wt_results_cell {
	char point[96], variant[32];
	double *sample; /* by repeat; NaN: failed or not there */
	size_t count, room;
	struct wt_mean mean;
	double jain;      /* mean of the runs' index of fairness, of sweeps with several flows; NaN: none */
	double jain_sum;
	size_t jains;
};

struct wt_results {
	char dir[512], table[96], backend[32];
	char metric[96], unit[32]; /* of what is compared: "goodput_kBps", "kBps" */
	bool printed; /* of a published table: points are its rows, else words of axes */
	char series[16]; /* of a sweep: the axis that stands for the protocol: variant, else stack, else sender; or empty */
	char baseline[32]; /* the protocol others are set against: Reno, else the last; empty: there is only one */
	bool planned, complete, ended, jain; /* planned: it has a plan */
	unsigned cells;
	struct wt_results_cell cell[WT_RESULTS_CELLS];
};

/* The folders with a runs.jsonl: `dir` itself or those right below it, sorted. Calls fn for each; returns how many. */
unsigned wt_results_folders(const char *dir, void (*fn)(void *arg, const char *dir), void *arg);
/*
 * Finds what a word means: a folder, or TABLE@BACKEND (table1@sim), the newest such folder below results/. 0, -ENOENT with a
 * sentence in err.
 */
int wt_results_find(const char *word, char *dir, size_t len, char *err, size_t err_len);
/*
 * Calls take(arg, record, number, why, len) for each record of dir/runs.jsonl, from number 1, until one does not return 0: negative errno
 * with what is wrong in why, or 1: enough. A last line that was cut off, by a full disk or a kill, is left out. 0, or negative errno with a
 * sentence in err.
 */
typedef int wt_results_take(void *arg, json_t *record, unsigned long number, char *why, size_t len);
int wt_results_records(const char *dir, wt_results_take *take, void *arg, char *err, size_t err_len);
/* Reads runs.jsonl. 0, or negative errno with a sentence in err; finish in any case. */
int wt_results_load(struct wt_results *results, const char *dir, char *err, size_t err_len);
void wt_results_finish(struct wt_results *results);
const struct wt_results_cell *wt_results_cell(const struct wt_results *results, const char *point, const char *variant);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A published table run: a sweep (tools/sweep/run.h), judged. Its folder has what a sweep's has, and table.txt, table.csv, table.jsonl. */
#ifndef WT_TOOLS_PAPER_RUN_H
#define WT_TOOLS_PAPER_RUN_H

#include "tools/paper/judge.h"

/* What the command line says over the file. */
struct wt_paper_job {
	const char *id, *backend; /* backend NULL: the file's */
	const char *points;       /* labels of rows, with commas; NULL: all */
	const char *preset;       /* under this one, though the file may not declare it; NULL: none */
	char change[64];          /* without-RULE, under-PRESET; empty: as the file has it */
	uint64_t repeats, jobs, attempts, seed; /* 0: the file's */
	bool has_seed, json, until; /* until: more repeats where an order is open */
	double margin, cells;
	struct wt_verdict_bounds bounds; /* late 0, steal below 0: the file's */
	FILE *summary; /* a line per table goes there; NULL: nowhere */
	volatile int *interrupt;
};

/* Loads, and says what the job says; a fault in one sentence. 0, -ENODATA (nothing to run) or -EINVAL, -ENOENT, -ENOMEM. Finish in any case. */
int wt_paper_prepare(const struct wt_paper_job *job, struct wt_sweep *sweep, char *err, size_t err_len);
/* Runs what is missing in `dir` (NULL: a folder of its name below results/), judges and prints. An exit code. */
int wt_paper_run(const struct wt_paper_job *job, struct wt_sweep *sweep, const char *dir);

#endif

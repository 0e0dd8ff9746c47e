/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result files of a sweep, composed from what is done: runs.jsonl, which depends on the plan and the seeds alone, and facts.jsonl,
 * which holds what does not: hosts, times of day, wall time; runs.csv, the numbers of runs.jsonl as a table. docs/files.md describes them.
 */
#ifndef WT_TOOLS_SWEEP_FILES_H
#define WT_TOOLS_SWEEP_FILES_H

#include "tools/sweep/run.h"

/*
 * Opens DIR/NAME for writing under another name, and closes it: only a whole file takes its place, and none where there was an error before.
 * 0, that error, or a negative errno (a full disk).
 */
FILE *wt_sweep_create(const char *dir, const char *name);
int wt_sweep_shut(FILE *file, int error, const char *dir, const char *name);
/* The line that opens a session of work, in a done file and in facts.jsonl: host, program, time. malloc'ed; NULL: no memory. */
char *wt_sweep_start_text(const struct wt_sweep_state *state);
/* Writes them, each under another name first: what stands there is whole. 0 or negative errno. The state is settled. */
int wt_sweep_compose(const struct wt_sweep_state *state, char *err, size_t err_len);

#endif

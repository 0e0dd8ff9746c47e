/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a sweep is done. A folder holds files done*.jsonl, one per machine or shard that works at it; each line is a finished run with
 * its id, what it cost and its result, written by one write() in the order the runs ended. A line that a crash tore off is cut away
 * when the file is opened for writing, and not seen by readers. Runs are found by id, whatever file they are in; of two lines with one
 * id the later stands.
 */
#ifndef WT_TOOLS_SWEEP_STORE_H
#define WT_TOOLS_SWEEP_STORE_H

#include <stdio.h>

#include "tools/common/line_file.h"
#include "tools/sweep/point.h"
#include "tools/sweep/work.h"

struct wt_sweep_done {
	char id[WT_SWEEP_ID];
	uint8_t outcome; /* enum wt_sweep_outcome */
	bool again;      /* the host's fault, not the run's: done again by the next sweep */
	uint32_t file, len, result_at; /* of the line; where in it the result begins */
	uint64_t offset;
	double metric;   /* of the sweep; NaN if the run has none */
	double wall;
};

struct wt_sweep_store {
	char dir[600];
	const char *metric;
	size_t count, room;
	struct wt_sweep_done *done;
	uint32_t *slot; /* hash table of `room` * 2 entries: index + 1 */
	unsigned files;
	int *fd;
	struct wt_line_file out; /* the file we append to */
	uint32_t out_file;
};

/* Reads every done file of `dir` that there is (none is fine). 0 or negative errno with err. Close in any case. */
int wt_sweep_store_open(struct wt_sweep_store *store, const char *dir, const char *metric, char *err, size_t err_len);
/*
 * Opens DIR/NAME for appending, creating folder and file, and locks it: -EBUSY if another process is at it. Forgets runs to be done again.
 */
int wt_sweep_store_write(struct wt_sweep_store *store, const char *name, char *err, size_t err_len);
void wt_sweep_store_close(struct wt_sweep_store *store);

const struct wt_sweep_done *wt_sweep_store_find(const struct wt_sweep_store *store, const char *id);
/* Appends a finished run. Negative errno: the file is as it was. */
int wt_sweep_store_add(struct wt_sweep_store *store, const char *id, const struct wt_sweep_result *result, bool again, unsigned attempts);
/* Appends a line of another kind; text has no newline. */
int wt_sweep_store_line(struct wt_sweep_store *store, const char *text);
/* The whole line of a run, terminated, without newline; malloc'ed. NULL: cannot be read. */
char *wt_sweep_store_text(const struct wt_sweep_store *store, const struct wt_sweep_done *done);
/* Calls back for every line that is no run: who worked when. */
void wt_sweep_store_starts(const struct wt_sweep_store *store, void (*line)(void *arg, const char *text), void *arg);

#endif

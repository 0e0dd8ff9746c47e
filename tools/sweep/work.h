/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of a sweep, in a worker: its result as the JSON text that stands in the result file. */
#ifndef WT_TOOLS_SWEEP_WORK_H
#define WT_TOOLS_SWEEP_WORK_H

#include "stack/record/json.h"
#include "tools/common/jobs.h"
#include "tools/sweep/file.h"
#include "tools/sweep/point.h"

#define WT_SWEEP_FLOWS_MAX 10000
#define WT_SWEEP_FLOWS_WHOLE 32 /* with more, a record has of each flow only what is asked most */

enum wt_sweep_outcome {
	WT_SWEEP_STOPPED, /* ended from outside: no result */
	WT_SWEEP_OK,
	WT_SWEEP_FAILED,  /* it ran, or could not; the result says why */
	WT_SWEEP_INVALID, /* in real time: the host was too busy for the result to mean anything */
};

struct wt_sweep_result {
	double wall;
	uint32_t outcome, len, attempts;
	char text[(16u << 20) - 24]; /* one JSON object, no newline: of 10,000 flows 3 MB */
};

/* Does run `repeat` of `point`. */
void wt_sweep_work(const struct wt_sweep *sweep, uint32_t point, uint64_t repeat, struct wt_sweep_result *result, const volatile int *stop);
/* What that would be in virtual time: for a plan of runs in real time. `wall` is what the run will take, its lab included. */
void wt_sweep_predict(const struct wt_sweep *sweep, uint32_t point, struct wt_sweep_result *result, const volatile int *stop);
/* A run that has no other result: {"outcome":"failed","why":...}. */
void wt_sweep_fail(struct wt_sweep_result *result, enum wt_sweep_outcome outcome, const char *why);

/* Writing a result: opens it (NULL: no memory), begins the object, ends and closes it. */
FILE *wt_sweep_result_open(struct wt_sweep_result *result, struct wt_json *json);
void wt_sweep_result_head(struct wt_json *json, enum wt_sweep_outcome outcome, const char *why);
void wt_sweep_result_close(struct wt_sweep_result *result, struct wt_json *json, enum wt_sweep_outcome outcome);

/* The numbers under "metrics" of a result. */
const char *wt_sweep_metric_name(unsigned index); /* NULL: there are no more */
bool wt_sweep_metric_known(const char *name);
/* NULL: runs of this point have the metric. Else what they lack for it. */
const char *wt_sweep_metric_lacks(const char *name, const struct wt_sweep *sweep, const struct wt_sweep_run *run);
/* All names, parted by commas, into text; returns it. */
const char *wt_sweep_metrics(char *text, size_t len);

#endif

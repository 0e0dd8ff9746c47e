/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One transfer in real time, for sweeps. It is what a person would type: lab up, recv on b, send on a, lab down,
 * by this same program. The lab is made and taken down for every run, so that nothing of one run is left for the next; it belongs to this
 * process and ends with it. While the host is too busy for the result to mean anything, the run is repeated.
 */
#ifndef WT_TOOLS_LAB_RUN_H
#define WT_TOOLS_LAB_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "emu/daemon/verdict.h"
#include "stack/base/time.h"

#define WT_LAB_RUNS 8     /* real-time runs are idle most of the time: labs side by side */
#define WT_LAB_ATTEMPTS 3
/* What a person can do about runs that stayed invalid. */
#define WT_LAB_HINT "fewer runs at a time (--jobs), real-time priority (as root: chrt -f 10 wavetank ...), or other bounds"

/* Texts are words of lab up, recv and send; NULL or empty: not given. */
struct wt_lab_job {
	const char *backend, *fwd, *rev;
	const char *preset, *settings, *app; /* of both ends */
	const char *sender, *recovery, *receiver;
	const char *kernel; /* instead of ours the kernel's TCP with this congestion control */
	uint64_t seed, size;
	wt_time time, limit; /* time 0: `size` alone decides */
	struct wt_verdict_bounds bounds;
	uint64_t attempts;   /* at most, while the host is too busy */
	const volatile int *stop;
};

enum wt_lab_outcome {
	WT_LAB_STOPPED, /* ended from outside */
	WT_LAB_OK,
	WT_LAB_FAILED,
	WT_LAB_INVALID, /* the host was too busy, each time */
};

struct wt_lab_result {
	enum wt_lab_outcome outcome;
	char why[300];    /* of FAILED and INVALID */
	unsigned attempts;
	double wall;      /* s, of all attempts */
	json_t *record;   /* of the last attempt: what send said; NULL: nothing */
	json_t *emulator; /* and the emulator's last record; NULL: none */
};

/* Finish in any case. */
void wt_lab_run(const struct wt_lab_job *job, struct wt_lab_result *result);
void wt_lab_result_finish(struct wt_lab_result *result);

/* Was the host too busy? By the verdict in the last record of the emulator (lab down --json). `why` gets the reason. */
bool wt_lab_valid(const json_t *emulator, char *why, size_t why_len);

/*
 * What one attempt came to, by its records and by `why`, which says of a transfer that failed how. One that failed while the host was too
 * busy says as little as one that came to its end: INVALID, and `why` says that.
 */
enum wt_lab_outcome wt_lab_judge(struct wt_lab_result *result);

/* The number under `key`, NaN if there is none. */
double wt_lab_number(const json_t *object, const char *key);

#endif

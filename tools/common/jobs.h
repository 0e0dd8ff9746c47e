/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many independent jobs over forked workers: job numbers go down a pipe, results stand in memory that a worker shares with
 * the parent. A worker that dies costs its job, not the sweep. The caller sees results in the order they finish; which worker ran a job changes nothing.
 */
#ifndef WT_TOOLS_COMMON_JOBS_H
#define WT_TOOLS_COMMON_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_jobs {
	uint32_t count;
	unsigned workers;   /* 0: one per core; never more than jobs */
	size_t result_size; /* at most WT_JOB_RESULT_MAX */
	/* In the worker: does the job, fills the result (zeroed before). *stop becomes nonzero when the sweep is being ended. */
	void (*work)(void *arg, uint32_t index, void *result, const volatile int *stop);
	/* In the parent. lost: the worker died, result is zeroed. */
	void (*done)(void *arg, uint32_t index, const void *result, bool lost);
	/* In the parent about twice a second, and once at the end: progress. May be NULL. */
	void (*tick)(void *arg, uint32_t finished);
	void *arg;
	const volatile int *interrupt; /* nonzero: start nothing new, tell the workers, collect, return */
};

#define WT_JOB_RESULT_MAX (64u << 20)

/* How many cores this process may use. */
unsigned wt_cores(void);
/* Runs them all. The number finished, or negative errno (no process, no pipe). No worker is left when it returns. */
int64_t wt_jobs_run(const struct wt_jobs *jobs);

#endif

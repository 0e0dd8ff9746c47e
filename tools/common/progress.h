/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress line on stderr: a bar redrawn in place on a terminal, a plain line every ten seconds otherwise, silent under --quiet. */
#ifndef WT_TOOLS_COMMON_PROGRESS_H
#define WT_TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wt_progress {
	const char *what;
	uint64_t total;
	double started, drawn; /* wall seconds */
	bool terminal;
};

/* `now`: seconds of any steady clock. */
void wt_progress_start(struct wt_progress *progress, const char *what, uint64_t total, double now);
/* seconds: the caller's estimate of the time that is left; NaN or negative: unknown. `extra` stands at the end of the line; may be NULL. */
void wt_progress_show(struct wt_progress *progress, uint64_t finished, double seconds, const char *extra, double now);
/* Would a call now show anything? For callers whose `extra` is work to make. */
bool wt_progress_due(const struct wt_progress *progress, double now);
/* Clears the bar, so that the next output stands alone. */
void wt_progress_end(struct wt_progress *progress);
double wt_wall_clock(void); /* CLOCK_MONOTONIC in seconds */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/cli.h"

#define WIDTH 24

double wt_wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void wt_progress_start(struct wt_progress *progress, const char *what, uint64_t total, double now)
{
	const char *term = getenv("TERM");

	*progress = (struct wt_progress){.what = what, .total = total ? total : 1, .started = now, .drawn = now};
	progress->terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

static void eta(double left, char *text, size_t len)
{
	if (!(left >= 0))
		snprintf(text, len, "--:--");
	else if (left >= 3600)
		snprintf(text, len, "%d:%02d:%02d", (int)(left / 3600), (int)(left / 60) % 60, (int)left % 60);
	else
		snprintf(text, len, "%02d:%02d", (int)(left / 60), (int)left % 60);
}

bool wt_progress_due(const struct wt_progress *progress, double now)
{
	return !wt_quiet && now - progress->drawn >= (progress->terminal ? 0.2 : 10);
}

void wt_progress_show(struct wt_progress *progress, uint64_t finished, const char *extra, double now)
{
	double left = finished ? (now - progress->started) / (double)finished * (double)(progress->total - finished) : -1;

	wt_progress_show_left(progress, finished, left, extra, now);
}

void wt_progress_show_left(struct wt_progress *progress, uint64_t finished, double seconds, const char *extra, double now)
{
	char bar[WIDTH * 3 + 1] = "", left[32];
	int share = (int)(finished * 100 / progress->total);

	if (!wt_progress_due(progress, now))
		return;
	progress->drawn = now;
	eta(seconds, left, sizeof(left));
	if (!progress->terminal) {
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " (%d%%), eta %s%s%s\n", progress->what, finished, progress->total,
			share, left, extra ? ", " : "", extra ? extra : "");
		return;
	}
	for (uint64_t i = 0; i < WIDTH; i++)
		strcat(bar, i * progress->total < finished * WIDTH ? "█" : "░");
	fprintf(stderr, "\r\033[K%s  %s %3d%%  %" PRIu64 "/%" PRIu64 "  eta %s%s%s", progress->what, bar, share, finished,
		progress->total, left, extra ? "  " : "", extra ? extra : "");
	fflush(stderr);
}

void wt_progress_end(struct wt_progress *progress)
{
	if (progress->terminal && !wt_quiet)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

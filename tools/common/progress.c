/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cli.h"

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

/* Of the terminal, now: windows change. 0: it does not say. */
static unsigned columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* A line that does not fit would go on in the next, and drawing it again would not take that away. One column stays free. */
static void cut(char *line, unsigned width)
{
	unsigned at = 0;
	char *mark = NULL;

	for (char *c = line; *c && width > 2; c++) {
		if ((*c & 0xc0) == 0x80) /* not the first byte of a character */
			continue;
		if (at == width - 2)
			mark = c;
		if (at++ == width - 1) {
			strcpy(mark, "…");
			return;
		}
	}
}

void wt_progress_show(struct wt_progress *progress, uint64_t finished, double seconds, const char *extra, double now)
{
	char bar[WIDTH * 3 + 1] = "", left[32], line[700];
	int share = (int)(finished * 100 / progress->total);

	if (!wt_progress_due(progress, now))
		return;
	progress->drawn = now;
	eta(seconds, left, sizeof(left));
	if (!progress->terminal) {
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " (%d%%), eta %s%s%s\n", progress->what, finished, progress->total,
			share, left, extra && *extra ? ", " : "", extra ? extra : "");
		return;
	}
	for (uint64_t i = 0; i < WIDTH; i++)
		strcat(bar, (i + 1) * progress->total <= finished * WIDTH ? "█" : "░");
	snprintf(line, sizeof(line), "%s  %s %3d%%  %" PRIu64 "/%" PRIu64 "  eta %s%s%s", progress->what, bar, share, finished,
		 progress->total, left, extra && *extra ? "  " : "", extra ? extra : "");
	cut(line, columns());
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
}

void wt_progress_end(struct wt_progress *progress)
{
	if (progress->terminal && !wt_quiet)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

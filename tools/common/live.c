/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/live.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/progress.h"

#define PAUSE 0.1 /* s of wall time between pictures */
#define ENTER "\033[?1049h\033[?25l" /* second screen, no cursor */
#define LEAVE "\030\033[?25h\033[?1049l" /* CAN first: the end of a picture may be missing */

enum { SAMPLES = 512, LABEL = 27, HEIGHT = 6, LEAST_COLUMNS = 40, LEAST_ROWS = 4 };

struct row {
	char name[16];
	wt_live_show *show;
	double now, sum;        /* of the sample that is being gathered */
	double value[SAMPLES];
};

/* A sample is the mean of `step` values: when all places are taken, two become one. So the whole run is seen, however long it is. */
struct wt_live {
	char title[160];
	unsigned rows, samples, step, gathered;
	double seconds, drawn;
	int fd;          /* the terminal, opened for us alone: it must not block, and the shell's must */
	char *rest;      /* of a picture, what the terminal did not take */
	size_t rest_len, rest_at;
	struct row row[WT_LIVE_ROWS];
};

static volatile sig_atomic_t entered;

/* ---- the terminal ---------------------------------------------------------------------------------------- */

/* Also from a signal's handler. */
static void leave(void)
{
	if (entered && write(STDERR_FILENO, LEAVE, sizeof(LEAVE) - 1) < 0)
		return;
	entered = 0;
}

static void on_end(int number)
{
	leave();
	raise(number); /* SA_RESETHAND: this time it does what it does */
}

static void on_stop(int number)
{
	leave();
	raise(SIGSTOP);
}

/* Signals that end or stop a program which does not catch them. What catches SIGINT and SIGTERM closes the view by itself. */
static void catch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	const struct sigaction end = {.sa_handler = on_end, .sa_flags = SA_RESETHAND | SA_NODEFER}, stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &end, NULL);
	if (!sigaction(SIGTSTP, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGTSTP, &stop, NULL);
}

struct wt_live *wt_live_open(const char *title, char *err, size_t err_len)
{
	static bool registered;
	const char *term = getenv("TERM");
	struct wt_live *live;

	if (!isatty(STDERR_FILENO) || !term || !*term || !strcmp(term, "dumb")) {
		snprintf(err, err_len, "--live needs a terminal on standard error%s", isatty(STDERR_FILENO) ? " that can move its cursor (see TERM)" : "");
		return NULL;
	}
	live = calloc(1, sizeof(*live));
	if (!live) {
		snprintf(err, err_len, "no memory");
		return NULL;
	}
	snprintf(live->title, sizeof(live->title), "%s", title);
	live->step = 1;
	live->drawn = wt_wall_clock();
	live->fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	catch_signals();
	if (!registered)
		registered = !atexit(leave);
	wt_before_message = leave;
	return live;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

int wt_live_add(struct wt_live *live, const char *name, wt_live_show *show)
{
	struct row *row = &live->row[live->rows];

	if (live->rows == WT_LIVE_ROWS)
		return -1;
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->show = show;
	return (int)live->rows++;
}

static void halve(struct wt_live *live)
{
	for (unsigned r = 0; r < live->rows; r++) {
		double *value = live->row[r].value;

		for (unsigned i = 0; i < SAMPLES / 2; i++)
			value[i] = isnan(value[2 * i]) ? value[2 * i + 1] : isnan(value[2 * i + 1]) ? value[2 * i] : (value[2 * i] + value[2 * i + 1]) / 2;
	}
	live->samples = SAMPLES / 2;
	live->step *= 2;
}

static void keep(struct wt_live *live, const double *values)
{
	live->gathered++;
	for (unsigned r = 0; r < live->rows; r++) {
		live->row[r].now = values[r];
		live->row[r].sum += values[r];
	}
	if (live->gathered < live->step)
		return;
	if (live->samples == SAMPLES)
		halve(live);
	for (unsigned r = 0; r < live->rows; r++) {
		live->row[r].value[live->samples] = live->row[r].sum / live->gathered;
		live->row[r].sum = 0;
	}
	live->samples++;
	live->gathered = 0;
}

/* ---- the picture ----------------------------------------------------------------------------------------- */

/* What stands in a column of the graph, where `columns` show all samples; NAN: nothing. */
static double mean_at(const struct wt_live *live, const struct row *row, unsigned column, unsigned columns)
{
	unsigned from = live->samples > columns ? column * live->samples / columns : column;
	unsigned to = live->samples > columns ? (column + 1) * live->samples / columns : column + 1, n = 0;
	double sum = 0;

	for (unsigned i = from; i < to && i < live->samples; i++)
		if (!isnan(row->value[i])) {
			sum += row->value[i];
			n++;
		}
	return n ? sum / n : NAN;
}

static double most_of(const struct wt_live *live, const struct row *row)
{
	double most = 0;

	for (unsigned i = 0; i < live->samples; i++)
		if (row->value[i] > most)
			most = row->value[i];
	return most;
}

static void label(const struct row *row, unsigned line, unsigned height, double most, char text[LABEL + 24])
{
	char value[24] = "-";
	bool most_here = !line && height > 1, now_here = line + 1 == height;

	if (most_here)
		row->show(most, value);
	else if (now_here && !isnan(row->now))
		row->show(row->now, value);
	snprintf(text, LABEL + 24, "%-10.10s %3s %11s ", line ? "" : row->name, most_here ? "max" : now_here ? "now" : "",
		 most_here || now_here ? value : "");
}

static void draw_row(const struct wt_live *live, const struct row *row, unsigned height, unsigned columns, const char *end, FILE *out)
{
	static const char *const block[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double most = most_of(live, row);
	char text[LABEL + 24];

	for (unsigned line = 0; line < height; line++) {
		label(row, line, height, most, text);
		fputs(text, out);
		for (unsigned c = 0; c < columns; c++) {
			double value = mean_at(live, row, c, columns);
			int eighths = value > 0 && most > 0 ? (int)(value / most * height * 8 + 0.5) : 0;

			eighths = value > 0 && !eighths ? 1 : eighths;
			eighths -= (int)(height - 1 - line) * 8;
			fputs(block[eighths < 0 ? 0 : eighths > 8 ? 8 : eighths], out);
		}
		fputs(end, out);
	}
}

static void draw(const struct wt_live *live, const char *end, FILE *out)
{
	struct winsize size = {.ws_col = 80, .ws_row = 24};
	unsigned columns, height;

	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	if (size.ws_col < LEAST_COLUMNS || size.ws_row < LEAST_ROWS) {
		fprintf(out, "%.*s%s", (int)size.ws_col - 1, "too small for --live", end);
		return;
	}
	columns = size.ws_col - LABEL - 1u;
	height = live->rows ? (size.ws_row - 2u) / live->rows : 1;
	height = height > HEIGHT ? HEIGHT : height < 1 ? 1 : height;
	fprintf(out, "%-.*s%s", (int)size.ws_col - 1, live->title, end);
	for (unsigned r = 0; r < live->rows && (r + 1) * height + 2 <= size.ws_row; r++)
		draw_row(live, &live->row[r], height, columns, end, out);
	fprintf(out, "%*s0 to %.1f s%s", LABEL, "", live->seconds, end);
}

/* False: not all of the last picture is there yet. */
static bool send_rest(struct wt_live *live)
{
	ssize_t n = live->rest ? write(live->fd, live->rest + live->rest_at, live->rest_len - live->rest_at) : 0;

	live->rest_at += n > 0 ? (size_t)n : 0;
	if (live->rest && live->rest_at < live->rest_len)
		return false;
	free(live->rest);
	live->rest = NULL;
	return true;
}

/* A terminal that takes nothing now (^S, a slow line) is not waited for: engines have other things to do. */
static void show(struct wt_live *live)
{
	FILE *out;

	if (!send_rest(live))
		return;
	live->rest_at = 0;
	out = open_memstream(&live->rest, &live->rest_len);
	if (!out)
		return;
	fputs(entered ? "\033[H" : ENTER "\033[H", out);
	draw(live, "\033[K\n", out);
	fputs("\033[J", out);
	entered = 1;
	if (fclose(out)) {
		free(live->rest);
		live->rest = NULL;
	}
	send_rest(live);
}

void wt_live_push(struct wt_live *live, double seconds, const double *values)
{
	double now = wt_wall_clock();

	live->seconds = seconds;
	keep(live, values);
	if (now - live->drawn < PAUSE)
		return;
	live->drawn = now;
	show(live);
}

void wt_live_close(struct wt_live *live)
{
	if (!live)
		return;
	leave();
	wt_before_message = NULL;
	if (live->samples)
		draw(live, "\n", stderr);
	if (live->fd >= 0)
		close(live->fd);
	free(live->rest);
	free(live);
}

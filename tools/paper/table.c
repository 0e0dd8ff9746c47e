/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/words/ini_text.h"

struct view {
	const struct wt_sweep *sweep;
	struct wt_paper *paper;
	const struct wt_sweep_note *note; /* the one being read */
	char *err;
	size_t err_len;
};

static int refuse(const struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const struct view *view, const char *format, ...)
{
	int at = snprintf(view->err, view->err_len, "%s:%u: ", view->sweep->file, view->note ? view->note->line : 1);
	va_list ap;

	va_start(ap, format);
	if (at > 0 && (size_t)at < view->err_len)
		vsnprintf(view->err + at, view->err_len - (size_t)at, format, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- metrics ---------------------------------------------------------------------------------------------- */

/* Those that papers name in a way of their own; of others the name ends with the unit. */
static const struct wt_paper_metric known[] = {
	{"goodput_kBps", "goodput", "KB/s", "kBps", "goodput in KB/s (1000 bytes)"},
	{"success_percent", "success", "%", "percent", "successful reads of the application in %"},
	{"tokens_kB", "tokens", "KB", "kB", "tokens used per round trip in KB (one token: a packet of 1 KB)"},
};

static void name_metric(struct wt_paper_metric *metric, const char *path)
{
	const char *leaf = strrchr(path, '.') ? strrchr(path, '.') + 1 : path, *unit = strrchr(leaf, '_');

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].path, path)) {
			*metric = known[i];
			return;
		}
	snprintf(metric->path, sizeof(metric->path), "%s", path);
	snprintf(metric->name, sizeof(metric->name), "%.*s", unit ? (int)(unit - leaf) : 60, leaf);
	snprintf(metric->key, sizeof(metric->key), "%s", unit ? unit + 1 : "count");
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit ? unit + 1 : "");
	snprintf(metric->heading, sizeof(metric->heading), "%.95s", path);
}

/* The metric of a [printed] section; NULL: it is none. */
static const char *metric_of(const struct wt_sweep *sweep, const char *section)
{
	return !strcmp(section, "printed") ? sweep->metric : wt_ini_name(section, "printed");
}

/* The metrics of a sweep's printed numbers, in their order. */
static unsigned metrics(const struct wt_sweep *sweep, const char *metric[WT_PAPER_METRICS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < sweep->notes; i++) {
		const char *path = metric_of(sweep, sweep->note[i].section);
		unsigned k = 0;

		while (path && k < count && strcmp(metric[k], path))
			k++;
		if (path && k == count && count < WT_PAPER_METRICS)
			metric[count++] = path;
	}
	return count;
}

unsigned wt_paper_tables(const struct wt_sweep *sweep)
{
	const char *metric[WT_PAPER_METRICS];

	return metrics(sweep, metric);
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

/* "237.65 KB/s 22.06 s", "91.9 %", "11.12", or "-" where nothing is printed */
static int take_cell(const struct view *view, const char *text, struct wt_paper_cell *cell)
{
	const struct wt_paper_metric *metric = &view->paper->metric;
	bool timed = !strcmp(metric->name, "goodput") && !strcmp(metric->unit, "KB/s");
	size_t len = strlen(metric->unit);
	int used = 0, more = 0;

	cell->value = cell->time = NAN;
	if (!strcmp(text, "-"))
		return 0;
	if (sscanf(text, "%lf %n", &cell->value, &used) == 1 && used && cell->value >= 0) {
		const char *rest = text + used;

		if (!timed && (!*rest || !strcmp(rest, metric->unit)))
			return 0;
		if (timed && !strncmp(rest, metric->unit, len) && sscanf(rest + len, " %lf s%n", &cell->time, &more) == 1 && more &&
		    !rest[len + (size_t)more] && cell->time > 0)
			return 0;
	}
	return refuse(view, "'%s': expected %s", text, timed ? "a goodput and a time, such as 237.65 KB/s 22.06 s" :
		      !strcmp(metric->unit, "%") ? "a share such as 91.9 %" : "a number, or - where none is printed");
}

/* "LABEL = NUMBER, NUMBER, ...": one of each variant. */
static int take_row(struct view *view)
{
	struct wt_paper *paper = view->paper;
	struct wt_paper_point *point = &paper->point[paper->points];
	char *text = strdup(view->note->text), *save = NULL;
	unsigned cells = 0;
	int error = text ? 0 : -ENOMEM;

	if (paper->points == WT_PAPER_POINTS || strlen(view->note->key) >= sizeof(point->label)) {
		free(text);
		return refuse(view, "too many rows, or '%s' is too long a label", view->note->key);
	}
	snprintf(point->label, sizeof(point->label), "%s", view->note->key);
	for (char *word = text ? strtok_r(text, ",", &save) : NULL; word && !error; word = strtok_r(NULL, ",", &save)) {
		word += strspn(word, " ");
		while (*word && word[strlen(word) - 1] == ' ')
			word[strlen(word) - 1] = '\0';
		if (cells++ < paper->variants)
			error = take_cell(view, word, &point->cell[cells - 1]);
	}
	free(text);
	if (!error && cells != paper->variants)
		return refuse(view, "%u numbers in row %s: expected %u, one of each variant, with commas between", cells, point->label,
			      paper->variants);
	paper->points++;
	return error;
}

/* "note ROW", "suspect ROW VARIANT" */
static int take_remark(struct view *view, bool suspect)
{
	struct wt_paper *paper = view->paper;
	const char *name = strchr(view->note->key, ' ') + 1;

	for (unsigned p = 0; p < paper->points; p++) {
		struct wt_paper_point *point = &paper->point[p];
		size_t len = strlen(point->label);

		if (!suspect && !strcmp(name, point->label)) {
			snprintf(point->note, sizeof(point->note), "%s", view->note->text);
			return 0;
		}
		for (unsigned v = 0; v < paper->variants && suspect; v++)
			if (!strncmp(name, point->label, len) && name[len] == ' ' && !strcmp(name + len + 1, paper->variant[v].name)) {
				snprintf(point->cell[v].suspect, sizeof(point->cell[v].suspect), "%s", view->note->text);
				return 0;
			}
	}
	return refuse(view, "'%s': no such row%s above", view->note->key, suspect ? " and variant" : "");
}

static int take_notes(struct view *view)
{
	for (unsigned i = 0; i < view->sweep->notes; i++) {
		const char *metric = metric_of(view->sweep, view->sweep->note[i].section);
		int error;

		if (!metric || strcmp(metric, view->paper->metric.path))
			continue;
		view->note = &view->sweep->note[i];
		if (!strcmp(view->note->key, "what")) {
			snprintf(view->paper->metric.heading, sizeof(view->paper->metric.heading), "%.95s", view->note->text);
			continue;
		}
		error = wt_ini_name(view->note->key, "note") ? take_remark(view, false) :
			wt_ini_name(view->note->key, "suspect") ? take_remark(view, true) : take_row(view);
		if (error)
			return error;
	}
	return 0;
}

/* The words of the series. */
static int take_variants(struct view *view)
{
	const struct wt_sweep *sweep = view->sweep;
	int series = wt_sweep_series(sweep);
	struct wt_paper *paper = view->paper;

	if (series < 0)
		return refuse(view, "no variant: expected [variant NAME]");
	for (unsigned w = 0; w < sweep->axis[series].words; w++) {
		struct wt_paper_variant *variant = &paper->variant[w];
		const char *word = sweep->axis[series].word[w];

		if (w == WT_PAPER_VARIANTS || strlen(word) >= sizeof(variant->name))
			return refuse(view, "too many variants, or '%s' is too long a name", word);
		snprintf(variant->name, sizeof(variant->name), "%s", word);
		snprintf(variant->label, sizeof(variant->label), "%s", wt_sweep_label(sweep, word));
		paper->variants++;
	}
	return 0;
}

int wt_paper_view(const struct wt_sweep *sweep, unsigned table, struct wt_paper *paper, char *err, size_t err_len)
{
	struct view view = {.sweep = sweep, .paper = paper, .err = err, .err_len = err_len};
	const char *metric[WT_PAPER_METRICS];
	unsigned rows;
	int error;

	memset(paper, 0, sizeof(*paper));
	if (table >= metrics(sweep, metric))
		return refuse(&view, "no printed numbers: expected [printed] with a row for each point");
	name_metric(&paper->metric, metric[table]);
	snprintf(paper->id, sizeof(paper->id), "%s", sweep->name);
	snprintf(paper->title, sizeof(paper->title), "%s", sweep->title ? sweep->title : sweep->name);
	snprintf(paper->source, sizeof(paper->source), "%s", sweep->source ? sweep->source : "");
	snprintf(paper->axis, sizeof(paper->axis), "%s", sweep->heading ? sweep->heading : "");
	snprintf(paper->changed, sizeof(paper->changed), "%s", sweep->changed ? sweep->changed : "");
	error = take_variants(&view);
	if (!error)
		error = take_notes(&view);
	if (error)
		return error;
	rows = sweep->points / paper->variants;
	if (wt_paper_tables(sweep) > 1) /* several tables of one title */
		snprintf(paper->title + strlen(paper->title), sizeof(paper->title) - strlen(paper->title), ": %s", paper->metric.heading);
	if (paper->points != rows)
		return refuse(&view, "%u rows are printed, and there are %u points to run: expected a row for each, in their order", paper->points, rows);
	return 0;
}

const char *wt_paper_param(const struct wt_sweep *sweep, const char *variant, enum wt_sweep_param which)
{
	const char *text = sweep->param[which].text;

	for (unsigned i = 0; i < sweep->variants && variant; i++)
		if (!strcmp(sweep->variant[i].name, variant) && sweep->variant[i].param[which].text)
			text = sweep->variant[i].param[which].text;
	return text ? text : "";
}

int wt_paper_load(const char *id, const char *metric, struct wt_paper *paper, char *err, size_t err_len)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	int error = sweep ? wt_sweep_load(sweep, id, err, err_len) : -ENOMEM;
	unsigned tables = error ? 0 : wt_paper_tables(sweep), table = 0;
	const char *path[WT_PAPER_METRICS];

	if (!error && metric) {
		metrics(sweep, path);
		while (table < tables && strcmp(path[table], metric))
			table++;
	}
	if (!error)
		error = wt_paper_view(sweep, table, paper, err, err_len);
	if (sweep)
		wt_sweep_finish(sweep);
	free(sweep);
	return error;
}

/* ---- all tables of a paper -------------------------------------------------------------------------------- */

bool wt_paper_belongs(const char *table, const char *family)
{
	size_t len = strlen(family);

	return len && strncmp(table, family, len) == 0 && table[len] == '/';
}

void wt_paper_changes_of(const char *family, struct wt_paper_changes *changes)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	char err[600];

	changes->count = 0;
	for (unsigned i = 0; sweep && wt_paper_files[i].id; i++) {
		if (!wt_paper_belongs(wt_paper_files[i].id, family))
			continue;
		if (!wt_sweep_load(sweep, wt_paper_files[i].id, err, sizeof(err)))
			for (unsigned k = 0; k < sweep->changes; k++) {
				unsigned known_one = 0;

				while (known_one < changes->count && strcmp(changes->name[known_one], sweep->change[k].name))
					known_one++;
				if (known_one == changes->count && known_one < WT_PAPER_CHANGES)
					snprintf(changes->name[changes->count++], sizeof(changes->name[0]), "%s", sweep->change[k].name);
			}
		wt_sweep_finish(sweep);
	}
	free(sweep);
}

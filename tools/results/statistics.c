/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank report stats. Cells of one row met the same losses, so each is also set against a baseline repeat by repeat: Reno, or the
 * last protocol if there is no Reno. How far the order of the protocols holds from row to row, Kendall's tau against the first row says.
 */
#include "tools/results/statistics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/common/cli.h"

extern const struct wt_command wt_command_report_stats;

#define QUANTILES 5
#define PROTOCOLS 64

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "a JSON line per cell"},
};

static const double quantiles[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct stats {
	struct wt_interval mean, against; /* bootstrap: of the mean, of the ratio to the baseline */
	double ratio;                     /* NaN: is the baseline, or has none */
	double quantile[QUANTILES];
};

static struct stats stats_of(const struct wt_results *results, const struct wt_results_cell *cell)
{
	const struct wt_results_cell *base = wt_results_cell(results, cell->point, results->baseline);
	struct stats stats = {.ratio = NAN, .against = {NAN, NAN}};

	stats.mean = wt_bootstrap_mean(cell->sample, cell->count);
	if (base && base != cell)
		stats.against = wt_bootstrap_ratio(cell->sample, base->sample, cell->count < base->count ? cell->count : base->count, &stats.ratio);
	for (unsigned i = 0; i < QUANTILES; i++)
		stats.quantile[i] = wt_quantile(cell->sample, cell->count, quantiles[i]);
	return stats;
}

/* The cells of a row in the order of the first row, which is where every protocol stands. Their count. */
static unsigned row(const struct wt_results *results, const char *point, const struct wt_results_cell *cell[PROTOCOLS], bool *whole)
{
	unsigned n = 0;

	*whole = true;
	for (unsigned i = 0; i < results->cells && n < PROTOCOLS; i++) {
		const struct wt_results_cell *found;

		if (strcmp(results->cell[i].point, results->cell[0].point))
			continue;
		found = wt_results_cell(results, point, results->cell[i].variant);
		if (found && found->mean.n)
			cell[n++] = found;
		else
			*whole = false;
	}
	return n;
}

/* Of the means of a row and of those of the first row. NaN: they cannot be compared. */
static double row_tau(const struct wt_results *results, const char *point)
{
	const struct wt_results_cell *first[PROTOCOLS], *here[PROTOCOLS];
	double a[PROTOCOLS], b[PROTOCOLS];
	bool whole[2];
	unsigned n = row(results, results->cell[0].point, first, &whole[0]);

	if (row(results, point, here, &whole[1]) != n || !whole[0] || !whole[1])
		return NAN;
	for (unsigned i = 0; i < n; i++) {
		a[i] = first[i]->mean.mean;
		b[i] = here[i]->mean.mean;
	}
	return wt_kendall_tau(a, b, n);
}

/* ---- for people ------------------------------------------------------------------------------------------- */

static const char *interval_text(const struct wt_interval *interval, char *text, size_t len)
{
	if (isnan(interval->low))
		snprintf(text, len, "-");
	else
		snprintf(text, len, "%.4g..%.4g", interval->low, interval->high);
	return text;
}

static const char *number_text(double value, char *text, size_t len)
{
	if (isnan(value))
		snprintf(text, len, "-");
	else
		snprintf(text, len, "%.4g", value);
	return text;
}

static void print_cell(FILE *out, const struct wt_results *results, const struct wt_results_cell *cell)
{
	struct stats stats = stats_of(results, cell);
	char text[4][40];

	fprintf(out, "  %-20s %5zu %8s ± %-8s %-15s", *cell->variant ? cell->variant : cell->point, cell->mean.n,
		number_text(cell->mean.mean, text[0], sizeof(text[0])), number_text(cell->mean.half, text[1], sizeof(text[1])),
		interval_text(&stats.mean, text[2], sizeof(text[2])));
	for (unsigned i = 0; i < QUANTILES; i++)
		fprintf(out, " %7s", number_text(stats.quantile[i], text[0], sizeof(text[0])));
	if (*results->baseline)
		fprintf(out, "  %6s %-13s", number_text(stats.ratio, text[0], sizeof(text[0])),
			interval_text(&stats.against, text[1], sizeof(text[1])));
	if (!isnan(cell->jain))
		fprintf(out, " %5.3f", cell->jain);
	fputc('\n', out);
}

static void print_order(FILE *out, const struct wt_results *results, const char *point)
{
	const struct wt_results_cell *cell[PROTOCOLS];
	char tau[40];
	bool whole;
	unsigned n = row(results, point, cell, &whole);

	if (n < 2)
		return;
	for (unsigned i = 1; i < n; i++)
		for (unsigned j = i; j > 0 && cell[j - 1]->mean.mean < cell[j]->mean.mean; j--) {
			const struct wt_results_cell *other = cell[j];

			cell[j] = cell[j - 1];
			cell[j - 1] = other;
		}
	fprintf(out, "  order: ");
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? " > " : "", cell[i]->variant);
	fprintf(out, " (Kendall tau to the first row %s)\n", number_text(row_tau(results, point), tau, sizeof(tau)));
}

/* Cells of one row need not stand together: the protocol may be the axis that changes least. */
static bool is_first(const struct wt_results *results, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (!strcmp(results->cell[i].point, results->cell[at].point))
			return false;
	return true;
}

static void print_row(FILE *out, const struct wt_results *results, const char *point)
{
	if (*results->baseline)
		fprintf(out, "%s\n", *point ? point : results->table);
	for (unsigned i = 0; i < results->cells; i++)
		if (!strcmp(results->cell[i].point, point))
			print_cell(out, results, &results->cell[i]);
	if (*results->baseline)
		print_order(out, results, point);
}

void wt_report_stats_print(FILE *out, const struct wt_results *results)
{
	fprintf(out, "%s of %s on %s: mean ± half of its 95 %% interval (Student), 95 %% bootstrap interval (%d draws, seed %d), quantiles",
		results->metric, results->table, results->backend, WT_BOOTSTRAP_DRAWS, WT_BOOTSTRAP_SEED);
	if (*results->baseline)
		fprintf(out, ",\nratio to %s on the same seeds with its bootstrap interval", results->baseline);
	fprintf(out, "\n  %-20s %5s %8s   %-8s %-15s %7s %7s %7s %7s %7s", "", "runs", "mean", "95 %", "bootstrap", "5 %", "25 %", "50 %", "75 %",
		"95 %");
	if (*results->baseline)
		fprintf(out, "  %6s %-13s", "ratio", "");
	fprintf(out, " %s\n", results->jain ? "Jain" : "");
	for (unsigned i = 0; i < results->cells; i++)
		if (is_first(results, i))
			print_row(out, results, results->cell[i].point);
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void cell_json(struct wt_json *json, const struct wt_results *results, const struct wt_results_cell *cell, double tau)
{
	struct stats stats = stats_of(results, cell);

	wt_json_object(json, NULL);
	wt_json_string(json, "record", "statistics");
	wt_json_string(json, "point", cell->point);
	wt_json_string(json, "variant", cell->variant);
	wt_json_u64(json, "runs", cell->mean.n);
	wt_json_u64(json, "failed", cell->count - cell->mean.n);
	wt_json_number(json, "mean", cell->mean.mean);
	wt_json_number(json, "half", cell->mean.half);
	wt_json_number(json, "deviation", cell->mean.deviation);
	wt_json_number(json, "bootstrap_low", stats.mean.low);
	wt_json_number(json, "bootstrap_high", stats.mean.high);
	wt_json_array(json, "quantiles");
	for (unsigned i = 0; i < QUANTILES; i++)
		wt_json_number(json, NULL, stats.quantile[i]);
	wt_json_end(json);
	wt_json_string(json, "baseline", *results->baseline ? results->baseline : NULL);
	wt_json_number(json, "ratio", stats.ratio);
	wt_json_number(json, "ratio_low", stats.against.low);
	wt_json_number(json, "ratio_high", stats.against.high);
	wt_json_number(json, "jain", cell->jain);
	wt_json_number(json, "row_kendall_tau", tau);
	wt_json_end(json);
}

void wt_report_stats_json(struct wt_json *json, const struct wt_results *results)
{
	double tau = NAN;

	for (unsigned i = 0; i < results->cells; i++) {
		if (!i || strcmp(results->cell[i].point, results->cell[i - 1].point))
			tau = row_tau(results, results->cell[i].point);
		cell_json(json, results, &results->cell[i], tau);
	}
}

/* ---- command ---------------------------------------------------------------------------------------------- */

int wt_report_stats_folder(const char *dir, bool as_json)
{
	static struct wt_results results; /* large */
	struct wt_json json;
	char err[400];
	int error = wt_results_load(&results, dir, err, sizeof(err));

	wt_json_init(&json, stdout);
	if (!error && as_json)
		wt_report_stats_json(&json, &results);
	else if (!error)
		wt_report_stats_print(stdout, &results);
	wt_results_finish(&results);
	return error ? wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err) : WT_EXIT_OK;
}

static int stats_main(int argc, char **argv)
{
	const char *word = NULL, *json = NULL;
	char dir[512], err[400];

	if (wt_args_read(argc, argv, &json, &word, 1, "one result at a time"))
		return WT_EXIT_USAGE;
	if (!word)
		return wt_fail(WT_EXIT_USAGE, "nothing to report on: name a results folder, or TABLE@BACKEND such as table1@sim");
	if (wt_results_find(word, dir, sizeof(dir), err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	return wt_report_stats_folder(dir, json);
}

const struct wt_command wt_command_report_stats = {
	.name = "report stats",
	.arguments = "RESULTS",
	.text = "quantiles, bootstrap intervals, paired ratios and orders of a result",
	.options = options,
	.option_count = 1,
	.run = stats_main,
	.notes = "  wavetank report stats results/loss\n"
		 "  wavetank report stats table1@sim\n"
		 "RESULTS is a folder, or TABLE@BACKEND. The same results give the same numbers: the bootstrap draws from a fixed seed.",
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper calibration. */
#include <math.h>

#include "tools/paper/calibration.h"
#include "tools/paper/explain.h"
#include "tools/paper/results.h"
#include "tools/common/cli.h"
#include "tools/common/wrap.h"

extern const struct wt_command wt_command_paper_calibration;


enum { OPT_RESULTS, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_RESULTS] = {0, "results", "DIR", "folder of 'paper run tcp-real-2001' (default " WT_PAPER_RESULTS_DIR ")"},
	[OPT_JSON] = {0, "json", NULL, "one JSON line"},
};

double wt_misfit_factor(const struct wt_misfit *misfit)
{
	return misfit->cells ? exp(misfit->logs / misfit->cells) : NAN;
}

struct wt_misfit wt_misfit_sum(const struct wt_calibration_family *family, int fitted)
{
	struct wt_misfit sum = {0};

	for (unsigned i = 0; i < family->tables; i++) {
		const struct wt_misfit *one = fitted ? &family->table[i].fitted : &family->table[i].predicted;

		sum.cells += one->cells;
		sum.near += one->near;
		sum.logs += one->logs;
	}
	return sum;
}

static void print_side(FILE *out, const struct wt_misfit *misfit)
{
	if (misfit->cells)
		fprintf(out, "  %3u cells, %3u near, x %5.2f", misfit->cells, misfit->near, wt_misfit_factor(misfit));
	else
		fprintf(out, "  %28s", "");
}

static void labelled(FILE *out, const char *label, const char *text)
{
	fprintf(out, "  %-10s", label);
	wt_wrap(out, text, 12, 12);
}

static void print_family(FILE *out, const struct wt_calibration_family *family)
{
	struct wt_misfit fitted = wt_misfit_sum(family, 1), predicted = wt_misfit_sum(family, 0);

	fprintf(out, "\n%s\n", family->name);
	labelled(out, "settings", family->choices);
	labelled(out, "fitted to", family->fitted);
	labelled(out, "because", family->why);
	fprintf(out, "  %-10s  %-28s  %s\n", "", "what it was fitted to", "what it then predicts");
	for (unsigned i = 0; i < family->tables; i++) {
		const struct wt_calibration_table *table = &family->table[i];

		if (!table->fitted.cells && !table->predicted.cells)
			continue;
		fprintf(out, "  %-10s", table->name);
		print_side(out, &table->fitted);
		print_side(out, &table->predicted);
		fputc('\n', out);
	}
	fprintf(out, "  %-10s", "together");
	print_side(out, &fitted);
	print_side(out, &predicted);
	fputc('\n', out);
}

void wt_calibration_print(FILE *out, const struct wt_calibration *calibration)
{
	fputs("all families\n", out);
	labelled(out, "settings", calibration->choices);
	labelled(out, "because", calibration->why);
	for (unsigned i = 0; i < calibration->families; i++)
		print_family(out, &calibration->family[i]);
	fputc('\n', out);
	wt_wrap(out, "near: the printed run lies in the 95 % interval of one run of ours, or within 10 % · x: how far our mean is off, as a factor (geometric "
		"mean) · cells that contradict themselves, or are not printed, are left out", 0, 0);
}

static void json_side(struct wt_json *json, const char *name, const struct wt_misfit *misfit)
{
	wt_json_object(json, name);
	wt_json_u64(json, "cells", misfit->cells);
	wt_json_u64(json, "near", misfit->near);
	wt_json_number(json, "factor", wt_misfit_factor(misfit));
	wt_json_end(json);
}

void wt_calibration_json(struct wt_json *json, const struct wt_calibration *calibration)
{
	wt_json_string(json, "settings", calibration->choices);
	wt_json_string(json, "because", calibration->why);
	wt_json_array(json, "families");
	for (unsigned i = 0; i < calibration->families; i++) {
		const struct wt_calibration_family *family = &calibration->family[i];
		struct wt_misfit fitted = wt_misfit_sum(family, 1), predicted = wt_misfit_sum(family, 0);

		wt_json_object(json, NULL);
		wt_json_string(json, "family", family->name);
		wt_json_string(json, "settings", family->choices);
		wt_json_string(json, "fitted_to", family->fitted);
		wt_json_string(json, "because", family->why);
		json_side(json, "fitted", &fitted);
		json_side(json, "predicted", &predicted);
		wt_json_array(json, "tables");
		for (unsigned t = 0; t < family->tables; t++) {
			wt_json_object(json, NULL);
			wt_json_string(json, "table", family->table[t].name);
			json_side(json, "fitted", &family->table[t].fitted);
			json_side(json, "predicted", &family->table[t].predicted);
			wt_json_end(json);
		}
		wt_json_end(json);
		wt_json_end(json);
	}
	wt_json_end(json);
}

static int calibration_main(int argc, char **argv)
{
	static struct wt_calibration calibration; /* large */
	static struct wt_explanation explanation; /* larger */
	const char *said[sizeof(options) / sizeof(options[0])] = {NULL}, *dir;
	struct wt_json json;
	char err[300];

	if (wt_args_read(argc, argv, said, NULL, 0, "calibration takes only options"))
		return WT_EXIT_USAGE;
	dir = wt_paper_results_said(said[OPT_RESULTS]);
	if (!dir)
		return WT_EXIT_USAGE;
	if (wt_calibration_load(&calibration, err, sizeof(err)))
		return wt_fail(WT_EXIT_INTERNAL, "%s", err);
	if (!wt_calibration_measure(&calibration, dir))
		wt_say("no results in %s to measure it by; 'wavetank paper run tcp-real-2001 -o DIR' makes them", dir);
	wt_explain(&explanation, dir);
	if (said[OPT_JSON]) {
		wt_json_init(&json, stdout);
		wt_json_object(&json, NULL);
		wt_json_string(&json, "record", "calibration");
		wt_calibration_json(&json, &calibration);
		wt_explain_json(&json, &explanation);
		wt_json_end(&json);
	} else {
		wt_calibration_print(stdout, &calibration);
		wt_explain_print(stdout, &explanation);
	}
	return WT_EXIT_OK;
}

const struct wt_command wt_command_paper_calibration = {
	.name = "paper calibration",
	.arguments = "",
	.text = "say what the tables' settings were fitted to, and how far our results are off",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = calibration_main,
	.notes = "  wavetank paper run tcp-real-2001 -o all && wavetank paper calibration --results all",
};

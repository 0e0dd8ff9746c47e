/* SPDX-License-Identifier: BSD-2-Clause */
/* The experiment beside its cells: what a page needs to know of a table, so that it needs nothing but result files. */
#include <math.h>
#include <string.h>

#include "tools/paper/judge.h"

static void variants(struct wt_json *json, const struct wt_paper *paper, const struct wt_sweep *sweep)
{
	static const enum wt_sweep_param kept[] = {WT_SWEEP_SENDER, WT_SWEEP_RECOVERY, WT_SWEEP_RECEIVER};

	wt_json_array(json, "variants");
	for (unsigned i = 0; i < paper->variants; i++) {
		wt_json_object(json, NULL);
		wt_json_string(json, "name", paper->variant[i].name);
		wt_json_string(json, "label", paper->variant[i].label);
		for (unsigned k = 0; k < 3; k++)
			wt_json_string(json, wt_sweep_param_name[kept[k]], wt_paper_param(sweep, paper->variant[i].name, kept[k]));
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void points(struct wt_json *json, const struct wt_paper *paper)
{
	wt_json_array(json, "points");
	for (unsigned p = 0; p < paper->points; p++) {
		const struct wt_paper_point *point = &paper->point[p];

		wt_json_object(json, NULL);
		wt_json_string(json, "label", point->label);
		wt_json_string(json, "note", point->note);
		wt_json_object(json, "suspect");
		for (unsigned v = 0; v < paper->variants; v++)
			if (*point->cell[v].suspect)
				wt_json_string(json, paper->variant[v].name, point->cell[v].suspect);
		wt_json_end(json);
		wt_json_object(json, "published_time_s");
		for (unsigned v = 0; v < paper->variants; v++)
			if (!isnan(point->cell[v].time))
				wt_json_number(json, paper->variant[v].name, point->cell[v].time);
		wt_json_end(json);
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void parameters(struct wt_json *json, const struct wt_sweep *sweep)
{
	wt_json_array(json, "parameters");
	for (unsigned i = 0; i < sweep->notes; i++)
		if (!strcmp(sweep->note[i].section, "parameters")) {
			wt_json_object(json, NULL);
			wt_json_string(json, "name", sweep->note[i].key);
			wt_json_string(json, "text", sweep->note[i].text);
			wt_json_end(json);
		}
	wt_json_end(json);
}

void wt_paper_describe(FILE *out, const struct wt_paper_plan *plan, const struct wt_sweep *sweep)
{
	static const enum wt_sweep_param kept[] = {WT_SWEEP_FWD, WT_SWEEP_REV, WT_SWEEP_LINK, WT_SWEEP_PRESET, WT_SWEEP_SETTINGS, WT_SWEEP_SIZE,
						   WT_SWEEP_LIMIT, WT_SWEEP_WORLD};
	const struct wt_paper *paper = plan->paper;
	struct wt_json json;

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "record", "table");
	wt_json_string(&json, "schema", "wavetank.table.1");
	wt_json_string(&json, "table", paper->id);
	wt_json_string(&json, "backend", plan->backend);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		wt_json_string(&json, wt_sweep_param_name[kept[i]], wt_paper_param(sweep, NULL, kept[i]));
	wt_json_object(&json, "experiment");
	wt_json_string(&json, "title", paper->title);
	wt_json_string(&json, "source", paper->source);
	wt_json_string(&json, "axis", paper->axis);
	wt_json_object(&json, "metric");
	wt_json_string(&json, "path", paper->metric.path);
	wt_json_string(&json, "name", paper->metric.name);
	wt_json_string(&json, "unit", paper->metric.unit);
	wt_json_string(&json, "key", paper->metric.key);
	wt_json_end(&json);
	parameters(&json, sweep);
	variants(&json, paper, sweep);
	points(&json, paper);
	wt_json_end(&json);
	wt_json_end(&json);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The experiment inside its results: what a report needs to know of a table, so that it needs nothing but result files. */
#include <math.h>

#include "tools/paper/files.h"

static void variants(struct wt_json *json, const struct wt_paper *paper)
{
	wt_json_array(json, "variants");
	for (unsigned i = 0; i < paper->variants; i++) {
		const struct wt_paper_variant *variant = &paper->variant[i];

		wt_json_object(json, NULL);
		wt_json_string(json, "name", variant->name);
		wt_json_string(json, "label", variant->label);
		wt_json_string(json, "sender", variant->sender);
		wt_json_string(json, "recovery", variant->recovery);
		wt_json_string(json, "receiver", variant->receiver);
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
		wt_json_string(json, "p", point->p);
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

void wt_paper_describe(struct wt_json *json, const struct wt_paper *paper)
{
	wt_json_object(json, "experiment");
	wt_json_string(json, "title", paper->title);
	wt_json_string(json, "source", paper->source);
	wt_json_string(json, "axis", paper->axis);
	wt_json_u64(json, "size_bytes", paper->size);
	wt_json_number(json, "limit_s", (double)paper->limit / 1e9);
	wt_json_object(json, "metric");
	wt_json_string(json, "name", wt_paper_metrics[paper->metric].name);
	wt_json_string(json, "unit", wt_paper_metrics[paper->metric].unit);
	wt_json_string(json, "key", wt_paper_metrics[paper->metric].key);
	wt_json_end(json);
	wt_json_array(json, "parameters");
	for (unsigned i = 0; i < paper->parameters; i++) {
		wt_json_object(json, NULL);
		wt_json_string(json, "name", paper->parameter[i].name);
		wt_json_string(json, "text", paper->parameter[i].text);
		wt_json_end(json);
	}
	wt_json_end(json);
	variants(json, paper);
	points(json, paper);
	wt_json_end(json);
}

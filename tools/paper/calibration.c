/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/words/ini_text.h"
#include "tools/paper/results.h"

extern const struct wt_embedded wt_calibration_files[];

#define FAMILY "tcp-real-2001"

struct parse {
	struct wt_ini ini; /* first: what is told of an entry leads back to this */
	struct wt_calibration *calibration;
};

static int take_tables(struct wt_ini *ini, struct wt_calibration_family *family)
{
	char list[sizeof(ini->value)], *save = NULL;

	family->tables = 0;
	snprintf(list, sizeof(list), "%s", ini->value);
	for (char *word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (family->tables == WT_CALIBRATION_TABLES || strlen(word) >= sizeof(family->table[0].name))
			return wt_ini_refuse(ini, "too many tables, or '%s' is too long a name", word);
		snprintf(family->table[family->tables++].name, sizeof(family->table[0].name), "%s", word);
	}
	return 0;
}

static struct wt_calibration_family *family_of(struct wt_calibration *calibration, const char *name)
{
	struct wt_calibration_family *family = calibration->families ? &calibration->family[calibration->families - 1] : NULL;

	if (family && !strcmp(family->name, name))
		return family;
	if (calibration->families == WT_CALIBRATION_FAMILIES || strlen(name) >= sizeof(family->name))
		return NULL;
	family = &calibration->family[calibration->families++];
	snprintf(family->name, sizeof(family->name), "%s", name);
	return family;
}

static int take(struct wt_ini *ini)
{
	struct wt_calibration *calibration = ((struct parse *)ini)->calibration;
	const char *name = wt_ini_name(ini->section, "family");
	struct wt_calibration_family *family = name ? family_of(calibration, name) : NULL;

	if (!family && strcmp(ini->section, "all") != 0)
		return wt_ini_refuse(ini, "expected [all] or [family NAME]");
	if (!strcmp(ini->key, "choices"))
		return wt_ini_copy(ini, family ? family->choices : calibration->choices, sizeof(calibration->choices));
	if (!strcmp(ini->key, "why"))
		return wt_ini_copy(ini, family ? family->why : calibration->why, sizeof(calibration->why));
	if (family && !strcmp(ini->key, "fitted"))
		return wt_ini_copy(ini, family->fitted, sizeof(family->fitted));
	if (family && !strcmp(ini->key, "tables"))
		return take_tables(ini, family);
	return wt_ini_refuse(ini, "unknown key '%s' in [%s]", ini->key, ini->section);
}

int wt_calibration_parse(const char *text, const char *name, struct wt_calibration *calibration, char *err, size_t err_len)
{
	struct parse parse = {.ini.take = take, .calibration = calibration};
	int error;

	memset(calibration, 0, sizeof(*calibration));
	error = wt_ini_parse(&parse.ini, text, name, err, err_len);
	if (error)
		return error;
	for (unsigned i = 0; i < calibration->families; i++)
		if (!calibration->family[i].tables || !*calibration->family[i].choices || !*calibration->family[i].fitted) {
			snprintf(err, err_len, "%s: family %s needs tables, choices and fitted", name, calibration->family[i].name);
			return -EINVAL;
		}
	return 0;
}

int wt_calibration_load(struct wt_calibration *calibration, char *err, size_t err_len)
{
	return wt_calibration_parse(wt_calibration_files[0].text, wt_calibration_files[0].id, calibration, err, err_len);
}

/* Does "table1 reno 0.33 0.50; table1 * 0.00" name this cell? */
static bool is_fitted(const char *selectors, const char *table, const char *variant, const char *row)
{
	char list[200], *save = NULL;

	snprintf(list, sizeof(list), "%s", selectors);
	for (char *one = strtok_r(list, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
		char *words = NULL, *word = strtok_r(one, " ", &words);
		bool rows = false, found = false;

		if (!word || strcmp(word, table))
			continue;
		word = strtok_r(NULL, " ", &words);
		if (!word || (strcmp(word, "*") && strcmp(word, variant)))
			continue;
		while ((word = strtok_r(NULL, " ", &words))) {
			rows = true;
			found |= !strcmp(word, row);
		}
		if (found || !rows)
			return true;
	}
	return false;
}

static void add(struct wt_misfit *misfit, const struct wt_mean *ours, double printed)
{
	double off = ours->mean - printed, half = ours->n > 1 ? wt_prediction_half(ours, 0.05) : 0;

	misfit->cells++;
	misfit->near += fabs(off) <= half || fabs(off) <= 0.10 * printed;
	misfit->logs += fabs(log(ours->mean / printed));
}

static void measure(const struct wt_calibration_family *family, struct wt_calibration_table *table, const struct wt_paper_results *results)
{
	double *sample = calloc(results->plan.repeats, sizeof(*sample));

	for (unsigned p = 0; sample && p < results->paper.points; p++)
		for (unsigned v = 0; v < results->paper.variants; v++) {
			const struct wt_paper_cell *cell = &results->paper.point[p].cell[v];
			struct wt_mean ours;

			for (unsigned k = 0; k < results->plan.repeats; k++)
				sample[k] = wt_paper_results_value(results, k, p, v);
			ours = wt_mean_of(sample, results->plan.repeats);
			if (!ours.n || !(ours.mean > 0) || isnan(cell->value) || *cell->suspect)
				continue;
			add(is_fitted(family->fitted, table->name, results->paper.variant[v].name, results->paper.point[p].label)
				    ? &table->fitted : &table->predicted, &ours, cell->value);
		}
	free(sample);
}

unsigned wt_calibration_measure(struct wt_calibration *calibration, const char *dir)
{
	struct wt_paper_results *results = malloc(sizeof(*results));
	unsigned found = 0;
	char err[900];

	for (unsigned i = 0; results && i < calibration->families; i++) {
		struct wt_calibration_family *family = &calibration->family[i];

		for (unsigned t = 0; t < family->tables; t++) {
			if (wt_paper_results_load(results, dir, FAMILY, family->table[t].name, NULL, err, sizeof(err)))
				continue;
			found++;
			measure(family, &family->table[t], results);
			wt_paper_results_finish(results);
		}
	}
	free(results);
	return found;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/calibration.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper_results.h"

extern const struct wt_paper_file wt_calibration_files[];

#define FAMILY "tcp-real-2001"

struct parse {
	struct wt_calibration *calibration;
	const char *why;
};

/* Continuation lines come with the same key again and are joined. */
static int append(char *out, size_t size, const char *value)
{
	size_t len = strlen(out);

	if (len + strlen(value) + 2 > size)
		return -1;
	snprintf(out + len, size - len, "%s%s", len ? " " : "", value);
	return 0;
}

static int take_tables(struct wt_calibration_family *family, const char *value)
{
	char list[200], *save = NULL;

	if (strlen(value) >= sizeof(list))
		return -1;
	snprintf(list, sizeof(list), "%s", value);
	for (char *word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (family->tables == WT_CALIBRATION_TABLES || strlen(word) >= sizeof(family->table[0].name))
			return -1;
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

static int on_line(void *arg, const char *section, const char *key, const char *value)
{
	struct parse *parse = arg;
	struct wt_calibration *calibration = parse->calibration;
	bool all = !strcmp(section, "all");
	struct wt_calibration_family *family = NULL;
	int error = -1;

	if (!all && (strncmp(section, "family ", 7) || !(family = family_of(calibration, section + 7)))) {
		parse->why = "expected [all] or [family NAME]";
		return 0;
	}
	if (!strcmp(key, "choices"))
		error = append(all ? calibration->choices : family->choices, sizeof(calibration->choices), value);
	else if (!strcmp(key, "why"))
		error = append(all ? calibration->why : family->why, sizeof(calibration->why), value);
	else if (family && !strcmp(key, "fitted"))
		error = append(family->fitted, sizeof(family->fitted), value);
	else if (family && !strcmp(key, "tables"))
		error = take_tables(family, value);
	if (error)
		parse->why = "unknown key, or too long a value";
	return !error;
}

int wt_calibration_parse(const char *text, const char *name, struct wt_calibration *calibration, char *err, size_t err_len)
{
	struct parse parse = {.calibration = calibration};
	int line;

	memset(calibration, 0, sizeof(*calibration));
	line = ini_parse_string(text, on_line, &parse);
	if (line) {
		snprintf(err, err_len, "%s:%d: %s", name, line, parse.why ? parse.why : "neither [section] nor name = value");
		return -EINVAL;
	}
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
	double off = ours->mean - printed, half = isnan(ours->half) ? 0 : ours->half;

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
			if (wt_paper_results_load(results, dir, FAMILY, family->table[t].name, err, sizeof(err)))
				continue;
			found++;
			measure(family, &family->table[t], results);
			wt_paper_results_finish(results);
		}
	}
	free(results);
	return found;
}

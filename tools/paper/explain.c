/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/random.h"
#include "tools/common/wrap.h"

#define FAMILY "tcp-real-2001"

static double off_by(double ours, double printed)
{
	double log_ratio = log(ours / printed);

	return log_ratio * log_ratio;
}

/* The mean of n samples drawn from them with replacement. */
static double drawn_mean(const struct wt_key *key, const double *sample, size_t n, uint64_t number)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += sample[wt_random_below(key, number * n + i, n)];
	return sum / (double)n;
}

static void add_cell(struct wt_misprint *into, const struct wt_key *key, double *sample, size_t repeats, double printed)
{
	struct wt_mean ours = wt_mean_of(sample, repeats);
	double half = wt_prediction_half(&ours, 0.05);
	size_t n = 0;

	if (!ours.n || !(ours.mean > 0))
		return;
	for (size_t i = 0; i < repeats; i++)
		if (!isnan(sample[i]))
			sample[n++] = sample[i];
	into->cells++;
	into->match += fabs(ours.mean - printed) <= (isnan(half) ? 0 : half);
	into->squares[0] += off_by(ours.mean, printed);
	for (unsigned d = 1; d <= WT_EXPLAIN_DRAWS; d++) {
		double mean = drawn_mean(key, sample, n, d);

		into->squares[d] += off_by(mean > 0 ? mean : ours.mean, printed);
	}
}

void wt_explain_add(struct wt_misprint *into, const struct wt_paper_results *results)
{
	struct wt_key key = wt_key_derive(WT_BOOTSTRAP_SEED, "explain");
	double *sample = calloc(results->plan.repeats, sizeof(*sample));

	for (unsigned p = 0; sample && p < results->paper.points; p++)
		for (unsigned v = 0; v < results->paper.variants; v++) {
			const struct wt_paper_cell *cell = &results->paper.point[p].cell[v];

			if (isnan(cell->value) || *cell->suspect)
				continue;
			for (unsigned k = 0; k < results->plan.repeats; k++)
				sample[k] = wt_paper_results_value(results, k, p, v);
			add_cell(into, &key, sample, results->plan.repeats, cell->value);
		}
	free(sample);
}

void wt_explain_settle(struct wt_misprint *misprint)
{
	double drawn[WT_EXPLAIN_DRAWS];

	for (unsigned d = 0; d < WT_EXPLAIN_DRAWS; d++)
		drawn[d] = sqrt(misprint->squares[1 + d] / misprint->cells);
	misprint->rms = sqrt(misprint->squares[0] / misprint->cells);
	misprint->low = wt_quantile(drawn, WT_EXPLAIN_DRAWS, 0.025);
	misprint->high = wt_quantile(drawn, WT_EXPLAIN_DRAWS, 0.975);
}

static void sum(struct wt_misprint *into, const struct wt_misprint *one)
{
	into->cells += one->cells;
	into->match += one->match;
	for (unsigned d = 0; d <= WT_EXPLAIN_DRAWS; d++)
		into->squares[d] += one->squares[d];
}

static bool load(struct wt_paper_results *results, const char *dir, const char *change, const char *object)
{
	char path[700], err[900];

	snprintf(path, sizeof(path), "%s%s%s", dir, *change ? "/" : "", change);
	return wt_paper_results_load(results, path, FAMILY, object, NULL, err, sizeof(err)) == 0;
}

/* Does the printed value lie where our single runs lie? */
static bool matches(const struct wt_paper_results *results, unsigned p, unsigned v)
{
	double *sample = calloc(results->plan.repeats, sizeof(*sample));
	struct wt_mean ours;

	for (unsigned k = 0; sample && k < results->plan.repeats; k++)
		sample[k] = wt_paper_results_value(results, k, p, v);
	ours = wt_mean_of(sample, sample ? results->plan.repeats : 0);
	free(sample);
	return ours.n > 1 && fabs(ours.mean - results->paper.point[p].cell[v].value) <= wt_prediction_half(&ours, 0.05);
}

static bool is_stack(const struct wt_explained *way)
{
	return !*way->name || !strncmp(way->name, "under-", 6);
}

/* Cells of a table that no stack explains. */
static void count_neither(struct wt_explanation *explanation, const char *dir, const char *object)
{
	bool matched[WT_PAPER_POINTS][WT_PAPER_VARIANTS] = {{false}};
	struct wt_paper_results results;
	struct wt_paper *paper = NULL;

	for (unsigned w = 0; w < explanation->ways; w++) {
		if (!is_stack(&explanation->way[w]) || !load(&results, dir, explanation->way[w].name, object))
			continue;
		for (unsigned p = 0; p < results.paper.points; p++)
			for (unsigned v = 0; v < results.paper.variants; v++)
				matched[p][v] |= matches(&results, p, v);
		if (!paper && (paper = malloc(sizeof(*paper))))
			*paper = results.paper;
		wt_paper_results_finish(&results);
	}
	for (unsigned p = 0; paper && p < paper->points; p++)
		for (unsigned v = 0; v < paper->variants; v++)
			if (!isnan(paper->point[p].cell[v].value) && !*paper->point[p].cell[v].suspect) {
				explanation->cells++;
				explanation->neither += !matched[p][v];
			}
	free(paper);
}

static bool explain_way(struct wt_explanation *explanation, struct wt_explained *way, const char *dir)
{
	struct wt_paper_results results;

	for (unsigned t = 0; t < explanation->tables; t++) {
		if (!load(&results, dir, way->name, explanation->table[t]))
			continue;
		wt_explain_add(&way->table[t], &results);
		wt_paper_results_finish(&results);
		if (!way->table[t].cells)
			continue;
		wt_explain_settle(&way->table[t]);
		sum(&way->all, &way->table[t]);
	}
	if (way->all.cells)
		wt_explain_settle(&way->all);
	return way->all.cells;
}

bool wt_explain(struct wt_explanation *explanation, const char *dir)
{
	struct wt_paper_changes *changes = malloc(sizeof(*changes));
	size_t len = strlen(FAMILY);

	memset(explanation, 0, sizeof(*explanation));
	for (unsigned i = 0; wt_paper_files[i].id && explanation->tables < WT_EXPLAIN_TABLES; i++)
		if (!strncmp(wt_paper_files[i].id, FAMILY "/", len + 1))
			snprintf(explanation->table[explanation->tables++], sizeof(explanation->table[0]), "%s", wt_paper_files[i].id + len + 1);
	explanation->ways = explain_way(explanation, &explanation->way[0], dir);
	if (changes && explanation->ways)
		wt_paper_changes_of(FAMILY, changes);
	for (unsigned i = 0; changes && explanation->ways && i < changes->count; i++) {
		struct wt_explained *way = &explanation->way[explanation->ways];

		memset(way, 0, sizeof(*way));
		snprintf(way->name, sizeof(way->name), "%s", changes->name[i]);
		explanation->ways += explain_way(explanation, way, dir);
	}
	for (unsigned t = 0; t < explanation->tables; t++)
		count_neither(explanation, dir, explanation->table[t]);
	free(changes);
	return explanation->ways;
}

/* The stack of least misprint. */
static const struct wt_explained *best(const struct wt_explanation *explanation)
{
	const struct wt_explained *best = NULL;

	for (unsigned w = 0; w < explanation->ways; w++)
		if (is_stack(&explanation->way[w]) && (!best || explanation->way[w].all.rms < best->all.rms))
			best = &explanation->way[w];
	return best;
}

static const char *stack_name(const struct wt_explained *way)
{
	return *way->name ? way->name + strlen("under-") : "bsd90";
}

void wt_explain_headline(const struct wt_explanation *explanation, char *out, size_t len)
{
	const struct wt_explained *top = explanation->ways ? best(explanation) : NULL;
	unsigned stacks = 0;
	size_t at;

	*out = '\0';
	for (unsigned w = 0; w < explanation->ways; w++)
		stacks += is_stack(&explanation->way[w]);
	if (stacks < 2)
		return;
	at = (size_t)snprintf(out, len, "%s explains most of the printed numbers: they are off by %.2f (%.2f to %.2f; RMS of the natural "
			      "logarithm of ours over printed)", stack_name(top), top->all.rms, top->all.low, top->all.high);
	for (unsigned w = 0; w < explanation->ways && at < len; w++)
		if (is_stack(&explanation->way[w]) && &explanation->way[w] != top)
			at += (size_t)snprintf(out + at, len - at, ", under %s by %.2f (%.2f to %.2f)", stack_name(&explanation->way[w]),
					       explanation->way[w].all.rms, explanation->way[w].all.low, explanation->way[w].all.high);
	if (at < len)
		snprintf(out + at, len - at, "; %u of %u cells lie outside the spread of single runs under all of them", explanation->neither,
			 explanation->cells);
}

void wt_explain_print(FILE *out, const struct wt_explanation *explanation)
{
	char headline[700];

	fputs("\nours over printed, root mean square of the natural logarithm, with its 95 % interval; cells that match one run\n", out);
	for (unsigned w = 0; w < explanation->ways; w++) {
		const struct wt_explained *way = &explanation->way[w];

		fprintf(out, "  %s\n", *way->name ? way->name : "as the files have it");
		for (unsigned t = 0; t <= explanation->tables; t++) {
			const struct wt_misprint *one = t < explanation->tables ? &way->table[t] : &way->all;

			if (one->cells)
				fprintf(out, "    %-10s  %.2f  (%.2f to %.2f)  %3u of %3u match\n",
					t < explanation->tables ? explanation->table[t] : "together", one->rms, one->low, one->high,
					one->match, one->cells);
		}
	}
	wt_explain_headline(explanation, headline, sizeof(headline));
	if (*headline) {
		fputc('\n', out);
		wt_wrap(out, headline, 0, 0);
	}
}

void wt_explain_json(struct wt_json *json, const struct wt_explanation *explanation)
{
	char headline[700];

	wt_explain_headline(explanation, headline, sizeof(headline));
	wt_json_string(json, "headline", headline);
	wt_json_u64(json, "cells", explanation->cells);
	wt_json_u64(json, "explained_by_none", explanation->neither);
	wt_json_array(json, "ways");
	for (unsigned w = 0; w < explanation->ways; w++) {
		const struct wt_explained *way = &explanation->way[w];

		wt_json_object(json, NULL);
		wt_json_string(json, "change", way->name);
		wt_json_array(json, "tables");
		for (unsigned t = 0; t <= explanation->tables; t++) {
			const struct wt_misprint *one = t < explanation->tables ? &way->table[t] : &way->all;

			if (!one->cells)
				continue;
			wt_json_object(json, NULL);
			wt_json_string(json, "table", t < explanation->tables ? explanation->table[t] : "together");
			wt_json_u64(json, "cells", one->cells);
			wt_json_u64(json, "match", one->match);
			wt_json_number(json, "rms", one->rms);
			wt_json_number(json, "low", one->low);
			wt_json_number(json, "high", one->high);
			wt_json_end(json);
		}
		wt_json_end(json);
		wt_json_end(json);
	}
	wt_json_end(json);
}

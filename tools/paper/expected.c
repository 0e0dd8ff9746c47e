/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/expected.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 7 }; /* hops */

static const char *key_of(const struct wt_sweep *sweep, const char *key)
{
	for (unsigned i = 0; i < sweep->notes; i++)
		if (!strcmp(sweep->note[i].section, "expected") && !strcmp(sweep->note[i].key, key))
			return sweep->note[i].text;
	return NULL;
}

bool wt_paper_expects(const struct wt_sweep *sweep)
{
	return key_of(sweep, "strings") != NULL;
}

static int take_printed(const struct wt_sweep *sweep, const struct wt_paper *paper, struct wt_paper_expectation *to, char *err, size_t err_len)
{
	const char *text = key_of(sweep, "printed");
	unsigned count = 0;

	for (char *end; text && *text; text = end) {
		double value = strtod(text, &end);

		if (end == text || count == paper->variants)
			break;
		to->of[count++].printed = value;
		end += strspn(end, ", ");
	}
	to->variants = paper->variants;
	if (text && !*text && count == paper->variants)
		return 0;
	snprintf(err, err_len, "%s: [expected]: printed: expected %u numbers, one of each column, with commas between", sweep->file, paper->variants);
	return -EINVAL;
}

/* The folder of the string table stands beside that of this one: TABLE, or TABLE-BACKEND. */
static int load_strings(const struct wt_sweep *sweep, const char *dir, struct wt_paper_results *strings, char *err, size_t err_len)
{
	const char *id = key_of(sweep, "strings"), *mine = strrchr(sweep->name, '/'), *leaf = strrchr(id, '/'), *last = strrchr(dir, '/');
	char path[800];
	size_t len;

	mine = mine ? mine + 1 : sweep->name;
	leaf = leaf ? leaf + 1 : id;
	last = last ? last + 1 : dir;
	len = strlen(mine);
	snprintf(path, sizeof(path), "%.*s%s%s", (int)(last - dir), dir, leaf, strncmp(last, mine, len) ? "" : last + len);
	memset(strings, 0, sizeof(*strings));
	if (wt_paper_load(id, NULL, &strings->paper, err, err_len))
		return -EINVAL;
	return wt_paper_results_read(strings, path, err, err_len);
}

/* Means of the string table by hops, 0 where it has no row; in a column of the same name. */
static void string_means(const struct wt_paper_results *strings, const char *variant, double carried[MOST + 1])
{
	double *sample = calloc(strings->plan.repeats, sizeof(*sample));
	unsigned v = 0;

	while (v < strings->paper.variants && strcmp(strings->paper.variant[v].name, variant))
		v++;
	for (unsigned h = 0; h <= MOST; h++) {
		carried[h] = 0;
		if (!h || h > strings->paper.points || v == strings->paper.variants || !sample)
			continue;
		for (unsigned k = 0; k < strings->plan.repeats; k++)
			sample[k] = wt_paper_results_value(strings, k, h - 1, v);
		carried[h] = wt_mean_of(sample, strings->plan.repeats).mean;
	}
	free(sample);
}

/* The share of time at so many hops, of each repeat and column; "flow.far.goodput_kBps" says whose. */
static int read_ways(const struct wt_paper_results *results, const char *dir, unsigned hops, struct wt_paper_results *ways, char *err, size_t err_len)
{
	const char *dot = strrchr(results->paper.metric.path, '.');

	ways->paper = results->paper;
	snprintf(ways->paper.metric.path, sizeof(ways->paper.metric.path), "%.*s.ways.%u", dot ? (int)(dot - results->paper.metric.path) : 0,
		 results->paper.metric.path, hops);
	return wt_paper_results_read(ways, dir, err, err_len);
}

/* Adds t_h T_h to each repeat's expectation; expected: by repeat, then column. */
static void add_ways(const struct wt_paper_results *ways, double carried[][MOST + 1], unsigned hops, double *expected, double *share)
{
	unsigned variants = ways->paper.variants, count = 0;

	*share = 0;
	for (unsigned k = 0; k < ways->plan.repeats; k++)
		for (unsigned v = 0; v < variants; v++) {
			double part = wt_paper_results_value(ways, k, 0, v);

			expected[k * variants + v] += part * carried[v][hops];
			if (!isnan(part)) {
				*share += part;
				count++;
			}
		}
	*share = count ? *share / count : NAN;
}

/* Of one column: means, and the share by the ratio of means, whose error is that of measured - share * expected. */
static void sum_up(const struct wt_paper_results *results, unsigned v, const double *expected, struct wt_paper_expectation *to, double *sample)
{
	unsigned repeats = results->plan.repeats, variants = results->paper.variants;
	double *measured = calloc(repeats, sizeof(*measured)), *hoped = calloc(repeats, sizeof(*hoped)), mean;

	for (unsigned k = 0; measured && hoped && k < repeats; k++) {
		measured[k] = wt_paper_results_value(results, k, 0, v);
		hoped[k] = isnan(measured[k]) ? NAN : expected[k * variants + v];
	}
	if (measured && hoped) {
		mean = wt_mean_of(hoped, repeats).mean;
		to->of[v].expected = mean;
		to->of[v].measured = wt_mean_of(measured, repeats).mean;
		to->of[v].share = to->of[v].measured / mean;
		to->of[v].printed_share = results->paper.point[0].cell[v].value / to->of[v].printed;
		for (unsigned k = 0; k < repeats; k++) {
			if (sample)
				sample[k] = measured[k] / mean;
			measured[k] -= to->of[v].share * hoped[k];
		}
		to->of[v].share_half = wt_mean_of(measured, repeats).half / mean;
	}
	free(measured);
	free(hoped);
}

int wt_paper_expect(const struct wt_sweep *sweep, const struct wt_paper_results *results, const char *dir, struct wt_paper_expectation *to,
		    double *const sample[], char *err, size_t err_len)
{
	struct wt_paper_results *other = malloc(sizeof(*other));
	double carried[WT_PAPER_VARIANTS][MOST + 1], *expected = calloc((size_t)results->plan.repeats * results->paper.variants, sizeof(*expected));
	int error = other && expected ? 0 : -ENOMEM;

	memset(to, 0, sizeof(*to));
	snprintf(err, err_len, "no memory");
	if (!error)
		error = take_printed(sweep, &results->paper, to, err, err_len);
	if (!error)
		error = load_strings(sweep, dir, other, err, err_len);
	if (!error) {
		for (unsigned v = 0; v < results->paper.variants; v++)
			string_means(other, results->paper.variant[v].name, carried[v]);
		wt_paper_results_finish(other);
	}
	to->hops[0] = 1;
	for (unsigned h = 1; h <= MOST && !error; h++) {
		error = read_ways(results, dir, h, other, err, err_len);
		if (error)
			break;
		add_ways(other, carried, h, expected, &to->hops[h]);
		to->hops[0] -= to->hops[h];
		wt_paper_results_finish(other);
	}
	for (unsigned v = 0; v < results->paper.variants && !error; v++)
		sum_up(results, v, expected, to, sample ? sample[v] : NULL);
	free(expected);
	free(other);
	return error;
}

void wt_paper_expectation_print(FILE *out, const struct wt_paper *paper, const struct wt_paper_expectation *e)
{
	fprintf(out, "  expected by the time at each number of hops (");
	for (unsigned h = 1; h <= MOST; h++)
		fprintf(out, "%u: %.3f, ", h, e->hops[h]);
	fprintf(out, "no way or a longer one: %.3f)\n", e->hops[0]);
	fprintf(out, "    %-22s %18s %18s %24s\n", "", "expected, printed", "ours", "measured, printed, ours");
	for (unsigned v = 0; v < e->variants; v++)
		fprintf(out, "    %-22s %18.2f %18.2f %9.1f %% %7.1f +- %.1f %%\n", paper->variant[v].label, e->of[v].printed, e->of[v].expected,
			100 * e->of[v].printed_share, 100 * e->of[v].share, 100 * e->of[v].share_half);
}

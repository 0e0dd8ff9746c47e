/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank report compare: two sweeps over the same cells, on two backends or by two versions. */
#include "tools/report/compare.h"

#include <errno.h>
#include <string.h>

#include "tools/common/cli.h"

extern const struct wt_command wt_command_report_compare;

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "the cells as JSON Lines"},
};

static void cell_json(struct wt_json *json, const struct wt_results_cell *a, const struct wt_results_cell *b, enum wt_agreement verdict)
{
	const struct wt_mean *mean[] = {&a->mean, &b->mean};
	static const char *const keys[] = {"a", "b"};

	wt_json_object(json, NULL);
	wt_json_string(json, "record", "comparison");
	wt_json_string(json, "point", a->point);
	wt_json_string(json, "variant", a->variant);
	for (unsigned i = 0; i < 2; i++) {
		wt_json_object(json, keys[i]);
		wt_json_u64(json, "runs", mean[i]->n);
		wt_json_number(json, "mean", mean[i]->mean);
		wt_json_number(json, "half95", mean[i]->half);
		wt_json_end(json);
	}
	wt_json_number(json, "ratio", a->mean.mean / b->mean.mean);
	wt_json_string(json, "verdict", verdict == WT_DIFFER ? "differ" : wt_agreement_names[verdict]);
	wt_json_end(json);
}

static void print_cell(FILE *out, const char *point, const struct wt_results_cell *a, const struct wt_results_cell *b,
		       enum wt_agreement verdict)
{
	char left[40], right[40], ratio[16] = "-";

	if (a->mean.n && b->mean.n)
		snprintf(ratio, sizeof(ratio), "%.3f", a->mean.mean / b->mean.mean);
	fprintf(out, "  %-7s %-10s %s %s %6s  %s\n", point, a->variant, wt_mean_text(left, &a->mean), wt_mean_text(right, &b->mean), ratio,
		wt_agreement_names[verdict]);
}

struct wt_comparison wt_report_compare(FILE *out, struct wt_json *json, const struct wt_results *a, const struct wt_results *b)
{
	struct wt_comparison sum = {0};
	unsigned shared = 0;
	const char *point = "";

	for (unsigned i = 0; i < a->cells; i++)
		shared += wt_results_cell(b, a->cell[i].point, a->cell[i].variant) != NULL;
	for (unsigned i = 0; i < a->cells; i++) {
		const struct wt_results_cell *x = &a->cell[i], *y = wt_results_cell(b, x->point, x->variant);
		enum wt_agreement verdict;

		if (!y)
			continue;
		verdict = wt_means_judge(&x->mean, &y->mean, shared);
		sum.cells++;
		sum.agree += verdict == WT_AGREE || verdict == WT_AGREE_CLOSE;
		sum.empty += verdict == WT_NOTHING;
		if (json)
			cell_json(json, x, y, verdict);
		if (out)
			print_cell(out, strcmp(point, x->point) ? x->point : "", x, y, verdict);
		point = x->point;
	}
	return sum;
}

static int load(struct wt_results *results, const char *word)
{
	char dir[512], err[400];
	int error = wt_results_find(word, dir, sizeof(dir), err, sizeof(err));

	if (!error)
		error = wt_results_load(results, dir, err, sizeof(err));
	return error ? wt_fail(error == -ENOENT || error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err) : 0;
}

static int compare(const char *const word[2], bool as_json)
{
	static struct wt_results a, b; /* large */
	struct wt_comparison sum;
	struct wt_json json;
	int code = load(&a, word[0]);

	if (!code)
		code = load(&b, word[1]);
	if (!code && strcmp(a.metric, b.metric))
		code = wt_fail(WT_EXIT_USAGE, "%s has %s in %s, %s has %s in %s", a.dir, a.metric, a.unit, b.dir, b.metric, b.unit);
	if (!code) {
		if (!as_json)
			printf("%s in %s, mean and 95 %% interval\n  a  %s: %s on %s\n  b  %s: %s on %s\n\n  %-7s %-10s %9s   %-8s %9s   %-8s %6s\n",
			       a.metric, a.unit, a.dir, a.table, a.backend, b.dir, b.table, b.backend, "", "", "a", "", "b", "", "a/b");
		wt_json_init(&json, stdout);
		sum = wt_report_compare(as_json ? NULL : stdout, as_json ? &json : NULL, &a, &b);
		if (!sum.cells)
			code = wt_fail(WT_EXIT_USAGE, "no cell is in both: %s is %s, %s is %s", a.dir, a.table, b.dir, b.table);
		else if (!as_json)
			printf("\nagree: %u of %u (one distribution explains both: two-sample t with the pooled variance, 5 %% over all "
			       "cells; or means within 1 %%)\n", sum.agree, sum.cells);
		if (!code && sum.agree < sum.cells)
			code = WT_EXIT_FAILED;
	}
	wt_results_finish(&a);
	wt_results_finish(&b);
	if (fflush(stdout) && code != WT_EXIT_USAGE)
		code = wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	return code;
}

static int compare_main(int argc, char **argv)
{
	const char *word[2] = {NULL, NULL}, *json = NULL;

	if (wt_args_read(argc, argv, &json, word, 2, "two results at a time"))
		return WT_EXIT_USAGE;
	if (!word[1])
		return wt_fail(WT_EXIT_USAGE, "nothing to compare: name two result folders, or TABLE@BACKEND twice: table1@sim table1@tap");
	return compare(word, json);
}

const struct wt_command wt_command_report_compare = {
	.name = "report compare",
	.arguments = "A B",
	.text = "compare two results of the same cells",
	.options = options,
	.option_count = 1,
	.run = compare_main,
	.notes = "  wavetank report compare table1@sim table1@tap\n"
		 "  wavetank report compare results/before results/after\n"
		 "A and B are folders, or TABLE@BACKEND: the newest such folder below results/. Exit code 1: a cell differs.",
};

/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stack/record/json.h"
#include "tools/paper/judge.h"
#include "tools/version.h"
#include "tools/common/wrap.h"

static const char *const order_texts[] = {
	[WT_ORDER_NONE] = "nothing to compare",
	[WT_ORDER_AGREES] = "as printed",
	[WT_ORDER_UNDECIDED] = "too close to call",
	[WT_ORDER_DIFFERS] = "not as printed",
	[WT_ORDER_LEVEL] = "level where an order is printed",
};

static const char *number(char *text, size_t len, const char *format, double value)
{
	if (isnan(value))
		snprintf(text, len, "-");
	else
		snprintf(text, len, format, value);
	return text;
}

/* Footnote numbers are given in order of appearance. */
struct notes {
	unsigned count;
	const char *text[2 * WT_PAPER_POINTS * WT_PAPER_VARIANTS];
};

static const char *note(struct notes *notes, const char *text, char *mark, size_t len)
{
	*mark = '\0';
	if (*text) {
		notes->text[notes->count++] = text;
		snprintf(mark, len, " [%u]", notes->count);
	}
	return mark;
}

static void print_order(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_row_result *row, const char *mark)
{
	unsigned order[WT_PAPER_VARIANTS], n = 0;
	char tau[32];

	for (unsigned v = 0; v < plan->paper->variants; v++) {
		unsigned i = n;

		if (!row->cell[v].ours.n)
			continue;
		for (; i > 0 && row->cell[order[i - 1]].ours.mean < row->cell[v].ours.mean; i--)
			order[i] = order[i - 1];
		order[i] = v;
		n++;
	}
	if (!n)
		return;
	fprintf(out, "        order: ");
	for (unsigned i = 0; i < n; i++) {
		bool tied = i && row->cell[order[i]].ours.mean == row->cell[order[i - 1]].ours.mean;

		fprintf(out, "%s%s", !i ? "" : tied ? " = " : " > ", plan->paper->variant[order[i]].label);
	}
	if (row->order == WT_ORDER_NONE) {
		fprintf(out, "%s\n", mark);
		return;
	}
	fprintf(out, ": %s (Kendall tau %s)%s\n",
		row->order == WT_ORDER_UNDECIDED && row->tau == 1 ? "as printed, but within chance" : order_texts[row->order], number(tau, sizeof(tau), "%.2f", row->tau), mark);
}

static const char *verdict_text(const char *verdict)
{
	return strcmp(verdict, "n/a") ? verdict : "not printed";
}

static void print_row(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report, unsigned p,
		      struct notes *notes)
{
	const struct wt_paper_point *point = &plan->paper->point[p];
	const struct wt_paper_row_result *row = &report->row[p];
	char mean[32], half[32], one[32], paper[32], ratio[32], mark[16];

	for (unsigned v = 0; v < plan->paper->variants; v++) {
		const struct wt_paper_cell_result *cell = &row->cell[v];

		fprintf(out, "  %-5s %-10s %8s ± %-6s ± %-6s %9s %6s  %s%s%s", v ? "" : point->label, plan->paper->variant[v].label,
			number(mean, sizeof(mean), "%.1f", cell->ours.mean), number(half, sizeof(half), "%.1f", cell->ours.half),
			number(one, sizeof(one), "%.1f", cell->one),
			number(paper, sizeof(paper), "%.2f", point->cell[v].value),
			number(ratio, sizeof(ratio), "%.2f", cell->ratio), verdict_text(cell->verdict),
			cell->in_mean ? ", mean too" : "", note(notes, point->cell[v].suspect, mark, sizeof(mark)));
		if (cell->failed)
			fprintf(out, "  (%u of %u failed)", cell->failed, cell->failed + cell->invalid + (unsigned)cell->ours.n);
		if (cell->invalid)
			fprintf(out, "  (%u of %u invalid)", cell->invalid, cell->failed + cell->invalid + (unsigned)cell->ours.n);
		fputc('\n', out);
	}
	print_order(out, plan, row, note(notes, point->note, mark, sizeof(mark)));
}

static const struct {
	const char *word, *meaning;
} verdicts[] = {
	{"match", "the printed value, which is one run, lies where 95 % of our single runs lie; mean too: also in the interval of our mean"},
	{"near", "no match, but our mean is within 10 % of the printed value"},
	{"rank", "neither match nor near, but our means of the row are in the printed order, each pair beyond chance"},
	{"differs", "neither match nor near, and our means of the row are not in the printed order beyond chance"},
	{"undecided", "the repeats do not show which of these it is"},
	{"suspect", "the printed value contradicts itself; the note says how"},
	{"failed", "no run of ours finished"},
	{"invalid", "the host was too busy for a run in real time"},
	{"n/a", "the paper gives no number here"},
};

#define VERDICTS (sizeof(verdicts) / sizeof(verdicts[0]))

static unsigned count_of(const struct wt_paper_plan *plan, const struct wt_paper_report *report, const char *word)
{
	unsigned count = 0;

	for (unsigned p = 0; p < plan->paper->points; p++)
		for (unsigned v = 0; v < plan->paper->variants; v++)
			count += !strcmp(report->row[p].cell[v].verdict, word);
	return count;
}

void wt_paper_summary(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report)
{
	unsigned orders[WT_ORDERS] = {0};

	fprintf(out, "cells:");
	for (unsigned i = 0; i < VERDICTS; i++)
		if (count_of(plan, report, verdicts[i].word))
			fprintf(out, " %u %s", count_of(plan, report, verdicts[i].word), verdict_text(verdicts[i].word));
	for (unsigned p = 0; p < plan->paper->points; p++)
		orders[report->row[p].order]++;
	if (orders[WT_ORDER_NONE] == plan->paper->points) {
		fputs(" · no order to compare\n", out);
		return;
	}
	fprintf(out, " · orders: %u as printed, %u level, %u too close to call, %u not as printed\n", orders[WT_ORDER_AGREES],
		orders[WT_ORDER_LEVEL], orders[WT_ORDER_UNDECIDED], orders[WT_ORDER_DIFFERS]);
}

static void print_summary(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report)
{
	fputc('\n', out);
	wt_paper_summary(out, plan, report);
	for (unsigned i = 0; i < VERDICTS; i++)
		if (count_of(plan, report, verdicts[i].word))
			fprintf(out, "  %s: %s\n", verdict_text(verdicts[i].word), verdicts[i].meaning);
}

void wt_paper_print(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report, double wall)
{
	const struct wt_paper *paper = plan->paper;
	struct notes notes = {0};

	fprintf(out, "%s%s%s: %s\n%s\n%s: mean, its 95 %% interval and that of one run, of %s%u runs; first column: %s\n\n", paper->id,
		*paper->changed ? ", " : "", paper->changed, paper->title, paper->source, paper->metric.heading,
		plan->looks > 1 ? "up to " : "", plan->repeats, *paper->axis ? paper->axis : "point");
	fprintf(out, "  %-5s %-10s %8s   %-6s   %-6s %9s %6s  %s\n", "", "protocol", "ours", "", "one", "paper", "ratio", "verdict");
	for (unsigned p = 0; p < plan->paper->points; p++)
		print_row(out, plan, report, p, &notes);
	for (unsigned i = 0; i < notes.count; i++) {
		fprintf(out, "%s  [%u] ", i ? "" : "\n", i + 1);
		wt_wrap(out, notes.text[i], 6, 6);
	}
	print_summary(out, plan, report);
	fprintf(out, "%u runs (%u failed) on %s", report->runs, report->failed, plan->backend);
	if (wall > 0)
		fprintf(out, " in %.1f s", wall);
	if (strcmp(plan->backend, "sim"))
		fprintf(out, ", host too busy: %u runs repeated (%u times), %u invalid at last", report->repeated, report->repetitions,
			report->invalid);
	else if (wall > 0)
		fprintf(out, ", %.0f simulated seconds per wall second", report->simulated / wall);
	fprintf(out, " · seed %" PRIu64 " · wavetank %s, commit %s\n", plan->seed, WT_VERSION, *WT_COMMIT ? WT_COMMIT : "unknown");
}

void wt_paper_csv(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report)
{
	const struct wt_paper_metric *metric = &plan->paper->metric;
	const char *name = metric->name, *key = metric->key;

	fprintf(out, "point,variant,runs,failed,%s_mean_%s,%s_half95_%s,%s_stddev_%s,paper_%s_%s,ratio,verdict,paper_suspect,invalid,"
		"%s_one_half95_%s,mean_holds\r\n", name, key, name, key, name, key, name, key, name, key);
	for (unsigned p = 0; p < plan->paper->points; p++) {
		const struct wt_paper_point *point = &plan->paper->point[p];

		for (unsigned v = 0; v < plan->paper->variants; v++) {
			const struct wt_paper_cell_result *cell = &report->row[p].cell[v];
			const double values[] = {cell->ours.mean, cell->ours.half, cell->ours.deviation, point->cell[v].value,
						 cell->ratio};
			char text[32];

			fprintf(out, "%s,%s,%zu,%u", point->label, plan->paper->variant[v].name, cell->ours.n, cell->failed);
			for (unsigned i = 0; i < 5; i++)
				fprintf(out, ",%s", isnan(values[i]) ? "" : number(text, sizeof(text), "%.6g", values[i]));
			fprintf(out, ",%s,%d,%u,%s,%d\r\n", cell->verdict, *point->cell[v].suspect != '\0', cell->invalid,
				isnan(cell->one) ? "" : number(text, sizeof(text), "%.6g", cell->one), cell->in_mean);
		}
	}
}

static void json_metric(struct wt_json *json, const struct wt_paper *paper, const char *format, double value)
{
	const struct wt_paper_metric *metric = &paper->metric;
	char name[160];

	snprintf(name, sizeof(name), format, metric->name, metric->key);
	wt_json_number(json, name, value);
}

void wt_paper_json(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *report)
{
	static const char *const orders[] = {"none", "agrees", "undecided", "differs", "level"};
	struct wt_json json;

	wt_json_init(&json, out);
	for (unsigned p = 0; p < plan->paper->points; p++) {
		const struct wt_paper_point *point = &plan->paper->point[p];
		const struct wt_paper_row_result *row = &report->row[p];

		for (unsigned v = 0; v < plan->paper->variants; v++) {
			const struct wt_paper_cell_result *cell = &row->cell[v];

			wt_json_object(&json, NULL);
			wt_json_string(&json, "record", "cell");
			wt_json_string(&json, "table", plan->paper->id);
			wt_json_string(&json, "metric", plan->paper->metric.path);
			wt_json_string(&json, "backend", plan->backend);
			wt_json_string(&json, "point", point->label);
			wt_json_string(&json, "variant", plan->paper->variant[v].name);
			wt_json_u64(&json, "runs", cell->ours.n);
			wt_json_u64(&json, "failed", cell->failed);
			wt_json_u64(&json, "invalid", cell->invalid);
			json_metric(&json, plan->paper, "%s_mean_%s", cell->ours.mean);
			json_metric(&json, plan->paper, "%s_half95_%s", cell->ours.half);
			json_metric(&json, plan->paper, "%s_one_half95_%s", cell->one);
			wt_json_bool(&json, "mean_holds", cell->in_mean);
			json_metric(&json, plan->paper, "paper_%s_%s", point->cell[v].value);
			wt_json_bool(&json, "paper_suspect", *point->cell[v].suspect);
			wt_json_number(&json, "ratio", cell->ratio);
			wt_json_string(&json, "verdict", cell->verdict);
			wt_json_string(&json, "row_order", orders[row->order]);
			wt_json_number(&json, "row_kendall_tau", row->tau);
			wt_json_end(&json);
		}
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts. A cell: `match`, our 95 % interval contains the printed value; `near`, within 10 % of it; `rank`, neither, but the
 * protocols of its row stand in the printed order; `differs`; `suspect`, the printed value contradicts itself; `failed`, no
 * run of ours finished; `invalid`, the host was too busy for each that did.
 *
 * A row's order is judged pair by pair on paired differences (both met the same losses). It agrees if every pair is decided for the
 * paper, at 95 %: as all must be, more pairs make that no easier by chance (an intersection-union test, Berger 1982). It differs if one
 * is decided against it, and of many pairs one easily is: so those are judged together (Holm), and a row differs by chance alone
 * in at most 5 % of cases. Between, and where a pair was met only once, it is undecided. Two cells printed with one number state no
 * order: their pair is not judged, and not counted among those judged together; Kendall's tau-b counts it neither for nor against.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/run.h"

#define PAIRS (WT_PAPER_VARIANTS * (WT_PAPER_VARIANTS - 1) / 2)

double wt_paper_value(const struct wt_paper *paper, const struct wt_paper_record *record)
{
	switch (paper->metric) {
	case WT_PAPER_SUCCESS: return record->success;
	case WT_PAPER_TOKENS: return record->tokens;
	default: return record->goodput;
	}
}

/* What one cell came to by repeat, NaN where it failed. */
static void samples(const struct wt_paper_plan *plan, const struct wt_paper_record *records, unsigned point, unsigned variant,
		    double *out, struct wt_paper_cell_result *cell)
{
	cell->failed = cell->invalid = 0;
	for (unsigned k = 0; k < plan->repeats; k++) {
		const struct wt_paper_record *record = wt_paper_record(plan, records, k, point, variant);

		out[k] = record->outcome == WT_PAPER_OK ? wt_paper_value(plan->paper, record) : NAN;
		cell->failed += record->outcome == WT_PAPER_FAILED;
		cell->invalid += record->outcome == WT_PAPER_INVALID;
	}
}

static bool usable(const struct wt_paper_point *point, const struct wt_paper_row_result *row, unsigned variant)
{
	return !isnan(point->cell[variant].value) && !*point->cell[variant].suspect && row->cell[variant].ours.n;
}

static void judge_order(const struct wt_paper_plan *plan, const struct wt_paper_point *point, double *const sample[],
			struct wt_paper_row_result *row)
{
	double ours[WT_PAPER_VARIANTS], paper[WT_PAPER_VARIANTS], p[PAIRS];
	bool as_printed[PAIRS], decided[PAIRS];
	unsigned n = 0, undecided = 0, against = 0, pairs = 0;

	for (unsigned i = 0; i < plan->paper->variants; i++) {
		if (!usable(point, row, i))
			continue;
		ours[n] = row->cell[i].ours.mean;
		paper[n++] = point->cell[i].value;
		for (unsigned j = i + 1; j < plan->paper->variants; j++) {
			struct wt_mean difference;

			if (!usable(point, row, j) || point->cell[i].value == point->cell[j].value) /* a tie: not printed in any order */
				continue;
			difference = wt_paired_difference(sample[i], sample[j], plan->repeats);
			p[pairs] = wt_mean_p(&difference);
			as_printed[pairs++] = (difference.mean > 0) == (point->cell[i].value > point->cell[j].value);
		}
	}
	wt_holm(p, pairs, 0.05, decided);
	for (unsigned i = 0; i < pairs; i++) {
		undecided += !(as_printed[i] && p[i] <= 0.05);
		against += !as_printed[i] && decided[i];
	}
	row->tau = wt_kendall_tau(paper, ours, n);
	row->order = !pairs ? WT_ORDER_NONE : against ? WT_ORDER_DIFFERS : undecided ? WT_ORDER_UNDECIDED : WT_ORDER_AGREES;
}

static const char *verdict(const struct wt_paper_cell *paper, const struct wt_paper_cell_result *cell, bool in_order)
{
	double half = isnan(cell->ours.half) ? 0 : cell->ours.half;

	if (!cell->ours.n)
		return cell->failed ? "failed" : cell->invalid ? "invalid" : "n/a";
	if (*paper->suspect)
		return "suspect";
	if (isnan(paper->value))
		return "n/a";
	if (fabs(cell->ours.mean - paper->value) <= half)
		return "match";
	if (fabs(cell->ratio - 1) <= 0.10)
		return "near";
	return in_order ? "rank" : "differs";
}

void wt_paper_judge(const struct wt_paper_plan *plan, const struct wt_paper_record *records, struct wt_paper_report *report)
{
	unsigned variants = plan->paper->variants;
	double *all = calloc((size_t)variants * plan->repeats, sizeof(double)), *sample[WT_PAPER_VARIANTS];

	memset(report, 0, sizeof(*report));
	for (uint32_t i = 0; i < wt_paper_count(plan); i++) {
		const struct wt_paper_record *record = &records[i];

		report->runs += record->outcome == WT_PAPER_OK || record->outcome == WT_PAPER_FAILED || record->outcome == WT_PAPER_INVALID;
		report->failed += record->outcome == WT_PAPER_FAILED;
		report->invalid += record->outcome == WT_PAPER_INVALID;
		report->repeated += record->attempts > 1;
		report->repetitions += record->attempts > 1 ? record->attempts - 1 : 0;
		report->simulated += record->simulated;
	}
	for (unsigned p = 0; p < plan->points && all; p++) {
		const struct wt_paper_point *point = &plan->paper->point[plan->point[p]];
		struct wt_paper_row_result *row = &report->row[p];

		for (unsigned v = 0; v < variants; v++) {
			sample[v] = all + (size_t)v * plan->repeats;
			samples(plan, records, p, v, sample[v], &row->cell[v]);
			row->cell[v].ours = wt_mean_of(sample[v], plan->repeats);
			row->cell[v].ratio = row->cell[v].ours.mean / point->cell[v].value;
		}
		judge_order(plan, point, sample, row);
		for (unsigned v = 0; v < variants; v++)
			row->cell[v].verdict = verdict(&point->cell[v], &row->cell[v], row->order == WT_ORDER_AGREES);
	}
	free(all);
}

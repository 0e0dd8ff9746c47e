/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts. A cell: `match`, the printed value, which is one run, lies where 95 % of our single runs lie; `near`, not there, but our mean
 * is within 10 % of it; `rank`, neither, but the protocols of its row stand in the printed order; `differs`; `undecided`, the repeats do
 * not show which; `suspect`, the printed value contradicts itself; `failed`, no run of ours finished; `invalid`, the host was too
 * busy for each that did. cell.h says when something is shown. Without that (`cells` 0) the spread of these runs is taken for the true one
 * (Student's prediction interval), and a word may change with the repeats, since the estimate does. Whether the interval of the mean holds
 * the printed value stands beside it.
 *
 * A row's order is judged pair by pair on paired differences (both met the same losses). It agrees if every pair is decided for the
 * paper, at 95 %: as all must be, more pairs make that no easier by chance (an intersection-union test, Berger 1982). It differs if one
 * is decided against it, and of many pairs one easily is: so those are judged together (Holm), and a row differs by chance alone
 * in at most 5 % of cases. A pair whose interval lies within the margin is level, whichever side of 0 it is on (a test of
 * equivalence; the 95 % interval within the margin is stricter than two one-sided tests at 5 %): a row is level if one of its pairs is
 * and none is open. Between, and where a pair was met only once, it is undecided. Two cells printed with one number state no
 * order: their pair is not judged, and not counted among those judged together; Kendall's tau-b counts it neither for nor against.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/cell.h"
#include "tools/paper/judge.h"

#define PAIRS (WT_PAPER_VARIANTS * (WT_PAPER_VARIANTS - 1) / 2)

uint32_t wt_paper_count(const struct wt_paper_plan *plan)
{
	return plan->repeats * plan->paper->points * plan->paper->variants;
}

struct wt_paper_place wt_paper_at(const struct wt_paper_plan *plan, uint32_t index)
{
	unsigned points = plan->paper->points, variants = plan->paper->variants;

	return (struct wt_paper_place){index / (points * variants), index / variants % points, index % variants};
}

const struct wt_paper_record *wt_paper_record(const struct wt_paper_plan *plan, const struct wt_paper_record *records,
					      unsigned repeat, unsigned point, unsigned variant)
{
	return &records[(repeat * plan->paper->points + point) * plan->paper->variants + variant];
}

/* What one cell came to by repeat, NaN where it failed. */
static void samples(const struct wt_paper_plan *plan, const struct wt_paper_record *records, unsigned point, unsigned variant,
		    double *out, struct wt_paper_cell_result *cell)
{
	cell->failed = cell->invalid = 0;
	for (unsigned k = 0; k < plan->repeats; k++) {
		const struct wt_paper_record *record = wt_paper_record(plan, records, k, point, variant);

		out[k] = record->outcome == WT_PAPER_OK ? record->value : NAN;
		cell->failed += record->outcome == WT_PAPER_FAILED;
		cell->invalid += record->outcome == WT_PAPER_INVALID;
	}
}

static bool usable(const struct wt_paper_point *point, const struct wt_paper_row_result *row, unsigned variant)
{
	return !isnan(point->cell[variant].value) && !*point->cell[variant].suspect && row->cell[variant].ours.n;
}

struct wt_paper_pair wt_paper_compare(const double *a, const double *b, size_t repeats, double level, double margin)
{
	struct wt_paper_pair pair = {.difference = wt_paired_difference(a, b, repeats)};
	double of_a = fabs(wt_mean_of(a, repeats).mean), of_b = fabs(wt_mean_of(b, repeats).mean);
	double half = wt_interval_half(&pair.difference, level);

	pair.p = wt_mean_p(&pair.difference);
	pair.same = pair.difference.n > 1;
	for (size_t i = 0; i < repeats && pair.same; i++)
		pair.same = a[i] == b[i] || (isnan(a[i]) && isnan(b[i]));
	pair.level = pair.same || (margin > 0 && fabs(pair.difference.mean) + half <= margin * (of_a > of_b ? of_a : of_b));
	return pair;
}

static double level_of(const struct wt_paper_plan *plan)
{
	return plan->level > 0 ? plan->level : 0.05;
}

static void judge_order(const struct wt_paper_plan *plan, const struct wt_paper_point *point, double *const sample[],
			struct wt_paper_row_result *row)
{
	double ours[WT_PAPER_VARIANTS], paper[WT_PAPER_VARIANTS], p[PAIRS] = {0};
	bool as_printed[PAIRS], decided[PAIRS], level[PAIRS];
	unsigned n = 0, undecided = 0, against = 0, even = 0, pairs = 0;

	for (unsigned i = 0; i < plan->paper->variants; i++) {
		if (!usable(point, row, i))
			continue;
		ours[n] = row->cell[i].ours.mean;
		paper[n++] = point->cell[i].value;
		for (unsigned j = i + 1; j < plan->paper->variants; j++) {
			struct wt_paper_pair pair;

			if (!usable(point, row, j) || point->cell[i].value == point->cell[j].value) /* a tie: not printed in any order */
				continue;
			pair = wt_paper_compare(sample[i], sample[j], plan->repeats, level_of(plan), plan->margin);
			p[pairs] = pair.p;
			level[pairs] = pair.level;
			as_printed[pairs++] = (pair.difference.mean > 0) == (point->cell[i].value > point->cell[j].value);
		}
	}
	wt_holm(p, pairs, level_of(plan), decided);
	for (unsigned i = 0; i < pairs; i++) {
		even += level[i];
		undecided += !level[i] && !(as_printed[i] && p[i] <= level_of(plan));
		against += !level[i] && !as_printed[i] && decided[i];
	}
	row->tau = wt_kendall_tau(paper, ours, n);
	row->order = !pairs ? WT_ORDER_NONE : against ? WT_ORDER_DIFFERS : undecided ? WT_ORDER_UNDECIDED :
		     even ? WT_ORDER_LEVEL : WT_ORDER_AGREES;
}

/* Is there a pair, printed in an order or not, of which more repeats could still say something? */
static bool is_open(const struct wt_paper_plan *plan, double *const sample[], const struct wt_paper_row_result *row)
{
	for (unsigned i = 0; i < plan->paper->variants; i++)
		for (unsigned j = i + 1; j < plan->paper->variants; j++) {
			struct wt_paper_pair pair;

			if (!row->cell[i].ours.n || !row->cell[j].ours.n)
				continue;
			pair = wt_paper_compare(sample[i], sample[j], plan->repeats, level_of(plan), plan->margin);
			if (!pair.level && pair.p > level_of(plan))
				return true;
		}
	return false;
}

/* By the spread of these runs alone. */
static struct wt_cell_word at_once(const struct wt_paper_cell *paper, const struct wt_paper_cell_result *cell)
{
	double one = isnan(cell->one) ? 0 : cell->one;

	return (struct wt_cell_word){fabs(cell->ours.mean - paper->value) <= one ? WT_CELL_YES : WT_CELL_NO,
				     fabs(cell->ratio - 1) <= 0.10 ? WT_CELL_YES : WT_CELL_NO};
}

static const char *verdict(const struct wt_paper_plan *plan, const struct wt_paper_cell *paper, const struct wt_paper_cell_result *cell,
			   const double *sample, bool in_order)
{
	struct wt_cell_word word;

	if (!cell->ours.n)
		return cell->failed ? "failed" : cell->invalid ? "invalid" : "n/a";
	if (*paper->suspect)
		return "suspect";
	if (isnan(paper->value))
		return "n/a";
	word = plan->cells > 0 ? wt_cell_judge(sample, plan->repeats, paper->value, plan->cells) : at_once(paper, cell);
	if (word.one == WT_CELL_YES)
		return "match";
	if (word.one == WT_CELL_OPEN || word.near == WT_CELL_OPEN)
		return "undecided";
	if (word.near == WT_CELL_YES)
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

		report->runs += record->outcome != WT_PAPER_NOT_RUN;
		report->failed += record->outcome == WT_PAPER_FAILED;
		report->invalid += record->outcome == WT_PAPER_INVALID;
		report->repeated += record->attempts > 1;
		report->repetitions += record->attempts > 1 ? record->attempts - 1 : 0;
		report->simulated += record->simulated;
	}
	for (unsigned p = 0; p < plan->paper->points && all; p++) {
		const struct wt_paper_point *point = &plan->paper->point[p];
		struct wt_paper_row_result *row = &report->row[p];

		for (unsigned v = 0; v < variants; v++) {
			sample[v] = all + (size_t)v * plan->repeats;
			samples(plan, records, p, v, sample[v], &row->cell[v]);
			row->cell[v].ours = wt_mean_of(sample[v], plan->repeats);
			row->cell[v].ratio = row->cell[v].ours.mean / point->cell[v].value;
			row->cell[v].one = wt_prediction_half(&row->cell[v].ours, 0.05);
			row->cell[v].in_mean = fabs(row->cell[v].ours.mean - point->cell[v].value) <= row->cell[v].ours.half;
		}
		judge_order(plan, point, sample, row);
		row->open = is_open(plan, sample, row);
		for (unsigned v = 0; v < variants; v++) {
			row->cell[v].verdict = verdict(plan, &point->cell[v], &row->cell[v], sample[v], row->order == WT_ORDER_AGREES);
			row->open |= !strcmp(row->cell[v].verdict, "undecided");
		}
	}
	free(all);
}

/* ---- in real time and in virtual time ------------------------------------------------------------------- */

static bool compare_cell(FILE *out, const char *point, const char *variant, const struct wt_mean *a, const struct wt_mean *b,
			 size_t comparisons)
{
	enum wt_agreement verdict = wt_means_judge(a, b, comparisons);
	char real[40], sim[40];

	fprintf(out, "  %-5s %-10s %s %s %s\n", point, variant, wt_mean_text(real, a), wt_mean_text(sim, b), wt_agreement_names[verdict]);
	return verdict == WT_AGREE || verdict == WT_AGREE_CLOSE;
}

unsigned wt_paper_agreement(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *real,
			    const struct wt_paper_report *virtual_time, unsigned virtual_repeats, unsigned *cells)
{
	const struct wt_paper *paper = plan->paper;
	unsigned agree = 0;
	size_t comparisons = (size_t)paper->points * paper->variants;

	*cells = 0;
	fprintf(out, "\n%s (%u runs) beside virtual time (%u runs), %s, mean and 95 %% interval:\n", plan->backend, plan->repeats,
		virtual_repeats, paper->metric.unit);
	for (unsigned p = 0; p < paper->points; p++)
		for (unsigned v = 0; v < paper->variants; v++) {
			agree += compare_cell(out, v ? "" : paper->point[p].label, paper->variant[v].label,
					      &real->row[p].cell[v].ours, &virtual_time->row[p].cell[v].ours, comparisons);
			++*cells;
		}
	fprintf(out, "agree: %u of %u (one distribution explains both: two-sample t, 5 %% over all cells; or means within 1 %%)\n",
		agree, *cells);
	return agree;
}

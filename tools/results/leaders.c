/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/leaders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05
#define MARGIN 0.02 /* as of the orders of published tables, tools/paper/judge.h */
#define ROWS 1024
#define PROTOCOLS 64

const char *const wt_leads_names[] = {"decided", "within chance", "level", "alone"};

/* The cells of one row that have finished runs. */
struct row {
	unsigned member[PROTOCOLS], count;
	size_t pairs; /* number of its first pair: those of members j < i follow each other */
};

struct rows {
	struct row *row;
	unsigned count;
	double *p;
	bool *decided;
};

static size_t pair_of(const struct row *row, unsigned a, unsigned b)
{
	unsigned high = a > b ? a : b, low = a > b ? b : a;

	return row->pairs + (size_t)high * (high - 1) / 2 + low;
}

static const struct wt_results_cell *cell_of(const struct wt_results *results, const char *point, const char *variant)
{
	for (unsigned i = 0; i < results->cells; i++)
		if (!strcmp(results->cell[i].point, point) && !strcmp(results->cell[i].variant, variant))
			return &results->cell[i];
	return NULL;
}

/* Did every run of a variant, in all rows, come out as that of an earlier one, to the last bit? Then it is the same protocol again (beside
 * another column of the print), and no opponent. Few runs may be equal by chance. */
static bool is_again(const struct wt_results *results, const char *variant, const char *earlier)
{
	enum { FEW = 20 };
	size_t runs = 0;

	for (unsigned i = 0; i < results->cells; i++) {
		const struct wt_results_cell *a = &results->cell[i], *b;

		if (strcmp(a->variant, variant))
			continue;
		b = cell_of(results, a->point, earlier);
		if (!b || a->count != b->count || (a->count && memcmp(a->sample, b->sample, a->count * sizeof(*a->sample))))
			return false;
		runs += a->mean.n;
	}
	return runs >= FEW;
}

static bool is_again_of_any(const struct wt_results *results, unsigned cell)
{
	for (unsigned i = 0; i < cell; i++)
		if (!strcmp(results->cell[i].point, results->cell[cell].point) &&
		    is_again(results, results->cell[cell].variant, results->cell[i].variant))
			return true;
	return false;
}

static void sort_into_rows(const struct wt_results *results, struct rows *rows)
{
	for (unsigned i = 0; i < results->cells; i++) {
		const struct wt_results_cell *cell = &results->cell[i];
		unsigned at = 0;

		if (!cell->mean.n || is_again_of_any(results, i))
			continue;
		while (at < rows->count && strcmp(results->cell[rows->row[at].member[0]].point, cell->point))
			at++;
		if (at == rows->count && at < ROWS)
			rows->count++;
		if (at < ROWS && rows->row[at].count < PROTOCOLS)
			rows->row[at].member[rows->row[at].count++] = i;
	}
}

/* Every pair of every row, all judged together. False: no memory. */
static bool judge(const struct wt_results *results, struct rows *rows)
{
	size_t pairs = 0;

	for (unsigned r = 0; r < rows->count; r++) {
		rows->row[r].pairs = pairs;
		pairs += (size_t)rows->row[r].count * (rows->row[r].count - 1) / 2;
	}
	rows->p = calloc(pairs + 1, sizeof(*rows->p));
	rows->decided = calloc(pairs + 1, sizeof(*rows->decided));
	if (!rows->p || !rows->decided)
		return false;
	for (unsigned r = 0; r < rows->count; r++)
		for (unsigned i = 0; i < rows->row[r].count; i++)
			for (unsigned j = 0; j < i; j++) {
				const struct wt_results_cell *a = &results->cell[rows->row[r].member[i]], *b = &results->cell[rows->row[r].member[j]];
				struct wt_mean mean = wt_paired_difference(a->sample, b->sample, a->count < b->count ? a->count : b->count);

				rows->p[pair_of(&rows->row[r], i, j)] = wt_mean_p(&mean);
			}
	wt_holm(rows->p, pairs, LEVEL, rows->decided);
	return true;
}

/* The member with the best mean, without one of them; the row's count: there is none. */
static unsigned best_of(const struct wt_results *results, const struct row *row, bool least, unsigned without)
{
	unsigned best = row->count;

	for (unsigned i = 0; i < row->count; i++) {
		double mean = results->cell[row->member[i]].mean.mean, other;

		if (i == without)
			continue;
		other = best < row->count ? results->cell[row->member[best]].mean.mean : NAN;
		if (best == row->count || (least ? mean < other : mean > other))
			best = i;
	}
	return best;
}

/* The difference of the means is shown to be small: its 95 % interval lies within the margin. */
static bool is_level(const struct wt_results_cell *a, const struct wt_results_cell *b)
{
	struct wt_mean mean = wt_paired_difference(a->sample, b->sample, a->count < b->count ? a->count : b->count);

	return a->mean.mean == b->mean.mean || fabs(mean.mean) + mean.half <= MARGIN * fmax(fabs(a->mean.mean), fabs(b->mean.mean));
}

static struct wt_leader leader_of(const struct wt_results *results, const struct rows *rows, const struct row *row, bool least)
{
	unsigned best = best_of(results, row, least, row->count), second = best_of(results, row, least, best);
	const struct wt_results_cell *a = &results->cell[row->member[best]], *b;
	struct wt_leader leader = {.point = a->point, .best = a, .ratio = NAN, .interval = {NAN, NAN}, .leads = WT_LEADS_ALONE};

	if (second == row->count)
		return leader;
	b = leader.second = &results->cell[row->member[second]];
	leader.interval = wt_bootstrap_ratio(a->sample, b->sample, a->count < b->count ? a->count : b->count, &leader.ratio);
	leader.leads = is_level(a, b) ? WT_LEADS_LEVEL : WT_LEADS;
	for (unsigned i = 0; i < row->count && leader.leads == WT_LEADS; i++)
		if (i != best && !rows->decided[pair_of(row, i, best)])
			leader.leads = WT_LEADS_MAYBE;
	return leader;
}

unsigned wt_leaders(const struct wt_results *results, bool least, struct wt_leader *leader, unsigned max)
{
	struct rows rows = {.row = calloc(ROWS, sizeof(*rows.row))};
	unsigned count = 0;

	if (rows.row)
		sort_into_rows(results, &rows);
	if (rows.row && judge(results, &rows))
		for (; count < rows.count && count < max; count++)
			leader[count] = leader_of(results, &rows, &rows.row[count], least);
	free(rows.p);
	free(rows.decided);
	free(rows.row);
	return count;
}

int wt_metric_least(const char *metric)
{
	static const char *const most[] = {"goodput", "success", "jain", "transactions", "throughput", "delivered"};
	static const char *const less[] = {"time", "latency", "rtt", "delay", "timeouts", "retransmit", "dropped", "lost", "loss", "jitter"};

	for (unsigned i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		if (strstr(metric, most[i]))
			return 0;
	for (unsigned i = 0; i < sizeof(less) / sizeof(less[0]); i++)
		if (strstr(metric, less[i]))
			return 1;
	return -1;
}

void wt_leaders_json(struct wt_json *json, const struct wt_results *results)
{
	struct wt_leader *leader = calloc(ROWS, sizeof(*leader));
	unsigned count = leader ? wt_leaders(results, wt_metric_least(results->metric) == 1, leader, ROWS) : 0;

	for (unsigned i = 0; i < count; i++) {
		wt_json_object(json, NULL);
		wt_json_string(json, "point", leader[i].point);
		wt_json_string(json, "best", leader[i].best->variant);
		wt_json_number(json, "best_mean", leader[i].best->mean.mean);
		wt_json_string(json, "second", leader[i].second ? leader[i].second->variant : NULL);
		wt_json_number(json, "second_mean", leader[i].second ? leader[i].second->mean.mean : NAN);
		wt_json_number(json, "ratio", leader[i].ratio);
		wt_json_number(json, "ratio_low", leader[i].interval.low);
		wt_json_number(json, "ratio_high", leader[i].interval.high);
		wt_json_string(json, "leads", wt_leads_names[leader[i].leads]);
		wt_json_end(json);
	}
	free(leader);
}

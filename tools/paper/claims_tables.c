/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of claims.ini about whole tables: orders of columns, of tables and of rows; how near the printed numbers are; how much of the expected
 * throughput was measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/claims_inside.h"
#include "tools/paper/expected.h"

/* ---- words ------------------------------------------------------------------------------------------------ */

/* Is the name in a list with commas? "*" names all. */
static bool names(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (!strcmp(list, "*") || (!strncmp(at, name, len) && (!at[len] || at[len] == ',')))
			return true;
	return false;
}

/* The i-th of a list with commas; false: there are fewer. */
static bool pick(const char *list, unsigned i, char out[128])
{
	for (; i && (list = strchr(list, ',')); i--)
		list++;
	if (!list || !*list)
		return false;
	snprintf(out, 128, "%.*s", (int)strcspn(list, ","), list);
	return true;
}

static const char *leaf(const char *table)
{
	return strrchr(table, '/') ? strrchr(table, '/') + 1 : table;
}

/* ---- order, above, falls ---------------------------------------------------------------------------------- */

/* One pair of samples of the same seeds. */
static void pair(struct wt_claim_tally *tally, const struct wt_paper_results *r, double *x, double *y, const char *what, const char *where)
{
	struct wt_paper_pair pair;

	if (!x || !y)
		return;
	pair = wt_paper_compare(x, y, r->plan.repeats, tally->level, r->plan.margin);
	wt_claim_note(tally, pair.difference.mean, pair.p, what, where);
	tally->even[tally->pairs - 1] = pair.level;
}

/* order TABLE ROWS METRIC A,B over C,D: each of the first above each of the others in these rows (*: all); A>B: above each other as well. */
static bool order(struct wt_claim_judge *judge, struct wt_claim_tally *tally, const char *const word[])
{
	struct wt_paper_results r;
	char what[80];

	if (!wt_claim_load(judge, &r, word[0], word[2]))
		return false;
	tally->level = wt_claim_level(&r);
	for (unsigned p = 0; p < r.paper.points; p++)
		for (unsigned a = 0; a < r.paper.variants && names(word[1], r.paper.point[p].label); a++)
			for (unsigned b = 0; b < r.paper.variants; b++) {
				double *x, *y;

				if (!wt_claim_orders(word[3], word[5], r.paper.variant[a].name, r.paper.variant[b].name))
					continue;
				x = wt_claim_column(&r, p, a);
				y = wt_claim_column(&r, p, b);
				snprintf(what, sizeof(what), "%s over %s", r.paper.variant[a].label, r.paper.variant[b].label);
				pair(tally, &r, x, y, what, r.paper.point[p].label);
				free(x);
				free(y);
			}
	wt_paper_results_finish(&r);
	return true;
}

/* Rows of one label and columns of one name of two tables; of tables with one row each, that row. */
static void compare_tables(struct wt_claim_tally *tally, const struct wt_paper_results *a, const struct wt_paper_results *b, const char *rows)
{
	char what[80];

	for (unsigned p = 0; p < a->paper.points && p < b->paper.points; p++)
		for (unsigned v = 0; v < a->paper.variants && v < b->paper.variants && names(rows, a->paper.point[p].label); v++) {
			double *x = wt_claim_column(a, p, v), *y = wt_claim_column(b, p, v);

			snprintf(what, sizeof(what), "%.20s in %.20s over %.20s", a->paper.variant[v].label, leaf(a->paper.id), leaf(b->paper.id));
			if (!wt_claim_repeated(a, p, v) && a->plan.repeats == b->plan.repeats)
				pair(tally, a, x, y, what, a->paper.point[p].label);
			free(x);
			free(y);
		}
}

/* above TABLE,... over TABLE,... ROWS[:METRIC]: each of the first tables above each of the others, row by row and column by column. */
static bool above(struct wt_claim_judge *judge, struct wt_claim_tally *tally, const char *const word[])
{
	struct wt_paper_results *r = calloc(2, sizeof(*r));
	const char *metric = strchr(word[3], ':') ? strchr(word[3], ':') + 1 : NULL;
	char one[128], other[128], rows[128];
	bool ready = r != NULL;

	snprintf(rows, sizeof(rows), "%.*s", (int)strcspn(word[3], ":"), word[3]);
	for (unsigned i = 0; ready && pick(word[0], i, one); i++)
		for (unsigned k = 0; ready && pick(word[2], k, other); k++) {
			ready = wt_claim_load(judge, &r[0], one, metric);
			if (!ready)
				break;
			ready = wt_claim_load(judge, &r[1], other, metric);
			if (ready) {
				tally->level = wt_claim_level(&r[0]);
				compare_tables(tally, &r[0], &r[1], rows);
				wt_paper_results_finish(&r[1]);
			}
			wt_paper_results_finish(&r[0]);
		}
	free(r);
	return ready;
}

/* falls TABLE,...: each row below the one before it, column by column. */
static bool falls(struct wt_claim_judge *judge, struct wt_claim_tally *tally, const char *const word[])
{
	struct wt_paper_results r;
	char one[128], what[80];

	for (unsigned i = 0; pick(word[0], i, one); i++) {
		if (!wt_claim_load(judge, &r, one, NULL))
			return false;
		tally->level = wt_claim_level(&r);
		for (unsigned p = 1; p < r.paper.points; p++)
			for (unsigned v = 0; v < r.paper.variants; v++) {
				double *x = wt_claim_column(&r, p - 1, v), *y = wt_claim_column(&r, p, v);

				snprintf(what, sizeof(what), "%.20s of %.20s", r.paper.variant[v].label, leaf(one));
				if (!wt_claim_repeated(&r, p, v))
					pair(tally, &r, x, y, what, r.paper.point[p].label);
				free(x);
				free(y);
			}
		wt_paper_results_finish(&r);
	}
	return true;
}

/* ---- near, reached ---------------------------------------------------------------------------------------- */

/* near TABLE SHARE: the printed cells of all its metrics within that share of our means. All: it holds; most: in part. */
static void near(struct wt_claim_judge *judge, const char *object, const char *share)
{
	static struct wt_sweep sweep; /* large */
	unsigned cells = 0, within = 0;
	struct wt_paper_results r;
	char err[900], metric[96];

	if (wt_sweep_load(&sweep, object, err, sizeof(err)))
		wt_claim_set(judge->claim, WT_CLAIM_NOT_YET, "%.500s", err);
	for (unsigned t = 0; !wt_paper_view(&sweep, t, &r.paper, err, sizeof(err)); t++) {
		snprintf(metric, sizeof(metric), "%s", r.paper.metric.path);
		if (!wt_claim_load(judge, &r, object, metric))
			break;
		for (unsigned i = 0; i < r.paper.points * r.paper.variants; i++) {
			const struct wt_paper_cell *cell = &r.paper.point[i / r.paper.variants].cell[i % r.paper.variants];
			double *ours = wt_claim_column(&r, i / r.paper.variants, i % r.paper.variants), mean = wt_mean_of(ours, r.plan.repeats).mean;
			cells += !isnan(cell->value) && !*cell->suspect;
			within += !*cell->suspect && fabs(mean - cell->value) <= strtod(share, NULL) / 100 * cell->value;
			free(ours);
		}
		wt_paper_results_finish(&r);
	}
	if (cells)
		wt_claim_set(judge->claim, within == cells ? WT_CLAIM_HOLDS : 2 * within > cells ? WT_CLAIM_PARTLY : WT_CLAIM_FAILS,
			     "%u of %u printed numbers lie within %s of our means", within, cells, share);
	wt_sweep_finish(&sweep);
}

struct reach {
	struct wt_paper_results results;
	struct wt_paper_expectation is;
	double *sample[WT_PAPER_VARIANTS]; /* measured over expected, by repeat */
};

static void finish_reach(struct reach *reach)
{
	for (unsigned v = 0; v < WT_PAPER_VARIANTS; v++)
		free(reach->sample[v]);
	wt_paper_results_finish(&reach->results);
	memset(reach, 0, sizeof(*reach));
}

/* False: no results of it or of its string table, and the claim says so. */
static bool load_reach(struct wt_claim_judge *judge, struct reach *reach, const char *table)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	char dir[700], err[900] = "no memory";
	int error = sweep ? wt_sweep_load(sweep, table, err, sizeof(err)) : -1;

	if (!error && !wt_claim_load(judge, &reach->results, table, NULL)) {
		wt_sweep_finish(sweep);
		free(sweep);
		return false;
	}
	for (unsigned v = 0; !error && v < reach->results.paper.variants; v++) {
		reach->sample[v] = calloc(reach->results.plan.repeats, sizeof(double));
		error = reach->sample[v] ? 0 : -1;
	}
	if (!error) {
		wt_paper_results_dir(judge->dir, table, dir, sizeof(dir));
		error = wt_paper_expect(sweep, &reach->results, dir, &reach->is, reach->sample, err, sizeof(err));
	}
	if (sweep)
		wt_sweep_finish(sweep);
	free(sweep);
	if (error)
		wt_claim_set(judge->claim, WT_CLAIM_NOT_YET, "no results: %.500s", err);
	return !error;
}

/* reached TABLE,...: of what was expected each table reaches more than those behind it, column by column. */
static bool reached(struct wt_claim_judge *judge, struct wt_claim_tally *tally, const char *const word[])
{
	struct reach *r = calloc(2, sizeof(*r));
	char one[128], other[128], what[80];
	bool ready = r != NULL;

	for (unsigned i = 0; ready && pick(word[0], i, one); i++)
		for (unsigned k = i + 1; ready && pick(word[0], k, other); k++) {
			ready = load_reach(judge, &r[0], one) && load_reach(judge, &r[1], other);
			for (unsigned v = 0; ready && v < r[0].is.variants; v++) {
				tally->level = wt_claim_level(&r[0].results);
				snprintf(what, sizeof(what), "%.20s in %.20s over %.20s", r[0].results.paper.variant[v].label, leaf(one), leaf(other));
				if (!wt_claim_repeated(&r[0].results, 0, v))
					pair(tally, &r[0].results, r[0].sample[v], r[1].sample[v], what, "its share");
			}
			finish_reach(&r[0]);
			finish_reach(&r[1]);
		}
	free(r);
	return ready;
}

/* expected TABLE SHARE: what was printed of expected and measured throughput lies within that share of ours. */
static void expected(struct wt_claim_judge *judge, const char *table, const char *share)
{
	struct reach *r = calloc(1, sizeof(*r));
	unsigned cells = 0, hoped = 0, measured = 0;
	double within = strtod(share, NULL) / 100;

	if (r && load_reach(judge, r, table)) {
		for (unsigned v = 0; v < r->is.variants; v++) {
			const struct wt_paper_cell *cell = &r->results.paper.point[0].cell[v];

			if (isnan(cell->value) || *cell->suspect)
				continue;
			cells++;
			hoped += fabs(r->is.of[v].expected - r->is.of[v].printed) <= within * r->is.of[v].printed;
			measured += fabs(r->is.of[v].measured - cell->value) <= within * cell->value;
		}
		wt_claim_set(judge->claim, hoped + measured == 2 * cells ? WT_CLAIM_HOLDS : hoped + measured ? WT_CLAIM_PARTLY : WT_CLAIM_FAILS,
			     "%u of %u printed expectations and %u of %u measured ones lie within %s of ours", hoped, cells, measured, cells, share);
	}
	if (r)
		finish_reach(r);
	free(r);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

/* One clause that compares: how many words it takes; 0: it is none. *ready false: no results. */
static unsigned clause(struct wt_claim_judge *judge, struct wt_claim_tally *tally, const char *const word[], unsigned words, bool *ready)
{
	if (words >= 7 && !strcmp(word[0], "order") && !strcmp(word[5], "over"))
		return *ready = order(judge, tally, word + 1), 7;
	if (words >= 5 && !strcmp(word[0], "above") && !strcmp(word[2], "over"))
		return *ready = above(judge, tally, word + 1), 5;
	if (words >= 2 && !strcmp(word[0], "falls"))
		return *ready = falls(judge, tally, word + 1), 2;
	if (words >= 2 && !strcmp(word[0], "reached"))
		return *ready = reached(judge, tally, word + 1), 2;
	return 0;
}

/* A file of the claims' says one or more clauses with "and" between; they are concluded together. */
bool wt_claim_judge_tables(struct wt_claim_judge *judge, const char *const word[], unsigned words)
{
	struct wt_claim_tally *tally;
	unsigned at = 0, used;
	bool ready = true;

	if (words == 3 && (!strcmp(word[0], "near") || !strcmp(word[0], "expected")))
		{
		(*word[0] == 'n' ? near : expected)(judge, word[1], word[2]);
		return true;
	}
	tally = calloc(1, sizeof(*tally));
	while (tally && ready && (used = clause(judge, tally, word + at, words - at, &ready))) {
		at += used;
		if (at == words || strcmp(word[at], "and"))
			break;
		at++;
	}
	if (tally && ready && at == words && words)
		wt_claim_conclude(judge, tally, "the order is as claimed", "");
	free(tally);
	return !ready || (at == words && words);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of claims.ini. A claim about an order holds if every pair is decided for it, fails if one is decided against it, and cannot
 * be decided between. For it a pair is decided by itself, at 95 %; against it all pairs of the claim are judged together: see
 * paper_judge.c for why.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/claims.h"
#include "tools/paper/results.h"

#define FAMILY "tcp-real-2001"
#define NEAR_POINTS 5.0 /* of success, "about the same" */
#define PAIRS 256

struct judge {
	struct wt_claim *claim;
	const char *dir;
};

/* The pairs of a claim; `ahead` above 0 is what the paper claims. */
struct tally {
	unsigned pairs;
	double ahead[PAIRS], p[PAIRS];
	char where[PAIRS][56];
};

static void set(struct wt_claim *claim, enum wt_claim_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void set(struct wt_claim *claim, enum wt_claim_verdict verdict, const char *format, ...)
{
	va_list ap;

	claim->verdict = verdict;
	va_start(ap, format);
	vsnprintf(claim->reason, sizeof(claim->reason), format, ap);
	va_end(ap);
}

static bool load(struct judge *judge, struct wt_paper_results *results, const char *object)
{
	char err[900];

	if (wt_paper_results_load(results, judge->dir, FAMILY, object, err, sizeof(err)) == 0)
		return true;
	set(judge->claim, WT_CLAIM_NOT_YET, "no results: %.500s", err);
	return false;
}

/* By repeat; NaN where it failed. free() it. */
static double *column(const struct wt_paper_results *results, unsigned point, unsigned variant)
{
	double *out = calloc(results->plan.repeats, sizeof(*out));

	for (unsigned k = 0; out && k < results->plan.repeats; k++)
		out[k] = wt_paper_results_value(results, k, point, variant);
	return out;
}

static unsigned row_of(const struct wt_paper *paper, const char *label)
{
	unsigned p = 0;

	while (label && p < paper->points && strcmp(paper->point[p].label, label))
		p++;
	return p;
}

/* A pair: how far ahead, and how likely that is by chance alone. */
static void note(struct tally *tally, double ahead, double p, const char *what, const char *where)
{
	if (tally->pairs == PAIRS)
		return;
	tally->ahead[tally->pairs] = ahead;
	tally->p[tally->pairs] = p;
	snprintf(tally->where[tally->pairs++], sizeof(tally->where[0]), "%s at %s", what, where);
}

/* Pairs by name, as many as there is room for. */
struct list {
	unsigned count, named;
	char text[200];
};

static void append(struct list *list, const char *where)
{
	size_t at = strlen(list->text), more = sizeof(" and 999 more");

	if (list->named == list->count++ && at + strlen(where) + 2 + more <= sizeof(list->text)) {
		snprintf(list->text + at, sizeof(list->text) - at, "%s%s", at ? ", " : "", where);
		list->named++;
	}
}

static void end(struct list *list)
{
	size_t at = strlen(list->text);

	if (list->named < list->count)
		snprintf(list->text + at, sizeof(list->text) - at, " and %u more", list->count - list->named);
}

static void conclude(struct judge *judge, const struct tally *tally, const char *what, const char *more)
{
	struct list open = {0}, lost = {0};
	enum wt_claim_verdict verdict;
	bool decided[PAIRS];
	unsigned won = 0;

	wt_holm(tally->p, tally->pairs, 0.05, decided);
	for (unsigned i = 0; i < tally->pairs; i++)
		if (tally->ahead[i] > 0 && tally->p[i] <= 0.05)
			won++;
		else
			append(tally->ahead[i] < 0 && decided[i] ? &lost : &open, tally->where[i]);
	end(&open);
	end(&lost);
	verdict = lost.count ? WT_CLAIM_FAILS : open.count || !won ? WT_CLAIM_UNDECIDED : WT_CLAIM_HOLDS;
	set(judge->claim, verdict, "%s in %u of %u comparisons%s%s%s%s%s%s", what, won, tally->pairs, lost.count ? "; the contrary: " : "",
	    lost.text, open.count ? "; within chance: " : "", open.text, *more ? "; " : "", more);
}

/* ---- beats -------------------------------------------------------------------------------------------- */

/* How far ahead in all rows together: per repeat the mean logarithm of all ratios, NaN if a run failed or came to nothing. */
static void add_logs(double *sum, const double *real, const double *other, uint32_t repeats)
{
	for (uint32_t k = 0; k < repeats; k++)
		sum[k] += real[k] > 0 && other[k] > 0 ? log(real[k] / other[k]) : NAN;
}

static void overall(char *more, size_t len, double *sum, uint32_t repeats, unsigned comparisons, double low, double high)
{
	struct wt_mean mean;
	int at = snprintf(more, len, "TCP-Real has %.2f to %.2f times the others' mean", low, high);

	for (uint32_t k = 0; k < repeats; k++)
		sum[k] /= comparisons;
	mean = wt_mean_of(sum, repeats);
	if (mean.n == repeats && repeats > 1 && comparisons > 1)
		snprintf(more + at, len - (size_t)at, "; run by run and over all of them %.2f times (%.2f to %.2f, geometric mean)",
			 exp(mean.mean), exp(mean.mean - mean.half), exp(mean.mean + mean.half));
}

static void beats(struct judge *judge, const char *object, const char *from)
{
	struct wt_paper_results results;
	struct tally tally = {0};
	double low = INFINITY, high = 0, *sum;
	char more[200];

	if (!load(judge, &results, object))
		return;
	sum = calloc(results.plan.repeats, sizeof(*sum));
	for (unsigned p = from ? row_of(&results.paper, from) : 0; p < results.paper.points; p++) {
		double *real = column(&results, p, 0);

		for (unsigned v = 1; real && v < results.paper.variants; v++) {
			double *other = column(&results, p, v), ratio;
			struct wt_mean d = other ? wt_paired_difference(real, other, results.plan.repeats) : (struct wt_mean){0};

			note(&tally, d.mean, wt_mean_p(&d), results.paper.variant[v].label, results.paper.point[p].label);
			if (other && sum)
				add_logs(sum, real, other, results.plan.repeats);
			if (other) {
				ratio = wt_mean_of(real, results.plan.repeats).mean / wt_mean_of(other, results.plan.repeats).mean;
				low = ratio < low ? ratio : low;
				high = ratio > high ? ratio : high;
			}
			free(other);
		}
		free(real);
	}
	*more = '\0';
	if (sum)
		overall(more, sizeof(more), sum, results.plan.repeats, tally.pairs, low, high);
	free(sum);
	conclude(judge, &tally, "TCP-Real is ahead", more);
	wt_paper_results_finish(&results);
}

/* ---- grows -------------------------------------------------------------------------------------------- */

/* Logarithm of the ratio of two means of paired samples, with the variance of its error (delta method). */
static double log_gain(const double *a, const double *b, size_t n, double *variance)
{
	double mean_a = 0, mean_b = 0, sum = 0, squares = 0;
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i]) && !isnan(b[i])) {
			mean_a += a[i];
			mean_b += b[i];
			pairs++;
		}
	if (pairs < 2 || !(mean_a > 0) || !(mean_b > 0))
		return NAN;
	mean_a /= (double)pairs;
	mean_b /= (double)pairs;
	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i]) && !isnan(b[i])) {
			double d = a[i] / mean_a - b[i] / mean_b;

			sum += d;
			squares += d * d;
		}
	*variance = (squares - sum * sum / (double)pairs) / (double)(pairs - 1) / (double)pairs;
	return log(mean_a / mean_b);
}

static double gain(const struct wt_paper_results *results, unsigned point, unsigned variant, double *variance)
{
	double *real = column(results, point, 0), *other = column(results, point, variant);
	double value = real && other ? log_gain(real, other, results->plan.repeats, variance) : NAN;

	free(real);
	free(other);
	return value;
}

static void grows(struct judge *judge, const char *near, const char *far, const char *from)
{
	struct wt_paper_results a, b;
	struct tally tally = {0};
	char who[40];

	if (!load(judge, &a, near))
		return;
	if (!load(judge, &b, far)) {
		wt_paper_results_finish(&a);
		return;
	}
	for (unsigned p = row_of(&a.paper, from); p < a.paper.points && p < b.paper.points; p++)
		for (unsigned v = 1; v < a.paper.variants; v++) {
			double variance_a = 0, variance_b = 0;
			double difference = gain(&b, p, v, &variance_b) - gain(&a, p, v, &variance_a);
			size_t degrees = (size_t)a.plan.repeats + b.plan.repeats - 2;

			snprintf(who, sizeof(who), "over %s", a.paper.variant[v].label);
			note(&tally, difference, wt_student_tail(difference / sqrt(variance_a + variance_b), degrees), who, a.paper.point[p].label);
		}
	conclude(judge, &tally, "the gain is larger at the longer delay", "");
	wt_paper_results_finish(&a);
	wt_paper_results_finish(&b);
}

/* ---- same --------------------------------------------------------------------------------------------- */

/* Cells of two tables, row by row. False if one has no results. */
static bool compare(struct judge *judge, const char *one, const char *other, struct tally *tally, double *largest)
{
	struct wt_paper_results a, b;

	if (!load(judge, &a, one))
		return false;
	if (!load(judge, &b, other)) {
		wt_paper_results_finish(&a);
		return false;
	}
	for (unsigned p = 0; p < a.paper.points && p < b.paper.points; p++)
		for (unsigned v = 0; v < a.paper.variants; v++) {
			double *x = column(&a, p, v), *y = column(&b, p, v);
			unsigned repeats = a.plan.repeats < b.plan.repeats ? a.plan.repeats : b.plan.repeats;
			struct wt_mean d = x && y ? wt_paired_difference(x, y, repeats) : (struct wt_mean){0};

			d.mean = fabs(d.mean);
			*largest = d.mean > *largest ? d.mean : *largest;
			/* Less than five points away, or more, but perhaps by chance, decides nothing. */
			d.mean = NEAR_POINTS - d.mean;
			note(tally, d.mean, wt_mean_p(&d), a.paper.variant[v].label, a.paper.point[p].label);
			free(x);
			free(y);
		}
	wt_paper_results_finish(&a);
	wt_paper_results_finish(&b);
	return true;
}

static void same(struct judge *judge, const char *const word[], unsigned words)
{
	struct tally tally = {0};
	double largest = 0;
	char more[64];

	for (unsigned i = 0; i + 1 < words; i += 2)
		if (!compare(judge, word[i], word[i + 1], &tally, &largest))
			return;
	snprintf(more, sizeof(more), "the largest difference is %.1f points", largest);
	conclude(judge, &tally, "within five points", more);
}

/* ---- tokens and capacity ------------------------------------------------------------------------------ */

/* The other's spread minus ours, or our number minus the other's: positive is what the paper claims. */
static struct wt_mean token_pair(const struct wt_paper_results *results, unsigned point, unsigned variant, bool evenness)
{
	unsigned repeats = results->plan.repeats;
	double *real = column(results, point, 0), *other = column(results, point, variant);
	struct wt_mean d = {0};

	for (unsigned k = 0; real && other && evenness && k < repeats; k++) {
		real[k] = -wt_paper_record(&results->plan, results->records, k, point, 0)->tokens_spread;
		other[k] = -wt_paper_record(&results->plan, results->records, k, point, variant)->tokens_spread;
	}
	if (real && other)
		d = wt_paired_difference(real, other, repeats);
	free(real);
	free(other);
	return d;
}

static void tokens(struct judge *judge, const char *object)
{
	struct wt_paper_results results;
	struct tally tally = {0};
	char who[40];

	if (!load(judge, &results, object))
		return;
	for (unsigned p = 0; p < results.paper.points; p++)
		for (unsigned v = 1; v < results.paper.variants; v++)
			for (unsigned even = 0; even < 2; even++) {
				struct wt_mean d = token_pair(&results, p, v, even);

				snprintf(who, sizeof(who), "%s beside %s", even ? "evenness" : "number", results.paper.variant[v].label);
				note(&tally, d.mean, wt_mean_p(&d), who, results.paper.point[p].label);
			}
	conclude(judge, &tally, "TCP-Real is ahead in number and evenness", "");
	wt_paper_results_finish(&results);
}

/* The mean of the first row's cell of one table, NaN without results; the table's path goes to words. */
static double first_cell(struct judge *judge, const char *object, unsigned variant, char words[24])
{
	struct wt_paper_results results;
	double *cell, mean;

	if (!load(judge, &results, object))
		return NAN;
	cell = column(&results, 0, variant);
	mean = cell ? wt_mean_of(cell, results.plan.repeats).mean : NAN;
	free(cell);
	if (sscanf(results.paper.fwd, "rate %15s", words) != 1)
		*words = '\0';
	wt_paper_results_finish(&results);
	return mean;
}

/* The first table's link is the slow one; that the others carry more over a longer or worse path can only be the link's doing. */
static void capacity(struct judge *judge, const char *const word[])
{
	char rate[3][24];
	double ours[3];

	for (unsigned i = 0; i < 3; i++) {
		ours[i] = first_cell(judge, word[i], i == 2 ? 0 : 1, rate[i]);
		if (isnan(ours[i]))
			return;
	}
	if (ours[1] > ours[0] && ours[2] > ours[0] && strcmp(rate[0], rate[1]) && strcmp(rate[0], rate[2]))
		set(judge->claim, WT_CLAIM_ARTEFACT, "%s, %s and %s come to %.0f, %.0f and %.0f KB/s here only because they are given links of "
		    "%s, %s and %s: a set-up that is not told, no property of the paths", word[0], word[1], word[2], ours[0], ours[1], ours[2],
		    rate[0], rate[1], rate[2]);
	else
		set(judge->claim, WT_CLAIM_UNDECIDED, "%s, %s and %s come to %.0f, %.0f and %.0f KB/s over %s, %s and %s", word[0], word[1],
		    word[2], ours[0], ours[1], ours[2], rate[0], rate[1], rate[2]);
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static void judge_one(struct judge *judge)
{
	const char *word[8] = {NULL};
	char rule[sizeof(judge->claim->judge)], *save = NULL;
	unsigned words = 0;

	snprintf(rule, sizeof(rule), "%s", judge->claim->judge);
	if (!strncmp(rule, "later: ", 7)) {
		set(judge->claim, WT_CLAIM_NOT_YET, "%s", rule + 7);
		return;
	}
	for (char *w = strtok_r(rule, " ", &save); w && words < 8; w = strtok_r(NULL, " ", &save))
		word[words++] = w;
	if (words >= 2 && !strcmp(word[0], "beats"))
		beats(judge, word[1], word[2]);
	else if (words == 4 && !strcmp(word[0], "grows"))
		grows(judge, word[1], word[2], word[3]);
	else if (words >= 3 && !strcmp(word[0], "same"))
		same(judge, word + 1, words - 1);
	else if (words == 2 && !strcmp(word[0], "tokens"))
		tokens(judge, word[1]);
	else if (words == 4 && !strcmp(word[0], "capacity"))
		capacity(judge, word + 1);
	else if (words != 2 || strcmp(word[0], "as"))
		set(judge->claim, WT_CLAIM_NOT_YET, "no such rule: %s", judge->claim->judge);
}

void wt_claims_judge(struct wt_claims *claims, const char *dir)
{
	for (unsigned i = 0; i < claims->count; i++) {
		struct judge judge = {&claims->claim[i], dir};

		judge_one(&judge);
	}
	for (unsigned i = 0; i < claims->count; i++) {
		struct wt_claim *claim = &claims->claim[i];

		if (strncmp(claim->judge, "as ", 3))
			continue;
		set(claim, WT_CLAIM_NOT_YET, "no claim %s", claim->judge + 3);
		for (unsigned k = 0; k < claims->count; k++)
			if (!strcmp(claims->claim[k].id, claim->judge + 3))
				set(claim, claims->claim[k].verdict, "it plots the numbers of %s, and is judged as those", claims->claim[k].object);
	}
}

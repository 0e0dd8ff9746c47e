/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of claims.ini. A claim about an order holds if every pair is decided for it, fails if one is decided against it, holds in
 * part if some are shown to be level and the others are for it, and cannot be decided between. For it a pair is decided by
 * itself, at 95 %; against it all pairs of the claim are judged together: see judge.c for why. Two protocols whose runs are the same
 * runs are compared once.
 *
 * Results of changes (without a rule of ours, under another stack) lie in folders of their own, and are judged by the same rules.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/claims_inside.h"

#define FAMILY "tcp-real-2001"
#define NEAR_POINTS 5.0 /* of success, "about the same" */
void wt_claim_set(struct wt_claim *claim, enum wt_claim_verdict verdict, const char *format, ...)
{
	va_list ap;

	claim->verdict = verdict;
	va_start(ap, format);
	vsnprintf(claim->reason, sizeof(claim->reason), format, ap);
	va_end(ap);
}

static bool note_incomplete(struct wt_claim_judge *judge, const struct wt_paper_results *results)
{
	if (!results->complete)
		snprintf(judge->claim->incomplete, sizeof(judge->claim->incomplete), "%s", results->paper.id);
	return true;
}

/* With a change: its results of the table, or, if it does not touch that one, the table's own. */
bool wt_claim_load(struct wt_claim_judge *judge, struct wt_paper_results *results, const char *object, const char *metric)
{
	char dir[700], err[900];

	if (judge->change) {
		snprintf(dir, sizeof(dir), "%s/%s", judge->dir, judge->change);
		if (wt_paper_results_load(results, dir, FAMILY, object, metric, err, sizeof(err)) == 0)
			return judge->touched = note_incomplete(judge, results);
	}
	if (wt_paper_results_load(results, judge->dir, FAMILY, object, metric, err, sizeof(err)) == 0)
		return note_incomplete(judge, results);
	wt_claim_set(judge->claim, WT_CLAIM_NOT_YET, "no results: %.500s", err);
	return false;
}

/* By repeat; NaN where it failed. free() it. */
double *wt_claim_column(const struct wt_paper_results *results, unsigned point, unsigned variant)
{
	double *out = calloc(results->plan.repeats, sizeof(*out));

	for (unsigned k = 0; out && k < results->plan.repeats; k++)
		out[k] = wt_paper_results_value(results, k, point, variant);
	return out;
}

/* A pair: how far ahead, and how likely that is by chance alone. */
void wt_claim_note(struct wt_claim_tally *tally, double ahead, double p, const char *what, const char *where)
{
	if (tally->pairs == WT_CLAIM_PAIRS)
		return;
	tally->ahead[tally->pairs] = ahead;
	tally->p[tally->pairs] = p;
	snprintf(tally->where[tally->pairs++], sizeof(tally->where[0]), "%.40s at %.20s", what, where);
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

double wt_claim_level(const struct wt_paper_results *results)
{
	return results->plan.level > 0 ? results->plan.level : 0.05;
}

void wt_claim_conclude(struct wt_claim_judge *judge, const struct wt_claim_tally *tally, const char *what, const char *more)
{
	struct list open = {0}, lost = {0}, even = {0};
	double level = tally->level > 0 ? tally->level : 0.05;
	enum wt_claim_verdict verdict;
	char twice[64] = "";
	bool decided[WT_CLAIM_PAIRS];
	unsigned won = 0;

	wt_holm(tally->p, tally->pairs, level, decided);
	for (unsigned i = 0; i < tally->pairs; i++)
		if (tally->even[i])
			append(&even, tally->where[i]);
		else if (tally->ahead[i] > 0 && tally->p[i] <= level)
			won++;
		else
			append(tally->ahead[i] < 0 && decided[i] ? &lost : &open, tally->where[i]);
	end(&open);
	end(&lost);
	end(&even);
	if (tally->twice)
		snprintf(twice, sizeof(twice), " (%u more are the same runs)", tally->twice);
	verdict = lost.count ? WT_CLAIM_FAILS : open.count || !(won + even.count) ? WT_CLAIM_UNDECIDED :
		  !won ? WT_CLAIM_FAILS : even.count ? WT_CLAIM_PARTLY : WT_CLAIM_HOLDS;
	wt_claim_set(judge->claim, verdict, "%s in %u of %u comparisons%s%s%s%s%s%s%s%s%s", what, won, tally->pairs, twice,
	    lost.count ? "; the contrary: " : "", lost.text, even.count ? "; level: " : "", even.text,
	    open.count ? "; within chance: " : "", open.text, *more ? "; " : "", more);
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
	if (mean.n > 1 && comparisons > 1)
		snprintf(more + at, len - (size_t)at, "; run by run and over all of them %.2f times (%.2f to %.2f, geometric mean)",
			 exp(mean.mean), exp(mean.mean - mean.half), exp(mean.mean + mean.half));
}

/* Are these runs those of a protocol before it, byte for byte? */
bool wt_claim_repeated(const struct wt_paper_results *results, unsigned point, unsigned variant)
{
	for (unsigned v = 1; v < variant; v++) {
		uint32_t same = 0;

		while (same < results->plan.repeats) {
			double a = wt_paper_results_value(results, same, point, v), b = wt_paper_results_value(results, same, point, variant);

			if (a != b && !(isnan(a) && isnan(b)))
				break;
			same++;
		}
		if (same == results->plan.repeats && same > 1)
			return true;
	}
	return false;
}

/* The range of ratios and, over all comparisons, their logarithms by repeat. */
struct lead {
	double low, high, *sum;
};

static void compare_in_row(const struct wt_paper_results *results, unsigned p, struct wt_claim_tally *tally, struct lead *lead)
{
	double *real = wt_claim_column(results, p, 0);
	uint32_t repeats = results->plan.repeats;

	for (unsigned v = 1; real && v < results->paper.variants; v++) {
		double *other = wt_claim_column(results, p, v), ratio;
		struct wt_paper_pair pair;

		if (wt_claim_repeated(results, p, v)) {
			tally->twice++;
			free(other);
			continue;
		}
		if (!other)
			break;
		pair = wt_paper_compare(real, other, repeats, wt_claim_level(results), results->plan.margin);
		wt_claim_note(tally, pair.difference.mean, pair.p, results->paper.variant[v].label, results->paper.point[p].label);
		tally->even[tally->pairs - 1] = pair.level;
		if (lead->sum)
			add_logs(lead->sum, real, other, repeats);
		ratio = wt_mean_of(real, repeats).mean / wt_mean_of(other, repeats).mean;
		lead->low = ratio < lead->low ? ratio : lead->low;
		lead->high = ratio > lead->high ? ratio : lead->high;
		free(other);
	}
	free(real);
}

static void beats(struct wt_claim_judge *judge, const char *object)
{
	struct wt_paper_results results;
	struct wt_claim_tally tally = {0};
	struct lead lead = {.low = INFINITY};
	char more[200];

	if (!wt_claim_load(judge, &results, object, NULL))
		return;
	lead.sum = calloc(results.plan.repeats, sizeof(*lead.sum));
	tally.level = wt_claim_level(&results);
	for (unsigned p = 0; p < results.paper.points; p++)
		compare_in_row(&results, p, &tally, &lead);
	*more = '\0';
	if (lead.sum)
		overall(more, sizeof(more), lead.sum, results.plan.repeats, tally.pairs, lead.low, lead.high);
	free(lead.sum);
	wt_claim_conclude(judge, &tally, "TCP-Real is ahead", more);
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
	double *real = wt_claim_column(results, point, 0), *other = wt_claim_column(results, point, variant);
	double value = real && other ? log_gain(real, other, results->plan.repeats, variance) : NAN;

	free(real);
	free(other);
	return value;
}

static void grows(struct wt_claim_judge *judge, const char *near, const char *far)
{
	struct wt_paper_results a, b;
	struct wt_claim_tally tally = {0};
	char who[64];

	if (!wt_claim_load(judge, &a, near, NULL))
		return;
	if (!wt_claim_load(judge, &b, far, NULL)) {
		wt_paper_results_finish(&a);
		return;
	}
	tally.level = wt_claim_level(&a) < wt_claim_level(&b) ? wt_claim_level(&a) : wt_claim_level(&b);
	for (unsigned p = 0; p < a.paper.points && p < b.paper.points; p++)
		for (unsigned v = 1; v < a.paper.variants; v++) {
			double variance_a = 0, variance_b = 0;
			double difference = gain(&b, p, v, &variance_b) - gain(&a, p, v, &variance_a);
			size_t degrees = (size_t)a.plan.repeats + b.plan.repeats - 2;

			snprintf(who, sizeof(who), "over %s", a.paper.variant[v].label);
			wt_claim_note(&tally, difference, wt_student_tail(difference / sqrt(variance_a + variance_b), degrees), who, a.paper.point[p].label);
		}
	wt_claim_conclude(judge, &tally, "the gain is larger at the longer delay", "");
	wt_paper_results_finish(&a);
	wt_paper_results_finish(&b);
}

/* ---- same --------------------------------------------------------------------------------------------- */

/* Cells of two tables, row by row. False if one has no results. */
static bool compare(struct wt_claim_judge *judge, const char *one, const char *other, struct wt_claim_tally *tally, double *largest)
{
	struct wt_paper_results a, b;

	if (!wt_claim_load(judge, &a, one, NULL))
		return false;
	if (!wt_claim_load(judge, &b, other, NULL)) {
		wt_paper_results_finish(&a);
		return false;
	}
	for (unsigned p = 0; p < a.paper.points && p < b.paper.points; p++)
		for (unsigned v = 0; v < a.paper.variants; v++) {
			double *x = wt_claim_column(&a, p, v), *y = wt_claim_column(&b, p, v);
			unsigned repeats = a.plan.repeats < b.plan.repeats ? a.plan.repeats : b.plan.repeats;
			struct wt_mean d = x && y ? wt_paired_difference(x, y, repeats) : (struct wt_mean){0};

			d.mean = fabs(d.mean);
			*largest = d.mean > *largest ? d.mean : *largest;
			/* Less than five points away, or more, but perhaps by chance, decides nothing. */
			d.mean = NEAR_POINTS - d.mean;
			wt_claim_note(tally, d.mean, wt_mean_p(&d), a.paper.variant[v].label, a.paper.point[p].label);
			free(x);
			free(y);
		}
	wt_paper_results_finish(&a);
	wt_paper_results_finish(&b);
	return true;
}

static void same(struct wt_claim_judge *judge, const char *const word[], unsigned words)
{
	struct wt_claim_tally tally = {0};
	double largest = 0;
	char more[64];

	for (unsigned i = 0; i + 1 < words; i += 2)
		if (!compare(judge, word[i], word[i + 1], &tally, &largest))
			return;
	snprintf(more, sizeof(more), "the largest difference is %.1f points", largest);
	wt_claim_conclude(judge, &tally, "within five points", more);
}

/* ---- tokens --------- ------------------------------------------------------------------------------ */

/* The other's spread minus ours, or our number minus the other's: positive is what the paper claims. */
static struct wt_mean token_pair(const struct wt_paper_results *results, unsigned point, unsigned variant, bool evenness)
{
	unsigned repeats = results->plan.repeats;
	double *real = wt_claim_column(results, point, 0), *other = wt_claim_column(results, point, variant);
	struct wt_mean d = {0};

	for (unsigned k = 0; real && other && evenness && k < repeats; k++) {
		real[k] = -wt_paper_record(&results->plan, results->records, k, point, 0)->spread;
		other[k] = -wt_paper_record(&results->plan, results->records, k, point, variant)->spread;
	}
	if (real && other)
		d = wt_paired_difference(real, other, repeats);
	free(real);
	free(other);
	return d;
}

static void tokens(struct wt_claim_judge *judge, const char *object)
{
	struct wt_paper_results results;
	struct wt_claim_tally tally = {0};
	char who[64];

	if (!wt_claim_load(judge, &results, object, NULL))
		return;
	for (unsigned p = 0; p < results.paper.points; p++)
		for (unsigned v = 1; v < results.paper.variants; v++)
			for (unsigned even = 0; even < 2; even++) {
				struct wt_mean d = token_pair(&results, p, v, even);

				snprintf(who, sizeof(who), "%s beside %s", even ? "evenness" : "number", results.paper.variant[v].label);
				wt_claim_note(&tally, d.mean, wt_mean_p(&d), who, results.paper.point[p].label);
			}
	wt_claim_conclude(judge, &tally, "TCP-Real is ahead in number and evenness", "");
	wt_paper_results_finish(&results);
}

/* ---- from the printed numbers, or shown elsewhere ------------------------------------------------------ */

/* "shown SCRIPT ...": packet scripts, each named by the sentence it proves; "shown-part" of a claim that says more. */
static void shown(struct wt_claim_judge *judge, const char *scripts, bool all)
{
	wt_claim_set(judge->claim, all ? WT_CLAIM_HOLDS : WT_CLAIM_PARTLY, "%s packet scripts of tests/script show it: %s",
	    all ? "" : "what it says of Tahoe, Reno, NewReno and SACK, not of the others:", scripts);
	if (all)
		memmove(judge->claim->reason, judge->claim->reason + 1, strlen(judge->claim->reason));
}

/* ---- all of them -------------------------------------------------------------------------------------- */

/* What follows a word of the rule that takes the rest as it stands. */
static const char *rest_of(const char *rule, const char *word)
{
	size_t len = strlen(word);

	return strncmp(rule, word, len) ? NULL : rule + len;
}

static void judge_one(struct wt_claim_judge *judge)
{
	const char *word[WT_CLAIM_WORDS] = {NULL}, *rest;
	char rule[sizeof(judge->claim->judge)], *save = NULL;
	unsigned words = 0;

	snprintf(rule, sizeof(rule), "%s", judge->claim->judge);
	if ((rest = rest_of(rule, "never: ")))
		wt_claim_set(judge->claim, WT_CLAIM_NOT_JUDGEABLE, "%s", rest);
	else if ((rest = rest_of(rule, "shown-part ")))
		shown(judge, rest, false);
	else if ((rest = rest_of(rule, "shown ")))
		shown(judge, rest, true);
	else if (!strcmp(rule, "equation"))
		wt_claim_equation_judge(judge->claims, judge->claim);
	else
		for (char *w = strtok_r(rule, " ", &save); w && words < WT_CLAIM_WORDS; w = strtok_r(NULL, " ", &save))
			word[words++] = w;
	if (!words)
		return;
	if (words == 2 && !strcmp(word[0], "beats"))
		beats(judge, word[1]);
	else if (words == 3 && !strcmp(word[0], "grows"))
		grows(judge, word[1], word[2]);
	else if (words >= 3 && !strcmp(word[0], "same"))
		same(judge, word + 1, words - 1);
	else if (words == 2 && !strcmp(word[0], "tokens"))
		tokens(judge, word[1]);
	else if (wt_claim_judge_tables(judge, word, words))
		return;
	else if (words != 2 || strcmp(word[0], "as"))
		wt_claim_set(judge->claim, WT_CLAIM_NOT_YET, "no such rule: %s", judge->claim->judge);
}

/* The same claim in the results of each change there is. */
static void judge_changes(const struct wt_claims *claims, struct wt_claim *claim, const char *dir, const struct wt_paper_changes *changes)
{
	struct wt_claim scrap = *claim;

	claim->changes = 0;
	for (unsigned i = 0; i < changes->count; i++) {
		struct wt_claim_judge judge = {.claim = &scrap, .claims = claims, .dir = dir, .change = changes->name[i]};

		judge_one(&judge);
		if (!judge.touched)
			continue;
		snprintf(claim->change[claim->changes].name, sizeof(claim->change[0].name), "%s", changes->name[i]);
		claim->change[claim->changes++].verdict = scrap.verdict;
	}
}

static void judge_as(struct wt_claims *claims, struct wt_claim *claim)
{
	wt_claim_set(claim, WT_CLAIM_NOT_YET, "no claim %s", claim->judge + 3);
	for (unsigned k = 0; k < claims->count; k++)
		if (!strcmp(claims->claim[k].id, claim->judge + 3))
			wt_claim_set(claim, claims->claim[k].verdict, "it plots the numbers of %s, and is not counted beside it", claims->claim[k].object);
}

void wt_claims_judge(struct wt_claims *claims, const char *dir)
{
	static struct wt_paper_changes changes; /* large */

	wt_paper_changes_of(FAMILY, &changes);
	for (unsigned i = 0; i < claims->count; i++) {
		struct wt_claim_judge judge = {.claim = &claims->claim[i], .claims = claims, .dir = dir};

		judge_one(&judge);
		judge_changes(claims, &claims->claim[i], dir, &changes);
	}
	for (unsigned i = 0; i < claims->count; i++)
		if (claims->claim[i].repeats)
			judge_as(claims, &claims->claim[i]);
}

enum survival { SURVIVES, TURNS, OPEN };

/* What cannot be decided without a rule may only want more repeats: that is no word on what a verdict rests on. */
static enum survival survival(const struct wt_claim *claim, const struct wt_claim_change *change)
{
	return change->verdict == claim->verdict ? SURVIVES : change->verdict == WT_CLAIM_UNDECIDED ? OPEN : TURNS;
}

static void name_changes(const struct wt_claim *claim, const char *kind, enum survival which, const char *head, char *out, size_t len)
{
	unsigned named = 0;

	for (unsigned i = 0; i < claim->changes; i++) {
		const struct wt_claim_change *change = &claim->change[i];
		size_t at = strlen(out), word = strlen(kind);

		if (strncmp(change->name, kind, word) || survival(claim, change) != which)
			continue;
		at += (size_t)snprintf(out + at, len - at, "%s%s", named ? ", " : at ? "; " : "", named ? "" : head);
		named++;
		if (at < len && which == TURNS)
			snprintf(out + at, len - at, "%s (%s %s)", change->name + word, *kind == 'w' ? "without it:" : "there:",
				 wt_claim_verdicts[change->verdict]);
		else if (at < len)
			snprintf(out + at, len - at, "%s", change->name + word);
	}
}

void wt_claim_rests(const struct wt_claim *claim, char *out, size_t len)
{
	*out = '\0';
	if (claim->verdict == WT_CLAIM_NOT_YET)
		return;
	name_changes(claim, "without-", TURNS, "rests on: ", out, len);
	name_changes(claim, "without-", OPEN, "not decided without: ", out, len);
	name_changes(claim, "without-", SURVIVES, "the same without: ", out, len);
	name_changes(claim, "under-", TURNS, "not so under: ", out, len);
	name_changes(claim, "under-", OPEN, "not decided under: ", out, len);
	name_changes(claim, "under-", SURVIVES, "the same under: ", out, len);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims of the papers (tools/data/papers/claims.ini) and what our results say of them. */
#ifndef WT_TOOLS_PAPER_CLAIMS_H
#define WT_TOOLS_PAPER_CLAIMS_H

#include <stddef.h>
#include <stdio.h>

#include "stack/record/json.h"
#include "tools/paper/table.h"

#define WT_CLAIMS_MAX 128
#define WT_CLAIM_PAPERS 8

enum wt_claim_verdict {
	WT_CLAIM_NOT_YET,
	WT_CLAIM_HOLDS,
	WT_CLAIM_PARTLY, /* in some comparisons; the others are level, or not judged here; none is against it */
	WT_CLAIM_FAILS,
	WT_CLAIM_UNDECIDED,
	WT_CLAIM_NOT_JUDGEABLE, /* nothing that could be measured would contradict it */
	WT_CLAIM_VERDICTS,
};

extern const char *const wt_claim_verdicts[WT_CLAIM_VERDICTS]; /* "not yet", "holds", "holds in part", "fails", ... */

/* The verdict on the same claim in results without a rule of ours, or under another stack (tools/paper/table.h). */
struct wt_claim_change {
	char name[64];
	enum wt_claim_verdict verdict;
};

#define WT_CLAIM_EQUATIONS 4
#define WT_CLAIM_ROWS 24
#define WT_CLAIM_TERMS 8

/* Printed numbers of which each row's first is to be one weighted sum of its others. */
struct wt_claim_equation {
	char id[16];
	double tolerance; /* share of the printed number */
	unsigned rows, terms;
	double sum[WT_CLAIM_ROWS], term[WT_CLAIM_ROWS][WT_CLAIM_TERMS];
};

struct wt_claim {
	char id[16], object[40];
	char text[240], faults[400];
	char judge[480]; /* the rule: see claims.ini */
	bool repeats;    /* another claim in other words (a figure that plots a table): linked, not counted */
	enum wt_claim_verdict verdict;
	char reason[600]; /* one sentence */
	char incomplete[128]; /* a table behind the verdict of which runs are missing; empty: none */
	unsigned changes;
	struct wt_claim_change change[WT_PAPER_CHANGES];
};

struct wt_claim_paper {
	char number[8], title[120];
};

struct wt_claims {
	unsigned count, papers;
	struct wt_claim_paper paper[WT_CLAIM_PAPERS];
	struct wt_claim claim[WT_CLAIMS_MAX];
	unsigned equations;
	struct wt_claim_equation equation[WT_CLAIM_EQUATIONS];
};

/* Those inside the program. 0, or -EINVAL with a sentence in err. */
int wt_claims_load(struct wt_claims *claims, char *err, size_t err_len);
int wt_claims_parse(const char *text, const char *name, struct wt_claims *claims, char *err, size_t err_len);
/*
 * Judges all by the results of `wavetank paper run tcp-real-2001 -o DIR`. What has no results there is "not yet". Where DIR has results of
 * changes too (--changes), each claim that they touch is judged by those as well.
 */
void wt_claims_judge(struct wt_claims *claims, const char *dir);

/*
 * Least squares of the sums by the terms. Writes the weights, and to *worst the largest residual as a share of its sum. False: the terms
 * determine no weights.
 */
bool wt_claim_solve(const struct wt_claim_equation *equation, double weight[WT_CLAIM_TERMS], double *worst);

/* Does a rule "FIRST over OTHERS" put a above b? Lists of names with commas; in FIRST > puts each above those behind it, too. */
bool wt_claim_orders(const char *first, const char *others, const char *a, const char *b);
/* Says from the printed numbers alone whether the equation of the claim holds. */
void wt_claim_equation_judge(const struct wt_claims *claims, struct wt_claim *claim);
void wt_claim_set(struct wt_claim *claim, enum wt_claim_verdict verdict, const char *reason, ...) __attribute__((format(printf, 3, 4)));

/* On which rules of ours the verdict rests, and which it survives without, in words; empty: no results of changes. */
void wt_claim_rests(const struct wt_claim *claim, char *out, size_t len);
/* Is it a claim of this paper ("003"; NULL: of any)? */
bool wt_claim_is_of(const struct wt_claim *claim, const char *paper);
/* The paper a claim is of; NULL: not named in the file. */
const struct wt_claim_paper *wt_claim_paper(const struct wt_claims *claims, const struct wt_claim *claim);
/* One claim as the members of an object that is open. */
void wt_claim_json(struct wt_json *json, const struct wt_claim *claim);
/* The card: all claims, or those of one paper ("003"; NULL: all), as text or as JSON Lines. Returns how many. */
unsigned wt_claims_print(FILE *out, const struct wt_claims *claims, const char *paper);
/* One line: how many of each verdict, of the papers that have any. */
void wt_claims_totals(FILE *out, const struct wt_claims *claims);
unsigned wt_claims_print_json(FILE *out, const struct wt_claims *claims, const char *paper);

#endif

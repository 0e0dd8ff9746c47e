/* SPDX-License-Identifier: BSD-2-Clause */
/* Among the files that judge claims: results by claim, and pairs of samples that are concluded together (claims_judge.c says how). */
#ifndef WT_TOOLS_PAPER_CLAIMS_INSIDE_H
#define WT_TOOLS_PAPER_CLAIMS_INSIDE_H

#include "tools/paper/claims.h"
#include "tools/paper/results.h"

enum { WT_CLAIM_PAIRS = 512, WT_CLAIM_WORDS = 40 };

struct wt_claim_judge {
	struct wt_claim *claim;
	const struct wt_claims *claims;
	const char *dir;
	const char *change; /* NULL: the tables as their files have them */
	bool touched;       /* a table of the claim has results of the change */
};

/* The pairs of a claim; `ahead` above 0 is what the paper claims. */
struct wt_claim_tally {
	unsigned pairs, twice; /* twice: comparisons with runs that are another protocol's as well */
	double level;          /* of a decision */
	bool even[WT_CLAIM_PAIRS]; /* shown to be level */
	double ahead[WT_CLAIM_PAIRS], p[WT_CLAIM_PAIRS];
	char where[WT_CLAIM_PAIRS][72];
};

/* With a change: its results of the table, or, if it does not touch that one, the table's own. False: none, and the claim says so. Finish them. */
bool wt_claim_load(struct wt_claim_judge *judge, struct wt_paper_results *results, const char *object, const char *metric);
/* By repeat; NaN where it failed. free() it. */
double *wt_claim_column(const struct wt_paper_results *results, unsigned point, unsigned variant);
/* Are these runs those of a column before it, byte for byte? */
bool wt_claim_repeated(const struct wt_paper_results *results, unsigned point, unsigned variant);
double wt_claim_level(const struct wt_paper_results *results);
/* A pair: how far ahead, and how likely that is by chance alone. */
void wt_claim_note(struct wt_claim_tally *tally, double ahead, double p, const char *what, const char *where);
void wt_claim_conclude(struct wt_claim_judge *judge, const struct wt_claim_tally *tally, const char *what, const char *more);

/* The rules over whole tables (claims_tables.c): order, above, falls, reached, near. False: it is none of them. */
bool wt_claim_judge_tables(struct wt_claim_judge *judge, const char *const word[], unsigned words);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims of the papers (tools/data/papers/claims.ini) and what our results say of them. */
#ifndef WT_TOOLS_PAPER_CLAIMS_H
#define WT_TOOLS_PAPER_CLAIMS_H

#include <stddef.h>
#include <stdio.h>

#include "stack/record/json.h"

#define WT_CLAIMS_MAX 128
#define WT_CLAIM_PAPERS 8

enum wt_claim_verdict { WT_CLAIM_NOT_YET, WT_CLAIM_HOLDS, WT_CLAIM_FAILS, WT_CLAIM_ARTEFACT, WT_CLAIM_UNDECIDED, WT_CLAIM_VERDICTS };

extern const char *const wt_claim_verdicts[WT_CLAIM_VERDICTS]; /* "not yet", "holds", "fails", "artefact", "cannot be decided" */

struct wt_claim {
	char id[16], object[40];
	char text[240], faults[400];
	char judge[80]; /* the rule: see claims.ini */
	enum wt_claim_verdict verdict;
	char reason[600]; /* one sentence */
};

struct wt_claim_paper {
	char number[8], title[120];
};

struct wt_claims {
	unsigned count, papers;
	struct wt_claim_paper paper[WT_CLAIM_PAPERS];
	struct wt_claim claim[WT_CLAIMS_MAX];
};

/* Those inside the program. 0, or -EINVAL with a sentence in err. */
int wt_claims_load(struct wt_claims *claims, char *err, size_t err_len);
int wt_claims_parse(const char *text, const char *name, struct wt_claims *claims, char *err, size_t err_len);
/* Judges all by the results of `wavetank paper run tcp-real-2001 -o DIR`. What has no results there is "not yet". */
void wt_claims_judge(struct wt_claims *claims, const char *dir);

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

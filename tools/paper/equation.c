/* SPDX-License-Identifier: BSD-2-Clause */
/* A claim about printed numbers alone: sums that one set of weights gives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/paper/claims.h"

/* Gauss with pivots, in place; the last column is the right-hand side. */
static bool eliminate(unsigned n, double a[][WT_CLAIM_TERMS + 1])
{
	for (unsigned c = 0; c < n; c++) {
		unsigned best = c;

		for (unsigned r = c + 1; r < n; r++)
			best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
		if (fabs(a[best][c]) < 1e-9)
			return false;
		for (unsigned k = 0; k <= n; k++) {
			double hold = a[c][k];

			a[c][k] = a[best][k];
			a[best][k] = hold;
		}
		for (unsigned r = 0; r < n; r++) {
			double factor = a[r][c] / a[c][c];

			for (unsigned k = c; k <= n && r != c; k++)
				a[r][k] -= factor * a[c][k];
		}
	}
	return true;
}

bool wt_claim_solve(const struct wt_claim_equation *equation, double weight[WT_CLAIM_TERMS], double *worst)
{
	double a[WT_CLAIM_TERMS][WT_CLAIM_TERMS + 1] = {{0}};
	unsigned n = equation->terms;

	*worst = 0;
	if (equation->rows <= n) /* as many unknowns as numbers: anything would fit */
		return false;
	for (unsigned row = 0; row < equation->rows; row++)
		for (unsigned i = 0; i < n; i++) {
			for (unsigned k = 0; k < n; k++)
				a[i][k] += equation->term[row][i] * equation->term[row][k];
			a[i][n] += equation->term[row][i] * equation->sum[row];
		}
	if (!eliminate(n, a))
		return false;
	for (unsigned i = 0; i < n; i++)
		weight[i] = a[i][n] / a[i][i];
	for (unsigned row = 0; row < equation->rows; row++) {
		double sum = 0, off;

		for (unsigned i = 0; i < n; i++)
			sum += weight[i] * equation->term[row][i];
		off = fabs(sum - equation->sum[row]) / equation->sum[row];
		*worst = off > *worst ? off : *worst;
	}
	return true;
}

void wt_claim_equation_judge(const struct wt_claims *claims, struct wt_claim *claim)
{
	double weight[WT_CLAIM_TERMS], worst, sum = 0;
	char text[120] = "";

	for (unsigned i = 0; i < claims->equations; i++) {
		const struct wt_claim_equation *e = &claims->equation[i];

		if (strcmp(e->id, claim->id))
			continue;
		if (!wt_claim_solve(e, weight, &worst)) {
			wt_claim_set(claim, WT_CLAIM_UNDECIDED, "the printed numbers determine no weights");
			return;
		}
		for (unsigned t = 0; t < e->terms; t++) {
			size_t at = strlen(text);

			sum += weight[t];
			snprintf(text + at, sizeof(text) - at, " %.3f", weight[t]);
		}
		wt_claim_set(claim, worst <= e->tolerance ? WT_CLAIM_HOLDS : WT_CLAIM_FAILS,
		    "by least squares one set of %u weights,%s (sum %.3f), gives the %u printed expectations to %.2f %%, where %.2f %% were asked: "
		    "printed numbers alone, nothing is run", e->terms, text, sum, e->rows, 100 * worst, 100 * e->tolerance);
		return;
	}
	wt_claim_set(claim, WT_CLAIM_NOT_YET, "no equation %s", claim->id);
}

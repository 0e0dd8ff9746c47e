/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The expected throughput of stations that move (equation 1 of paper 001, 8 of paper 002): sum(t_h T_h) / sum(t_h), T_h what a string of h hops
 * carries, t_h how long the pair is h hops apart by the shortest way; where there is no way, or a longer one than the string table has, T is 0.
 * T_h are the means of our own string table, t_h those of each run ("ways" in its record).
 *
 * [expected] of a table: strings = TABLE (its rows are 1, 2, 3 ... hops, its columns the same), printed = a number of each column.
 */
#ifndef WT_TOOLS_PAPER_EXPECTED_H
#define WT_TOOLS_PAPER_EXPECTED_H

#include "tools/paper/results.h"

struct wt_paper_expectation {
	unsigned variants;
	struct {
		double printed, expected; /* in the table's metric */
		double printed_share;     /* of it that was measured, in print */
		double measured, share, share_half; /* ours; half of the 95 % interval */
	} of[WT_PAPER_VARIANTS];
	double hops[8]; /* mean share of time at so many hops; 0: none, or more than 7 */
};

/* Has the sweep an [expected] section? */
bool wt_paper_expects(const struct wt_sweep *sweep);
/*
 * results: of the table, in dir. 0; -ENOENT: there are no results of the string table beside dir; -EINVAL; each with a sentence.
 * sample: NULL, or per variant an array of the results' repeats that gets measured / expected by repeat (over the mean expectation).
 */
int wt_paper_expect(const struct wt_sweep *sweep, const struct wt_paper_results *results, const char *dir, struct wt_paper_expectation *to,
		    double *const sample[], char *err, size_t err_len);
void wt_paper_expectation_print(FILE *out, const struct wt_paper *paper, const struct wt_paper_expectation *expectation);

#endif

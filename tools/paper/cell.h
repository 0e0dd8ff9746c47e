/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The word on a cell that further repeats do not take back. A printed value is one run; whether it lies where 95 % of our single runs lie
 * depends on our mean and spread, which are themselves estimates. So three answers: it lies there, it does not, and nothing is shown yet.
 *
 * The first 10, 30, 90, 270 ... repeats are looked at, and the first look that shows something settles the cell. The k-th may err with
 * level / k(k + 1), which sum to `level` however many there are (Bonferroni). More repeats have the same first ones: they add looks and change
 * none. With other seeds, too, a settled word is wrong in at most `level` of all cells.
 */
#ifndef WT_TOOLS_PAPER_CELL_H
#define WT_TOOLS_PAPER_CELL_H

#include <stddef.h>

#define WT_CELL_FIRST_LOOK 10 /* repeats; each further look has three times as many */

enum wt_cell_shown { WT_CELL_OPEN, WT_CELL_YES, WT_CELL_NO };

struct wt_cell_word {
	enum wt_cell_shown one;  /* the printed value lies within 1.96 deviations of our mean: as 95 % of single runs do */
	enum wt_cell_shown near; /* our mean lies within 10 % of the printed value */
};

/*
 * sample: values by repeat, NaN where a run failed. level: how often a word may be wrong, (0, 1); each of the two questions has half of it.
 * Runs that are all equal settle the cell at the first look.
 */
struct wt_cell_word wt_cell_judge(const double *sample, size_t repeats, double printed, double level);

#endif

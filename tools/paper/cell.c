/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/cell.h"

#include <math.h>

#include "tools/results/stats.h"

#define SPREAD 1.959964 /* deviations that hold 95 % of single runs */
#define NEAR 0.10

/* Does the printed value lie within SPREAD deviations? |mean - printed| / deviation, times sqrt(n), is a non-central t. */
static enum wt_cell_shown within(const struct wt_mean *ours, double printed, double share)
{
	double off = fabs(ours->mean - printed), root = sqrt((double)ours->n), below;

	if (ours->deviation == 0)
		return off == 0 ? WT_CELL_YES : WT_CELL_NO;
	below = wt_noncentral_t(root * off / ours->deviation, ours->n - 1, root * SPREAD);
	return below <= share ? WT_CELL_YES : 1 - below <= share ? WT_CELL_NO : WT_CELL_OPEN;
}

static enum wt_cell_shown close_to(const struct wt_mean *ours, double printed, double share)
{
	double room = NEAR * fabs(printed) - fabs(ours->mean - printed);

	if (ours->deviation > 0 && wt_student_tail(room / ours->deviation * sqrt((double)ours->n), ours->n - 1) / 2 > share)
		return WT_CELL_OPEN;
	return room >= 0 ? WT_CELL_YES : WT_CELL_NO;
}

struct wt_cell_word wt_cell_judge(const double *sample, size_t repeats, double printed, double level)
{
	struct wt_cell_word word = {WT_CELL_OPEN, WT_CELL_OPEN};
	double k = 1;

	for (size_t look = WT_CELL_FIRST_LOOK; look <= repeats; look *= 3, k++) {
		struct wt_mean ours = wt_mean_of(sample, look);
		double share = level / 2 / (k * (k + 1));

		if (ours.n < WT_CELL_FIRST_LOOK / 2)
			continue;
		if (word.one == WT_CELL_OPEN)
			word.one = within(&ours, printed, share);
		if (word.near == WT_CELL_OPEN)
			word.near = close_to(&ours, printed, share);
	}
	return word;
}

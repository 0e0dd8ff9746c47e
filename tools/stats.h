/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of repeated runs: means with Student intervals, paired differences, agreement of orders. */
#ifndef WT_TOOLS_STATS_H
#define WT_TOOLS_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct wt_mean {
	size_t n;
	double mean;
	double deviation; /* of one sample (n - 1 in the denominator); NaN for n < 2 */
	double half;      /* half of the 95 % interval of the mean (Student); NaN for n < 2 */
};

/* NaN samples (failed runs) are left out. */
struct wt_mean wt_mean_of(const double *sample, size_t n);

/* The 97.5 % quantile of Student's t with `degrees` degrees of freedom: 12.706 for 1, 1.960 for infinity. NaN for 0. */
double wt_student_975(size_t degrees);

/*
 * Mean of a[i] - b[i] with its interval: the pairs met the same losses, so their difference varies less than either. Pairs with a NaN are
 * left out. (Not of the ratios: a mean of ratios of widely spread runs says a > b and b > a at once.)
 */
struct wt_mean wt_paired_difference(const double *a, const double *b, size_t n);

/* Do two intervals overlap? A mean of one sample is a point. False if either has no sample. */
bool wt_means_overlap(const struct wt_mean *a, const struct wt_mean *b);

/* Kendall's tau-b of two rankings of the same n things, in [-1, 1]; NaN if one is all ties or n < 2. */
double wt_kendall_tau(const double *a, const double *b, size_t n);

#endif

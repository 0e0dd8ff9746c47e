/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of repeated runs: means with Student and bootstrap intervals, paired differences and ratios, quantiles, agreement of orders. */
#ifndef WT_TOOLS_RESULTS_STATS_H
#define WT_TOOLS_RESULTS_STATS_H

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

/* The t that |Student's t| with `degrees` degrees of freedom exceeds with probability `tail`: 12.706 for 0.05 and 1. NaN for 0 degrees. */
double wt_student_quantile(double tail, size_t degrees);
/* The probability with which |Student's t| exceeds |t|: the other way round. 1 for a NaN or 0 degrees. */
double wt_student_tail(double t, size_t degrees);
/* How likely means as far from 0 as this one, or farther, are if only chance is at work (t test, two-sided). 1 for n < 2. */
double wt_mean_p(const struct wt_mean *mean);

/*
 * The probability that a non-central t with `degrees` degrees of freedom and this `shift` is at most t: (Z + shift) / sqrt(chi^2 / degrees).
 * NaN for 0 degrees.
 */
double wt_noncentral_t(double t, size_t degrees, double shift);

/* Half of the interval that holds the next sample in 1 - level of all cases (Student, s sqrt(1 + 1/n)); NaN for n < 2. */
double wt_prediction_half(const struct wt_mean *mean, double level);
/* Half of the interval of the mean itself at that level; NaN for n < 2. */
double wt_interval_half(const struct wt_mean *mean, double level);
/*
 * n such probabilities judged together (Holm 1979): `decided` says which are beyond chance, so that any of those that are not are
 * taken for it in at most `level` of all cases. Of one alone it is p <= level.
 */
void wt_holm(const double *p, size_t n, double level, bool *decided);

/*
 * Mean of a[i] - b[i] with its interval: the pairs met the same losses, so their difference varies less than either. Pairs with a NaN are
 * left out. (Not of the ratios: a mean of ratios of widely spread runs says a > b and b > a at once.)
 */
struct wt_mean wt_paired_difference(const double *a, const double *b, size_t n);

/* "   144.10 ± 3.80    " for a column; without an interval for one run, a dash for none. */
const char *wt_mean_text(char out[40], const struct wt_mean *mean);

/*
 * May both be means of samples of one and the same distribution? Student's test of two samples with the variance of both
 * together, which is what "the same distribution" says. `comparisons` such questions asked at once are wrongly answered "no" anywhere in
 * 5 % of all cases (Bonferroni). False if either has no sample.
 */
bool wt_means_agree(const struct wt_mean *a, const struct wt_mean *b, size_t comparisons);

/*
 * The judgement of two cells, as `paper run --backend` and `report compare` print it: they agree as above, or their means are within
 * 1 % (without losses runs hardly differ, and what is left is the machine's lateness), or they differ, or one has no sample.
 */
enum wt_agreement { WT_AGREE, WT_AGREE_CLOSE, WT_DIFFER, WT_NOTHING };
enum wt_agreement wt_means_judge(const struct wt_mean *a, const struct wt_mean *b, size_t comparisons);
extern const char *const wt_agreement_names[];

struct wt_interval {
	double low, high; /* NaN: none */
};

/*
 * The bootstrap (Efron 1979): WT_BOOTSTRAP_DRAWS times as many samples as there are are drawn with replacement, and the interval is from
 * the 2.5 % to the 97.5 % quantile of what comes out. It does not assume that means are normally distributed. Draw k takes sample
 * number wt_random_below(stream "bootstrap" of WT_BOOTSTRAP_SEED, k n + i, n) as its i-th: the same interval everywhere. NaN samples are
 * left out; NaN for fewer than 2.
 */
#define WT_BOOTSTRAP_DRAWS 2000
#define WT_BOOTSTRAP_SEED 1

/* Of the mean. */
struct wt_interval wt_bootstrap_mean(const double *sample, size_t n);
/* Of the ratio of the means of a and b, pairs drawn together. *ratio: of the samples themselves; NaN if b's mean is 0. */
struct wt_interval wt_bootstrap_ratio(const double *a, const double *b, size_t n, double *ratio);

/* The q-quantile, linear between samples (Hyndman and Fan's definition 7). NaN samples are left out; NaN for none. */
double wt_quantile(const double *sample, size_t n, double q);

/* Jain's index of fairness: 1 if all are equal, 1/n if one has all; NaN for none. */
double wt_jain(const double *share, size_t n);

/* Kendall's tau-b of two rankings of the same n things, in [-1, 1]; NaN if one is all ties or n < 2. */
double wt_kendall_tau(const double *a, const double *b, size_t n);

#endif

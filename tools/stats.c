/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Student's quantile, 97.5 %: a table up to 12 degrees of freedom, then the Cornish-Fisher expansion in 1/degrees
 * (Abramowitz and Stegun 26.7.5), which is exact to five digits from there on.
 */
#include "tools/stats.h"

#include <math.h>
#include <stdint.h>

double wt_student_975(size_t degrees)
{
	static const double small[] = {NAN, 12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912,
				       2.364624, 2.306004, 2.262157, 2.228139, 2.200985, 2.178813};
	const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
	double v = (double)degrees;

	if (degrees < sizeof(small) / sizeof(small[0]))
		return small[degrees];
	return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v) +
	       (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * v * v * v * v);
}

/* One pass (Welford 1962): no cancellation for long transfers with small spread. */
struct running {
	size_t n;
	double mean, squares;
};

static void add(struct running *r, double x)
{
	double before = x - r->mean;

	r->n++;
	r->mean += before / (double)r->n;
	r->squares += before * (x - r->mean);
}

static struct wt_mean result(const struct running *r)
{
	struct wt_mean m = {r->n, r->n ? r->mean : NAN, NAN, NAN};

	if (r->n >= 2) {
		m.deviation = sqrt(r->squares / (double)(r->n - 1));
		m.half = wt_student_975(r->n - 1) * m.deviation / sqrt((double)r->n);
	}
	return m;
}

struct wt_mean wt_mean_of(const double *sample, size_t n)
{
	struct running r = {0};

	for (size_t i = 0; i < n; i++)
		if (!isnan(sample[i]))
			add(&r, sample[i]);
	return result(&r);
}

struct wt_mean wt_paired_difference(const double *a, const double *b, size_t n)
{
	struct running r = {0};

	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i]) && !isnan(b[i]))
			add(&r, a[i] - b[i]);
	return result(&r);
}

bool wt_means_overlap(const struct wt_mean *a, const struct wt_mean *b)
{
	double reach = (isnan(a->half) ? 0 : a->half) + (isnan(b->half) ? 0 : b->half);

	return a->n && b->n && fabs(a->mean - b->mean) <= reach;
}

double wt_kendall_tau(const double *a, const double *b, size_t n)
{
	int64_t agree = 0, pairs_a = 0, pairs_b = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			int x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);

			agree += x * y;
			pairs_a += x != 0;
			pairs_b += y != 0;
		}
	return pairs_a && pairs_b ? (double)agree / sqrt((double)pairs_a * (double)pairs_b) : NAN;
}

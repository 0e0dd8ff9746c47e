/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Student's t by its integral. With t = sqrt(v) tan(x) the density becomes cos(x)^(v-1), which is smooth, so Simpson's
 * rule is exact to more digits than anybody prints; the quantile is found by halving.
 */
#include "tools/stats.h"

#include <math.h>
#include <stdint.h>

static double two_sided_tail(double t, double v)
{
	const double steps = 400, width = atan(t / sqrt(v)) / steps;
	double whole = 0.5 * sqrt(acos(-1.0)) * exp(lgamma(v / 2) - lgamma((v + 1) / 2));
	double sum = 1 + pow(cos(width * steps), v - 1);

	for (double i = 1; i < steps; i++)
		sum += (fmod(i, 2) != 0 ? 4 : 2) * pow(cos(width * i), v - 1);
	return 1 - sum * width / 3 / whole;
}

double wt_student_quantile(double tail, size_t degrees)
{
	double low = 0, high = 1e6;

	if (degrees == 0)
		return NAN;
	for (unsigned i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (two_sided_tail(middle, (double)degrees) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
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
		m.half = wt_student_quantile(0.05, r->n - 1) * m.deviation / sqrt((double)r->n);
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

bool wt_means_agree(const struct wt_mean *a, const struct wt_mean *b, size_t comparisons)
{
	double degrees = (double)a->n + (double)b->n - 2, squares = 0, pooled;

	if (!a->n || !b->n)
		return false;
	if (degrees < 1)
		return a->mean == b->mean;
	squares += a->n > 1 ? a->deviation * a->deviation * (double)(a->n - 1) : 0;
	squares += b->n > 1 ? b->deviation * b->deviation * (double)(b->n - 1) : 0;
	pooled = sqrt(squares / degrees * (1 / (double)a->n + 1 / (double)b->n));
	return fabs(a->mean - b->mean) <= wt_student_quantile(0.05 / (double)comparisons, a->n + b->n - 2) * pooled;
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

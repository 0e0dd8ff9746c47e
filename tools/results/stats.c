/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Student's t by its integral. With t = sqrt(v) tan(x) the density becomes cos(x)^(v-1), which is smooth, so Simpson's
 * rule is exact to more digits than anybody prints; the quantile is found by halving.
 */
#include "tools/results/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

#include "stack/base/random.h"

static double two_sided_tail(double t, double v)
{
	/* beyond 40 deviations nothing is left; with many degrees the steps would pass over all that there is */
	const double steps = 400, width = fmin(atan(t / sqrt(v)), 40 / sqrt(v)) / steps;
	double whole = 0.5 * sqrt(acos(-1.0)) * exp(lgamma(v / 2) - lgamma((v + 1) / 2));
	double sum = 1 + pow(cos(width * steps), v - 1);

	for (double i = 1; i < steps; i++)
		sum += (fmod(i, 2) != 0 ? 4 : 2) * pow(cos(width * i), v - 1);
	return 1 - sum * width / 3 / whole;
}

double wt_student_quantile(double tail, size_t degrees)
{
	static struct {
		double asked, found;
		size_t degrees;
	} last[8]; /* questions: many cells have as many runs, and are looked at after as many */
	static unsigned oldest;
	double low = 0, high = 1e6;

	if (degrees == 0)
		return NAN;
	for (unsigned i = 0; i < 8; i++)
		if (last[i].asked == tail && last[i].degrees == degrees)
			return last[i].found;
	for (unsigned i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (two_sided_tail(middle, (double)degrees) > tail)
			low = middle;
		else
			high = middle;
	}
	oldest = (oldest + 1) % 8;
	last[oldest].asked = tail;
	last[oldest].degrees = degrees;
	return last[oldest].found = (low + high) / 2;
}

double wt_student_tail(double t, size_t degrees)
{
	return isnan(t) || !degrees ? 1 : fmax(two_sided_tail(fabs(t), (double)degrees), 0);
}

/* The mean of Phi(t u - shift) over the density of u = sqrt(chi^2 / degrees), by Simpson's rule where there is any. */
double wt_noncentral_t(double t, size_t degrees, double shift)
{
	const double steps = 120;
	double v = (double)degrees, wide = 9 / sqrt(2 * v), from = fmax(0, 1 - wide), width = (1 + wide - from) / steps, sum = 0;
	double scale = degrees ? log(2) + v / 2 * log(v / 2) - lgamma(v / 2) : NAN;

	for (double i = 0; i <= steps; i++) {
		double u = from + i * width, weight = i == 0 || i == steps ? 1 : fmod(i, 2) != 0 ? 4 : 2;
		double density = u > 0 ? exp(scale + (v - 1) * log(u) - v * u * u / 2) : degrees == 1 ? exp(scale) : 0;

		sum += weight * density * 0.5 * erfc((shift - t * u) / sqrt(2.0));
	}
	return degrees ? fmin(sum * width / 3, 1) : NAN;
}

double wt_interval_half(const struct wt_mean *mean, double level)
{
	return mean->n < 2 ? NAN : wt_student_quantile(level, mean->n - 1) * mean->deviation / sqrt((double)mean->n);
}

double wt_prediction_half(const struct wt_mean *mean, double level)
{
	return mean->n < 2 ? NAN : wt_student_quantile(level, mean->n - 1) * mean->deviation * sqrt(1 + 1 / (double)mean->n);
}

double wt_mean_p(const struct wt_mean *mean)
{
	if (mean->n < 2)
		return 1;
	return wt_student_tail(mean->mean == 0 ? 0 : mean->mean / (mean->deviation / sqrt((double)mean->n)), mean->n - 1);
}

void wt_holm(const double *p, size_t n, double level, bool *decided)
{
	for (size_t i = 0; i < n; i++)
		decided[i] = false;
	for (size_t left = n; left; left--) {
		size_t least = n;

		for (size_t i = 0; i < n; i++)
			if (!decided[i] && (least == n || p[i] < p[least]))
				least = i;
		if (!(p[least] <= level / (double)left))
			return;
		decided[least] = true;
	}
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

const char *const wt_agreement_names[] = {"agree", "agree within 1 %", "DIFFER", "nothing to compare"};

enum wt_agreement wt_means_judge(const struct wt_mean *a, const struct wt_mean *b, size_t comparisons)
{
	if (!a->n || !b->n)
		return WT_NOTHING;
	if (wt_means_agree(a, b, comparisons))
		return WT_AGREE;
	return fabs(a->mean - b->mean) <= 0.01 * fabs(b->mean) ? WT_AGREE_CLOSE : WT_DIFFER;
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

/* ---- without assumptions ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorted_quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double wt_quantile(const double *sample, size_t n, double q)
{
	double *sorted = malloc((n ? n : 1) * sizeof(*sorted)), result = NAN;
	size_t kept = 0;

	for (size_t i = 0; i < n && sorted; i++)
		if (!isnan(sample[i]))
			sorted[kept++] = sample[i];
	if (kept) {
		qsort(sorted, kept, sizeof(*sorted), by_value);
		result = sorted_quantile(sorted, kept, q);
	}
	free(sorted);
	return result;
}

static double mean_of(const double *sample, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += sample[i];
	return sum / (double)n;
}

/* The mean of a over that of b, of one draw. Without b: the mean of a. */
static double draw(const struct wt_key *key, uint64_t number, const double *a, const double *b, size_t n)
{
	double top = 0, bottom = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = wt_random_below(key, number * n + i, n);

		top += a[at];
		bottom += b ? b[at] : 1;
	}
	return bottom > 0 ? top / bottom : NAN;
}

static struct wt_interval bootstrap(const double *a, const double *b, size_t n)
{
	struct wt_key key = wt_key_derive(WT_BOOTSTRAP_SEED, "bootstrap");
	static double drawn[WT_BOOTSTRAP_DRAWS];
	size_t kept = 0;

	for (uint64_t k = 0; k < WT_BOOTSTRAP_DRAWS && n > 1; k++) {
		double x = draw(&key, k, a, b, n);

		if (!isnan(x))
			drawn[kept++] = x;
	}
	if (!kept)
		return (struct wt_interval){NAN, NAN};
	qsort(drawn, kept, sizeof(*drawn), by_value);
	return (struct wt_interval){sorted_quantile(drawn, kept, 0.025), sorted_quantile(drawn, kept, 0.975)};
}

struct wt_interval wt_bootstrap_ratio(const double *a, const double *b, size_t n, double *ratio)
{
	double *pair = malloc((n ? n : 1) * 2 * sizeof(*pair)), *second = pair + n;
	struct wt_interval interval = {NAN, NAN};
	size_t kept = 0;

	*ratio = NAN;
	for (size_t i = 0; i < n && pair; i++)
		if (!isnan(a[i]) && !isnan(b[i])) {
			pair[kept] = a[i];
			second[kept++] = b[i];
		}
	if (kept && mean_of(second, kept) > 0) {
		*ratio = mean_of(pair, kept) / mean_of(second, kept);
		interval = bootstrap(pair, second, kept);
	}
	free(pair);
	return interval;
}

struct wt_interval wt_bootstrap_mean(const double *sample, size_t n)
{
	double *kept = malloc((n ? n : 1) * sizeof(*kept));
	struct wt_interval interval = {NAN, NAN};
	size_t count = 0;

	for (size_t i = 0; i < n && kept; i++)
		if (!isnan(sample[i]))
			kept[count++] = sample[i];
	if (kept)
		interval = bootstrap(kept, NULL, count);
	free(kept);
	return interval;
}

double wt_jain(const double *share, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += share[i];
		squares += share[i] * share[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

const char *wt_mean_text(char out[40], const struct wt_mean *mean)
{
	if (!mean->n)
		snprintf(out, 40, "%9s   %-8s", "-", "");
	else if (isnan(mean->half))
		snprintf(out, 40, "%9.2f   %-8s", mean->mean, "");
	else
		snprintf(out, 40, "%9.2f ± %-8.2f", mean->mean, mean->half);
	return out;
}

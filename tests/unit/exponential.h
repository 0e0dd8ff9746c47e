/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample against the exponential law. */
#ifndef WT_TESTS_UNIT_EXPONENTIAL_H
#define WT_TESTS_UNIT_EXPONENTIAL_H

#include <math.h>
#include <stdlib.h>

static inline int exponential_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Kolmogorov and Smirnov's distance from the law of this mean, times the root of the count; 0.1 per cent: 1.95. Sorts the sample. */
static inline double exponential_distance(double *sample, unsigned count, double mean)
{
	double worst = 0;

	qsort(sample, count, sizeof(*sample), exponential_order);
	for (unsigned i = 0; i < count; i++) {
		double law = 1 - exp(-sample[i] / mean), below = law - (double)i / count, above = (double)(i + 1) / count - law;

		worst = fmax(worst, fmax(below, above));
	}
	return worst * sqrt(count);
}

#endif

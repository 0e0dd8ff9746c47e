/* SPDX-License-Identifier: BSD-2-Clause */
/* Logarithm, exponential and powers from + - * / on doubles alone: the same bits in every build. Relative errors below 1e-12. */
#ifndef WT_CC_SHARED_POWER_H
#define WT_CC_SHARED_POWER_H

#include "stack/base/random.h"

/* Natural logarithm of x > 0. */
static inline double wt_ln(double x)
{
	return x <= 1 ? wt_log_unit(x) : -wt_log_unit(1 / x);
}

/* e to the power x, x within -700 ... 700. */
static inline double wt_exp(double x)
{
	double r = x / 1024, sum = 1 + r * (1 + r / 2 * (1 + r / 3 * (1 + r / 4 * (1 + r / 5 * (1 + r / 6)))));

	for (unsigned i = 0; i < 10; i++) /* e^x = (e^(x/1024))^1024 */
		sum *= sum;
	return sum;
}

/* x to the power y, x > 0. */
static inline double wt_power(double x, double y)
{
	return wt_exp(y * wt_ln(x));
}

#endif

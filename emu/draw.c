/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/draw.h"

#include <math.h>
#include <string.h>

/* x = k ln 2 + r, |r| <= 0.35; e^r by its series, of which the 18th term is below 1e-17. */
double wt_exp_up(double x)
{
	const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
	int64_t k = (int64_t)(x / (ln2_high + ln2_low) + 0.5);
	double r = (x - (double)k * ln2_high) - (double)k * ln2_low, sum = 1, scale;
	uint64_t bits = (uint64_t)(1023 + k) << 52;

	for (int i = 18; i >= 1; i--)
		sum = 1 + sum * r / i;
	memcpy(&scale, &bits, sizeof(scale));
	return sum * scale;
}

/* A point of 32 bits a side in the square; outside the circle another is tried: 4 in 5 are inside. */
double wt_stream_normal(struct wt_stream *stream, uint64_t n)
{
	const struct wt_key again = {stream->key.k1, stream->key.k0};
	uint64_t hash = wt_stream_number(stream, n);

	for (;;) {
		double u = ((double)(hash >> 32) + 0.5) * 0x1p-31 - 1, v = ((double)(hash & 0xffffffff) + 0.5) * 0x1p-31 - 1;
		double s = u * u + v * v;

		if (s < 1)
			return u * sqrt(-2 * wt_log_unit(s) / s);
		hash = wt_siphash_u64(&again, hash);
	}
}

double wt_random_pareto(const struct wt_key *key, uint64_t n, double shape)
{
	return wt_exp_up(wt_random_exp(key, n) / shape) - 1;
}

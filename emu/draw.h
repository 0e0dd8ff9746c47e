/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers of other laws, from the numbers of a stream: the same on every build, as in stack/base/random.h. */
#ifndef WT_EMU_DRAW_H
#define WT_EMU_DRAW_H

#include "stack/base/random.h"

/* e^x for x in [0, 700], within 1e-13 relative; only + - * / on doubles. */
double wt_exp_up(double x);
/* Normal, mean 0, deviation 1 (Marsaglia's polar method: the n-th number and, where it is rejected, hashes of it). */
double wt_stream_normal(struct wt_stream *stream, uint64_t n);
/* Pareto's law moved to start at 0 (Lomax): P(X > x) = (1 + x)^-shape. Its mean is 1 / (shape - 1). */
double wt_random_pareto(const struct wt_key *key, uint64_t n, double shape);

#endif

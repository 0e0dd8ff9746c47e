/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/histogram.h"

enum { FINE = 4, STEPS = 1 << FINE };

static unsigned bucket_of(uint64_t duration)
{
	unsigned power, bucket;

	if (duration < STEPS)
		return (unsigned)duration;
	power = 63 - (unsigned)__builtin_clzll(duration);
	bucket = (power - FINE + 1) * STEPS + (unsigned)(duration >> (power - FINE) & (STEPS - 1));
	return bucket < WT_HISTOGRAM_BUCKETS ? bucket : WT_HISTOGRAM_BUCKETS - 1;
}

/* The largest duration that falls into a bucket. */
static wt_time last_of(unsigned bucket)
{
	unsigned power = bucket / STEPS + FINE - 1;

	if (bucket < STEPS)
		return bucket;
	return (((wt_time)(bucket % STEPS) + STEPS + 1) << (power - FINE)) - 1;
}

void wt_histogram_add(struct wt_histogram *histogram, wt_time duration)
{
	if (duration < 0)
		duration = 0;
	histogram->count++;
	histogram->worst = wt_time_max(histogram->worst, duration);
	histogram->bucket[bucket_of((uint64_t)duration)]++;
}

static wt_time reach(const struct wt_histogram *histogram, double count)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i + 1 < WT_HISTOGRAM_BUCKETS && histogram->count; i++) {
		sum += histogram->bucket[i];
		if (sum && (double)sum >= count)
			return wt_time_min(last_of(i), histogram->worst);
	}
	return histogram->worst;
}

wt_time wt_histogram_below(const struct wt_histogram *histogram, double share)
{
	return reach(histogram, share * (double)histogram->count);
}

wt_time wt_histogram_but(const struct wt_histogram *histogram, uint64_t most)
{
	return histogram->count > most ? reach(histogram, (double)(histogram->count - most)) : 0;
}

void wt_histogram_merge(struct wt_histogram *histogram, const struct wt_histogram *more)
{
	histogram->count += more->count;
	histogram->worst = wt_time_max(histogram->worst, more->worst);
	for (unsigned i = 0; i < WT_HISTOGRAM_BUCKETS; i++)
		histogram->bucket[i] += more->bucket[i];
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/histogram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* The buckets of whole powers of two from those that there are to this one. False: no memory. */
__attribute__((cold)) static bool reach_to(struct wt_histogram *histogram, unsigned bucket)
{
	unsigned first = bucket & ~(STEPS - 1u), end = first + STEPS, before = 0;
	uint32_t *at;

	if (histogram->room) {
		first = first < histogram->first ? first : histogram->first;
		end = end > histogram->first + histogram->room ? end : (unsigned)histogram->first + histogram->room;
		before = histogram->first - first;
	}
	at = calloc(end - first, sizeof(*at));
	if (!at)
		return false;
	if (histogram->room)
		memcpy(at + before, histogram->bucket, histogram->room * sizeof(*at));
	free(histogram->bucket);
	histogram->bucket = at;
	histogram->first = (uint16_t)first;
	histogram->room = (uint16_t)(end - first);
	return true;
}

static void count(struct wt_histogram *histogram, unsigned bucket, uint32_t times)
{
	if (bucket - histogram->first < histogram->room || reach_to(histogram, bucket))
		histogram->bucket[bucket - histogram->first] += times;
}

void wt_histogram_add(struct wt_histogram *histogram, wt_time duration)
{
	if (duration < 0)
		duration = 0;
	histogram->count++;
	histogram->worst = wt_time_max(histogram->worst, duration);
	count(histogram, bucket_of((uint64_t)duration), 1);
}

static wt_time reach(const struct wt_histogram *histogram, double enough)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < histogram->room && histogram->first + i + 1 < WT_HISTOGRAM_BUCKETS; i++) {
		sum += histogram->bucket[i];
		if (sum && (double)sum >= enough)
			return wt_time_min(last_of(histogram->first + i), histogram->worst);
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
	for (unsigned i = 0; i < more->room; i++)
		if (more->bucket[i])
			count(histogram, more->first + i, more->bucket[i]);
}

void wt_histogram_finish(struct wt_histogram *histogram)
{
	free(histogram->bucket);
	*histogram = (struct wt_histogram){0};
}

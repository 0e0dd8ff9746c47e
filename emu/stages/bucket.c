/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stages/bucket.h"

#include "stack/wire/packet.h"

/* When the tokens for a frame are complete, counted from `last`. */
static wt_time tokens_due(const struct wt_bucket *link, uint32_t len)
{
	const struct wt_rate_config *config = link->config;
	int64_t missing = wt_bucket_cost(link, len) - link->level, portion;
	wt_time count;

	if (missing <= 0)
		return link->last;
	portion = config->every ? (int64_t)config->lump * WT_BUCKET_BYTE : (int64_t)config->rate;
	count = missing / portion + (missing % portion != 0);
	if (!config->every)
		return wt_time_add(link->last, count);
	if (__builtin_mul_overflow(link->last / config->every + count, config->every, &count))
		return WT_NEVER;
	return count;
}

/* ---- a trace --------------------------------------------------------------------------------------------- */

/* An opportunity carries IP bytes (Mahimahi counts a packet of its TUN device, 4 bytes more): no Ethernet header. */
static int64_t carried(const struct wt_bucket *link, uint32_t len)
{
	return (int64_t)(len > WT_ETHERNET ? len - WT_ETHERNET : 0) + (int64_t)link->config->overhead;
}

static wt_time opportunity(const struct wt_samples *trace, uint64_t n)
{
	wt_time period = trace->value[trace->count - 1], round;

	if (__builtin_mul_overflow((wt_time)(n / trace->count), period, &round))
		return WT_NEVER;
	return wt_time_add(round, trace->value[n % trace->count]);
}

/* The first opportunity at or after `now`. */
static uint64_t opportunity_from(const struct wt_samples *trace, wt_time now)
{
	wt_time period = trace->value[trace->count - 1], round = now / period, into = now % period;
	uint64_t low = 0, high = trace->count;

	if (!into && round) { /* the last ones of the round before are at this very instant */
		round--;
		into = period;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (trace->value[middle] < into)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint64_t)round * trace->count + low;
}

/* What is left of the opportunity taken last counts at its own instant only. */
void wt_bucket_trace_begin(struct wt_bucket *link, wt_time now, uint32_t len)
{
	int64_t left = link->last == now ? link->level : 0, missing = carried(link, len) - left;
	uint64_t first = opportunity_from(link->config->trace, now), more;

	if (link->next < first)
		link->next = first;
	link->trace_due = now;
	if (missing > 0) {
		more = ((uint64_t)missing + WT_OPPORTUNITY - 1) / WT_OPPORTUNITY;
		link->next += more;
		missing -= (int64_t)(more * WT_OPPORTUNITY);
		link->trace_due = opportunity(link->config->trace, link->next - 1);
	}
	link->level = -missing;
	link->last = link->trace_due;
}

bool wt_bucket_trace_open(const struct wt_bucket *link, wt_time now, uint32_t len)
{
	struct wt_bucket tried = *link;

	wt_bucket_trace_begin(&tried, now, len);
	return tried.trace_due <= now;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

void wt_bucket_init(struct wt_bucket *link, const struct wt_rate_config *config)
{
	*link = (struct wt_bucket){.config = config};
	if (!config->trace)
		link->level = wt_bucket_depth(link);
}

wt_time wt_bucket_due(const struct wt_bucket *link, uint32_t len)
{
	return link->config->trace ? link->trace_due : tokens_due(link, len);
}

void wt_bucket_before_change(struct wt_bucket *link, wt_time now, bool waits)
{
	if (!link->config->trace)
		wt_bucket_refill(link, now, waits ? INT64_MAX : wt_bucket_depth(link));
}

void wt_bucket_abandon(struct wt_bucket *link, wt_time now)
{
	uint64_t later;

	if (!link->config->trace)
		return;
	/* of those until now it has had every byte, or it would have been complete */
	later = opportunity_from(link->config->trace, now + 1);
	if (link->next > later)
		link->next = later;
	link->level = 0;
}

void wt_bucket_retrace(struct wt_bucket *link)
{
	link->next = 0;
	link->level = 0;
}

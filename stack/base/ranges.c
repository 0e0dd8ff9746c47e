/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int wt_ranges_init(struct wt_ranges *set, uint32_t max)
{
	*set = (struct wt_ranges){.max = max, .at = malloc(max * sizeof(*set->at))};
	return set->at ? 0 : -ENOMEM;
}

void wt_ranges_finish(struct wt_ranges *set)
{
	free(set->at);
	*set = (struct wt_ranges){0};
}

void wt_ranges_clear(struct wt_ranges *set)
{
	set->count = set->bytes = 0;
}

/* The first interval that ends at or after `seq`: count if there is none. */
static uint32_t first_ending_at(const struct wt_ranges *set, wt_seq seq)
{
	uint32_t low = 0, high = set->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (wt_seq_lt(set->at[middle].end, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first interval that starts after `seq`. */
static uint32_t first_starting_after(const struct wt_ranges *set, uint32_t low, wt_seq seq)
{
	uint32_t high = set->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (wt_seq_le(set->at[middle].start, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* [*first, *behind) touch or overlap [start, end). */
static struct wt_range merge(const struct wt_ranges *set, wt_seq start, wt_seq end, uint32_t *first, uint32_t *behind)
{
	struct wt_range whole = {start, end};

	*first = first_ending_at(set, start);
	*behind = first_starting_after(set, *first, end);
	if (*first < *behind) {
		whole.start = wt_seq_min(start, set->at[*first].start);
		whole.end = wt_seq_max(end, set->at[*behind - 1].end);
	}
	return whole;
}

struct wt_range wt_ranges_merged(const struct wt_ranges *set, wt_seq start, wt_seq end)
{
	uint32_t first, behind;

	return merge(set, start, end, &first, &behind);
}

bool wt_ranges_add(struct wt_ranges *set, wt_seq start, wt_seq end, struct wt_range *merged)
{
	struct wt_range whole;
	uint32_t first, behind;

	if (wt_seq_ge(start, end)) { /* nothing to add */
		if (merged)
			*merged = (struct wt_range){start, start};
		return true;
	}
	whole = merge(set, start, end, &first, &behind);
	if (first == behind && set->count == set->max)
		return false;
	for (uint32_t i = first; i < behind; i++)
		set->bytes -= set->at[i].end - set->at[i].start;
	set->bytes += whole.end - whole.start;
	memmove(&set->at[first + 1], &set->at[behind], (set->count - behind) * sizeof(set->at[0]));
	set->at[first] = whole;
	set->count = set->count - (behind - first) + 1;
	if (merged)
		*merged = whole;
	return true;
}

uint32_t wt_ranges_find(const struct wt_ranges *set, wt_seq seq)
{
	return first_ending_at(set, seq + 1);
}

void wt_ranges_trim(struct wt_ranges *set, wt_seq seq)
{
	uint32_t keep = wt_ranges_find(set, seq);

	if (set->count == 0)
		return;
	for (uint32_t i = 0; i < keep; i++)
		set->bytes -= set->at[i].end - set->at[i].start;
	set->count -= keep;
	memmove(&set->at[0], &set->at[keep], set->count * sizeof(set->at[0]));
	if (set->count && wt_seq_lt(set->at[0].start, seq)) {
		set->bytes -= seq - set->at[0].start;
		set->at[0].start = seq;
	}
}

bool wt_ranges_contain(const struct wt_ranges *set, wt_seq start, wt_seq end)
{
	uint32_t i = first_ending_at(set, end);

	return i < set->count && wt_seq_le(set->at[i].start, start);
}

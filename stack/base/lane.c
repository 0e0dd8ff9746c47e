/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/lane.h"

#include <stdlib.h>

#define LEAST 16u

/* By doubling, so not for each frame. */
bool wt_lane_grow(struct wt_lane *lane, uint64_t room)
{
	struct wt_lane grown = *lane;

	for (grown.room = lane->room ? lane->room : LEAST; grown.room < room;)
		grown.room *= 2;
	if (grown.room == lane->room)
		return true;
	grown.at = malloc(grown.room * sizeof(*grown.at));
	if (!grown.at)
		return false;
	for (uint64_t serial = lane->first; serial != lane->end; serial++)
		*wt_lane_at(&grown, serial) = *wt_lane_at(lane, serial);
	free(lane->at);
	*lane = grown;
	wt_lane_bound(lane);
	return true;
}

/* Of those from `low` on the first that has not left. They leave in order, and at a full queue one or none has: so the second first, then by halves. */
static uint64_t left_by(const struct wt_lane *lane, uint64_t low, wt_time at)
{
	uint64_t high = lane->end;

	if (high - low > 1 && wt_lane_at(lane, low + 1)->leaves > at)
		high = low + 1;
	while (low != high) {
		uint64_t middle = low + (high - low) / 2;

		if (wt_lane_at(lane, middle)->leaves <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void wt_lane_reach(struct wt_lane *lane, wt_time at)
{
	uint64_t gone = left_by(lane, lane->gone, at);

	if (gone != lane->gone)
		lane->gone_bytes = wt_departure_upto(wt_lane_at(lane, gone - 1));
	lane->gone = gone;
	wt_lane_bound(lane);
}

void wt_lane_make_room(struct wt_lane *lane, wt_time now)
{
	uint64_t first = left_by(lane, lane->first, now);

	if (first == lane->first)
		return;
	if (lane->gone < first) {
		lane->gone = first;
		lane->gone_bytes = wt_departure_upto(wt_lane_at(lane, first - 1));
	}
	lane->before = wt_lane_at(lane, first - 1)->leaves;
	lane->first = first;
	wt_lane_bound(lane);
}

void wt_lane_bound(struct wt_lane *lane)
{
	uint64_t place = lane->first + lane->room, room = lane->packets ? lane->gone + lane->limit : UINT64_MAX;

	if (lane->packets && room < lane->gone)
		room = UINT64_MAX;
	lane->until = place < room ? place : room;
	if (lane->packets || __builtin_add_overflow(lane->gone_bytes, lane->limit, &lane->most))
		lane->most = UINT64_MAX;
}

void wt_lane_measure(struct wt_lane *lane, uint32_t len)
{
	lane->len = len;
	lane->cost = wt_lane_cost(lane, len);
	lane->count = lane->cost / lane->rate;
	lane->rest = lane->cost % lane->rate;
}

void wt_lane_finish(struct wt_lane *lane)
{
	free(lane->at);
	*lane = (struct wt_lane){0};
}

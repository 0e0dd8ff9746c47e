/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames as numbers, made of their lengths and first bytes, in a list of our own: longer than a TAP's queue, and what is noted does not
 * stay long in memory that the kernel writes. Looking for a frame that is not there costs a few microseconds at worst.
 */
#include "stack/port/arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/base/time.h"
#include "stack/port/arrival_source.h"

#define UNDER_WAY WT_MS /* from the stamp to the queue of the TAP it takes the kernel a microsecond, but it may be interrupted there */

uint64_t wt_arrival_print(const uint8_t *data, uint32_t len)
{
	uint64_t word[WT_ARRIVAL_WORDS] = {0}, print = len;

	memcpy(word, data, len < WT_ARRIVAL_SEEN ? len : WT_ARRIVAL_SEEN);
	for (unsigned i = 0; i < WT_ARRIVAL_WORDS; i++) {
		print = (print ^ word[i]) * WT_ARRIVAL_FACTOR;
		print ^= print >> WT_ARRIVAL_SHIFT;
	}
	return print;
}

void wt_arrival_keep(struct wt_arrival *arrival, uint64_t print, int64_t stamp)
{
	if (arrival->to - arrival->from == WT_ARRIVAL_KEPT)
		arrival->from++;
	arrival->print[arrival->to % WT_ARRIVAL_KEPT] = print;
	arrival->stamp[arrival->to % WT_ARRIVAL_KEPT] = stamp;
	arrival->to++;
}

int64_t wt_arrival_of(struct wt_arrival *arrival, const uint8_t *data, uint32_t len)
{
	uint64_t print = wt_arrival_print(data, len);

	if (arrival->from == arrival->to) /* stay within few cache lines */
		arrival->from = arrival->to = 0;
	arrival->source->collect(arrival);
	for (uint32_t i = arrival->from; i != arrival->to; i++) {
		if (arrival->print[i % WT_ARRIVAL_KEPT] != print)
			continue;
		arrival->from = i + 1;
		return arrival->stamp[i % WT_ARRIVAL_KEPT];
	}
	return 0;
}

void wt_arrival_empty(struct wt_arrival *arrival, int64_t now)
{
	while (arrival->from != arrival->to && arrival->stamp[arrival->from % WT_ARRIVAL_KEPT] < now - UNDER_WAY)
		arrival->from++;
}

struct wt_arrival *wt_arrival_open(int tap, bool filter)
{
	struct wt_arrival *arrival = filter ? wt_arrival_filter_open(tap) : NULL;

	return arrival ? arrival : wt_arrival_ring_open();
}

struct wt_arrival *wt_arrival_new(const struct wt_arrival_source *source, void *memory, uint32_t slots)
{
	struct wt_arrival *arrival = calloc(1, sizeof(*arrival));

	if (!arrival)
		return NULL;
	arrival->source = source;
	arrival->fd = -1;
	arrival->memory = memory;
	arrival->slots = slots;
	return arrival;
}

const char *wt_arrival_source(const struct wt_arrival *arrival)
{
	return arrival->source->name;
}

clockid_t wt_arrival_clock(const struct wt_arrival *arrival)
{
	return arrival->source->clock;
}

int wt_arrival_bind(struct wt_arrival *arrival, int tap, int index)
{
	return arrival->source->bind(arrival, tap, index);
}

void wt_arrival_close(struct wt_arrival *arrival)
{
	if (!arrival)
		return;
	arrival->source->close(arrival);
	if (arrival->fd >= 0)
		close(arrival->fd);
	free(arrival);
}

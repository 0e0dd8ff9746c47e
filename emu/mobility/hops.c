/* SPDX-License-Identifier: BSD-2-Clause */
/* How far two stations are from each other in hops, over time. */
#include <errno.h>
#include <stdlib.h>

#include "emu/mobility/pattern.h"

struct search {
	unsigned count, *queue, *hint;
	int *distance; /* -1: not reached */
	struct wt_point *at;
};

/* By the shortest way; -1: none. */
static int hops_between(struct search *s, double square, unsigned from, unsigned to)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < s->count; i++)
		s->distance[i] = -1;
	s->distance[from] = 0;
	s->queue[tail++] = from;
	while (head < tail && s->distance[to] < 0) {
		unsigned here = s->queue[head++];

		for (unsigned next = 0; next < s->count; next++)
			if (s->distance[next] < 0 && wt_square_distance(s->at[here], s->at[next]) <= square) {
				s->distance[next] = s->distance[here] + 1;
				s->queue[tail++] = next;
			}
	}
	return s->distance[to];
}

int wt_movement_hops(const struct wt_track *const *track, unsigned count, double range, const struct wt_time_span *span, unsigned from,
		     unsigned to, double share[WT_PATTERN_HOPS])
{
	struct search s = {.count = count, .queue = calloc(count, sizeof(*s.queue)), .hint = calloc(count, sizeof(*s.hint)),
			   .distance = calloc(count, sizeof(*s.distance)), .at = calloc(count, sizeof(*s.at))};
	bool ready = s.queue && s.hint && s.distance && s.at;
	unsigned samples = 0;

	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++)
		share[i] = 0;
	for (wt_time now = span->from; now <= span->until && ready; now += span->step, samples++) {
		int hops;

		for (unsigned i = 0; i < count; i++)
			s.at[i] = wt_track_at(track[i], now, &s.hint[i]);
		hops = hops_between(&s, range * range, from, to);
		share[hops < 0 ? 0 : hops < WT_PATTERN_HOPS ? hops : WT_PATTERN_HOPS - 1]++;
	}
	for (unsigned i = 0; i < WT_PATTERN_HOPS && samples; i++)
		share[i] /= samples;
	free(s.queue);
	free(s.hint);
	free(s.distance);
	free(s.at);
	return ready ? 0 : -ENOMEM;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/mobility/pattern.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int wt_movement_extend(struct wt_movement *pattern, unsigned count)
{
	unsigned room = pattern->room ? pattern->room : 8;
	struct wt_track *track;

	while (room < count)
		room *= 2;
	if (room != pattern->room) {
		track = calloc(room, sizeof(*track));
		if (!track)
			return -ENOMEM;
		for (unsigned i = 0; i < pattern->count; i++)
			track[i] = pattern->track[i];
		free(pattern->track);
		pattern->track = track;
		pattern->room = room;
	}
	pattern->count = count > pattern->count ? count : pattern->count;
	return 0;
}

void wt_movement_finish(struct wt_movement *pattern)
{
	for (unsigned i = 0; i < pattern->count; i++)
		wt_track_finish(&pattern->track[i]);
	free(pattern->track);
	*pattern = (struct wt_movement){0};
}

int wt_movement_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len)
{
	return strchr(text, '$') ? wt_setdest_read(pattern, text, line, err, err_len) : wt_bonnmotion_read(pattern, text, line, err, err_len);
}

struct wt_direction_of wt_track_leg(const struct wt_track *track, unsigned i)
{
	const struct wt_piece *piece = &track->piece[i];
	struct wt_direction_of way = {.from = piece->from, .to = i + 1 < track->pieces ? track->piece[i + 1].from : WT_NEVER, .at = piece->at};

	way.speed = sqrt(wt_square_distance(piece->speed, (struct wt_point){0, 0}));
	way.end = i + 1 < track->pieces ? track->piece[i + 1].at : piece->at;
	return way;
}

/* ---- description ------------------------------------------------------------------------------------------ */

struct look {
	const struct wt_movement *pattern;
	unsigned count;
	struct wt_point *at;
	unsigned *hint, *queue;
	uint8_t *linked; /* now and before, a byte for each pair */
	int *distance;
	double square;
};

static uint8_t *pair_of(const struct look *look, unsigned a, unsigned b)
{
	return &look->linked[(size_t)a * look->count + b];
}

/* Links from one station, counted into facts. */
static void links_of(struct look *look, unsigned a, bool first, struct wt_movement_facts *facts)
{
	for (unsigned b = 0; b < a; b++) {
		bool linked = wt_square_distance(look->at[a], look->at[b]) <= look->square;

		facts->links_made += !first && linked && !*pair_of(look, a, b);
		facts->links_lost += !first && !linked && *pair_of(look, a, b);
		facts->neighbours += 2 * linked;
		*pair_of(look, a, b) = *pair_of(look, b, a) = linked;
	}
}

/* Hops from one station to all; -1: no way. How many others have one. */
static unsigned measure(struct look *look, unsigned from)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < look->count; i++)
		look->distance[i] = -1;
	look->distance[from] = 0;
	look->queue[tail++] = from;
	while (head < tail) {
		unsigned here = look->queue[head++];

		for (unsigned next = 0; next < look->count; next++)
			if (*pair_of(look, here, next) && look->distance[next] < 0) {
				look->distance[next] = look->distance[here] + 1;
				look->queue[tail++] = next;
			}
	}
	return tail - 1;
}

static void sample(struct look *look, wt_time now, unsigned from, unsigned to, int *before, struct wt_movement_facts *facts)
{
	unsigned reached = 0;
	int hops;

	for (unsigned i = 0; i < look->count; i++) {
		const struct wt_track *track = &look->pattern->track[i];

		look->at[i] = wt_track_at(track, now, &look->hint[i]);
		if (track->pieces)
			facts->speed += now >= track->piece[0].from ? wt_track_leg(track, look->hint[i]).speed : 0;
	}
	for (unsigned i = 0; i < look->count; i++)
		links_of(look, i, !facts->samples, facts);
	for (unsigned i = 0; i < look->count; i++)
		reached += measure(look, i);
	facts->connected += reached;
	measure(look, from);
	hops = look->distance[to] < 0 ? 0 : look->distance[to];
	facts->hops[hops < WT_PATTERN_HOPS ? hops : WT_PATTERN_HOPS - 1]++;
	facts->route_changes += facts->samples && hops != *before;
	*before = hops;
	facts->samples++;
}

static void divide(struct wt_movement_facts *facts, unsigned count, wt_time until)
{
	double samples = facts->samples, seconds = until > 0 ? (double)until / 1e9 : 1;

	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++)
		facts->hops[i] /= samples;
	facts->neighbours /= samples * count;
	facts->links_made /= seconds;
	facts->links_lost /= seconds;
	facts->route_changes /= seconds;
	facts->connected /= samples * count * (count - 1);
	facts->speed /= samples * count;
}

int wt_movement_describe(const struct wt_movement *pattern, double range, wt_time step, wt_time until, unsigned from, unsigned to,
			struct wt_movement_facts *facts)
{
	unsigned count = pattern->count;
	struct look look = {.pattern = pattern, .count = count, .square = range * range, .at = calloc(count, sizeof(*look.at)),
			    .hint = calloc(count, sizeof(*look.hint)), .queue = calloc(count, sizeof(*look.queue)),
			    .linked = calloc(count, count), .distance = calloc(count, sizeof(*look.distance))};
	bool ready = look.at && look.hint && look.queue && look.linked && look.distance;
	int before = 0;

	*facts = (struct wt_movement_facts){0};
	for (wt_time now = 0; now <= until && ready; now += step)
		sample(&look, now, from, to, &before, facts);
	if (ready)
		divide(facts, count, until);
	free(look.at);
	free(look.hint);
	free(look.queue);
	free(look.linked);
	free(look.distance);
	return ready ? 0 : -ENOMEM;
}

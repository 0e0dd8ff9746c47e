/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/mobility/track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NS_PER_S 1e9

static int add(struct wt_track *track, wt_time from, struct wt_point at, struct wt_point speed)
{
	unsigned room = track->room ? 2 * track->room : 2;
	struct wt_piece *piece = track->piece;

	while (track->pieces && track->piece[track->pieces - 1].from >= from)
		track->pieces--; /* what was said of then is said anew */
	if (track->pieces == track->room) {
		piece = malloc(room * sizeof(*piece));
		if (!piece)
			return -ENOMEM;
		for (unsigned i = 0; i < track->pieces; i++)
			piece[i] = track->piece[i];
		free(track->piece);
		track->piece = piece;
		track->room = room;
	}
	piece[track->pieces++] = (struct wt_piece){from, at, speed};
	return 0;
}

int wt_track_stand(struct wt_track *track, wt_time from, struct wt_point at)
{
	return add(track, from, at, (struct wt_point){0, 0});
}

int wt_track_go(struct wt_track *track, wt_time from, struct wt_point to, double speed)
{
	struct wt_point at = wt_track_at(track, from, NULL);
	double length = sqrt(wt_square_distance(at, to)), takes;
	int error;

	if (length <= 0)
		return wt_track_stand(track, from, at);
	if (speed <= 0)
		return -EINVAL;
	takes = length / speed * NS_PER_S;
	error = add(track, from, at, (struct wt_point){(to.x - at.x) / length * speed, (to.y - at.y) / length * speed});
	if (error || takes >= (double)(WT_NEVER - from))
		return error;
	return wt_track_stand(track, from + (wt_time)takes, to);
}

void wt_track_finish(struct wt_track *track)
{
	free(track->piece);
	*track = (struct wt_track){0};
}

struct wt_point wt_track_at(const struct wt_track *track, wt_time now, unsigned *hint)
{
	unsigned i = hint && *hint < track->pieces && track->piece[*hint].from <= now ? *hint : 0;
	const struct wt_piece *piece = track->piece;
	double since;

	if (!track->pieces)
		return (struct wt_point){0, 0};
	while (i + 1 < track->pieces && piece[i + 1].from <= now)
		i++;
	if (hint)
		*hint = i;
	since = now > piece[i].from ? (double)(now - piece[i].from) / NS_PER_S : 0;
	return (struct wt_point){piece[i].at.x + piece[i].speed.x * since, piece[i].at.y + piece[i].speed.y * since};
}

double wt_track_fastest(const struct wt_track *track)
{
	double most = 0;

	for (unsigned i = 0; i < track->pieces; i++) {
		double square = wt_square_distance(track->piece[i].speed, (struct wt_point){0, 0});

		most = square > most ? square : most;
	}
	return sqrt(most);
}

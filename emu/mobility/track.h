/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a station is: straight pieces in time. Metres and metres per second in doubles, by + - * / and square roots alone, so that every
 * build gets the same positions.
 */
#ifndef WT_EMU_MOBILITY_TRACK_H
#define WT_EMU_MOBILITY_TRACK_H

#include "stack/base/time.h"

struct wt_point {
	double x, y;
};

/* From `from` until the next piece begins. */
struct wt_piece {
	wt_time from;
	struct wt_point at, speed;
};

struct wt_track {
	unsigned pieces, room;
	struct wt_piece *piece; /* in order of time; the first counts before its time, too, as a place */
};

/* Who stands still. 0 or -ENOMEM; finish frees the pieces. */
int wt_track_stand(struct wt_track *track, wt_time from, struct wt_point at);
/*
 * From `from` on it goes in a straight line to `to` with so many metres per second, and stands there; what the track said of later
 * times is gone. 0, -EINVAL (a speed of 0 to another place), or -ENOMEM.
 */
int wt_track_go(struct wt_track *track, wt_time from, struct wt_point to, double speed);
void wt_track_finish(struct wt_track *track);

/* `hint`: the piece of the last question, 0 at first: questions in order of time cost nothing. NULL: none. */
struct wt_point wt_track_at(const struct wt_track *track, wt_time now, unsigned *hint);
double wt_track_fastest(const struct wt_track *track); /* metres per second */

static inline double wt_square_distance(struct wt_point a, struct wt_point b)
{
	double x = a.x - b.x, y = a.y - b.y;

	return x * x + y * y;
}

#endif

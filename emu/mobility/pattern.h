/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns: the tracks of many stations. They are made (random waypoint), read (setdest files of ns-2, BonnMotion), written in both
 * forms, and described. Texts come and go as memory: who calls has the files.
 */
#ifndef WT_EMU_MOBILITY_PATTERN_H
#define WT_EMU_MOBILITY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/mobility/track.h"

#define WT_PATTERN_MOST 65536 /* stations */

/* Zero is empty. */
struct wt_movement {
	unsigned count, room;
	struct wt_track *track;
};

/* So many tracks at least, new ones without a place. 0 or -ENOMEM; finish frees all. */
int wt_movement_extend(struct wt_movement *pattern, unsigned count);
void wt_movement_finish(struct wt_movement *pattern);

/* ---- random waypoint -------------------------------------------------------------------------------------- */

struct wt_waypoint {
	struct wt_point field;    /* m, from (0, 0) */
	double slowest, fastest;  /* m/s, 0 < slowest <= fastest: of each way uniform between them */
	wt_time pause;            /* at each waypoint */
};

/* NULL, or what was expected of the numbers. */
const char *wt_waypoint_fault(const struct wt_waypoint *waypoint);
/*
 * The track of station `number` of a seed from 0 to `until`, begun in the stationary distribution (W. Navidi and T. Camp, Stationary
 * distributions for the random waypoint mobility model, IEEE Trans. Mobile Computing 3(1), 2004): a pattern has no warm-up. 0 or -ENOMEM.
 */
int wt_waypoint_make(struct wt_track *track, const struct wt_waypoint *waypoint, uint64_t seed, unsigned number, wt_time until);
/* The share of time that a station stands; its mean speed over time, m/s. */
double wt_waypoint_standing(const struct wt_waypoint *waypoint);
double wt_waypoint_speed(const struct wt_waypoint *waypoint);

/* ---- files ------------------------------------------------------------------------------------------------ */

/* Read over a pattern, which is empty. 0, -ENOMEM, or -EINVAL with the line (from 1) and a sentence. The text is written into. */
int wt_setdest_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len);
/* A line per station: time x y time x y ... */
int wt_bonnmotion_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len);
/* Whichever it is. */
int wt_movement_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len);

/* A place on a way: where a station is when; speed 0: it stands from then on. The pieces of a track as calls. */
struct wt_direction_of {
	wt_time from, to; /* to WT_NEVER: for good */
	struct wt_point at, end;
	double speed;
};

struct wt_direction_of wt_track_leg(const struct wt_track *track, unsigned piece);

/* ---- description ------------------------------------------------------------------------------------------ */

#define WT_PATTERN_HOPS 32

struct wt_movement_facts {
	unsigned samples;
	double hops[WT_PATTERN_HOPS]; /* of one pair: share of samples at so many hops by the shortest way; 0: none. Longer ways with the last */
	double neighbours;            /* of a station, mean */
	double links_made, links_lost;    /* of all pairs, per second */
	double route_changes;         /* of the pair: samples at which its hops were others than before, per second */
	double connected;             /* share of all pairs that have a way */
	double speed;                 /* mean over stations and time, m/s */
};

/* Every `step` from 0 to `until`: two stations are linked within `range` m. 0 or -ENOMEM. */
int wt_movement_describe(const struct wt_movement *pattern, double range, wt_time step, wt_time until, unsigned from, unsigned to,
			struct wt_movement_facts *facts);

/* Looks every `step` from one time to another. */
struct wt_time_span {
	wt_time from, until, step;
};

/* Of one pair of `count` tracks: the share of looks at so many hops by the shortest way, 0: none; longer ways with the last. 0 or -ENOMEM. */
int wt_movement_hops(const struct wt_track *const *track, unsigned count, double range, const struct wt_time_span *span, unsigned from,
		     unsigned to, double share[WT_PATTERN_HOPS]);

#endif

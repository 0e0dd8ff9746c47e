/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random waypoint, begun as if it had gone on for ever. Time on a way is in proportion to its length and to the inverse of its speed: so
 * the first way is drawn with these weights, by refusal, and the station is somewhere on it; or it stands, for the rest of a pause.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "emu/mobility/pattern.h"
#include "stack/base/random.h"

#define NS_PER_S 1e9

struct dice {
	struct wt_key key;
	uint64_t n;
};

static double draw(struct dice *dice)
{
	return wt_random_unit(&dice->key, dice->n++);
}

static struct wt_point somewhere(struct dice *dice, const struct wt_waypoint *waypoint)
{
	double x = draw(dice) * waypoint->field.x, y = draw(dice) * waypoint->field.y;

	return (struct wt_point){x, y};
}

static double some_speed(struct dice *dice, const struct wt_waypoint *waypoint)
{
	return waypoint->slowest + draw(dice) * (waypoint->fastest - waypoint->slowest);
}

static double log_of(double x)
{
	return x >= 1 ? -wt_log_unit(1 / x) : wt_log_unit(x);
}

/* Between two points of a rectangle (B. Ghosh, Random distances within a rectangle, 1951). */
static double mean_way(struct wt_point field)
{
	double a = field.x, b = field.y, d = sqrt(a * a + b * b);

	return (a * a * a / (b * b) + b * b * b / (a * a) + d * (3 - a * a / (b * b) - b * b / (a * a))) / 15 +
	       (b * b / a * log_of((a + d) / b) + a * a / b * log_of((b + d) / a)) / 6;
}

/* s/m, over the uniform speeds of the ways. */
static double mean_slowness(const struct wt_waypoint *waypoint)
{
	double low = waypoint->slowest, high = waypoint->fastest;

	return high > low * (1 + 1e-9) ? log_of(high / low) / (high - low) : 1 / low;
}

double wt_waypoint_standing(const struct wt_waypoint *waypoint)
{
	double pause = (double)waypoint->pause / NS_PER_S;

	return pause / (pause + mean_way(waypoint->field) * mean_slowness(waypoint));
}

double wt_waypoint_speed(const struct wt_waypoint *waypoint)
{
	return (1 - wt_waypoint_standing(waypoint)) / mean_slowness(waypoint);
}

const char *wt_waypoint_fault(const struct wt_waypoint *waypoint)
{
	if (!(waypoint->field.x > 0 && waypoint->field.y > 0))
		return "a field with a length and a width above 0 m";
	if (!(waypoint->slowest > 0))
		return "a slowest speed above 0 m/s: else stations come to rest and speeds decay";
	if (!(waypoint->fastest >= waypoint->slowest))
		return "a fastest speed that is at least the slowest";
	return waypoint->pause < 0 ? "a pause of at least 0s" : NULL;
}

/* The way it is on at 0. */
static int begin_going(struct wt_track *track, const struct wt_waypoint *waypoint, struct dice *dice)
{
	double longest = sqrt(wt_square_distance(waypoint->field, (struct wt_point){0, 0})), speed, part;
	struct wt_point from, to;
	int error;

	do {
		from = somewhere(dice, waypoint);
		to = somewhere(dice, waypoint);
	} while (draw(dice) * longest > sqrt(wt_square_distance(from, to)));
	do
		speed = some_speed(dice, waypoint);
	while (draw(dice) * speed > waypoint->slowest);
	part = draw(dice);
	error = wt_track_stand(track, 0, (struct wt_point){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)});
	return error ? error : wt_track_go(track, 0, to, speed);
}

int wt_waypoint_make(struct wt_track *track, const struct wt_waypoint *waypoint, uint64_t seed, unsigned number, wt_time until)
{
	struct dice dice = {0};
	wt_time at = 0;
	char name[32];
	int error;

	snprintf(name, sizeof(name), "waypoint.%u", number);
	dice.key = wt_key_derive(seed, name);
	if (draw(&dice) < wt_waypoint_standing(waypoint)) {
		error = wt_track_stand(track, 0, somewhere(&dice, waypoint));
		at = (wt_time)(draw(&dice) * (double)waypoint->pause);
	} else {
		error = begin_going(track, waypoint, &dice);
		at = error ? 0 : track->piece[track->pieces - 1].from + waypoint->pause;
	}
	while (!error && at < until) {
		struct wt_point to = somewhere(&dice, waypoint);

		error = wt_track_go(track, at, to, some_speed(&dice, waypoint));
		at = error ? at : track->piece[track->pieces - 1].from + waypoint->pause;
	}
	return error;
}

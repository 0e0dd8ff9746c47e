/* SPDX-License-Identifier: BSD-2-Clause */
/* Where stations are: files of others, and random waypoint from the first second as for ever. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/unit.h"

#include "emu/mobility/pattern.h"

static struct wt_movement read_text(const char *text)
{
	struct wt_movement pattern = {0};
	char copy[2000], why[300] = "";
	unsigned line = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	if (wt_movement_read(&pattern, copy, &line, why, sizeof(why)))
		fail_msg("line %u: %s", line, why);
	return pattern;
}

static void at(const struct wt_movement *pattern, unsigned station, double seconds, double x, double y)
{
	struct wt_point place = wt_track_at(&pattern->track[station], (wt_time)(seconds * 1e9), NULL);

	if (fabs(place.x - x) > 1e-6 || fabs(place.y - y) > 1e-6)
		fail_msg("station %u at %g s: (%g, %g), expected (%g, %g)", station, seconds, place.x, place.y, x, y);
}

/* What ns-2 does with them: a new way begins wherever the station is. */
static void setdest_files_are_read(void **state)
{
	struct wt_movement pattern = read_text("# nodes: 2\n$node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n$node_(0) set Z_ 0.0\n"
					      "$node_(1) set X_ 5\n$node_(1) set Y_ 0\n$god_ set-dist 0 1 1\n"
					      "$ns_ at 10.0 \"$node_(0) setdest 40.0 60.0 5.0\"\n$ns_ at 4.0 \"$god_ set-dist 0 1 2\"\n"
					      "$ns_ at 15.0 \"$node_(0) setdest 25.0 140.0 10.0\"\n$ns_ at 1 \"$node_(1) setdest 5 10 1\"\n");

	(void)state;
	assert_int_equal(pattern.count, 2);
	at(&pattern, 0, 0, 10, 20);
	at(&pattern, 0, 10, 10, 20);
	at(&pattern, 0, 12, 16, 28); /* 3:4:5 */
	at(&pattern, 0, 15, 25, 40);
	at(&pattern, 0, 20, 25, 90);
	at(&pattern, 0, 100, 25, 140);
	at(&pattern, 1, 6, 5, 5);
	at(&pattern, 1, 11, 5, 10);
	wt_movement_finish(&pattern);
}

static void bonnmotion_files_are_read(void **state)
{
	struct wt_movement pattern = read_text("0.0 0.0 0.0 10.0 30.0 40.0 20.0 30.0 40.0\n0.0 7 8\n");

	(void)state;
	assert_int_equal(pattern.count, 2);
	at(&pattern, 0, 5, 15, 20);
	at(&pattern, 0, 15, 30, 40);
	at(&pattern, 1, 3, 7, 8);
	wt_movement_finish(&pattern);
}

static void a_bad_line_is_told(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *said;
	} bad[] = {
		{"$node_(0) set X_ 1\n$node_(0) set W_ 1\n", 2, "'W_': expected X_, Y_ or Z_"},
		{"$node_(x) set X_ 1\n", 1, "'$node_(x)': expected $node_(NUMBER)"},
		{"$node_(0) set X_ one\n", 1, "'one': expected a number of metres"},
		{"$ns_ at 1.0 \"$node_(0) goto 1 1 1\"\n", 1, "'goto': expected setdest"},
		{"$ns_ at -1 \"$node_(0) setdest 1 1 1\"\n", 1, "'-1': expected a number of at least 0"},
		{"$node_(99999999) set X_ 1\n", 1, "'$node_(99999999)': expected"},
		{"0 1 2 3 4\n", 1, "'': expected a number"},
		{"0 0 0\n5 1 1 4 2 2\n", 2, "'': expected times that grow"},
		{"\n\n", 1, "'': expected the places of stations"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_movement pattern = {0};
		char copy[300], why[300] = "";
		unsigned line = 0;

		snprintf(copy, sizeof(copy), "%s", bad[i].text);
		assert_true(wt_movement_read(&pattern, copy, &line, why, sizeof(why)) < 0);
		if (line != bad[i].line || strncmp(why, bad[i].said, strlen(bad[i].said)))
			fail_msg("%s: line %u: %s", bad[i].text, line, why);
		wt_movement_finish(&pattern);
	}
}

enum { WALKERS = 2000 };

/* Share that stand, mean speed and mean place in the middle ninth of the field, over all walkers at one time. */
static void look(const struct wt_waypoint *waypoint, wt_time when, double *standing, double *speed, double *middle)
{
	*standing = *speed = *middle = 0;
	for (unsigned i = 0; i < WALKERS; i++) {
		struct wt_track track = {0};
		struct wt_direction_of way;
		struct wt_point place;
		unsigned hint = 0;

		assert_int_equal(wt_waypoint_make(&track, waypoint, 7, i, 700 * WT_S), 0);
		place = wt_track_at(&track, when, &hint);
		way = wt_track_leg(&track, hint);
		*standing += (way.speed <= 0) / (double)WALKERS;
		*speed += way.speed / WALKERS;
		*middle += (fabs(place.x - 750) < 250 && fabs(place.y - 150) < 50) / (double)WALKERS;
		assert_true(place.x >= 0 && place.x <= 1500 && place.y >= 0 && place.y <= 300);
		wt_track_finish(&track);
	}
}

/* At 0 s as at 600 s, and as the formulae of Navidi and Camp say: no warm-up, no decay. */
static void random_waypoint_begins_as_it_goes_on(void **state)
{
	const struct wt_waypoint waypoint = {{1500, 300}, 1, 19, 30 * WT_S};
	double standing[2], speed[2], middle[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		look(&waypoint, i ? 600 * WT_S : 0, &standing[i], &speed[i], &middle[i]);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(fabs(standing[i] - wt_waypoint_standing(&waypoint)) < 0.04);
		assert_true(fabs(speed[i] / wt_waypoint_speed(&waypoint) - 1) < 0.12);
	}
	assert_true(fabs(middle[0] - middle[1]) < 0.04);
	assert_true(middle[0] > 1.15 / 9); /* the middle is denser than a uniform field */
}

/* Two that stand 100 m apart, and one that comes within 250 m for a quarter of the time. */
static void a_pattern_is_described(void **state)
{
	struct wt_movement pattern = read_text("0 0 0\n0 100 0\n0 1350 0 100 350 0 200 1350 0\n");
	struct wt_movement_facts facts;

	(void)state;
	assert_int_equal(wt_movement_describe(&pattern, 250, WT_S, 199 * WT_S, 0, 2, &facts), 0);
	assert_true(fabs(facts.hops[0] - 0.995) < 1e-9);
	assert_true(fabs(facts.hops[2] - 0.005) < 1e-9); /* at 100 s alone: 250 m from the second */
	assert_true(fabs(facts.links_made * 199 - 1) < 1e-9 && fabs(facts.links_lost * 199 - 1) < 1e-9);
	assert_true(fabs(facts.speed - 10.0 / 3) < 1e-6);
	wt_movement_finish(&pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setdest_files_are_read), cmocka_unit_test(bonnmotion_files_are_read), cmocka_unit_test(a_bad_line_is_told),
		cmocka_unit_test(random_waypoint_begins_as_it_goes_on), cmocka_unit_test(a_pattern_is_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

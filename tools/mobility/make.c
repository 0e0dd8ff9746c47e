/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank mobility make and convert. */
#include <errno.h>
#include <stdio.h>

#include "emu/world/world.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/mobility/pattern_file.h"

extern const struct wt_command wt_command_mobility_make, wt_command_mobility_convert;

enum { OPT_STATIONS, OPT_FIELD, OPT_SPEED, OPT_PAUSE, OPT_TIME, OPT_SEED, OPT_FORM, OPT_OUTPUT };

static const struct wt_option make_options[] = {
	[OPT_STATIONS] = {0, "stations", "N", "how many (default 30)"},
	[OPT_FIELD] = {0, "field", "SIZE", "where they walk (default '1500m 300m')"},
	[OPT_SPEED] = {0, "speed", "RANGE", "slowest and fastest (default '5m/s 15m/s')"},
	[OPT_PAUSE] = {0, "pause", "TIME", "at each waypoint (default 0s)"},
	[OPT_TIME] = {'t', "time", "TIME", "how long (default 200s)"},
	[OPT_SEED] = {0, "seed", "N", "seed of all random draws (default 1)"},
	[OPT_FORM] = {0, "form", "NAME", "setdest (default) or bonnmotion"},
	[OPT_OUTPUT] = {'o', "output", "FILE|-", "instead of standard output"},
};

struct words {
	struct wt_waypoint waypoint;
	uint64_t stations, seed;
	wt_time time;
	enum wt_movement_form form;
	const char *output;
};

static int take(struct words *words, int option, const char *value, char *err, size_t err_len)
{
	double two[2] = {0, 0};
	int error;

	switch (option) {
	case OPT_STATIONS: return wt_parse_count(value, &words->stations, err, err_len);
	case OPT_FIELD:
		error = wt_movement_two(value, "m", two, err, err_len);
		words->waypoint.field = (struct wt_point){two[0], two[1]};
		return error;
	case OPT_SPEED:
		error = wt_movement_two(value, "m/s", two, err, err_len);
		words->waypoint.slowest = two[0];
		words->waypoint.fastest = two[1];
		return error;
	case OPT_PAUSE: return wt_parse_time(value, &words->waypoint.pause, err, err_len);
	case OPT_TIME: return wt_parse_time(value, &words->time, err, err_len);
	case OPT_SEED: return wt_parse_count(value, &words->seed, err, err_len);
	case OPT_FORM: return wt_movement_form(value, &words->form, err, err_len);
	}
	words->output = value;
	return 0;
}

static int make(const struct words *words)
{
	const char *fault = wt_waypoint_fault(&words->waypoint);
	struct wt_movement pattern = {0};
	int error, code;

	if (fault)
		return wt_fail(WT_EXIT_USAGE, "expected %s", fault);
	if (!words->stations || words->stations > WT_PATTERN_MOST || words->time <= 0)
		return wt_fail(WT_EXIT_USAGE, "expected 1 to %d stations and a time above 0", WT_PATTERN_MOST);
	error = wt_movement_extend(&pattern, (unsigned)words->stations);
	for (unsigned i = 0; i < words->stations && !error; i++)
		error = wt_waypoint_make(&pattern.track[i], &words->waypoint, words->seed, i, words->time);
	code = error ? wt_fail(WT_EXIT_ENVIRONMENT, "out of memory") : wt_movement_write(&pattern, words->output, words->form, words->time);
	wt_movement_finish(&pattern);
	return code;
}

static int run_make(int argc, char **argv)
{
	struct words words = {.waypoint = {{1500, 300}, 5, 15, 0}, .stations = 30, .seed = 1, .time = 200 * WT_S};
	struct wt_args args;
	char why[300];
	int option;

	wt_args_init(&args, &wt_command_mobility_make, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s'", args.value);
		if (take(&words, option, args.value, why, sizeof(why)))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", make_options[option].name, why);
	}
	return make(&words);
}

/* ---- convert ---------------------------------------------------------------------------------------------- */

enum { OPT_TO, OPT_INTO };

static const struct wt_option convert_options[] = {
	[OPT_TO] = {0, "form", "NAME", "setdest (default) or bonnmotion"},
	[OPT_INTO] = {'o', "output", "FILE|-", "instead of standard output"},
};

static int convert(const char *from, const char *output, enum wt_movement_form form)
{
	struct wt_movement pattern = {0};
	char why[400];
	int code;

	if (wt_world_read_pattern(&pattern, from, why, sizeof(why)))
		code = wt_fail(WT_EXIT_USAGE, "%s", why);
	else
		code = wt_movement_write(&pattern, output, form, wt_movement_length(&pattern));
	wt_movement_finish(&pattern);
	return code;
}

static int run_convert(int argc, char **argv)
{
	enum wt_movement_form form = WT_FORM_SETDEST;
	const char *from = NULL, *output = NULL;
	struct wt_args args;
	char why[300];
	int option;

	wt_args_init(&args, &wt_command_mobility_convert, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD && from)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one file at a time", args.value);
		if (option == OPT_TO && wt_movement_form(args.value, &form, why, sizeof(why)))
			return wt_fail(WT_EXIT_USAGE, "--form: %s", why);
		from = option == WT_ARGS_WORD ? args.value : from;
		output = option == OPT_INTO && strcmp(args.value, "-") ? args.value : output;
	}
	return from ? convert(from, output, form) : wt_fail(WT_EXIT_USAGE, "the movement file is missing");
}

const struct wt_command wt_command_mobility_make = {
	"mobility make", "", "make a movement pattern: random waypoint from its stationary distribution", make_options,
	sizeof(make_options) / sizeof(make_options[0]), run_make, NULL,
};

const struct wt_command wt_command_mobility_convert = {
	"mobility convert", "FILE", "convert a movement file from ns-2's setdest to BonnMotion, or back", convert_options,
	sizeof(convert_options) / sizeof(convert_options[0]), run_convert, NULL,
};

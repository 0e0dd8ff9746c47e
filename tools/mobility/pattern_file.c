/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/mobility/pattern_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/world/world.h"
#include "stack/record/create.h"
#include "tools/common/cli.h"

int wt_movement_form(const char *word, enum wt_movement_form *form, char *err, size_t err_len)
{
	static const char *const forms[] = {"setdest", "bonnmotion", NULL};

	for (unsigned i = 0; forms[i]; i++)
		if (!strcmp(forms[i], word)) {
			*form = (enum wt_movement_form)i;
			return 0;
		}
	return wt_world_unknown("form", word, forms, err, err_len);
}

int wt_movement_two(const char *text, const char *unit, double to[2], char *err, size_t err_len)
{
	char copy[100], *rest = copy, *word;
	unsigned count = 0;

	for (snprintf(copy, sizeof(copy), "%s", text); (word = strtok_r(rest, " \t", &rest)); count++)
		if (count < 2 && wt_world_measure(word, unit, 0, &to[count], err, err_len))
			return -EINVAL;
	if (count == 2)
		return 0;
	snprintf(err, err_len, "'%.60s': expected two of them, such as '%s'", text, strcmp(unit, "m") ? "5m/s 15m/s" : "1500m 300m");
	return -EINVAL;
}

wt_time wt_movement_length(const struct wt_movement *pattern)
{
	wt_time last = 0;

	for (unsigned i = 0; i < pattern->count; i++)
		if (pattern->track[i].pieces)
			last = wt_time_max(last, pattern->track[i].piece[pattern->track[i].pieces - 1].from);
	return last;
}

static double seconds(wt_time time)
{
	return (double)time / 1e9;
}

static void write_setdest(FILE *out, const struct wt_movement *pattern)
{
	for (unsigned i = 0; i < pattern->count; i++) {
		struct wt_point at = wt_track_at(&pattern->track[i], 0, NULL);

		fprintf(out, "$node_(%u) set X_ %.9f\n$node_(%u) set Y_ %.9f\n$node_(%u) set Z_ 0.0\n", i, at.x, i, at.y, i);
	}
	for (unsigned i = 0; i < pattern->count; i++)
		for (unsigned k = 0; k < pattern->track[i].pieces; k++) {
			struct wt_direction_of way = wt_track_leg(&pattern->track[i], k);

			if (way.speed > 0)
				fprintf(out, "$ns_ at %.9f \"$node_(%u) setdest %.9f %.9f %.9f\"\n", seconds(way.from), i, way.end.x, way.end.y, way.speed);
		}
}

static void write_bonnmotion(FILE *out, const struct wt_movement *pattern, wt_time until)
{
	for (unsigned i = 0; i < pattern->count; i++) {
		const struct wt_track *track = &pattern->track[i];
		struct wt_point last = wt_track_at(track, until, NULL);

		for (unsigned k = 0; k < track->pieces && track->piece[k].from < until; k++)
			fprintf(out, "%.9f %.9f %.9f ", seconds(track->piece[k].from), track->piece[k].at.x, track->piece[k].at.y);
		fprintf(out, "%.9f %.9f %.9f\n", seconds(until), last.x, last.y);
	}
}

int wt_movement_write(const struct wt_movement *pattern, const char *path, enum wt_movement_form form, wt_time until)
{
	FILE *out = path ? wt_create_stream(path) : stdout;
	char why[WT_CREATE_WHY];
	bool bad;

	if (!out)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", path, wt_create_why(path, errno, why));
	if (form == WT_FORM_SETDEST)
		write_setdest(out, pattern);
	else
		write_bonnmotion(out, pattern, until);
	bad = ferror(out);
	if (path ? fclose(out) : fflush(out))
		bad = true;
	return bad ? wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", path ? path : "standard output", strerror(errno)) : WT_EXIT_OK;
}

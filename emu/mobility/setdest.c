/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Movement files of ns-2, as its setdest writes them, and of BonnMotion:
 *
 *   $node_(0) set X_ 12.5                                    0.0 12.5 30.0 10.5 40.0 30.0 ...
 *   $ns_ at 10.0 "$node_(0) setdest 250.0 250.0 3.0"         (a line per station: time x y, in order of time)
 *   $god_ ...                  (of its distances: not needed)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/mobility/pattern.h"

#define NS_PER_S 1e9
#define LATEST 1e9 /* seconds */

struct reader {
	struct wt_movement *pattern;
	char *err;
	size_t err_len;
};

static int refuse(struct reader *reader, const char *what, const char *expected)
{
	snprintf(reader->err, reader->err_len, "'%.40s': expected %s", what, expected);
	return -EINVAL;
}

static int no_memory(struct reader *reader)
{
	snprintf(reader->err, reader->err_len, "out of memory");
	return -ENOMEM;
}

/* The next word, which a quote ends, too; *at goes on behind it. NULL: none. */
static char *word(char **at)
{
	char *start = *at + strspn(*at, " \t\r\""), *end = start + strcspn(start, " \t\r\"");

	*at = *end ? end + 1 : end;
	*end = 0;
	return *start ? start : NULL;
}

static int number(struct reader *reader, char **at, double least, double most, double *to)
{
	char *text = word(at), *end;

	if (!text)
		return refuse(reader, "", "a number");
	*to = strtod(text, &end);
	if (end == text || *end || !isfinite(*to) || *to < least || *to > most)
		return refuse(reader, text, least < 0 ? "a number of metres" : "a number of at least 0");
	return 0;
}

/* "$node_(17)". */
static int node(struct reader *reader, const char *text, struct wt_track **track)
{
	char *end = NULL;
	unsigned long n = text && !strncmp(text, "$node_(", 7) ? strtoul(text + 7, &end, 10) : 0;

	if (!end || end == text + 7 || strcmp(end, ")") || n >= WT_PATTERN_MOST)
		return refuse(reader, text ? text : "", "$node_(NUMBER)");
	if (wt_movement_extend(reader->pattern, (unsigned)n + 1))
		return no_memory(reader);
	*track = &reader->pattern->track[n];
	return 0;
}

static int set_place(struct reader *reader, struct wt_track *track, char *at)
{
	struct wt_point place = wt_track_at(track, 0, NULL);
	const char *axis = word(&at);
	double value = 0;

	if (!axis || strlen(axis) != 2 || !strchr("XYZ", axis[0]) || axis[1] != '_')
		return refuse(reader, axis ? axis : "", "X_, Y_ or Z_");
	if (number(reader, &at, -1e9, 1e9, &value))
		return -EINVAL;
	if (axis[0] == 'X')
		place.x = value;
	else if (axis[0] == 'Y')
		place.y = value;
	return wt_track_stand(track, 0, place) ? no_memory(reader) : 0;
}

static int set_way(struct reader *reader, char *at)
{
	double time = 0, speed = 0;
	struct wt_track *track = NULL;
	struct wt_point to = {0, 0};
	const char *first, *verb;
	int error = number(reader, &at, 0, LATEST, &time);

	if (error)
		return error;
	first = word(&at);
	if (first && !strcmp(first, "$god_"))
		return 0;
	error = node(reader, first, &track);
	verb = error ? NULL : word(&at);
	if (!error && (!verb || strcmp(verb, "setdest")))
		error = refuse(reader, verb ? verb : "", "setdest");
	if (error || (error = number(reader, &at, -1e9, 1e9, &to.x)) || (error = number(reader, &at, -1e9, 1e9, &to.y)) ||
	    (error = number(reader, &at, 0, 1e6, &speed)))
		return error;
	if (!track->pieces && wt_track_stand(track, 0, (struct wt_point){0, 0}))
		return no_memory(reader);
	if (track->piece[track->pieces - 1].from > (wt_time)(time * NS_PER_S) && track->pieces > 2 &&
	    track->piece[track->pieces - 2].from > (wt_time)(time * NS_PER_S))
		return refuse(reader, verb, "ways in order of time");
	if (speed <= 0) /* setdest writes its pauses so */
		return wt_track_stand(track, (wt_time)(time * NS_PER_S), wt_track_at(track, (wt_time)(time * NS_PER_S), NULL)) ? no_memory(reader) : 0;
	return wt_track_go(track, (wt_time)(time * NS_PER_S), to, speed) ? no_memory(reader) : 0;
}

static int setdest_line(struct reader *reader, char *at)
{
	const char *first = word(&at), *verb;
	struct wt_track *track = NULL;
	int error;

	if (!first || first[0] == '#' || !strcmp(first, "$god_"))
		return 0;
	if (!strncmp(first, "$ns", 3)) {
		verb = word(&at);
		return verb && !strcmp(verb, "at") ? set_way(reader, at) : refuse(reader, verb ? verb : "", "at");
	}
	error = node(reader, first, &track);
	verb = error ? NULL : word(&at);
	if (!error && (!verb || strcmp(verb, "set")))
		error = refuse(reader, verb ? verb : "", "set");
	return error ? error : set_place(reader, track, at);
}

static int bonnmotion_line(struct reader *reader, char *at)
{
	struct wt_movement *pattern = reader->pattern;
	double time, before = -1;
	struct wt_point place, last = {0, 0};
	struct wt_track *track;

	at += strspn(at, " \t\r");
	if (!*at || *at == '#')
		return 0;
	if (pattern->count == WT_PATTERN_MOST)
		return refuse(reader, "", "at most 65536 stations");
	if (wt_movement_extend(pattern, pattern->count + 1))
		return no_memory(reader);
	track = &pattern->track[pattern->count - 1];
	while (at[strspn(at, " \t\r")]) {
		if (number(reader, &at, 0, LATEST, &time) || number(reader, &at, -1e9, 1e9, &place.x) || number(reader, &at, -1e9, 1e9, &place.y))
			return -EINVAL;
		if (time < before || (time <= before && wt_square_distance(place, last) > 0))
			return refuse(reader, "", "times that grow");
		if (before < 0 ? wt_track_stand(track, (wt_time)(time * NS_PER_S), place) :
		    time > before && wt_track_go(track, (wt_time)(before * NS_PER_S), place, sqrt(wt_square_distance(place, last)) / (time - before)))
			return no_memory(reader);
		before = time;
		last = place;
	}
	return 0;
}

static int read_lines(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len,
		      int (*one)(struct reader *reader, char *at))
{
	struct reader reader = {pattern, err, err_len};
	int error = 0;

	for (*line = 1; *text && !error; (*line)++) {
		char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;

		*end = 0;
		error = one(&reader, text);
		if (error)
			return error;
		text = next;
	}
	(*line)--;
	if (pattern->count)
		return 0;
	*line = 1;
	return refuse(&reader, "", "the places of stations");
}

int wt_setdest_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len)
{
	return read_lines(pattern, text, line, err, err_len, setdest_line);
}

int wt_bonnmotion_read(struct wt_movement *pattern, char *text, unsigned *line, char *err, size_t err_len)
{
	return read_lines(pattern, text, line, err, err_len, bonnmotion_line);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* [air], [station NAME] and [stations NAME]: the channel, and who stands or walks where. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/file.h"
#include "stack/text/units.h"

enum { WORDS = 12, STATIONS = 4096 };

static const char *const air_keys[] = {"rate", "basic", "preamble", "rts", "queue", "retries", "range", "sense", "capture", "captured_nav",
				       "eifs", "purge", "routing", "movement", "mtu", NULL};
enum { KEY_RATE, KEY_BASIC, KEY_PREAMBLE, KEY_RTS, KEY_QUEUE, KEY_RETRIES, KEY_RANGE, KEY_SENSE, KEY_CAPTURE,
       KEY_CAPTURED_NAV, KEY_EIFS, KEY_PURGE, KEY_ROUTING, KEY_MOVEMENT, KEY_MTU };

static struct wt_world_air *air_of(struct wt_world_file *file)
{
	return &file->world->air;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static unsigned split(char *text, char *word[WORDS])
{
	unsigned count = 0;

	for (char *rest = text, *one; count < WORDS && (one = strtok_r(rest, " \t", &rest));)
		word[count++] = one;
	return count;
}

static int measure(struct wt_world_file *file, const char *key, const char *word, const char *unit, double least, double *to)
{
	char why[200];

	return wt_world_measure(word, unit, least, to, why, sizeof(why)) ? wt_file_refuse(file, "%s: %s", key, why) : 0;
}

static int place(struct wt_world_file *file, const char *key, char *const word[2], struct wt_point *to)
{
	int error = measure(file, key, word[0], "m", -1e7, &to->x);

	return error ? error : measure(file, key, word[1], "m", -1e7, &to->y);
}

static int take_switch(struct wt_world_file *file, const char *key, const char *value, bool *to)
{
	char why[200];
	uint64_t on;

	if (wt_parse_bool(value, &on, why, sizeof(why)))
		return wt_file_refuse(file, "%s: %s", key, why);
	*to = on;
	return 0;
}

static int take_count(struct wt_world_file *file, const char *key, const char *value, uint64_t least, uint64_t most, unsigned *to)
{
	char why[200];
	uint64_t count;

	if (wt_parse_count(value, &count, why, sizeof(why)))
		return wt_file_refuse(file, "%s: %s", key, why);
	if (count < least || count > most)
		return wt_file_refuse(file, "%s: '%.40s': expected %" PRIu64 " to %" PRIu64, key, value, least, most);
	*to = (unsigned)count;
	return 0;
}

/* ---- [air] ------------------------------------------------------------------------------------------------ */

int wt_file_open_air(struct wt_world_file *file, const char *name)
{
	if (wt_file_open_only(file, WT_SECTION_AIR, "air", name))
		return -EINVAL;
	air_of(file)->there = true;
	air_of(file)->line = file->line;
	return 0;
}

static int take_rate(struct wt_world_file *file, const char *key, const char *value, uint32_t *to)
{
	char why[200];
	uint64_t rate;

	if (wt_parse_rate(value, &rate, why, sizeof(why)))
		return wt_file_refuse(file, "%s: %s", key, why);
	if (rate % 1000 || rate > UINT32_MAX || !wt_air_rate_of((uint32_t)(rate / 1000)))
		return wt_file_refuse(file, "%s: '%.40s': expected 1, 2, 5.5 or 11Mbit, or 6, 9, 12, 18, 24, 36, 48 or 54Mbit", key, value);
	*to = (uint32_t)(rate / 1000);
	return 0;
}

static int take_rts(struct wt_world_file *file, const char *value)
{
	static const char *const words[] = {"always", "never", NULL};
	char why[200];
	uint64_t size;
	int which = wt_file_find(words, value);

	if (which < 0 && wt_parse_size(value, &size, why, sizeof(why)))
		return wt_file_refuse(file, "rts: '%.40s': expected always, never, or the size of frames above which they have one, such as 500B", value);
	air_of(file)->config.rts = which == 0 ? 0 : which == 1 || size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	return 0;
}

static int take_retries(struct wt_world_file *file, const char *value)
{
	struct wt_air_config *config = &air_of(file)->config;
	char text[80], *word[2];
	int error = wt_file_two(file, "retries", value, text, word, "two numbers, of short and of long retries, such as retries = 7 4");

	if (!error)
		error = take_count(file, "retries", word[0], 1, 255, &config->short_retries);
	return error ? error : take_count(file, "retries", word[1], 1, 255, &config->long_retries);
}

static int take_capture(struct wt_world_file *file, const char *value)
{
	double *capture = &air_of(file)->config.radio.capture;
	char why[200];

	if (!strcmp(value, "off"))
		return *capture = 0, 0;
	if (wt_parse_number(value, capture, why, sizeof(why)) || *capture < 1)
		return wt_file_refuse(file, "capture: '%.40s': expected off, or how many times stronger a frame survives, such as 10", value);
	return 0;
}

static int take_mtu(struct wt_world_file *file, const char *value, uint32_t *to)
{
	char why[200];
	uint64_t mtu;

	if (wt_parse_size(value, &mtu, why, sizeof(why)))
		return wt_file_refuse(file, "mtu: %s", why);
	if (mtu < 128 || mtu > 9000)
		return wt_file_refuse(file, "mtu: '%.40s': expected 128B to 9000B", value);
	*to = (uint32_t)mtu;
	return 0;
}

static int take_text(struct wt_world_file *file, char **to, unsigned *line, const char *value)
{
	*line = file->line;
	return wt_world_text(to, value) ? wt_file_refuse(file, "out of memory") : 0;
}

static int take_preamble(struct wt_world_file *file, const char *value)
{
	static const char *const words[] = {"long", "short", NULL};
	int which = wt_file_find(words, value);

	air_of(file)->short_preamble = which == 1;
	return which < 0 ? wt_file_unknown(file, "preamble", value, words) : 0;
}

int wt_file_air_key(struct wt_world_file *file, const char *key, const char *value)
{
	struct wt_world_air *air = air_of(file);

	switch (wt_file_find(air_keys, key)) {
	case KEY_RATE: return take_rate(file, key, value, &air->data_kbps);
	case KEY_BASIC: return take_rate(file, key, value, &air->basic_kbps);
	case KEY_PREAMBLE: return take_preamble(file, value);
	case KEY_RTS: return take_rts(file, value);
	case KEY_QUEUE: return take_count(file, key, value, 1, 100000, &air->config.queue);
	case KEY_RETRIES: return take_retries(file, value);
	case KEY_RANGE: return measure(file, key, value, "m", 0.1, &air->range);
	case KEY_SENSE: return measure(file, key, value, "m", 0.1, &air->sense);
	case KEY_CAPTURE: return take_capture(file, value);
	case KEY_CAPTURED_NAV: return take_switch(file, key, value, &air->config.captured_nav);
	case KEY_EIFS: return take_switch(file, key, value, &air->config.eifs);
	case KEY_PURGE: return take_switch(file, key, value, &air->config.purge);
	case KEY_ROUTING: return take_text(file, &air->routing, &air->routing_line, value);
	case KEY_MOVEMENT: return take_text(file, &air->movement, &air->movement_line, value);
	case KEY_MTU: return take_mtu(file, value, &air->mtu);
	}
	return wt_file_unknown(file, "key", key, air_keys);
}

/* ---- [station] -------------------------------------------------------------------------------------------- */

static struct wt_world_host *last_host(struct wt_world_file *file)
{
	return &file->world->host[file->world->hosts - 1];
}

/* "go = 10s 250m 250m 3m/s" */
static int go(struct wt_world_file *file, const char *value, struct wt_track *track)
{
	char text[200], *word[WORDS], why[200];
	struct wt_point to;
	double speed;
	wt_time from;

	snprintf(text, sizeof(text), "%s", value);
	if (split(text, word) != 4)
		return wt_file_refuse(file, "go: '%.60s': expected when, where to and how fast, such as go = 10s 250m 250m 3m/s", value);
	if (wt_parse_time(word[0], &from, why, sizeof(why)))
		return wt_file_refuse(file, "go: %s", why);
	if (place(file, "go", &word[1], &to) || measure(file, "go", word[3], "m/s", 0, &speed))
		return -EINVAL;
	if (!track->pieces)
		return wt_file_refuse(file, "go: at = X Y stands above it");
	if (track->pieces > 1 && from < track->piece[track->pieces - 2].from)
		return wt_file_refuse(file, "go: '%s' is before the way above", word[0]);
	if (speed <= 0)
		return wt_file_refuse(file, "go: '%s': expected a speed above 0m/s", word[3]);
	return wt_track_go(track, from, to, speed) ? wt_file_refuse(file, "out of memory") : 0;
}

int wt_file_station_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"at", "go", "routing", "interface", NULL};
	struct wt_world_host *host = last_host(file);
	char text[80], *word[2], why[300];
	struct wt_point at;

	switch (wt_file_find(keys, key)) {
	case 0:
		if (wt_file_two(file, "at", value, text, word, "a place, such as at = 0m 250m") || place(file, "at", word, &at))
			return -EINVAL;
		return wt_track_stand(&host->track, 0, at) ? wt_file_refuse(file, "out of memory") : 0;
	case 1: return go(file, value, &host->track);
	case 2: return take_text(file, &host->routing, &host->routing_line, value);
	case 3: return wt_world_place(host, WT_OUTSIDE, value, why, sizeof(why)) ? wt_file_refuse(file, "%s", why) : 0;
	}
	return wt_file_unknown(file, "key", key, keys);
}

/* ---- [stations] ------------------------------------------------------------------------------------------- */

static struct wt_world_group *last_group(struct wt_world_file *file)
{
	return &air_of(file)->group[air_of(file)->groups - 1];
}

int wt_file_open_stations(struct wt_world_file *file, const char *name)
{
	struct wt_world_air *air = air_of(file);
	struct wt_world_group *grown = air->group;

	file->section = WT_SECTION_STATIONS;
	if (!wt_file_good_name(file, name))
		return -EINVAL;
	if (air->groups == air->group_room) {
		grown = realloc(air->group, (2 * air->group_room + 2) * sizeof(*grown));
		if (!grown)
			return wt_file_refuse(file, "out of memory");
		air->group = grown;
		air->group_room = 2 * air->group_room + 2;
	}
	air->group[air->groups++] = (struct wt_world_group){.first = file->world->hosts, .line = file->line};
	snprintf(file->stations, sizeof(file->stations), "%s", name);
	return 0;
}

void wt_file_close_stations(struct wt_world_file *file)
{
	const struct wt_world_group *group;

	if (file->section != WT_SECTION_STATIONS || file->failed)
		return;
	group = last_group(file);
	if (!group->count)
		wt_file_refuse(file, "stations %s: count is missing, such as count = 8", file->stations);
	else if (!file->world->host[group->first].track.pieces && !group->walks && group->field.x <= 0)
		return; /* a movement file says it, or the checker complains */
	file->bad_line = file->failed ? file->section_line : file->bad_line;
}

static int make_stations(struct wt_world_file *file, const char *value)
{
	struct wt_world_group *group = last_group(file);
	char name[40];

	if (group->count)
		return wt_file_refuse(file, "count is given twice");
	if (take_count(file, "count", value, 1, STATIONS, &group->count))
		return -EINVAL;
	for (unsigned i = 0; i < group->count; i++) {
		snprintf(name, sizeof(name), "%s%u", file->stations, i);
		if (!wt_file_good_name(file, name) || wt_file_add_station(file, name))
			return -EINVAL;
	}
	return 0;
}

static int place_in_rows(struct wt_world_file *file, unsigned columns, double apart)
{
	const struct wt_world_group *group = last_group(file);

	for (unsigned i = 0; i < group->count; i++) {
		struct wt_point at = {i % columns * apart, i / columns * apart};

		if (wt_track_stand(&file->world->host[group->first + i].track, 0, at))
			return wt_file_refuse(file, "out of memory");
	}
	return 0;
}

static int place_them(struct wt_world_file *file, const char *value)
{
	struct wt_world_group *group = last_group(file);
	char text[200], *word[WORDS];
	unsigned words, columns;
	double apart;

	snprintf(text, sizeof(text), "%s", value);
	words = split(text, word);
	if (words == 2 && !strcmp(word[0], "string"))
		return measure(file, "place", word[1], "m", 0, &apart) ? -EINVAL : place_in_rows(file, group->count, apart);
	if (words == 3 && !strcmp(word[0], "grid"))
		return take_count(file, "place", word[1], 1, STATIONS, &columns) || measure(file, "place", word[2], "m", 0, &apart) ? -EINVAL :
		       place_in_rows(file, columns, apart);
	if (words == 3 && !strcmp(word[0], "field"))
		return measure(file, "place", word[1], "m", 0.001, &group->field.x) || measure(file, "place", word[2], "m", 0.001, &group->field.y) ?
		       -EINVAL : 0;
	return wt_file_refuse(file, "place: '%.60s': expected string 250m, grid COLUMNS 200m, or field 1500m 300m", value);
}

/* "move = waypoint 1500m 300m 5m/s 15m/s 30s" */
static int move_them(struct wt_world_file *file, const char *value)
{
	struct wt_world_group *group = last_group(file);
	struct wt_waypoint *waypoint = &group->waypoint;
	char text[200], *word[WORDS], why[200];
	const char *fault;

	snprintf(text, sizeof(text), "%s", value);
	if (split(text, word) != 6 || strcmp(word[0], "waypoint"))
		return wt_file_refuse(file, "move: '%.60s': expected waypoint, a field, the slowest and the fastest speed and a pause, such as "
				      "move = waypoint 1500m 300m 5m/s 15m/s 30s", value);
	if (measure(file, "move", word[1], "m", 0, &waypoint->field.x) || measure(file, "move", word[2], "m", 0, &waypoint->field.y) ||
	    measure(file, "move", word[3], "m/s", 0, &waypoint->slowest) || measure(file, "move", word[4], "m/s", 0, &waypoint->fastest))
		return -EINVAL;
	if (wt_parse_time(word[5], &waypoint->pause, why, sizeof(why)))
		return wt_file_refuse(file, "move: %s", why);
	fault = wt_waypoint_fault(waypoint);
	group->walks = true;
	return fault ? wt_file_refuse(file, "move: '%.60s': expected %s", value, fault) : 0;
}

int wt_file_stations_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"count", "place", "move", NULL};
	int which = wt_file_find(keys, key);

	if (which > 0 && !last_group(file)->count)
		return wt_file_refuse(file, "%s: count stands above it", key);
	switch (which) {
	case 0: return make_stations(file, value);
	case 1: return place_them(file, value);
	case 2: return move_them(file, value);
	}
	return wt_file_unknown(file, "key", key, keys);
}

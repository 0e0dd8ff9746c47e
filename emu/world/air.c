/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the wireless part whole? Stations get numbers, addresses and tracks; words of routing are read. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/world.h"
#include "stack/base/random.h"
#include "stack/mesh/routing.h"

enum { MOVEMENT_MOST = 1 << 28 /* bytes of a file */ };

void wt_world_air_init(struct wt_world_air *air)
{
	*air = (struct wt_world_air){.data_kbps = 2000, .basic_kbps = 1000};
	wt_air_config_init(&air->config);
}

void wt_world_air_finish(struct wt_world_air *air)
{
	free(air->routing);
	free(air->movement);
	free(air->group);
}

int wt_world_measure(const char *word, const char *unit, double least, double *to, char *err, size_t err_len)
{
	char *end;

	*to = strtod(word, &end);
	if (end != word && !strcmp(end, unit) && isfinite(*to) && *to >= least && *to <= 1e7)
		return 0;
	snprintf(err, err_len, "'%.40s': expected a number of %s, such as 250%s", word, strcmp(unit, "m") ? "metres per second" : "metres", unit);
	return -EINVAL;
}

/* ---- files of movement ------------------------------------------------------------------------------------ */

static char *read_text(const char *name)
{
	FILE *file = fopen(name, "re");
	size_t len = 0, room = 1 << 16;
	char *text = file ? malloc(room + 1) : NULL, *grown = text;

	while (grown && !feof(file) && !ferror(file) && len < MOVEMENT_MOST) {
		len += fread(text + len, 1, room - len, file);
		if (len == room && (grown = realloc(text, 2 * room + 1))) {
			text = grown;
			room *= 2;
		}
	}
	if (text && (!grown || ferror(file))) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	if (text)
		text[len] = 0;
	return text;
}

int wt_world_read_pattern(struct wt_movement *pattern, const char *name, char *err, size_t err_len)
{
	char *text, why[200];
	unsigned line = 0;
	int error;

	errno = 0;
	text = read_text(name);
	if (!text) {
		snprintf(err, err_len, "%.100s: %s", name, strerror(errno ? errno : ENOMEM));
		return -EINVAL;
	}
	error = wt_movement_read(pattern, text, &line, why, sizeof(why));
	if (error)
		snprintf(err, err_len, "%.100s:%u: %s", name, line, why);
	free(text);
	return error;
}

/* The n-th track of the file is the n-th station's. */
static int read_movement(struct wt_world *world, char *err, size_t err_len)
{
	struct wt_world_air *air = &world->air;
	struct wt_movement pattern = {0};
	unsigned next = 0;
	char why[400];
	int error;

	if (!air->movement)
		return 0;
	error = wt_world_read_pattern(&pattern, air->movement, why, sizeof(why));
	if (error)
		wt_world_complain(world, air->movement_line, err, err_len, "movement: %s", why);
	else if (pattern.count < air->stations)
		error = wt_world_complain(world, air->movement_line, err, err_len, "movement: %.100s has %u stations, and there are %u here",
					  air->movement, pattern.count, air->stations);
	for (unsigned i = 0; i < world->hosts && !error; i++)
		if (world->host[i].station) {
			wt_track_finish(&world->host[i].track);
			world->host[i].track = pattern.track[next];
			pattern.track[next++] = (struct wt_track){0};
		}
	wt_movement_finish(&pattern);
	return error;
}

/* ---- stations --------------------------------------------------------------------------------------------- */

static int place_group(struct wt_world *world, const struct wt_world_group *group)
{
	struct wt_key key = wt_key_derive(world->seed, "places");
	wt_time until = world->time ? world->time : world->limit;
	int error = 0;

	for (unsigned i = 0; i < group->count && !error; i++) {
		struct wt_world_host *host = &world->host[group->first + i];
		uint64_t n = 2 * (uint64_t)host->number;
		struct wt_point at = {wt_random_unit(&key, n) * group->field.x, wt_random_unit(&key, n + 1) * group->field.y};

		if (group->walks)
			error = wt_waypoint_make(&host->track, &group->waypoint, world->seed, host->number, until);
		else if (group->field.x > 0)
			error = wt_track_stand(&host->track, 0, at);
	}
	return error;
}

static void number_stations(struct wt_world *world)
{
	unsigned number = 0;

	for (unsigned i = 0; i < world->hosts; i++) {
		struct wt_world_host *host = &world->host[i];

		if (!host->station)
			continue;
		host->number = number++;
		host->address = wt_addr_ipv4(10, (uint8_t)(128 + (number >> 16)), (uint8_t)(number >> 8), (uint8_t)number);
		host->prefix_len = WT_AIR_PREFIX;
		host->mac = wt_addr_mac(&host->address);
		host->numbered = true;
		host->mtu = world->air.mtu;
	}
	world->air.stations = number;
}

static int set_radio(struct wt_world *world, char *err, size_t err_len)
{
	struct wt_world_air *air = &world->air;
	struct wt_radio *radio = &air->config.radio;

	if (wt_air_set_rates(&air->config, air->data_kbps, air->basic_kbps, air->short_preamble))
		return wt_world_complain(world, air->line, err, err_len, air->short_preamble ?
				"air: preamble short with basic %gMbit: expected DSSS, with basic = 2Mbit at least" :
				"air: rate %gMbit with basic %gMbit: expected both of DSSS (1, 2, 5.5, 11Mbit) or both of OFDM (6 to 54Mbit)",
				(air->short_preamble ? air->basic_kbps : air->data_kbps) / 1000.0, air->basic_kbps / 1000.0);
	if (air->range > 0)
		radio->receive = wt_radio_power(radio, air->range * air->range);
	if (air->sense > 0)
		radio->sense = wt_radio_power(radio, air->sense * air->sense);
	if (radio->sense > radio->receive && radio->sense < radio->receive * 1.001)
		radio->sense = radio->receive; /* the same distance: the power that is received by default is a rounded one */
	if (radio->sense > radio->receive)
		return wt_world_complain(world, air->line, err, err_len, "air: sense %gm is below range %gm: expected that frames "
					 "are sensed at least as far as they are received", air->sense > 0 ? air->sense : 550, air->range > 0 ? air->range : 250);
	air->config.seed = world->seed;
	return 0;
}

const char *wt_world_routing(const struct wt_world *world, const struct wt_world_host *host)
{
	return host->routing ? host->routing : world->air.routing ? world->air.routing : WT_WORLD_ROUTING;
}

bool wt_world_is_bare(const struct wt_world *world, const struct wt_world_host *host)
{
	return !strcmp(wt_world_routing(world, host), "none");
}

static int check_routing(const struct wt_world *world, const char *words, unsigned line, char *err, size_t err_len)
{
	struct wt_routing_choice choice;
	char why[500];

	if (!words || !wt_routing_choose(words, &choice, why, sizeof(why)))
		return 0;
	return wt_world_complain(world, line, err, err_len, "routing: %s", why);
}

int wt_world_check_air(struct wt_world *world, char *err, size_t err_len)
{
	struct wt_world_air *air = &world->air;
	int error;

	number_stations(world);
	if (!air->stations)
		return air->there ? wt_world_complain(world, air->line, err, err_len, "air: stations are missing, such as [station a]") : 0;
	for (unsigned i = 0; i < world->hosts && !air->there; i++)
		if (world->host[i].station)
			return wt_world_complain(world, world->host[i].line, err, err_len, "station %s: [air] is missing", world->host[i].name);
	error = set_radio(world, err, err_len);
	if (!error)
		error = check_routing(world, air->routing, air->routing_line, err, err_len);
	for (unsigned i = 0; i < world->hosts && !error; i++)
		error = check_routing(world, world->host[i].routing, world->host[i].routing_line, err, err_len);
	for (unsigned i = 0; i < air->groups && !error; i++)
		error = place_group(world, &air->group[i]);
	if (!error)
		error = read_movement(world, err, err_len);
	for (unsigned i = 0; i < world->hosts && !error; i++)
		if (world->host[i].station && !world->host[i].track.pieces)
			error = wt_world_complain(world, world->host[i].line, err, err_len,
						  "station %s: its place is missing, such as at = 0m 250m", world->host[i].name);
	return error;
}

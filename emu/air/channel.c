/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who hears a frame, when and how strongly. The grid gives each station those that may hear it: all within the reach of sensing, and
 * as far beyond as two stations can go until the grid is filled again. Where nobody moves this is done once, with powers and delays.
 *
 * A frame is two events that walk through its hearers in order of delay: it starts at the next, it ends at the next.
 */
#include <stdlib.h>

#include "emu/air/parts.h"

#define MARGIN 0.1 /* of the reach: how far stations go before the grid is filled again */

/* ---- signals ---------------------------------------------------------------------------------------------- */

struct wt_signal *wt_signal_new(struct wt_air *air)
{
	struct wt_signal *signal = air->unused;

	if (signal) {
		air->unused = signal->next_free;
		signal->hearers = signal->started = signal->ended = 0;
		signal->owned = NULL;
	}
	return signal;
}

void wt_signal_over(struct wt_air *air, struct wt_signal *signal)
{
	if (signal->owned) {
		air->node.audit.queued--;
		air->node.audit.taken++;
		wt_frame_free(signal->owned);
		signal->owned = NULL;
	}
	signal->next_free = air->unused;
	air->unused = signal;
}

/* ---- who is near ------------------------------------------------------------------------------------------ */

static struct wt_point place_of(struct wt_air_station *station, wt_time now)
{
	return wt_track_at(station->track, now, &station->hint);
}

static void fill(struct wt_air *air, wt_time now)
{
	if (air->fillings && (air->fastest <= 0 || (double)(now - air->filled) * air->fastest * 1e-9 < MARGIN / 2 * air->reach))
		return;
	for (unsigned i = 0; i < air->stations; i++)
		air->at[i] = place_of(&air->station[i], now);
	if (wt_grid_fill(&air->grid, air->at, air->stations, (1 + MARGIN) * air->reach))
		return; /* no memory: as it was, or nobody */
	air->filled = now;
	air->fillings++;
}

struct looking {
	struct wt_air *air;
	struct wt_air_station *station;
	unsigned number;
};

static bool room_for_one(struct wt_air_station *station)
{
	unsigned room = 2 * station->near_room + 8;
	struct wt_hearer *grown;

	if (station->nears < station->near_room)
		return true;
	grown = malloc(room * sizeof(*grown));
	if (!grown)
		return false;
	for (unsigned i = 0; i < station->nears; i++)
		grown[i] = station->near[i];
	free(station->near);
	station->near = grown;
	station->near_room = room;
	return true;
}

static void note_near(void *arg, unsigned other)
{
	struct looking *looking = arg;
	struct wt_air_station *station = looking->station;
	double most = (1 + MARGIN) * looking->air->reach;

	if (other == looking->number || wt_square_distance(looking->air->at[looking->number], looking->air->at[other]) > most * most)
		return;
	if (room_for_one(station))
		station->near[station->nears++] = (struct wt_hearer){.station = other};
}

static void look_around(struct wt_air *air, struct wt_air_station *station)
{
	struct looking looking = {air, station, wt_air_number(air, station)};

	if (station->near_of == air->fillings)
		return;
	station->nears = 0;
	station->near_settled = false;
	station->near_of = air->fillings;
	if (air->fillings)
		wt_grid_near(&air->grid, air->at[looking.number], note_near, &looking);
}

/* By delay, then by number: a list that is nearly in order costs little. */
static void sort(struct wt_hearer *hearer, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		struct wt_hearer moved = hearer[i];
		unsigned to = i;

		for (; to && (hearer[to - 1].delay > moved.delay || (hearer[to - 1].delay == moved.delay && hearer[to - 1].station > moved.station)); to--)
			hearer[to] = hearer[to - 1];
		hearer[to] = moved;
	}
}

/* Of those that are near, who hears it: at `to`. How many. */
static unsigned listen(struct wt_air *air, struct wt_air_station *station, wt_time now, struct wt_hearer *to)
{
	struct wt_point here = place_of(station, now);
	unsigned count = 0;

	for (unsigned i = 0; i < station->nears; i++) {
		unsigned other = station->near[i].station;
		double square = wt_square_distance(here, place_of(&air->station[other], now));
		double power = wt_radio_power(&air->config.radio, square);

		if (power >= air->config.radio.sense)
			to[count++] = (struct wt_hearer){other, wt_radio_delay(square), power};
	}
	sort(to, count);
	return count;
}

static void find_hearers(struct wt_air *air, struct wt_signal *signal, wt_time now)
{
	struct wt_air_station *station = &air->station[signal->sending.from];

	fill(air, now);
	look_around(air, station);
	if (air->fastest <= 0) {
		if (!station->near_settled)
			station->nears = listen(air, station, now, station->near);
		station->near_settled = true;
		signal->hearer = station->near;
		signal->hearers = station->nears;
		return;
	}
	if (signal->size < station->nears) {
		free(signal->room);
		signal->room = malloc(station->nears * sizeof(*signal->room));
		signal->size = signal->room ? station->nears : 0;
	}
	signal->hearer = signal->room;
	signal->hearers = signal->room ? listen(air, station, now, signal->room) : 0;
}

void wt_signal_send(struct wt_air *air, struct wt_signal *signal, wt_time now)
{
	find_hearers(air, signal, now);
	if (!signal->hearers)
		return;
	wt_heap_set(&air->heap, &signal->starts, now + signal->hearer[0].delay);
	wt_heap_set(&air->heap, &signal->ends, signal->sending.end + signal->hearer[0].delay);
}

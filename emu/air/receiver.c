/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiver of a station is at one frame at a time: the first that it senses. What comes while that lasts is lost; and the first with
 * it, unless it is so much stronger that it survives (capture, pairwise; no sum of interference). Of two that are lost the receiver
 * stays with the one that ends later.
 */
#include "emu/air/parts.h"

static wt_time end_of(const struct wt_signal *signal, wt_time now)
{
	return now + signal->sending.end - signal->sending.start;
}

static void tell(struct wt_air *air, struct wt_air_station *station, wt_time now, const struct wt_signal *signal, enum wt_air_end end)
{
	station->count.heard[end]++;
	if (air->sink)
		air->sink->heard(air->sink, &air->node, now, wt_air_number(air, station), &signal->sending,
				 signal->to == WT_AIR_GROUP || signal->to == (int)wt_air_number(air, station), end);
}

static void spoil(struct wt_air_station *station, enum wt_air_end end)
{
	station->end = station->spoiled ? station->end : end;
	station->spoiled = true;
}

static void lock(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now)
{
	station->locked = signal;
	station->locked_power = power;
	station->locked_end = end_of(signal, now);
	station->readable = power >= air->config.radio.receive;
	station->spoiled = false;
	if (station->sending)
		spoil(station, WT_AIR_DEAF);
}

/* What a frame strong enough to be read came to that the receiver is not at. */
static void lose(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now, enum wt_air_end end)
{
	if (power >= air->config.radio.receive)
		tell(air, station, now, signal, end);
	else
		station->count.weak++;
}

static void collide(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now)
{
	spoil(station, WT_AIR_COLLIDED);
	if (end_of(signal, now) <= station->locked_end) {
		lose(air, station, signal, power, now, station->sending ? WT_AIR_DEAF : WT_AIR_COLLIDED);
		return;
	}
	lose(air, station, station->locked, station->locked_power, now, station->end);
	lock(air, station, signal, power, now);
	spoil(station, WT_AIR_COLLIDED);
}

void wt_receiver_start(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now)
{
	double capture = air->config.radio.capture;

	if (!station->sensed++) {
		station->sensed_from = now;
		wt_dcf_busy(air, station, now);
	}
	if (!station->locked) {
		station->locked_from = now;
		lock(air, station, signal, power, now);
	} else if (capture > 0 && station->locked_power >= capture * power) {
		lose(air, station, signal, power, now, WT_AIR_CAPTURED);
		if (air->config.captured_nav)
			station->nav = wt_time_max(station->nav, end_of(signal, now) + air->eifs);
	} else {
		collide(air, station, signal, power, now);
	}
}

void wt_receiver_mute(struct wt_air_station *station)
{
	if (station->locked)
		spoil(station, WT_AIR_DEAF);
}

void wt_receiver_end(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now)
{
	bool read, locked = station->locked == signal;

	if (!--station->sensed) {
		station->count.busy += now - station->sensed_from;
		station->idle_since = now;
	}
	if (!locked) {
		wt_dcf_go_on(air, station, now);
		return;
	}
	read = station->readable && !station->spoiled;
	station->locked = NULL;
	if (station->readable && station->spoiled && station->end == WT_AIR_COLLIDED)
		station->count.collided += now - station->locked_from;
	station->eifs = !read;
	lose(air, station, signal, power, now, read ? WT_AIR_RECEIVED : station->end);
	if (read)
		wt_exchange_received(air, station, signal, now);
	else
		wt_exchange_spoiled(air, station, now);
	wt_dcf_go_on(air, station, now);
}

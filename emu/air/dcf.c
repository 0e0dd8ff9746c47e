/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a station may send (IEEE 802.11-2012, 9.3.4): at once if the medium has been idle for DIFS and no back-off is due; else after a
 * back-off of 0 to CW slots, counted while the medium is idle, from DIFS after it became so (EIFS, if the last frame could not be
 * read). A back-off is due, too, after every exchange of its own. The medium is busy while the station senses a frame, sends, or has an answer
 * to send, and until its NAV ends.
 *
 * Slots are counted from the end of the inter-frame space, also by a station that enters later. A back-off that ends at the nanosecond at which a frame
 * arrives is over: the station sends, and that is a collision.
 */
#include "emu/air/parts.h"

bool wt_dcf_is_idle(const struct wt_air_station *station)
{
	return !station->sensed && !station->sending && !station->own && station->await == WT_AWAIT_NOTHING;
}

static wt_time may_count_from(const struct wt_air *air, const struct wt_air_station *station)
{
	return wt_time_max(station->idle_since, station->nav) + (station->eifs && air->config.eifs ? air->eifs : air->difs);
}

void wt_dcf_draw(struct wt_air_station *station)
{
	station->slots = (int)wt_random_below(&station->key, station->draws++, (uint64_t)station->cw + 1);
}

void wt_dcf_grow(struct wt_air *air, struct wt_air_station *station)
{
	unsigned cw = 2 * station->cw + 1;

	station->cw = cw < air->config.phy.cw_max ? cw : air->config.phy.cw_max;
}

/* Whole slots that went by are counted. */
void wt_dcf_busy(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	if (station->what != WT_TIMER_BACKOFF)
		return;
	if (now > station->counting_from)
		station->slots -= (int)((now - station->counting_from) / air->config.phy.slot);
	wt_air_set_timer(air, station, WT_TIMER_NONE, WT_NEVER);
}

static void count(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	wt_time slot = air->config.phy.slot, from = may_count_from(air, station);

	if (now > from)
		from += (now - from + slot - 1) / slot * slot;
	station->counting_from = from;
	wt_air_set_timer(air, station, WT_TIMER_BACKOFF, from + station->slots * slot);
}

void wt_dcf_go_on(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	bool idle = wt_dcf_is_idle(station);

	if (station->what != WT_TIMER_NONE || station->await != WT_AWAIT_NOTHING)
		return;
	if (station->slots < 0) {
		if (!wt_exchange_has(station))
			return;
		if (idle && now >= may_count_from(air, station)) {
			wt_exchange_begin(air, station, now);
			return;
		}
		wt_dcf_draw(station);
	}
	if (idle)
		count(air, station, now);
}

void wt_dcf_over(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	station->slots = -1;
	if (wt_exchange_has(station))
		wt_exchange_begin(air, station, now);
}

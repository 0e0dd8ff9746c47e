/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The node. What happens is in one heap: frames that start or end at a station, and the timers of stations. At one nanosecond first
 * frames end, then timers run, then frames start; a frame needs at least a nanosecond to anybody. So back-offs that end together all do, and
 * their frames collide.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/air/parts.h"

enum { SIGNALS_EACH = 4 /* of a station: one it sends, and others that still end far away */, OUT_ROOM = 64 };

/* ---- set-up ----------------------------------------------------------------------------------------------- */

void wt_air_config_init(struct wt_air_config *config)
{
	*config = (struct wt_air_config){
		.name = "air", .radio = wt_radio_default, .queue = 50, .short_retries = 7, .long_retries = 4, .eifs = true, .seed = 1,
	};
	wt_air_set_rates(config, 2000, 1000, false);
}

int wt_air_set_rates(struct wt_air_config *config, uint32_t data_kbps, uint32_t basic_kbps, bool short_preamble)
{
	const struct wt_air_rate *data = wt_air_rate_of(data_kbps), *basic = wt_air_rate_of(basic_kbps);

	if (!data || !basic || data->ofdm != basic->ofdm || (short_preamble && (data->ofdm || basic_kbps < 2000)))
		return -EINVAL;
	config->data = data;
	config->basic = basic;
	config->phy = data->ofdm ? wt_phy_ofdm : wt_phy_dsss;
	if (short_preamble)
		config->phy.plcp = config->phy.rx_start = WT_PLCP_SHORT;
	return 0;
}

static void derive(struct wt_air *air)
{
	const struct wt_air_config *config = &air->config;
	const struct wt_air_phy *phy = &config->phy;

	air->ack_time = air->cts_time = wt_air_time(phy, config->basic, WT_AIR_ANSWER);
	air->difs = wt_air_difs(phy);
	air->eifs = phy->sifs + air->ack_time + air->difs;
	air->timeout = phy->sifs + phy->slot + phy->rx_start;
	air->reach = wt_radio_reach(&config->radio, config->radio.sense);
}

static bool make_signals(struct wt_air *air)
{
	air->signals = SIGNALS_EACH * air->stations;
	air->signal = calloc(air->signals, sizeof(*air->signal));
	for (unsigned i = 0; i < air->signals && air->signal; i++) {
		struct wt_signal *signal = calloc(1, sizeof(*signal));

		if (!signal)
			return false;
		signal->starts = (struct wt_heap_entry){.due = WT_NEVER, .order = (uint32_t)WT_ORDER_START << WT_ORDER_SHIFT | i};
		signal->ends = (struct wt_heap_entry){.due = WT_NEVER, .order = (uint32_t)WT_ORDER_END << WT_ORDER_SHIFT | i};
		signal->next_free = air->unused;
		air->unused = air->signal[i] = signal;
	}
	return air->signal && !wt_heap_init(&air->heap, air->stations + 2 * air->signals);
}

static bool make_stations(struct wt_air *air, unsigned stations)
{
	char name[64];

	air->stations = stations;
	air->station = calloc(stations, sizeof(*air->station));
	air->at = calloc(stations, sizeof(*air->at));
	air->out = calloc(OUT_ROOM, sizeof(*air->out));
	air->out_room = OUT_ROOM;
	for (air->mac_mask = 1; air->mac_mask < 2 * stations; air->mac_mask *= 2)
		;
	air->by_mac = calloc(air->mac_mask, sizeof(*air->by_mac));
	air->mac_mask--;
	for (unsigned i = 0; i < stations && air->station; i++) {
		struct wt_air_station *station = &air->station[i];

		snprintf(name, sizeof(name), "%s.backoff.%u", air->config.name, i);
		station->key = wt_key_derive(air->config.seed, name);
		station->timer = (struct wt_heap_entry){.due = WT_NEVER, .order = (uint32_t)WT_ORDER_TIMER << WT_ORDER_SHIFT | i};
		station->slots = -1;
		station->cw = air->config.phy.cw_min;
		station->idle_since = station->nav = -WT_S; /* before the start there was nothing to wait for */
	}
	return air->station && air->at && air->out && air->by_mac;
}

static unsigned hash(const uint8_t mac[6])
{
	uint32_t sum = 2166136261u;

	for (unsigned i = 0; i < 6; i++)
		sum = (sum ^ mac[i]) * 16777619u;
	return sum ^ sum >> 15;
}

int wt_air_find(const struct wt_air *air, const uint8_t mac[6])
{
	if (mac[0] & 1)
		return WT_AIR_GROUP;
	for (unsigned i = hash(mac);; i++) {
		unsigned found = air->by_mac[i & air->mac_mask];

		if (!found)
			return WT_AIR_NOBODY;
		if (!memcmp(air->station[found - 1].mac, mac, 6))
			return (int)found - 1;
	}
}

void wt_air_place(struct wt_air *air, unsigned number, const uint8_t mac[6], const struct wt_track *track)
{
	struct wt_air_station *station = &air->station[number];
	double fastest = wt_track_fastest(track);
	unsigned i = hash(mac);

	memcpy(station->mac, mac, 6);
	station->track = track;
	air->fastest = fastest > air->fastest ? fastest : air->fastest;
	while (air->by_mac[i & air->mac_mask])
		i++;
	air->by_mac[i & air->mac_mask] = number + 1;
}

void wt_air_listen(struct wt_air *air, unsigned station)
{
	air->station[station].listens = true;
}

void wt_air_set_sink(struct wt_air *air, struct wt_air_sink *sink)
{
	air->sink = sink;
}

struct wt_node *wt_air_node(struct wt_air *air)
{
	return &air->node;
}

const struct wt_air_count *wt_air_count(struct wt_air *air, unsigned station)
{
	return &air->station[station].count;
}

/* ---- what leaves ------------------------------------------------------------------------------------------ */

static bool more_room(struct wt_air *air)
{
	struct wt_air_out *grown = malloc(2 * air->out_room * sizeof(*grown));

	for (unsigned i = 0; i < air->outs && grown; i++)
		grown[i] = air->out[(air->out_head + i) % air->out_room];
	if (!grown)
		return false;
	free(air->out);
	air->out = grown;
	air->out_head = 0;
	air->out_room *= 2;
	return true;
}

void wt_air_leave(struct wt_air *air, unsigned port, struct wt_frame *frame)
{
	if (air->outs == air->out_room && !more_room(air)) {
		air->node.audit.queued--;
		wt_node_drop(&air->node, frame->time, frame, WT_DROP_POOL);
		return;
	}
	air->out[(air->out_head + air->outs++) % air->out_room] = (struct wt_air_out){frame, port};
}

/* ---- events ----------------------------------------------------------------------------------------------- */

void wt_air_set_timer(struct wt_air *air, struct wt_air_station *station, enum wt_timer what, wt_time due)
{
	station->what = what;
	wt_heap_set(&air->heap, &station->timer, due);
}

static void start_at_next(struct wt_air *air, struct wt_signal *signal, wt_time now)
{
	const struct wt_hearer *hearer = &signal->hearer[signal->started++];

	wt_heap_set(&air->heap, &signal->starts,
		    signal->started < signal->hearers ? signal->sending.start + signal->hearer[signal->started].delay : WT_NEVER);
	wt_receiver_start(air, &air->station[hearer->station], signal, hearer->power, now);
}

static void end_at_next(struct wt_air *air, struct wt_signal *signal, wt_time now)
{
	const struct wt_hearer *hearer = &signal->hearer[signal->ended++];
	bool last = signal->ended == signal->hearers;

	wt_heap_set(&air->heap, &signal->ends, last ? WT_NEVER : signal->sending.end + signal->hearer[signal->ended].delay);
	wt_receiver_end(air, &air->station[hearer->station], signal, hearer->power, now);
	if (last)
		wt_signal_over(air, signal);
}

static void timer(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	enum wt_timer what = station->what;

	wt_air_set_timer(air, station, WT_TIMER_NONE, WT_NEVER);
	switch (what) {
	case WT_TIMER_BACKOFF: wt_dcf_over(air, station, now); break;
	case WT_TIMER_RESPONSE: wt_exchange_respond(air, station, now); break;
	case WT_TIMER_SENT: wt_exchange_sent(air, station, now); break;
	case WT_TIMER_TIMEOUT: wt_exchange_timeout(air, station, now); break;
	case WT_TIMER_NONE: break;
	}
}

static void run(struct wt_air *air, wt_time now)
{
	struct wt_heap_entry *entry;

	while ((entry = wt_heap_min(&air->heap)) && entry->due <= now) {
		uint32_t place = entry->order & ((1u << WT_ORDER_SHIFT) - 1);

		switch (entry->order >> WT_ORDER_SHIFT) {
		case WT_ORDER_END: end_at_next(air, air->signal[place], entry->due); break;
		case WT_ORDER_TIMER: timer(air, &air->station[place], entry->due); break;
		default: start_at_next(air, air->signal[place], entry->due);
		}
	}
}

/* ---- verbs ------------------------------------------------------------------------------------------------ */

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_air *air = (struct wt_air *)node;
	struct wt_air_station *station = &air->station[port];

	node->audit.in++;
	station->count.in++;
	wt_waiting_add(air, station, now, frame);
	wt_dcf_go_on(air, station, now);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_air *air = (struct wt_air *)node;
	struct wt_frame *frame;

	if (!air->outs)
		run(air, now);
	if (!air->outs)
		return NULL;
	frame = air->out[air->out_head].frame;
	*port = air->out[air->out_head].port;
	air->out_head = (air->out_head + 1) % air->out_room;
	air->outs--;
	node->audit.queued--;
	node->audit.out++;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_air *air = (const struct wt_air *)node;
	const struct wt_heap_entry *entry = wt_heap_min(&air->heap);

	if (air->outs)
		return 0;
	return entry ? entry->due : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	struct wt_air *air = (struct wt_air *)node;

	wt_heap_finish(&air->heap); /* first: its entries are in stations and signals */
	for (unsigned i = 0; i < air->outs; i++)
		wt_frame_free(air->out[(air->out_head + i) % air->out_room].frame);
	for (unsigned i = 0; i < air->stations && air->station; i++) {
		struct wt_air_station *station = &air->station[i];

		if (!station->own || !station->own->owned)
			wt_frame_free(station->frame);
		wt_frame_queue_clear(&station->queue[0]);
		wt_frame_queue_clear(&station->queue[1]);
		free(station->near);
	}
	for (unsigned i = 0; i < air->signals && air->signal && air->signal[i]; i++) {
		wt_frame_free(air->signal[i]->owned);
		free(air->signal[i]->room);
		free(air->signal[i]);
	}
	wt_grid_finish(&air->grid);
	free(air->signal);
	free(air->station);
	free(air->at);
	free(air->out);
	free(air->by_mac);
	free(air);
}

struct wt_air *wt_air_create(const struct wt_air_config *config, unsigned stations)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy};
	struct wt_air *air = calloc(1, sizeof(*air));

	if (!air)
		return NULL;
	air->config = *config;
	air->node.ops = &ops;
	air->node.ports = stations;
	snprintf(air->node.name, sizeof(air->node.name), "%s", config->name);
	derive(air);
	if (make_stations(air, stations) && make_signals(air))
		return air;
	destroy(&air->node);
	return NULL;
}

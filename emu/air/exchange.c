/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a station sends once it may (IEEE 802.11-2012, 9.3): RTS, CTS, data, ACK with SIFS between them; and what it does when an answer does
 * not come: a larger window, another back-off, and after the last retry the frame goes back to whoever sent it.
 *
 * An answer must have begun SIFS + slot + aPHY-RX-START-Delay behind the question (9.3.2.8, 9.3.2.9). A frame that is being received then is waited for.
 */
#include <string.h>

#include "emu/air/parts.h"

enum { SEQUENCES = 4096 };

static void tell_turn(struct wt_air *air, struct wt_air_station *station, wt_time now, enum wt_air_turn turn)
{
	station->count.turned[turn]++;
	if (air->sink)
		air->sink->turned(air->sink, &air->node, now, wt_air_number(air, station), station->frame, turn);
}

/* ---- sending ---------------------------------------------------------------------------------------------- */

static struct wt_signal *make(struct wt_air *air, struct wt_air_station *station, enum wt_air_kind kind, int to, wt_time nav)
{
	struct wt_signal *signal = wt_signal_new(air);
	const struct wt_air_rate *rate = kind == WT_AIR_DATA && to != WT_AIR_GROUP ? air->config.data : air->config.basic;

	if (!signal)
		return NULL;
	signal->to = to;
	signal->nav = nav;
	signal->sending = (struct wt_air_sending){
		.kind = kind, .from = wt_air_number(air, station), .rate_kbps = rate->kbps, .ofdm = rate->ofdm,
		.mhz = (uint16_t)(air->config.radio.frequency / 1e6),
		.len = kind == WT_AIR_RTS ? WT_AIR_ASK : kind == WT_AIR_DATA ? station->len : WT_AIR_ANSWER,
		.duration_us = (uint16_t)(nav / WT_US),
	};
	memcpy(signal->sending.by, station->mac, 6);
	if (kind == WT_AIR_DATA) {
		signal->sending.sequence = station->sequence;
		signal->sending.retry = station->sent;
		signal->sending.frame = station->frame;
		station->sent = true;
	}
	if (kind == WT_AIR_DATA || kind == WT_AIR_RTS)
		memcpy(signal->sending.to, wt_frame_head(station->frame), 6);
	else
		memcpy(signal->sending.to, air->station[to].mac, 6);
	signal->sending.end = wt_air_time(&air->config.phy, rate, signal->sending.len); /* for now: how long it takes */
	return signal;
}

static wt_time data_time(const struct wt_air *air, const struct wt_air_station *station)
{
	return wt_air_time(&air->config.phy, air->config.data, station->len);
}

static struct wt_signal *make_data(struct wt_air *air, struct wt_air_station *station)
{
	bool group = station->to == WT_AIR_GROUP;
	struct wt_signal *signal = make(air, station, WT_AIR_DATA, station->to, group ? 0 : air->config.phy.sifs + air->ack_time);

	if (signal && group)
		signal->owned = station->frame;
	return signal;
}

static struct wt_signal *make_rts(struct wt_air *air, struct wt_air_station *station)
{
	return make(air, station, WT_AIR_RTS, station->to,
		    3 * air->config.phy.sifs + air->cts_time + data_time(air, station) + air->ack_time);
}

static void start(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	struct wt_air_sending *sending = &station->own->sending;

	sending->start = now;
	sending->end += now;
	station->sending = true;
	wt_receiver_mute(station);
	station->count.sent[sending->kind]++;
	station->count.on_air[sending->kind] += sending->end - now;
	if (sending->kind == WT_AIR_DATA && station->first)
		station->count.routing += sending->end - now;
	if (air->sink)
		air->sink->sent(air->sink, &air->node, sending);
	wt_air_set_timer(air, station, WT_TIMER_SENT, sending->end);
	wt_signal_send(air, station->own, now);
}

bool wt_exchange_has(const struct wt_air_station *station)
{
	return station->frame || station->queue[0].head || station->queue[1].head;
}

static bool by_rts(const struct wt_air *air, const struct wt_air_station *station)
{
	return station->len > air->config.rts;
}

static void take_next(struct wt_air *air, struct wt_air_station *station)
{
	station->frame = wt_waiting_take(station, &station->first);
	station->to = wt_air_find(air, wt_frame_head(station->frame));
	station->len = wt_air_len(station->frame->len);
	station->short_count = station->long_count = 0;
	station->taken = station->sent = false;
	station->sequence = (station->sequence + 1) % SEQUENCES;
}

void wt_exchange_begin(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	if (!station->frame)
		take_next(air, station);
	if (station->to != WT_AIR_GROUP && by_rts(air, station))
		station->own = make_rts(air, station);
	else
		station->own = make_data(air, station);
	if (station->own) {
		start(air, station, now);
		return;
	}
	station->count.waiting--;
	station->count.dropped++;
	air->node.audit.queued--;
	wt_node_drop(&air->node, now, station->frame, WT_DROP_POOL);
	station->frame = NULL;
}

/* After SIFS. */
static void answer(struct wt_air *air, struct wt_air_station *station, wt_time now, struct wt_signal *signal)
{
	station->own = signal;
	if (signal)
		wt_air_set_timer(air, station, WT_TIMER_RESPONSE, now + air->config.phy.sifs);
}

void wt_exchange_respond(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	start(air, station, now);
}

/* ---- what came of it -------------------------------------------------------------------------------------- */

static void done(struct wt_air *air, struct wt_air_station *station)
{
	station->frame = NULL;
	station->cw = air->config.phy.cw_min;
	station->count.waiting--;
}

static void give_up(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	struct wt_frame *frame = station->frame;

	tell_turn(air, station, now, WT_AIR_GIVEN_UP);
	done(air, station);
	station->count.returned++;
	frame->fate = WT_FATE_NO_ACK;
	wt_air_leave(air, wt_air_number(air, station), frame);
	if (air->config.purge)
		wt_waiting_return(air, station, wt_frame_head(frame));
}

static void fail(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	bool cts = station->await == WT_AWAIT_CTS, is_long = !cts && by_rts(air, station);
	unsigned count = is_long ? ++station->long_count : ++station->short_count;

	tell_turn(air, station, now, cts ? WT_AIR_NO_CTS : WT_AIR_NO_ACK);
	station->await = WT_AWAIT_NOTHING;
	if (count >= (is_long ? air->config.long_retries : air->config.short_retries))
		give_up(air, station, now);
	else
		wt_dcf_grow(air, station);
	wt_dcf_draw(station);
}

static void acked(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	struct wt_frame *frame = station->frame;

	tell_turn(air, station, now, WT_AIR_ACKED);
	done(air, station);
	station->count.acked++;
	air->node.audit.queued--;
	air->node.audit.taken++;
	wt_frame_free(frame);
	station->await = WT_AWAIT_NOTHING;
	wt_dcf_draw(station);
}

void wt_exchange_timeout(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	if (station->locked && station->readable && !station->spoiled)
		return; /* something is coming: what it is shows when it ends */
	fail(air, station, now);
	wt_dcf_go_on(air, station, now);
}

static void await(struct wt_air *air, struct wt_air_station *station, enum wt_await what, wt_time now)
{
	station->await = what;
	wt_air_set_timer(air, station, WT_TIMER_TIMEOUT, now + air->timeout);
}

void wt_exchange_sent(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	struct wt_signal *signal = station->own;
	bool group = signal->to == WT_AIR_GROUP;

	station->own = NULL;
	station->sending = station->eifs = false;
	if (!station->sensed)
		station->idle_since = now;
	if (group) {
		done(air, station);
		station->count.to_all++;
		wt_dcf_draw(station);
	} else if (signal->sending.kind == WT_AIR_RTS) {
		await(air, station, WT_AWAIT_CTS, now);
	} else if (signal->sending.kind == WT_AIR_DATA) {
		await(air, station, WT_AWAIT_ACK, now);
	}
	if (!signal->hearers)
		wt_signal_over(air, signal);
	wt_dcf_go_on(air, station, now);
}

/* ---- receiving -------------------------------------------------------------------------------------------- */

static void deliver(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, uint64_t *counted)
{
	struct wt_frame *copy = wt_frame_copy(signal->sending.frame);

	air->node.audit.made++;
	if (!copy) {
		air->node.audit.dropped[WT_DROP_POOL]++;
		return;
	}
	++*counted;
	air->node.audit.queued++;
	wt_air_leave(air, wt_air_number(air, station), copy);
}

static void take_data(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, wt_time now)
{
	struct wt_air_station *from = &air->station[signal->sending.from];

	if (from->taken) /* the receiver knows by the sequence number; it is the sender's of its frame */
		station->count.duplicates++;
	else
		deliver(air, station, signal, &station->count.delivered);
	from->taken = true;
	answer(air, station, now, make(air, station, WT_AIR_ACK, (int)signal->sending.from, 0));
}

/* Is it the answer that the station waits for? */
static bool is_awaited(const struct wt_air_station *station, unsigned number, const struct wt_signal *signal)
{
	enum wt_air_kind kind = station->await == WT_AWAIT_CTS ? WT_AIR_CTS : WT_AIR_ACK;

	return signal->sending.kind == kind && signal->to == (int)number && (int)signal->sending.from == station->to;
}

static void go_on(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	bool cts = station->await == WT_AWAIT_CTS;

	wt_air_set_timer(air, station, WT_TIMER_NONE, WT_NEVER);
	if (!cts) {
		acked(air, station, now);
		return;
	}
	station->await = WT_AWAIT_NOTHING;
	answer(air, station, now, make_data(air, station));
	if (!station->own) /* no memory: as if there had been no CTS */
		wt_dcf_draw(station);
}

static void not_awaited(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	wt_air_set_timer(air, station, WT_TIMER_NONE, WT_NEVER);
	fail(air, station, now);
}

void wt_exchange_spoiled(struct wt_air *air, struct wt_air_station *station, wt_time now)
{
	if (station->await != WT_AWAIT_NOTHING && station->what == WT_TIMER_NONE)
		fail(air, station, now);
}

static void cts(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, wt_time now)
{
	if (station->nav <= now)
		answer(air, station, now, make(air, station, WT_AIR_CTS, (int)signal->sending.from, signal->nav - air->config.phy.sifs - air->cts_time));
}

/* A frame between others. */
static void overhear(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, wt_time now)
{
	station->nav = wt_time_max(station->nav, now + signal->nav);
	if (station->listens && signal->sending.kind == WT_AIR_DATA)
		deliver(air, station, signal, &station->count.overheard);
}

void wt_exchange_received(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, wt_time now)
{
	unsigned number = wt_air_number(air, station);
	bool ours = signal->to == (int)number;

	station->count.received[signal->sending.kind] += ours || signal->to == WT_AIR_GROUP;
	if (station->await != WT_AWAIT_NOTHING) {
		if (is_awaited(station, number, signal)) {
			go_on(air, station, now);
			return;
		}
		not_awaited(air, station, now);
	}
	if (signal->to == WT_AIR_GROUP)
		deliver(air, station, signal, &station->count.delivered);
	else if (!ours)
		overhear(air, station, signal, now);
	else if (signal->sending.kind == WT_AIR_RTS)
		cts(air, station, signal, now);
	else if (signal->sending.kind == WT_AIR_DATA)
		take_data(air, station, signal, now);
}

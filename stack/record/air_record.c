/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/air_record.h"


#include "stack/wire/ieee80211.h"

static const char *const kinds[] = {[WT_AIR_RTS] = "rts", [WT_AIR_CTS] = "cts", [WT_AIR_ACK] = "ack", [WT_AIR_DATA] = "data"};

static void on_sent(struct wt_air_sink *sink, const struct wt_node *air, const struct wt_air_sending *sending)
{
	struct wt_air_record *record = (struct wt_air_record *)sink;
	const struct wt_frame *frame = sending->frame;
	uint32_t len;

	if (!record->capture || (frame && frame->len + WT_IEEE80211_MORE > sizeof(record->bytes)))
		return;
	if (frame)
		wt_frame_read(frame, record->ethernet, frame->len);
	len = wt_ieee80211_emit(record->bytes, sending, record->ethernet, frame ? frame->len : 0);
	wt_capture_air(record->capture, sending->start, record->bytes, len, frame ? frame->id : 0);
}

static struct wt_json *begin(struct wt_air_record *record, wt_time now, const char *event, const struct wt_node *air, unsigned station)
{
	struct wt_json *json = record->log ? wt_journal_begin(record->log, now, event) : NULL;

	if (!json)
		return NULL;
	wt_json_string(json, "node", air->name);
	wt_json_string(json, "station", record->name(record->arg, station));
	return json;
}

static void on_heard(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station, const struct wt_air_sending *sending,
		     bool for_it, enum wt_air_end end)
{
	static const char *const causes[] = {[WT_AIR_COLLIDED] = "collision", [WT_AIR_CAPTURED] = "capture", [WT_AIR_DEAF] = "deaf"};
	struct wt_air_record *record = (struct wt_air_record *)sink;
	struct wt_json *json = for_it && end != WT_AIR_RECEIVED ? begin(record, now, "emulation:air_lost", air, station) : NULL;

	if (!json)
		return;
	wt_json_string(json, "from", record->name(record->arg, sending->from));
	wt_json_string(json, "kind", kinds[sending->kind]);
	wt_json_string(json, "cause", causes[end]);
	if (sending->frame)
		wt_json_u64(json, "frame", sending->frame->id);
	wt_journal_end(record->log);
}

static void on_turned(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station, const struct wt_frame *frame,
		      enum wt_air_turn turn)
{
	struct wt_air_record *record = (struct wt_air_record *)sink;
	struct wt_json *json;

	if (turn == WT_AIR_ACKED)
		return;
	json = begin(record, now, turn == WT_AIR_GIVEN_UP ? "emulation:air_given_up" : "emulation:air_retry", air, station);
	if (!json)
		return;
	if (turn != WT_AIR_GIVEN_UP)
		wt_json_string(json, "missing", turn == WT_AIR_NO_CTS ? "cts" : "ack");
	wt_json_u64(json, "frame", frame->id);
	wt_journal_end(record->log);
}

void wt_air_record_init(struct wt_air_record *record)
{
	record->sink = (struct wt_air_sink){on_sent, on_heard, on_turned};
}

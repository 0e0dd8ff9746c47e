/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/result.h"

#include <inttypes.h>
#include <math.h>

#include "stack/text/units.h"

void wt_flow_sum_add(struct wt_flow_sum *sum, const struct wt_flow_part *part)
{
	sum->flows++;
	sum->payload += part->payload;
	sum->goodputs += part->goodput;
	sum->squares += part->goodput * part->goodput;
	sum->segs += part->segs;
	sum->retransmits_segs += part->retransmits_segs;
	if (!part->bytes) /* it may have waited for its peer for minutes */
		return;
	sum->from = sum->bytes && sum->from < part->from ? sum->from : part->from;
	sum->to = sum->bytes && sum->to > part->to ? sum->to : part->to;
	sum->bytes += part->bytes;
}

double wt_flow_sum_goodput(const struct wt_flow_sum *sum)
{
	return sum->to > sum->from ? (double)sum->bytes * 1e9 / (double)(sum->to - sum->from) : 0;
}

double wt_flow_sum_jain(const struct wt_flow_sum *sum)
{
	return sum->squares > 0 ? sum->goodputs * sum->goodputs / (sum->flows * sum->squares) : NAN;
}

void wt_flow_sum_text(FILE *out, const struct wt_flow_sum *sum)
{
	double goodput = wt_flow_sum_goodput(sum);
	bool small = sum->payload < 1000000;

	fprintf(out, "[SUM] %u flows: %.3g %s, %.2f KB/s (%.4g Mbit/s), %" PRIu64 " segments, %" PRIu64 " sent again", sum->flows,
		(double)sum->payload / (small ? 1e3 : 1e6), small ? "KB" : "MB", goodput / 1000, goodput * 8e-6, sum->segs,
		sum->retransmits_segs);
	if (sum->squares > 0)
		fprintf(out, ", Jain's index %.4f", wt_flow_sum_jain(sum));
	fputc('\n', out);
}

void wt_flow_sum_json(struct wt_json *json, const struct wt_flow_sum *sum)
{
	wt_json_object(json, "sum");
	wt_json_u64(json, "flows", sum->flows);
	wt_json_u64(json, "payload_bytes", sum->payload);
	wt_json_number(json, "goodput_kBps", wt_flow_sum_goodput(sum) / 1000);
	wt_json_number(json, "goodput_bps", wt_flow_sum_goodput(sum) * 8);
	wt_json_u64(json, "sent_segs", sum->segs);
	wt_json_u64(json, "retransmits_segs", sum->retransmits_segs);
	wt_json_number(json, "jain", wt_flow_sum_jain(sum));
	wt_json_end(json);
}

void wt_hop_text(FILE *out, const char *link, const char *direction, const struct wt_hop_books *books)
{
	const char *before = ", dropped";

	fprintf(out, "  hop  %s.%s: in %" PRIu64 ", out %" PRIu64, link, direction, books->in, books->out);
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		if (books->dropped[cause]) {
			fprintf(out, "%s %s %" PRIu64, before, wt_drop_name(cause), books->dropped[cause]);
			before = ",";
		}
	if (books->made)
		fprintf(out, ", made %" PRIu64, books->made);
	if (books->marked)
		fprintf(out, ", marked %" PRIu64, books->marked);
	if (books->queued)
		fprintf(out, ", under way %" PRIu64, books->queued);
	fprintf(out, "%s\n", books->hold ? "" : ", THE BOOKS DO NOT BALANCE");
}

void wt_hops_text(FILE *out, const struct wt_world *world, struct wt_hop_books (*hop)[2])
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			if (hop[i][d].stages)
				wt_hop_text(out, world->link[i].name, d ? "rev" : "fwd", &hop[i][d]);
}

void wt_hop_books_json(struct wt_json *json, const struct wt_hop_books *books)
{
	uint64_t dropped = 0;

	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		dropped += books->dropped[cause];
	wt_json_u64(json, "in", books->in);
	wt_json_u64(json, "made", books->made);
	wt_json_u64(json, "out", books->out);
	wt_json_u64(json, "queued", books->queued);
	wt_json_u64(json, "back", books->back);
	wt_json_u64(json, "marked", books->marked);
	wt_json_u64(json, "dropped_frames", dropped);
	wt_json_object(json, "dropped");
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		if (books->dropped[cause])
			wt_json_u64(json, wt_drop_name(cause), books->dropped[cause]);
	wt_json_end(json);
	wt_json_bool(json, "holds", books->hold);
}

static void hop_json(struct wt_json *json, const char *link, unsigned direction, const struct wt_hop_books *books)
{
	wt_json_object(json, NULL);
	wt_json_string(json, "link", link);
	wt_json_string(json, "direction", direction ? "rev" : "fwd");
	wt_hop_books_json(json, books);
	wt_json_end(json);
}

void wt_hops_json(struct wt_json *json, const struct wt_world *world, struct wt_hop_books (*hop)[2])
{
	wt_json_array(json, "hops");
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			if (hop[i][d].stages)
				hop_json(json, world->link[i].name, d, &hop[i][d]);
	wt_json_end(json);
}

void wt_network_hops_json(struct wt_json *json, const struct wt_network *net)
{
	struct wt_hop_books books;

	wt_json_array(json, "hops");
	for (unsigned i = 0; i < net->world->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			wt_network_hop_books(net, i, d, &books);
			if (books.stages)
				hop_json(json, net->world->link[i].name, d, &books);
		}
	wt_json_end(json);
}

/* ---- the air ---------------------------------------------------------------------------------------------- */

static double share(wt_time part, wt_time time)
{
	return time > 0 ? (double)part / (double)time : 0;
}

static void station_json(struct wt_json *json, const struct wt_world_host *host, const struct wt_air_count *count, wt_time time)
{
	static const char *const sent[] = {"sent_rts", "sent_cts", "sent_ack", "sent_data"};
	static const char *const heard[] = {"heard_whole", "heard_collided", "heard_captured", "heard_deaf"};

	wt_json_object(json, NULL);
	wt_json_string(json, "station", host->name);
	wt_json_u64(json, "in_frames", count->in);
	wt_json_u64(json, "acked_frames", count->acked);
	wt_json_u64(json, "to_all_frames", count->to_all);
	wt_json_u64(json, "returned_frames", count->returned);
	wt_json_u64(json, "dropped_frames", count->dropped);
	wt_json_u64(json, "waiting_frames", count->waiting);
	wt_json_u64(json, "delivered_frames", count->delivered);
	for (unsigned i = 0; i < WT_AIR_KINDS; i++)
		wt_json_u64(json, sent[i], count->sent[i]);
	for (unsigned i = 0; i < WT_AIR_ENDS; i++)
		wt_json_u64(json, heard[i], count->heard[i]);
	wt_json_u64(json, "heard_weak", count->weak);
	wt_json_u64(json, "duplicates", count->duplicates);
	wt_json_u64(json, "retries_cts", count->turned[WT_AIR_NO_CTS]);
	wt_json_u64(json, "retries_ack", count->turned[WT_AIR_NO_ACK]);
	wt_json_number(json, "air_data", share(count->on_air[WT_AIR_DATA] - count->routing, time));
	wt_json_number(json, "air_routing", share(count->routing, time));
	wt_json_number(json, "air_control", share(count->on_air[WT_AIR_RTS] + count->on_air[WT_AIR_CTS] + count->on_air[WT_AIR_ACK], time));
	wt_json_number(json, "air_others", share(count->busy, time));
	wt_json_number(json, "air_collided", share(count->collided, time));
	wt_json_end(json);
}

void wt_air_json(struct wt_json *json, const struct wt_world *world, const struct wt_air_count *count, wt_time time)
{
	if (!world->air.stations || !count)
		return;
	wt_json_array(json, "air");
	for (unsigned i = 0; i < world->hosts; i++)
		if (world->host[i].station)
			station_json(json, &world->host[i], &count[world->host[i].number], time);
	wt_json_end(json);
}

static bool anybody_moves(const struct wt_world *world)
{
	for (unsigned i = 0; i < world->hosts; i++)
		if (world->host[i].station && wt_track_fastest(&world->host[i].track) > 0)
			return true;
	return false;
}

void wt_flow_ways_json(struct wt_json *json, const struct wt_world *world, unsigned flow, wt_time until)
{
	const struct wt_world_flow *f = &world->flow[flow];
	const struct wt_world_host *from = &world->host[f->host[0]], *to = &world->host[f->host[1]];
	const struct wt_track *track[WT_WAYS_STATIONS];
	double share[WT_PATTERN_HOPS];
	char name[16];

	if (world->air.stations > WT_WAYS_STATIONS || !from->station || !to->station || !anybody_moves(world))
		return;
	for (unsigned i = 0; i < world->hosts; i++)
		if (world->host[i].station)
			track[world->host[i].number] = &world->host[i].track;
	if (wt_movement_hops(track, world->air.stations, wt_radio_reach(&world->air.config.radio, world->air.config.radio.receive),
			     &(struct wt_time_span){f->start, until, WT_S}, from->number, to->number, share))
		return;
	wt_json_object(json, "ways");
	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (share[i] > 0)
			wt_json_number(json, i ? name : "none", share[i]);
	}
	wt_json_end(json);
}

void wt_air_text(FILE *out, const struct wt_world *world, const struct wt_air_count *count, wt_time time)
{
	uint64_t data = 0, collided = 0, given_up = 0, retries = 0;
	wt_time on_air = 0, routing = 0;

	if (!world->air.stations || !count)
		return;
	for (unsigned i = 0; i < world->air.stations; i++) {
		data += count[i].sent[WT_AIR_DATA];
		collided += count[i].heard[WT_AIR_COLLIDED];
		given_up += count[i].turned[WT_AIR_GIVEN_UP];
		retries += count[i].turned[WT_AIR_NO_CTS] + count[i].turned[WT_AIR_NO_ACK];
		routing += count[i].routing;
		for (unsigned k = 0; k < WT_AIR_KINDS; k++)
			on_air += count[i].on_air[k];
	}
	fprintf(out, "  air  %u stations: %" PRIu64 " data frames, %" PRIu64 " answers missing, %" PRIu64 " frames given up, %" PRIu64
		" receptions collided; sending %.1f %% of the time in sum, routing %.1f %%\n",
		world->air.stations, data, retries, given_up, collided, 100 * share(on_air, time), 100 * share(routing, time));
}

bool wt_air_holds(const struct wt_world *world, const struct wt_air_count *count)
{
	for (unsigned i = 0; i < world->air.stations && count; i++)
		if (count[i].in != count[i].acked + count[i].to_all + count[i].returned + count[i].dropped + count[i].waiting)
			return false;
	return true;
}

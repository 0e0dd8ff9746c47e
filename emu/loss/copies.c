/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/loss/copies.h"

#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"

enum { FIRST_ROOM = 16, FIRST_PACKETS = 64, TCP = 6, TCP_SHORTEST = 20 };

struct packet {
	uint64_t first; /* where it begins */
	uint32_t copies;
};

struct wt_copies_flow {
	uint64_t hash;  /* of its tuple; 0: a free place */
	uint64_t high;  /* how far its payload has reached, counted so that its first byte is at 2^32 */
	uint32_t zero;  /* the sequence number of that place */
	uint32_t packets, room;
	struct packet *packet; /* in their order */
};

/* The sequence number and the length of the payload. False: no segment of TCP with payload. */
static bool payload_of(const struct wt_frame *frame, uint32_t *seq, uint32_t *len)
{
	struct wt_packet_place place = wt_packet_place(frame);
	const uint8_t *ip = wt_frame_head(frame) + place.at;
	uint32_t at, end, left = frame->len - place.at;
	unsigned version = wt_packet_version(frame);
	struct wt_ipv6_upper upper;

	if (version == 4) {
		at = (ip[0] & 15) * 4u;
		end = wt_get16(ip + 2);
		if (ip[9] != TCP || at < 20 || wt_get16(ip + 6) & 0x3fff)
			return false;
	} else if (version == 6 && wt_ipv6_upper(ip, left, &upper) && upper.protocol == TCP && !upper.fragment) {
		at = upper.at;
		end = upper.end;
	} else {
		return false;
	}
	if (end > left || at + TCP_SHORTEST > end)
		return false;
	*seq = wt_get32(ip + at + 4);
	*len = end - at - (ip[at + 12] >> 4) * 4u;
	return (ip[at + 12] >> 4) * 4u >= TCP_SHORTEST && *len && *len < end;
}

static struct wt_copies_flow *place_of(struct wt_copies_flow *flow, uint32_t room, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (room - 1);

	while (flow[at].hash && flow[at].hash != hash)
		at = (at + 1) & (room - 1);
	return &flow[at];
}

static bool grow(struct wt_copies *copies)
{
	uint32_t room = copies->room ? copies->room * 2 : FIRST_ROOM;
	struct wt_copies_flow *grown;

	if (copies->flows < copies->room / 2)
		return true;
	grown = copies->flows < WT_FLOWS_MAX ? calloc(room, sizeof(*grown)) : NULL;
	if (!grown)
		return false;
	for (uint32_t i = 0; i < copies->room; i++)
		if (copies->flow[i].hash)
			*place_of(grown, room, copies->flow[i].hash) = copies->flow[i];
	free(copies->flow);
	copies->flow = grown;
	copies->room = room;
	return true;
}

/* A flow begins with its first payload. NULL: no memory, or more flows than can be told apart. */
static struct wt_copies_flow *flow_of(struct wt_copies *copies, const struct wt_frame *frame, uint32_t seq)
{
	static const struct wt_key key = {0x636f7069, 0x65732121};
	uint64_t hash = wt_packet_flow(&key, frame);
	struct wt_copies_flow *flow;

	hash = hash ? hash : 1;
	flow = copies->room ? place_of(copies->flow, copies->room, hash) : NULL;
	if (flow && flow->hash)
		return flow;
	if (!grow(copies))
		return NULL;
	flow = place_of(copies->flow, copies->room, hash);
	*flow = (struct wt_copies_flow){.hash = hash, .high = UINT64_C(1) << 32, .zero = seq};
	copies->flows++;
	return flow;
}

static bool make_room(struct wt_copies_flow *flow)
{
	uint32_t room = flow->room ? flow->room * 2 : FIRST_PACKETS;
	struct packet *larger;

	if (flow->packets < flow->room)
		return true;
	larger = calloc(room, sizeof(*larger));
	if (!larger)
		return false;
	if (flow->packets)
		memcpy(larger, flow->packet, flow->packets * sizeof(*larger));
	free(flow->packet);
	flow->packet = larger;
	flow->room = room;
	return true;
}

/* The packet in which a place lies: the last that does not begin behind it; its number, 0: before the first. */
static uint32_t packet_at(const struct wt_copies_flow *flow, uint64_t place)
{
	uint32_t low = 0, high = flow->packets;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (flow->packet[middle].first <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool wt_copies_next(struct wt_copies *copies, const struct wt_frame *frame, uint64_t last, struct wt_copy *copy)
{
	struct wt_copies_flow *flow;
	uint32_t seq, len, number;
	uint64_t place, high;

	if (!payload_of(frame, &seq, &len))
		return false;
	flow = flow_of(copies, frame, seq);
	if (!flow) {
		copies->refused++;
		return false;
	}
	high = flow->high;
	place = high + (uint64_t)(int64_t)(int32_t)(seq - flow->zero - (uint32_t)high); /* 32 bits of it, the nearest to what was reached */
	flow->high = place + len > high ? place + len : high;
	if (place >= high && flow->packets <= last) { /* nothing of it was there before; one more than is asked for, where the last one ends */
		if (!make_room(flow)) {
			copies->refused++;
			return false;
		}
		flow->packet[flow->packets++] = (struct packet){place, 0};
	}
	number = packet_at(flow, place);
	if (!number || number > last)
		return false;
	*copy = (struct wt_copy){.packet = number, .copy = ++flow->packet[number - 1].copies};
	return true;
}

void wt_copies_finish(struct wt_copies *copies)
{
	for (uint32_t i = 0; i < copies->room; i++)
		free(copies->flow[i].packet);
	free(copies->flow);
	*copies = (struct wt_copies){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/packets.h"

#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"

enum { FIRST_ROOM = 16, IPV4_PROTOCOL = 9, IPV6_NEXT = 6, IPV6_CLASSES = 256 };

#define OVERFLOWN (UINT64_C(1) << 63) /* no class reaches it */

/* The class; -1: not an IP packet. A packet cut short in its header still is one: it counts as protocol 0. */
static inline int class_of(const struct wt_frame *frame, struct wt_packet_place place)
{
	const uint8_t *ip = wt_frame_head(frame) + place.at;

	if (place.type == WT_TYPE_IPV4)
		return frame->len > place.at + IPV4_PROTOCOL ? ip[IPV4_PROTOCOL] : 0;
	if (place.type == WT_TYPE_IPV6)
		return IPV6_CLASSES + (frame->len > place.at + IPV6_NEXT ? ip[IPV6_NEXT] : 0);
	return -1;
}

/* Addresses and ports stand side by side where no option or extension header stands between them: how many bytes, 0: they do not. */
static inline unsigned ends_of(const struct wt_frame *frame, struct wt_packet_place place, unsigned class, const uint8_t **ends)
{
	enum { IPV4_ENDS = 12, IPV4_LEN = 12, IPV6_ENDS = 8, IPV6_LEN = 36, PLAIN = 0x45, TCP = 6, UDP = 17, FRAGMENT = 0x3fff };
	const uint8_t *ip = wt_frame_head(frame) + place.at;

	if (class % IPV6_CLASSES != TCP && class % IPV6_CLASSES != UDP)
		return 0;
	*ends = ip + (class < IPV6_CLASSES ? IPV4_ENDS : IPV6_ENDS);
	if (class >= IPV6_CLASSES)
		return frame->len >= place.at + IPV6_ENDS + IPV6_LEN ? IPV6_LEN : 0;
	return frame->len >= place.at + IPV4_ENDS + IPV4_LEN && ip[0] == PLAIN && !(wt_get16(ip + 6) & FRAGMENT) ? IPV4_LEN : 0;
}

static struct wt_flow *place_of(struct wt_flow *flow, uint32_t room, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (room - 1);

	while (flow[at].hash && flow[at].hash != hash)
		at = (at + 1) & (room - 1);
	return &flow[at];
}

/* Room for one more: by doubling, so not for each flow. */
static bool grow(struct wt_packets *packets)
{
	uint32_t room = packets->room ? packets->room * 2 : FIRST_ROOM;
	struct wt_flow_seen *seen;
	struct wt_flow *grown;

	if (packets->flows < packets->room / 2)
		return true;
	if (packets->flows >= WT_FLOWS_MAX)
		return false;
	grown = calloc(room, sizeof(*grown));
	seen = calloc(room < WT_FLOWS_SEEN ? room : WT_FLOWS_SEEN, sizeof(*seen));
	if (!grown || !seen) {
		free(grown);
		free(seen);
		return false;
	}
	for (uint32_t i = 0; i < packets->room; i++)
		if (packets->flow[i].hash)
			*place_of(grown, room, packets->flow[i].hash) = packets->flow[i];
	free(packets->flow);
	free(packets->seen);
	packets->flow = grown;
	packets->seen = seen;
	packets->room = room;
	return true;
}

/* NULL: there are as many as can be told apart. */
static struct wt_flow *find(struct wt_packets *packets, unsigned class, const uint8_t *tuple, unsigned len)
{
	static const struct wt_key key = {0x77617665, 0x74616e6b};
	uint64_t hash = wt_siphash(&key, tuple, len) ^ (uint64_t)class << WT_CLASS_SHIFT;
	struct wt_flow *flow;

	hash = hash ? hash : 1;
	flow = packets->room ? place_of(packets->flow, packets->room, hash) : NULL;
	if (flow && flow->hash)
		return flow;
	if (!grow(packets))
		return NULL;
	flow = place_of(packets->flow, packets->room, hash);
	/* not a place in a class: the stream hands out four numbers at a time, hence the two bits */
	*flow = (struct wt_flow){.hash = hash, .first = packets->count[class] ? hash & ~UINT64_C(3) : (uint64_t)class << WT_CLASS_SHIFT};
	packets->flows++;
	return flow;
}

/* By its tuple, hashed with a key, since the hash is what its numbers begin with. */
static struct wt_flow *flow_by_tuple(struct wt_packets *packets, unsigned class, const struct wt_frame *frame)
{
	uint8_t tuple[WT_PACKET_TUPLE];
	unsigned used = wt_packet_tuple(frame, tuple);

	return find(packets, class, tuple, used);
}

static struct wt_flow_seen *place_of_seen(struct wt_packets *packets, const uint8_t *ends, unsigned len)
{
	uint32_t room = packets->room < WT_FLOWS_SEEN ? packets->room : WT_FLOWS_SEEN, ports, from;

	memcpy(&ports, ends + len - 4, 4);
	memcpy(&from, ends + len - 8, 4); /* the end of an address */
	return &packets->seen[((ports ^ from * 0x85ebca6bu) * 0x9e3779b1u >> 16) & (room - 1)];
}

static inline bool is_seen(const struct wt_flow_seen *seen, unsigned class, const uint8_t *ends, unsigned len)
{
	return seen->flow && seen->class == class && (len == 12 ? !memcmp(seen->ends, ends, 12) : !memcmp(seen->ends, ends, 36));
}

/* The flow of a packet; NULL: no place for it. */
static inline struct wt_flow *flow_of(struct wt_packets *packets, unsigned class, const struct wt_frame *frame, struct wt_packet_place place)
{
	const uint8_t *ends = NULL;
	unsigned len = ends_of(frame, place, class, &ends);
	struct wt_flow_seen *seen;
	struct wt_flow *flow;

	if (!len)
		return flow_by_tuple(packets, class, frame);
	if (packets->room) {
		seen = place_of_seen(packets, ends, len);
		if (is_seen(seen, class, ends, len))
			return seen->flow;
	}
	flow = flow_by_tuple(packets, class, frame);
	if (flow) {
		seen = place_of_seen(packets, ends, len);
		memcpy(seen->ends, ends, len);
		seen->class = class;
		seen->flow = flow;
	}
	return flow;
}

bool wt_packets_next(struct wt_packets *packets, const struct wt_frame *frame, uint64_t *number)
{
	int class = class_of(frame, wt_packet_place(frame));

	if (class < 0)
		return false;
	*number = (uint64_t)class << WT_CLASS_SHIFT | packets->count[class]++;
	return true;
}

/* So many packets of one flow; the number of the first of them. */
static inline bool take(struct wt_packets *packets, const struct wt_frame *frame, uint64_t count, uint64_t *number)
{
	struct wt_packet_place place = wt_packet_place(frame);
	int class = class_of(frame, place);
	struct wt_flow *flow;

	if (class < 0)
		return false;
	flow = flow_of(packets, (unsigned)class, frame, place);
	*number = flow ? flow->first + flow->count : OVERFLOWN | (uint64_t)class << WT_CLASS_SHIFT | packets->count[class];
	if (flow)
		flow->count += count;
	packets->count[class] += count;
	return true;
}

bool wt_packets_draw(struct wt_packets *packets, const struct wt_frame *frame, uint64_t *number)
{
	return take(packets, frame, 1, number);
}

bool wt_packets_share(struct wt_packets *packets, struct wt_stream *stream, const struct wt_frame *frame, double share)
{
	uint64_t number;

	if (!wt_packets_draw(packets, frame, &number))
		return share >= 1;
	return wt_stream_strikes(stream, number, share);
}

/* Of how many packets is it? */
static uint64_t packets_in(const struct wt_frame *frame)
{
	enum { TCP_CSUM = 16, TCP_LENGTH = 12, UDP_HEADER = 8 };
	uint32_t header = frame->csum_start;

	if (!frame->gso_size || header + TCP_LENGTH >= frame->len)
		return 1;
	header += frame->csum_offset == TCP_CSUM ? (wt_frame_head(frame)[header + TCP_LENGTH] >> 4) * 4u : UDP_HEADER;
	return header < frame->len ? 1 + (frame->len - header - 1) / frame->gso_size : 1;
}

void wt_packets_pass_over(struct wt_packets *packets, const struct wt_frame *frame)
{
	uint64_t number;

	take(packets, frame, packets_in(frame), &number);
}

void wt_packets_take_back(struct wt_packets *packets, const struct wt_frame *frame)
{
	uint64_t number;

	take(packets, frame, -packets_in(frame), &number);
}

void wt_packets_finish(struct wt_packets *packets)
{
	free(packets->flow);
	free(packets->seen);
	packets->flow = NULL;
	packets->seen = NULL;
	packets->room = packets->flows = 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface queue of a station: routing messages before all else (by their port, or network control by their DSCP, RFC 4594 3.1), each in order. One
 * limit for both; a routing message that finds it reached takes the place of the last other frame.
 */
#include <string.h>

#include "emu/air/parts.h"
#include "stack/base/bytes.h"

enum { ETHERNET = 14, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, CONTROL = 0xc0 /* precedence 6 and 7 */ };
enum { UDP = 17, DSR = 48, NO_NEXT_HEADER = 59, IPV4_LEAST = 20 };

/* Who sends them leaves the precedence alone: AODV, OLSR, our DSDV, other MANET protocols (RFC 5498), Babel. */
static bool is_routing_port(unsigned port)
{
	return port == 654 || port == 698 || port == 1994 || port == 269 || port == 6696;
}

/* A datagram of a routing protocol, or a packet of DSR that carries no data. */
static bool is_routing_ipv4(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + ETHERNET;
	uint32_t header = (ip[0] & 15u) * 4;

	if (frame->len < ETHERNET + IPV4_LEAST)
		return false;
	if (ip[1] >= CONTROL)
		return true;
	if (frame->len < ETHERNET + header + 4)
		return false;
	return (ip[9] == UDP && is_routing_port(wt_get16(ip + header + 2))) || (ip[9] == DSR && ip[header] == NO_NEXT_HEADER);
}

static bool is_routing(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + ETHERNET;
	unsigned type;

	if (frame->len < ETHERNET + 2)
		return false;
	type = wt_get16(wt_frame_head(frame) + 12);
	if (type == TYPE_IPV4)
		return is_routing_ipv4(frame);
	return type == TYPE_IPV6 && ((wt_get16(ip) >> 4) & 0xff) >= CONTROL;
}

static void drop(struct wt_air *air, struct wt_air_station *station, wt_time now, struct wt_frame *frame)
{
	station->count.dropped++;
	wt_node_drop(&air->node, now, frame, WT_DROP_QUEUE);
}

/* The last that came. */
static struct wt_frame *take_last(struct wt_frame_queue *queue)
{
	struct wt_frame *frame = NULL;

	for (uint32_t left = queue->frames; left; left--) {
		frame = wt_frame_queue_pop(queue);
		if (left > 1)
			wt_frame_queue_push(queue, frame);
	}
	return frame;
}

void wt_waiting_add(struct wt_air *air, struct wt_air_station *station, wt_time now, struct wt_frame *frame)
{
	bool first = is_routing(frame);
	struct wt_frame_queue *queue = station->queue;

	if (queue[0].frames + queue[1].frames >= air->config.queue) {
		if (!first || !queue[1].frames) {
			drop(air, station, now, frame);
			return;
		}
		station->count.waiting--;
		air->node.audit.queued--;
		drop(air, station, now, take_last(&queue[1]));
	}
	station->count.waiting++;
	air->node.audit.queued++;
	wt_frame_queue_push(&queue[!first], frame);
}

struct wt_frame *wt_waiting_take(struct wt_air_station *station, bool *first)
{
	*first = station->queue[0].frames;
	return wt_frame_queue_pop(&station->queue[!*first]);
}

void wt_waiting_return(struct wt_air *air, struct wt_air_station *station, const uint8_t mac[6])
{
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t left = station->queue[i].frames; left; left--) {
			struct wt_frame *frame = wt_frame_queue_pop(&station->queue[i]);

			if (memcmp(wt_frame_head(frame), mac, 6)) {
				wt_frame_queue_push(&station->queue[i], frame);
				continue;
			}
			station->count.waiting--;
			station->count.returned++;
			frame->fate = WT_FATE_NO_ACK;
			wt_air_leave(air, wt_air_number(air, station), frame);
		}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/event_json.h"

#include <stdlib.h>

#include "stack/wire/packet.h"
#include "stack/base/bytes.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/ipv6.h"
#include "stack/wire/tcp.h"

/* Once per node, not per drop. */
__attribute__((noinline)) static bool grow(struct wt_bursts *bursts, unsigned index)
{
	unsigned count = index + 16;
	struct wt_burst(*grown)[2] = realloc(bursts->node, count * sizeof(*grown));

	if (!grown)
		return false;
	for (unsigned i = bursts->count; i < count; i++)
		grown[i][0] = grown[i][1] = (struct wt_burst){0};
	bursts->node = grown;
	bursts->count = count;
	return true;
}

uint64_t wt_bursts_next(struct wt_bursts *bursts, const struct wt_node *node)
{
	struct wt_burst *burst;
	uint64_t mark, next;

	if (node->index >= bursts->count)
		return grow(bursts, node->index) ? wt_bursts_next(bursts, node) : 0;
	burst = bursts->node[node->index];
	mark = node->audit.in;
	next = burst->mark + 1;
	if (node->gone_on) {
		burst++;
		mark = node->gone_on;
		next = burst->mark;
	}
	burst->mark = mark;
	burst->position = burst->position && mark <= next ? burst->position + 1 : 1;
	return burst->position;
}

void wt_bursts_finish(struct wt_bursts *bursts)
{
	free(bursts->node);
	*bursts = (struct wt_bursts){0};
}

void wt_event_begin(struct wt_json *json, wt_time now, const char *event)
{
	wt_json_object(json, NULL);
	wt_json_i64(json, "time_ns", now);
	wt_json_string(json, "event", event);
	wt_json_object(json, "data");
}

static void ports(struct wt_json *json, unsigned protocol, const uint8_t *data, uint32_t len)
{
	struct wt_tcp_header tcp;

	if ((protocol != WT_IP_TCP && protocol != WT_IP_UDP) || len < 8)
		return;
	wt_json_u64(json, "src_port", wt_get16(data));
	wt_json_u64(json, "dst_port", wt_get16(data + 2));
	if (protocol == WT_IP_TCP && wt_tcp_parse(data, len, &tcp)) {
		wt_json_u64(json, "seq", tcp.seq);
		wt_json_u64(json, "flags", tcp.flags);
		wt_json_u64(json, "payload_bytes", len - tcp.header_len);
	}
}

static void open_packet(struct wt_json *json, const struct wt_addr *src, const struct wt_addr *dst, unsigned protocol)
{
	char text[WT_ADDR_TEXT];

	wt_json_object(json, "packet");
	wt_json_string(json, "src", wt_addr_format(src, text));
	wt_json_string(json, "dst", wt_addr_format(dst, text));
	wt_json_u64(json, "protocol", protocol);
}

static void ipv4_packet(struct wt_json *json, const uint8_t *data, uint32_t len)
{
	struct wt_ipv4 ip;

	if (wt_ipv4_parse(data, len, false, &ip) != WT_IPV4_OK)
		return;
	open_packet(json, &ip.src, &ip.dst, ip.protocol);
	wt_json_u64(json, "id", ip.id);
	if (!ip.frag_offset)
		ports(json, ip.protocol, data + ip.header_len, ip.total_len - ip.header_len);
	wt_json_end(json);
}

/* It has no number of its own but in fragments; a TCP segment has its sequence number. */
static void ipv6_packet(struct wt_json *json, const uint8_t *data, uint32_t len)
{
	struct wt_ipv6_upper upper;
	struct wt_ipv6 ip;

	if (!wt_ipv6_parse(data, len, &ip) || !wt_ipv6_upper(data, len, &upper))
		return;
	open_packet(json, &ip.src, &ip.dst, upper.protocol);
	wt_json_u64(json, "flow_label", wt_get32(data) & 0xfffff);
	if (!upper.later)
		ports(json, upper.protocol, data + upper.at, upper.end - upper.at);
	wt_json_end(json);
}

/* What tells a packet from the others on its way, whatever frame it travels in. */
static void packet(struct wt_json *json, const struct wt_frame *frame)
{
	const uint8_t *data = wt_frame_head(frame) + WT_ETH_HEADER;
	struct wt_eth eth;

	if (!wt_eth_parse(wt_frame_head(frame), frame->len, &eth))
		return;
	if (eth.type == WT_ETH_IPV4)
		ipv4_packet(json, data, frame->len - WT_ETH_HEADER);
	else if (eth.type == WT_ETH_IPV6)
		ipv6_packet(json, data, frame->len - WT_ETH_HEADER);
}

void wt_event_drop(struct wt_json *json, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause,
		  uint64_t burst)
{
	struct wt_state state;

	/* The drop happens at this moment of the node's own: asking changes nothing, but may have states told, on lines of their own. */
	if (node->ops->state)
		node->ops->state((struct wt_node *)node, now, &state);
	wt_event_begin(json, now, "emulation:packet_dropped");
	wt_json_string(json, "node", node->name);
	wt_json_string(json, "cause", wt_drop_name(cause));
	wt_json_u64(json, "frame", frame->id);
	wt_json_u64(json, "len_bytes", frame->len);
	wt_json_u64(json, "burst", burst);
	if (node->ops->state) {
		wt_json_string(json, "state", state.name);
		wt_json_u64(json, "visit", state.visit);
	}
	packet(json, frame);
	wt_json_end(json);
	wt_json_end(json);
}

void wt_event_state(struct wt_json *json, const struct wt_node *node, const struct wt_state *state)
{
	wt_event_begin(json, state->since, "emulation:state_entered");
	wt_json_string(json, "node", node->name);
	wt_json_string(json, "state", state->name);
	wt_json_u64(json, "visit", state->visit);
	if (state->ip_version) {
		wt_json_u64(json, "ip_version", state->ip_version);
		wt_json_u64(json, "protocol", state->protocol);
	}
	wt_json_end(json);
	wt_json_end(json);
}

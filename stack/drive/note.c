/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/note.h"

#include <stdlib.h>

#include "stack/base/bytes.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

uint64_t wt_bursts_next(struct wt_bursts *bursts, const struct wt_node *node)
{
	struct wt_burst *burst;

	if (node->index >= bursts->count) { /* once per node, not per frame */
		unsigned count = node->index + 16;
		struct wt_burst *grown = realloc(bursts->node, count * sizeof(*grown));

		if (!grown)
			return 0;
		for (unsigned i = bursts->count; i < count; i++)
			grown[i] = (struct wt_burst){0};
		bursts->node = grown;
		bursts->count = count;
	}
	burst = &bursts->node[node->index];
	burst->position = burst->position && node->audit.in <= burst->in + 1 ? burst->position + 1 : 1;
	burst->in = node->audit.in;
	return burst->position;
}

void wt_bursts_finish(struct wt_bursts *bursts)
{
	free(bursts->node);
	*bursts = (struct wt_bursts){0};
}

void wt_note_begin(struct wt_json *json, wt_time now, const char *event)
{
	wt_json_object(json, NULL);
	wt_json_i64(json, "time_ns", now);
	wt_json_string(json, "event", event);
	wt_json_object(json, "data");
}

static void ports(struct wt_json *json, const struct wt_ipv4 *ip, const uint8_t *data)
{
	unsigned len = ip->total_len - ip->header_len;
	struct wt_tcp_header tcp;

	if (ip->frag_offset || (ip->protocol != WT_IP_TCP && ip->protocol != WT_IP_UDP) || len < 8)
		return;
	wt_json_u64(json, "src_port", wt_get16(data));
	wt_json_u64(json, "dst_port", wt_get16(data + 2));
	if (ip->protocol == WT_IP_TCP && wt_tcp_parse(data, len, &tcp)) {
		wt_json_u64(json, "seq", tcp.seq);
		wt_json_u64(json, "flags", tcp.flags);
		wt_json_u64(json, "payload_bytes", len - tcp.header_len);
	}
}

/* What tells a packet from the others on its way, whatever frame it travels in. */
static void packet(struct wt_json *json, const struct wt_frame *frame)
{
	char text[WT_ADDR_TEXT];
	struct wt_ipv4 ip;
	struct wt_eth eth;

	if (!wt_eth_parse(frame->data, frame->len, &eth) || eth.type != WT_ETH_IPV4 ||
	    wt_ipv4_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, &ip) != WT_IPV4_OK)
		return;
	wt_json_object(json, "packet");
	wt_json_string(json, "src", wt_addr_format(&ip.src, text));
	wt_json_string(json, "dst", wt_addr_format(&ip.dst, text));
	wt_json_u64(json, "protocol", ip.protocol);
	wt_json_u64(json, "id", ip.id);
	ports(json, &ip, frame->data + WT_ETH_HEADER + ip.header_len);
	wt_json_end(json);
}

void wt_note_drop(struct wt_json *json, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause,
		  uint64_t burst)
{
	struct wt_state state;

	/* The drop happens at this moment of the node's own: asking changes nothing, but may have states told, on lines of their own. */
	if (node->ops->state)
		node->ops->state((struct wt_node *)node, now, &state);
	wt_note_begin(json, now, "emulation:packet_dropped");
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

void wt_note_state(struct wt_json *json, const struct wt_node *node, const struct wt_state *state)
{
	wt_note_begin(json, state->since, "emulation:state_entered");
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets into the host, and packets out of it against what the script expects. */
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/wire/arp.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"
#include "tools/script/runner/world.h"

#define LINE 700

/* The flow between two endpoints; made if new, NULL if there are too many. */
static struct wt_script_flow *flow_of(struct wt_script_world *world, const struct wt_endpoint *local,
				      const struct wt_endpoint *remote)
{
	struct wt_script_flow *flow;

	for (unsigned i = 0; i < world->flow_count; i++)
		if (wt_endpoint_eq(&world->flows[i].local, local) && wt_endpoint_eq(&world->flows[i].remote, remote))
			return &world->flows[i];
	if (world->flow_count == WT_SCRIPT_FLOWS)
		return NULL;
	flow = &world->flows[world->flow_count++];
	memset(flow, 0, sizeof(*flow));
	flow->local = *local;
	flow->remote = *remote;
	flow->remote_isn = world->options.remote_isn;
	return flow;
}

static void override(struct wt_endpoint *endpoint, bool has, const struct wt_endpoint *said)
{
	if (has && said->addr.family)
		endpoint->addr = said->addr;
	if (has && said->port)
		endpoint->port = said->port;
}

static void log_packet(struct wt_script_world *world, wt_time time, char direction, const struct wt_script_packet *packet)
{
	char text[LINE], when[32];

	if (world->log)
		fprintf(world->log, "# %s %c %s\n", wt_script_time_text(time, when), direction,
			wt_script_packet_format(packet, text, sizeof(text)));
}

struct wt_frame *wt_script_make_frame(struct wt_script_world *world, const struct wt_script_event *event)
{
	struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS];
	struct wt_script_packet extended = event->packet, *packet = &extended;
	struct wt_script_flow *flow = &world->flows[world->current_flow];
	struct wt_endpoint local = flow->local, remote = flow->remote;
	struct wt_frame *frame;
	uint32_t len;
	struct wt_eth eth = {.type = WT_ETH_IPV4, .dst = {{2, 0, 0, 0, 0, 1}}, .src = {{2, 0, 0, 0, 0, 2}}};

	override(&remote, packet->has_from, &packet->from);
	override(&local, packet->has_to, &packet->to);
	if (packet->kind == WT_SP_TCP)
		flow = flow_of(world, &local, &remote);
	frame = wt_frame_new(world->pool);
	if (!flow || !frame) {
		wt_script_failed(world, event->line, "too many %s", frame ? "connections" : "packets in flight");
		wt_frame_free(frame);
		return NULL;
	}
	if (packet->kind == WT_SP_TCP && (packet->flags & WT_SYN) && !flow->has_irs) {
		flow->has_irs = true;
		flow->irs = packet->start;
	}
	wt_script_extend(world, flow, packet, options);
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	len = wt_script_packet_build(packet, flow, wt_frame_own_bytes(frame) + WT_ETH_HEADER);
	if (!len) {
		wt_frame_free(frame);
		wt_script_failed(world, event->line, "a segment of %u bytes does not fit into a frame: header and payload together are at most %u",
				 packet->len, WT_SCRIPT_SEGMENT);
		return NULL;
	}
	frame->len = WT_ETH_HEADER + len;
	frame->csum = WT_CSUM_NONE;
	frame->time = world->base + world->now;
	log_packet(world, world->now, '<', packet);
	world->report->packets++;
	return frame;
}

bool wt_script_inject(struct wt_script_world *world, const struct wt_script_event *event)
{
	struct wt_frame *frame = wt_script_make_frame(world, event);

	if (frame)
		world->node->ops->input(world->node, 0, world->base + world->now, frame);
	return frame != NULL;
}

/* ---- outbound --------------------------------------------------------------------------------------------- */

static struct wt_script_flow *flow_of_frame(struct wt_script_world *world, const struct wt_frame *frame)
{
	struct wt_ipv4 ip;
	struct wt_endpoint local = {0}, remote = {0};
	const uint8_t *tcp;

	if (wt_ipv4_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, &ip) != WT_IPV4_OK ||
	    ip.protocol != WT_IP_TCP || ip.total_len < ip.header_len + 20)
		return &world->flows[world->current_flow];
	tcp = wt_frame_look(frame) + WT_ETH_HEADER + ip.header_len;
	local.addr = ip.src;
	local.port = wt_get16(tcp);
	remote.addr = ip.dst;
	remote.port = wt_get16(tcp + 2);
	return flow_of(world, &local, &remote);
}

static void learn(struct wt_script_world *world, const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER, *tcp = ip + (ip[0] & 15) * 4;
	struct wt_script_flow *flow = flow_of_frame(world, frame);

	if (!flow || ip[9] != WT_IP_TCP || frame->len < WT_ETH_HEADER + 40 || !(tcp[13] & WT_SYN))
		return;
	flow->has_iss = true;
	flow->iss = wt_get32(tcp + 4);
	if (!world->knows_iss) {
		world->knows_iss = true;
		world->first_iss = flow->iss;
	}
	if (!(tcp[13] & WT_ACK)) /* an active open is what the script is about from here */
		world->current_flow = (unsigned)(flow - world->flows);
}

/* What the peer knows of it, and the rule of windows. */
static void note_segment(struct wt_script_world *world, const struct wt_frame *frame)
{
	struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS];
	struct wt_script_flow *flow = flow_of_frame(world, frame);
	struct wt_script_packet packet;
	char error[200];

	/* what cannot be read fails when it is expected */
	if (!flow || !wt_script_packet_read(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, flow, options, &packet, error,
					    sizeof(error)) || packet.kind != WT_SP_TCP)
		return;
	wt_script_extend_sent(world, flow, &packet);
	wt_script_window_sent(world, flow, &packet);
}

void wt_script_sent(struct wt_script_world *world, struct wt_frame *frame)
{
	struct wt_eth eth;

	wt_frame_finish_csum(frame);
	frame->time = world->now;
	if (!wt_eth_parse(wt_frame_look(frame), frame->len, &eth) || eth.type != WT_ETH_IPV4) {
		wt_frame_free(frame); /* ARP is not the script's business; its network needs none */
		return;
	}
	learn(world, frame);
	note_segment(world, frame);
	world->report->packets++;
	wt_frame_queue_push(&world->sent, frame);
}

/* What a frame is in script notation; the packet points into `options`. */
static bool read_frame(struct wt_script_world *world, const struct wt_frame *frame, struct wt_script_tcp_option *options,
		       struct wt_script_packet *packet, char *error, size_t error_len)
{
	struct wt_script_flow *flow = flow_of_frame(world, frame);
	const char *fault;

	if (!flow) {
		snprintf(error, error_len, "a packet of too many connections");
		return false;
	}
	if (!wt_script_packet_read(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, flow, options, packet, error,
				   error_len))
		return false;
	fault = wt_script_reduce(world, flow, packet);
	if (fault) {
		snprintf(error, error_len, "%s", fault);
		return false;
	}
	if (packet->kind == WT_SP_TCP && flow != &world->flows[world->current_flow])
		packet->has_from = packet->has_to = true; /* worth saying */
	return true;
}

/* The first timestamp that leaves is what the script calls it (or 0). */
static void learn_timestamp(struct wt_script_world *world, const struct wt_frame *frame,
			    const struct wt_script_packet *expected, const struct wt_script_packet *live)
{
	struct wt_script_flow *flow = flow_of_frame(world, frame);
	uint32_t said = 0;

	if (!flow || flow->has_ts || live->kind != WT_SP_TCP)
		return;
	for (unsigned i = 0; expected && i < expected->option_count; i++)
		if (expected->options[i].kind == WT_SO_TIMESTAMP)
			said = expected->options[i].value;
	for (unsigned i = 0; i < live->option_count; i++) {
		if (live->options[i].kind != WT_SO_TIMESTAMP)
			continue;
		flow->has_ts = true;
		flow->ts_base = live->options[i].value - said;
		live->options[i].value = said;
	}
}

bool wt_script_unexpected(struct wt_script_world *world, const struct wt_script_event *next, unsigned line)
{
	struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS];
	const struct wt_frame *frame = world->sent.head;
	struct wt_script_packet live;
	char text[LINE], wanted[LINE] = "", when[32], error[200];

	for (unsigned i = 0; !next && i < world->script->event_count; i++) {
		const struct wt_script_event *event = &world->script->events[i];

		if (event->line >= line && event->kind == WT_SE_OUTBOUND)
			next = event;
	}
	if (!read_frame(world, frame, options, &live, error, sizeof(error)))
		return wt_script_failed(world, line, "the stack sent %s", error);
	if (next)
		wt_script_packet_format(&next->packet, wanted, sizeof(wanted));
	return wt_script_failed(world, line, "a packet that the script does not expect\n  got       %s > %s\n  %s%s",
				wt_script_time_text(frame->time, when), wt_script_packet_format(&live, text, sizeof(text)),
				next ? "next is             > " : "and none is expected any more", wanted);
}

static bool differs(struct wt_script_world *world, const struct wt_script_event *event, wt_time expected_at,
		    const struct wt_frame *frame, const struct wt_script_packet *live, const char *what)
{
	char wanted[LINE], got[LINE], a[32], b[32];

	wt_script_packet_format(&event->packet, wanted, sizeof(wanted));
	wt_script_packet_format(live, got, sizeof(got));
	return wt_script_failed(world, event->line, "the packet differs in %s\n  expected  %s > %s\n  got       %s > %s", what,
				wt_script_time_text(expected_at, a), wanted, wt_script_time_text(frame->time, b), got);
}

/* Waits for a packet until `to`; false after failing. */
static bool wait_packet(struct wt_script_world *world, const struct wt_script_event *event, wt_time to)
{
	const wt_time limit = wt_time_add(to, world->options.tolerance);
	char wanted[LINE], when[32];

	if (!wt_script_settle(world, event->line))
		return false;
	while (!world->sent.head) {
		wt_time next = wt_script_deadline(world);

		if (next > limit || next == WT_NEVER) {
			if (limit != WT_NEVER)
				wt_script_advance(world, limit, event->line);
			return wt_script_failed(world, event->line, "the expected packet did not come\n  expected  %s > %s",
						to == WT_NEVER ? "ever" : wt_script_time_text(to, when),
						wt_script_packet_format(&event->packet, wanted, sizeof(wanted)));
		}
		if (!wt_script_advance(world, next, event->line))
			return false;
	}
	return true;
}

/* One frame against the expected packet; adds what of the payload it brings to *covered. */
static bool match(struct wt_script_world *world, const struct wt_script_event *event, wt_time from, wt_time to,
		  uint32_t *covered)
{
	struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS], wanted[WT_SCRIPT_TCP_OPTIONS];
	struct wt_script_packet live, expected = event->packet;
	struct wt_frame *frame;
	char what[200];
	bool rest;

	if (!wait_packet(world, event, to))
		return false;
	frame = world->sent.head;
	if (!read_frame(world, frame, options, &live, what, sizeof(what)))
		return wt_script_failed(world, event->line, "the stack sent %s", what);
	wt_script_reduce_expected(world, &expected, wanted);
	learn_timestamp(world, frame, &expected, &live);
	log_packet(world, frame->time, '>', &live);
	if (frame->time + world->options.tolerance < from)
		return differs(world, event, from, frame, &live, "time: it came too early");
	if (live.has_to && !expected.has_to && !expected.has_from)
		return differs(world, event, from, frame, &live, "connection");
	/* a long expected packet may come as several, PSH and FIN on the last (packetdrill's rule) */
	rest = live.kind == WT_SP_TCP && expected.kind == WT_SP_TCP && live.len && live.len < expected.len - *covered &&
	       !world->options.strict_segments;
	expected.start += *covered;
	expected.len -= *covered;
	if (rest) {
		expected.len = live.len;
		expected.flags = (uint8_t)((expected.flags & ~(WT_PSH | WT_FIN)) | (live.flags & (WT_PSH | WT_FIN)));
	}
	if (world->options.ignore_timestamps)
		for (unsigned i = 0; i < expected.option_count; i++)
			expected.options[i].any_tsval = expected.options[i].any_tsecr = true;
	if (!wt_script_packet_same(&expected, &live, what, sizeof(what)))
		return differs(world, event, from, frame, &live, what);
	*covered += live.len;
	world->last = event->range || event->when == WT_AT_ANY ? frame->time : to;
	wt_frame_free(wt_frame_queue_pop(&world->sent));
	return true;
}

bool wt_script_expect(struct wt_script_world *world, const struct wt_script_event *event, wt_time from, wt_time to)
{
	uint32_t covered = 0;

	do {
		if (!match(world, event, from, to, &covered))
			return false;
	} while (event->packet.kind == WT_SP_TCP && covered < event->packet.len);
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/mesh/inside.h"
#include "stack/net/books.h"
#include "stack/wire/arp.h"
#include "stack/wire/udp.h"

enum { ANY_MTU = UINT16_MAX };

/* ---- what comes in ---------------------------------------------------------------------------------------- */

/* Whoever its host looks for is behind us. Its own address is not: it asks whether anybody else has it (RFC 5227). */
static void answer_host(struct wt_mesh *mesh, wt_time now, struct wt_frame *frame)
{
	struct wt_arp arp, reply;

	if (!wt_arp_parse(wt_frame_own_bytes(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp)) {
		wt_node_drop(&mesh->node, now, frame, WT_DROP_PROTOCOL);
		return;
	}
	if (arp.op != WT_ARP_REQUEST || wt_addr_eq(&arp.target, &mesh->address) || wt_addr_eq(&arp.target, &arp.sender)) {
		wt_books_take(&mesh->node, frame);
		return;
	}
	reply = (struct wt_arp){.op = WT_ARP_REPLY, .sender_mac = mesh->net.interface[0].mac, .sender = arp.target,
				.target_mac = arp.sender_mac, .target = arp.sender};
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &reply);
	frame->time = now;
	wt_net_transmit(&mesh->net, frame, 0, &arp.sender_mac, WT_ETH_ARP);
}

static void message(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet, struct wt_mesh_message *message)
{
	uint64_t before = mesh->counts.malformed;

	mesh->counts.messages_received++;
	message->packet = packet;
	if (!message->data)
		wt_mesh_malformed(mesh);
	else if (!mesh->ops->ttl || packet->ip.ttl == mesh->ops->ttl)
		mesh->ops->on_message(mesh->state, now, message);
	if (!packet->frame)
		return;
	if (mesh->counts.malformed != before)
		wt_mesh_drop(mesh, now, packet, WT_DROP_ROUTING);
	else
		wt_books_take(&mesh->node, packet->frame);
}

static bool is_message(struct wt_mesh *mesh, struct wt_mesh_packet *packet, struct wt_mesh_message *found)
{
	const struct wt_routing_ops *ops = mesh->ops;

	if (ops->protocol && packet->ip.protocol == ops->protocol && !packet->ip.frag_offset && !packet->ip.more_fragments) {
		*found = (struct wt_mesh_message){.data = wt_frame_own_bytes(packet->frame) + WT_ETH_HEADER + packet->ip.header_len,
						  .len = (uint32_t)packet->ip.total_len - packet->ip.header_len};
		return true;
	}
	*found = (struct wt_mesh_message){0};
	return (packet->dst == WT_MESH_BROADCAST || packet->dst == mesh->number) && wt_mesh_is_datagram(mesh, packet, found);
}

/* A packet with a sound header, by one of our ports. */
static void packet_in(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet)
{
	struct wt_mesh_message found;
	bool from_host = packet->interface == 0;

	if (mesh->kind[packet->interface] == WT_MESH_LINK && is_message(mesh, packet, &found)) {
		message(mesh, now, packet, &found);
		return;
	}
	if (packet->dst == mesh->number && !from_host) {
		wt_mesh_deliver(mesh, now, packet);
		return;
	}
	/* Neither groups nor broadcasts are passed on (RFC 2644, RFC 1812 5.3.7); what the host sends to itself does not come here. */
	if (!wt_source_usable(&packet->ip.dst) || packet->dst == mesh->number) {
		wt_mesh_drop(mesh, now, packet, WT_DROP_UNROUTED);
		return;
	}
	if (from_host || wt_mesh_hop(mesh, now, packet))
		wt_mesh_forward(mesh, now, packet);
}

/* The neighbour that has a hardware address: those of a mesh share the first byte of their addresses (wt_addr_mac()). */
static uint32_t neighbour(const struct wt_mesh *mesh, const uint8_t *mac)
{
	return (mesh->number & 0xff000000) | (wt_get32(mac + 2) & 0xffffff);
}

static void ipv4_in(struct wt_mesh *mesh, unsigned port, wt_time now, struct wt_frame *frame)
{
	static const enum wt_drop causes[] = {
		[WT_IPV4_SHORT] = WT_DROP_SHORT, [WT_IPV4_MALFORMED] = WT_DROP_IP_HEADER, [WT_IPV4_BAD_CSUM] = WT_DROP_IP_CSUM};
	struct wt_mesh_packet packet;
	struct wt_ipv4 ip;
	enum wt_ipv4_error error = wt_ipv4_parse(wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, frame->csum == WT_CSUM_NONE, &ip);

	if (error != WT_IPV4_OK) {
		wt_node_drop(&mesh->node, now, frame, causes[error]);
		return;
	}
	if (!wt_source_usable(&ip.src) || (port && wt_addr_eq(&ip.src, &mesh->address) && ip.protocol != mesh->ops->protocol)) {
		wt_node_drop(&mesh->node, now, frame, WT_DROP_IP_SOURCE);
		return;
	}
	wt_mesh_read(&packet, frame);
	packet.interface = port;
	packet.from = mesh->kind[port] == WT_MESH_LINK ? neighbour(mesh, wt_frame_head(frame) + 6) : 0;
	packet_in(mesh, now, &packet);
}

/* A frame between other stations. What is no sound packet of IPv4 tells nothing. */
static void overheard(struct wt_mesh *mesh, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_mesh_packet packet;
	struct wt_ipv4 ip;

	if (wt_get16(wt_frame_head(frame) + 12) == WT_ETH_IPV4 &&
	    wt_ipv4_parse(wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, frame->csum == WT_CSUM_NONE, &ip) == WT_IPV4_OK) {
		wt_mesh_read(&packet, frame);
		packet.interface = port;
		packet.from = neighbour(mesh, wt_frame_head(frame) + 6);
		mesh->ops->on_overheard(mesh->state, now, &packet);
	}
	wt_books_take(&mesh->node, frame);
}

/* A frame we had sent: its neighbour did not acknowledge it. Nobody waits for messages: they are not sent again. */
static void came_back(struct wt_mesh *mesh, wt_time now, struct wt_frame *frame)
{
	uint32_t next = neighbour(mesh, wt_frame_head(frame));
	struct wt_mesh_message found = {0};
	struct wt_mesh_packet packet = {0};

	mesh->counts.link_failures++;
	if (frame->len < WT_ETH_HEADER + WT_IPV4_HEADER || wt_get16(wt_frame_head(frame) + 12) != WT_ETH_IPV4) {
		wt_node_drop(&mesh->node, now, frame, WT_DROP_NO_ACK);
		return;
	}
	wt_mesh_read(&packet, frame);
	wt_mesh_tell(mesh, now, WT_TRACE_LINK, (uint64_t[5]){next, packet.dst, packet.ip.protocol});
	if (packet.src == mesh->number && wt_mesh_is_datagram(mesh, &packet, &found)) {
		wt_mesh_drop(mesh, now, &packet, WT_DROP_NO_ACK);
		packet.frame = NULL;
	}
	if (mesh->ops->on_link_failure)
		mesh->ops->on_link_failure(mesh->state, now, next, &packet);
	else if (packet.frame)
		wt_mesh_drop(mesh, now, &packet, WT_DROP_NO_ACK);
}

/* Host to link, link to host. */
static void pass(struct wt_mesh *mesh, unsigned port, wt_time now, struct wt_frame *frame)
{
	if (frame->fate == WT_FATE_NO_ACK) {
		mesh->counts.link_failures += port != 0;
		wt_node_drop(&mesh->node, now, frame, WT_DROP_NO_ACK);
		return;
	}
	frame->mark = !port;
	frame->time = now;
	wt_books_keep(&mesh->node, &mesh->net.ready, frame);
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	static const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	struct wt_mesh *mesh = (struct wt_mesh *)node;
	struct wt_eth eth;
	bool to_us, to_all;

	node->audit.in++;
	if (!wt_eth_parse(wt_frame_head(frame), frame->len, &eth)) {
		wt_node_drop(node, now, frame, WT_DROP_SHORT);
		return;
	}
	if (mesh->ops->transparent) {
		pass(mesh, port, now, frame);
		return;
	}
	if (frame->fate == WT_FATE_NO_ACK && port) {
		came_back(mesh, now, frame);
		return;
	}
	to_us = !memcmp(&eth.dst, &mesh->net.interface[port].mac, sizeof(eth.dst));
	to_all = !memcmp(&eth.dst, &everyone, sizeof(eth.dst)) && (eth.type == WT_ETH_ARP || mesh->kind[port] == WT_MESH_LINK);
	if (!to_us && !to_all && mesh->kind[port] == WT_MESH_LINK && mesh->ops->on_overheard && !(eth.dst.bytes[0] & 1))
		overheard(mesh, port, now, frame);
	else if (!to_us && !to_all)
		wt_node_drop(node, now, frame, WT_DROP_NOT_OURS);
	else if (eth.type == WT_ETH_IPV4)
		ipv4_in(mesh, port, now, frame);
	else if (eth.type == WT_ETH_ARP && port == 0)
		answer_host(mesh, now, frame);
	else
		wt_node_drop(node, now, frame, WT_DROP_PROTOCOL);
}

/* ---- what leaves ------------------------------------------------------------------------------------------ */

static wt_time module_deadline(const struct wt_mesh *mesh)
{
	return mesh->ops->deadline ? mesh->ops->deadline(mesh->state) : WT_NEVER;
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_mesh *mesh = (struct wt_mesh *)node;
	struct wt_frame *frame;

	while (module_deadline(mesh) <= now)
		mesh->ops->on_timer(mesh->state, now);
	while ((frame = mesh->later) && frame->time <= now) {
		mesh->later = frame->next;
		wt_frame_queue_push(&mesh->net.ready, frame);
	}
	wt_net_expire(&mesh->net, now);
	frame = wt_books_release(node, &mesh->net.ready);
	if (!frame)
		return NULL;
	node->audit.out++;
	*port = frame->mark;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_mesh *mesh = (const struct wt_mesh *)node;
	wt_time later = mesh->later ? mesh->later->time : WT_NEVER;

	if (mesh->net.ready.head)
		return 0;
	return wt_time_min(wt_net_deadline(&mesh->net), wt_time_min(later, module_deadline(mesh)));
}

/* ---- making ----------------------------------------------------------------------------------------------- */

static void destroy(struct wt_node *node)
{
	struct wt_mesh *mesh = (struct wt_mesh *)node;
	struct wt_frame *frame;

	while ((frame = mesh->later)) {
		mesh->later = frame->next;
		wt_frame_free(frame);
	}
	if (mesh->state && mesh->ops->finish)
		mesh->ops->finish(mesh->state);
	free(mesh->state);
	free(mesh->route);
	wt_net_finish(&mesh->net);
	free(mesh);
}

struct wt_mac wt_mesh_mac(const struct wt_addr *address, unsigned port)
{
	struct wt_mac mac = wt_addr_mac(address);

	if (!port)
		mac.bytes[0] |= 4; /* another than its host's */
	return mac;
}

static int start(struct wt_mesh *mesh, const struct wt_mesh_config *config)
{
	struct wt_net_config net = {.interfaces = config->ports, .forwards = true, .node = &mesh->node, .pool = config->pool,
				    .rate = config->rate};
	int error = wt_net_init(&mesh->net, &net);

	for (unsigned i = 0; i < config->ports && !error; i++) {
		struct wt_mac mac = wt_mesh_mac(&config->address, i);

		wt_net_set_mac(&mesh->net, i, &mac, ANY_MTU);
		mesh->kind[i] = config->kind[i];
		mesh->net.interface[i].wire = config->kind[i] == WT_MESH_WIRE;
		mesh->net.interface[i].known = true;
	}
	if (error)
		return error;
	mesh->state = calloc(1, mesh->ops->state_size + 1);
	if (!mesh->ops->init)
		return mesh->state ? 0 : -ENOMEM;
	return mesh->state ? mesh->ops->init(mesh, mesh->state, config->routing->params) : -ENOMEM;
}

struct wt_node *wt_mesh_create(const struct wt_mesh_config *config)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, NULL};
	struct wt_mesh *mesh = calloc(1, sizeof(*mesh));

	if (!mesh)
		return NULL;
	mesh->node.ops = &ops;
	mesh->node.ports = config->ports;
	snprintf(mesh->node.name, sizeof(mesh->node.name), "%s", config->name);
	mesh->address = config->address;
	mesh->number = wt_mesh_number(&config->address);
	mesh->ops = config->routing->ops;
	mesh->key = wt_key_derive(config->seed, config->name);
	mesh->trace = config->trace;
	mesh->towards_host = config->towards_host.family ? config->towards_host : config->address;
	if (start(mesh, config)) {
		destroy(&mesh->node);
		return NULL;
	}
	return &mesh->node;
}

struct wt_mesh *wt_mesh_of(struct wt_node *node)
{
	return (struct wt_mesh *)node;
}

void wt_mesh_set_wire(struct wt_node *node, unsigned port, const struct wt_mac *mac, const struct wt_mac *peer)
{
	struct wt_mesh *mesh = wt_mesh_of(node);

	wt_net_set_mac(&mesh->net, port, mac, ANY_MTU);
	mesh->net.interface[port].peer = *peer;
}

int wt_mesh_add_network(struct wt_node *node, unsigned port, const struct wt_addr *network, unsigned prefix)
{
	return wt_net_add_route(&wt_mesh_of(node)->net, network, prefix, port, NULL);
}

/* ---- what modules ask ------------------------------------------------------------------------------------- */

uint32_t wt_mesh_address(const struct wt_mesh *mesh)
{
	return mesh->number;
}

bool wt_mesh_serves(const struct wt_mesh *mesh, uint32_t dst)
{
	struct wt_addr addr = wt_mesh_addr(dst);

	return dst == mesh->number || wt_net_look_up(&mesh->net, &addr);
}

bool wt_mesh_network(const struct wt_mesh *mesh, unsigned i, uint32_t *network, unsigned *prefix)
{
	if (i >= mesh->net.routes)
		return false;
	*prefix = mesh->net.route[i].prefix;
	*network = wt_mesh_number(&mesh->net.route[i].network) & (*prefix ? UINT32_MAX << (32 - *prefix) : 0);
	return true;
}

struct wt_mesh_counts *wt_mesh_counts(struct wt_mesh *mesh)
{
	return &mesh->counts;
}

wt_time wt_mesh_random(struct wt_mesh *mesh, wt_time bound)
{
	return bound > 0 ? (wt_time)wt_random_below(&mesh->key, mesh->drawn++, (uint64_t)bound) : 0;
}

void wt_mesh_tell(struct wt_mesh *mesh, wt_time now, unsigned type, const uint64_t field[5])
{
	struct wt_trace_event event = {.time = now, .type = type};

	if (!mesh->trace)
		return;
	memcpy(event.field, field, 5 * sizeof(*field));
	mesh->trace->event(mesh->trace, &event);
}

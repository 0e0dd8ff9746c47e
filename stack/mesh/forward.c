/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets on their way through a mesh node, and messages from it. */
#include "stack/base/bytes.h"
#include "stack/mesh/inside.h"
#include "stack/net/books.h"
#include "stack/wire/packet.h"
#include "stack/wire/udp.h"

void wt_mesh_read(struct wt_mesh_packet *packet, struct wt_frame *frame)
{
	*packet = (struct wt_mesh_packet){.frame = frame};
	wt_ipv4_parse(wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, &packet->ip);
	packet->src = wt_mesh_number(&packet->ip.src);
	packet->dst = wt_mesh_number(&packet->ip.dst);
}

void wt_mesh_drop(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet, enum wt_drop cause)
{
	wt_node_drop(&mesh->node, now, packet->frame, cause);
}

/* ---- ways out --------------------------------------------------------------------------------------------- */

/* Into the list of those that leave later, behind all of the same time. */
static void keep(struct wt_mesh *mesh, struct wt_frame *frame)
{
	struct wt_frame **at = &mesh->later;

	while (*at && (*at)->time <= frame->time)
		at = &(*at)->next;
	frame->next = *at;
	*at = frame;
	mesh->node.audit.queued++;
}

void wt_mesh_transmit(struct wt_mesh *mesh, wt_time now, struct wt_frame *frame, unsigned interface, uint32_t next, wt_time delay)
{
	static const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	struct wt_addr to = wt_mesh_addr(next);
	struct wt_eth eth = {.dst = next == WT_MESH_BROADCAST ? everyone : wt_addr_mac(&to), .type = WT_ETH_IPV4};

	eth.src = mesh->net.interface[interface].mac;
	wt_eth_emit(wt_frame_own_head(frame), &eth);
	frame->mark = (uint8_t)interface;
	frame->fate = WT_FATE_UNDERWAY;
	frame->time = wt_time_add(now, delay);
	if (delay)
		keep(mesh, frame);
	else
		wt_books_keep(&mesh->node, &mesh->net.ready, frame);
}

void wt_mesh_deliver(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet)
{
	mesh->counts.delivered++;
	packet->frame->fate = WT_FATE_UNDERWAY;
	wt_net_deliver(&mesh->net, now, packet->frame, 0, &packet->ip.dst);
}

void wt_mesh_route_packet(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet)
{
	const struct wt_route *wire = wt_net_look_up(&mesh->net, &packet->ip.dst);
	const struct wt_mesh_route *route;

	packet->frame->fate = WT_FATE_UNDERWAY;
	if (wire) {
		wt_net_forward(&mesh->net, now, packet->frame, wire, &packet->ip.dst);
		return;
	}
	route = wt_mesh_valid_route(mesh, now, packet->dst);
	if (route)
		wt_mesh_transmit(mesh, now, packet->frame, route->interface, route->next, 0);
	else if (mesh->ops->on_no_route)
		mesh->ops->on_no_route(mesh->state, now, packet);
	else
		wt_mesh_refuse(mesh, now, packet, WT_REFUSAL_ROUTE, WT_DROP_NO_ROUTE);
}

void wt_mesh_forward(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet)
{
	bool by_wire = wt_net_look_up(&mesh->net, &packet->ip.dst);

	if (by_wire || !mesh->ops->on_forward || !mesh->ops->on_forward(mesh->state, now, packet))
		wt_mesh_route_packet(mesh, now, packet);
}

bool wt_mesh_hop(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet)
{
	uint8_t *head = wt_frame_own_head(packet->frame) + WT_ETH_HEADER;

	if (packet->ip.ttl <= 1) {
		wt_mesh_refuse(mesh, now, packet, WT_REFUSAL_HOPS, WT_DROP_TTL);
		return false;
	}
	packet->ip.ttl = --head[8];
	wt_packet_ipv4_checksum(head);
	mesh->counts.forwarded++;
	return true;
}

void wt_mesh_refuse(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet, enum wt_refusal_kind kind, enum wt_drop cause)
{
	struct wt_refusal refusal = {.kind = kind, .from.ipv4 = packet->src == mesh->number ? mesh->towards_host : mesh->address};
	struct wt_frame *frame = wt_refuse(&mesh->node, &mesh->net.limit, now, packet->frame, &refusal);
	struct wt_mesh_packet answer;

	wt_mesh_drop(mesh, now, packet, cause);
	if (!frame)
		return;
	wt_mesh_read(&answer, frame);
	if (answer.dst == mesh->number)
		wt_mesh_deliver(mesh, now, &answer);
	else
		wt_mesh_forward(mesh, now, &answer);
}

/* ---- messages --------------------------------------------------------------------------------------------- */

struct wt_frame *wt_mesh_make(struct wt_mesh *mesh, wt_time now, const struct wt_ipv4 *ip, uint32_t len)
{
	struct wt_frame *frame = wt_books_make(&mesh->node, mesh->net.config.pool, now);
	struct wt_ipv4 header = *ip;

	if (!frame)
		return NULL;
	if (WT_IP_PAYLOAD + len > frame->room) {
		wt_node_drop(&mesh->node, now, frame, WT_DROP_POOL);
		return NULL;
	}
	header.total_len = (uint16_t)(WT_IPV4_HEADER + len);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &header);
	frame->len = WT_IP_PAYLOAD + len;
	frame->csum = WT_CSUM_VALID;
	return frame;
}

/* From one of our ports where routing runs. */
static void send_by(struct wt_mesh *mesh, wt_time now, unsigned interface, const struct wt_ipv4 *ip, const uint8_t *data, uint32_t len,
		    wt_time delay)
{
	struct wt_udp_header header = {mesh->ops->port, mesh->ops->port, (uint16_t)(WT_UDP_HEADER + len)};
	struct wt_frame *frame = wt_mesh_make(mesh, now, ip, header.len);

	if (!frame)
		return;
	memcpy(wt_mesh_payload(frame) + WT_UDP_HEADER, data, len);
	wt_udp_emit(wt_mesh_payload(frame), &ip->src, &ip->dst, &header);
	mesh->counts.messages_sent++;
	mesh->counts.bytes_sent += frame->len - WT_ETH_HEADER;
	wt_mesh_transmit(mesh, now, frame, interface, wt_mesh_number(&ip->dst), delay);
}

void wt_mesh_send(struct wt_mesh *mesh, wt_time now, unsigned interface, uint32_t dst, uint8_t ttl, const uint8_t *data, uint32_t len,
		  wt_time delay)
{
	const struct wt_ipv4 ip = {.src = mesh->address, .dst = wt_mesh_addr(dst), .ttl = ttl, .protocol = WT_IP_UDP, .dont_fragment = true};

	for (unsigned i = 1; i < mesh->node.ports; i++)
		if (mesh->kind[i] == WT_MESH_LINK && (interface == WT_MESH_ALL || interface == i))
			send_by(mesh, now, i, &ip, data, len, delay);
}

bool wt_mesh_is_datagram(const struct wt_mesh *mesh, const struct wt_mesh_packet *packet, struct wt_mesh_message *message)
{
	uint32_t at = WT_ETH_HEADER + packet->ip.header_len, len = (uint32_t)packet->ip.total_len - packet->ip.header_len;
	struct wt_udp_header udp;
	uint8_t *data;

	if (!mesh->ops->port || packet->ip.protocol != WT_IP_UDP || packet->ip.frag_offset || len < WT_UDP_HEADER ||
	    wt_get16(wt_frame_head(packet->frame) + at + 2) != mesh->ops->port)
		return false;
	data = wt_frame_own_bytes(packet->frame) + at;
	if (packet->ip.more_fragments || !wt_udp_parse(data, len, &packet->ip.src, &packet->ip.dst, packet->frame->csum == WT_CSUM_NONE, &udp)) {
		message->data = NULL;
		return true;
	}
	message->data = data + WT_UDP_HEADER;
	message->len = udp.len - WT_UDP_HEADER;
	return true;
}

void wt_mesh_malformed(struct wt_mesh *mesh)
{
	mesh->counts.malformed++;
}

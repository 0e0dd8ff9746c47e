/* SPDX-License-Identifier: BSD-2-Clause */
/* A mesh node from inside: among the files of this room, not for modules. */
#ifndef WT_STACK_MESH_INSIDE_H
#define WT_STACK_MESH_INSIDE_H

#include "stack/mesh/mesh.h"
#include "stack/net/net.h"

struct wt_mesh {
	struct wt_node node;
	struct wt_net net; /* interfaces are the ports; routes are the networks behind wires */
	enum wt_mesh_port kind[WT_MESH_PORTS];
	struct wt_addr address;
	uint32_t number; /* the same */
	const struct wt_routing_ops *ops;
	void *state;
	struct wt_mesh_route *route;
	unsigned routes, route_room;
	struct wt_frame *later; /* frames that leave at their time, in its order; counted as queued */
	struct wt_key key;
	uint64_t drawn;
	struct wt_mesh_counts counts;
	struct wt_trace_sink *trace;
	struct wt_addr towards_host;
};

/* Is it a datagram of the module's port? *message: its payload. A checksum that is wrong makes it malformed: message->data NULL. */
bool wt_mesh_is_datagram(const struct wt_mesh *mesh, const struct wt_mesh_packet *packet, struct wt_mesh_message *message);
/* On its way: the module may take it, else by its route. */
void wt_mesh_forward(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet);

#endif

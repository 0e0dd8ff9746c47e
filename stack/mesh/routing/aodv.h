/* SPDX-License-Identifier: BSD-2-Clause */
/* AODV from inside: among its files (aodv.c, aodv_routes.c). */
#ifndef WT_STACK_MESH_ROUTING_AODV_H
#define WT_STACK_MESH_ROUTING_AODV_H

#include "stack/mesh/list.h"
#include "stack/mesh/routing.h"
#include "stack/wire/aodv.h"

struct wt_aodv_params {
	uint64_t hello, feedback, repair, requeue, ring, again_threshold, destination_only, gratuitous, weight;
	uint64_t ttl_start, ttl_increment, ttl_threshold, diameter, retries, timeout_buffer;
	uint64_t buffer, rreq_limit, rerr_limit, hello_loss;
	wt_time active, my_route, node_traversal, delete_period, buffer_time, hello_interval, jitter, weight_time;
};

/* What is known of a request that was seen: it is not passed on twice (PATH_DISCOVERY_TIME). */
struct wt_aodv_seen {
	uint32_t orig, id;
	wt_time until;
};

struct wt_aodv_discovery {
	uint32_t dst;
	unsigned ttl, attempts, retries; /* retries: at the full diameter */
	bool repair;                     /* of a way of others, 6.12: asked for once */
	uint32_t hops;                   /* before it broke */
	wt_time due;
};

struct wt_aodv_precursor {
	uint32_t dst, neighbour;
};

struct wt_aodv_heard {
	uint32_t neighbour;
	wt_time until;
};

/* A frame that the link layer gave up. */
struct wt_aodv_lost {
	uint32_t neighbour;
	wt_time until; /* it weighs on the link */
};

struct wt_aodv {
	struct wt_mesh *mesh;
	struct wt_aodv_params params;
	struct wt_mesh_buffer buffer;
	uint32_t seq, rreq_id;
	struct wt_list seen, discoveries, precursors, heard, lost;
	struct wt_rate rreqs, rerrs;
	wt_time hello_due, spoke; /* spoke: the last broadcast */
	struct wt_aodv_rerr rerr; /* being put together */
};

/* May it be the address of a station? */
bool wt_aodv_is_host(uint32_t addr);
/* What is known of a destination: what expired meanwhile has become invalid with the next number (6.1), or is forgotten. */
const struct wt_mesh_route *wt_aodv_known(struct wt_aodv *aodv, wt_time now, uint32_t dst);
const struct wt_mesh_route *wt_aodv_valid(struct wt_aodv *aodv, wt_time now, uint32_t dst);
/* A way as a message tells of it (6.2). It is taken if it is newer, or better; lasts at least as long if it is the same. */
void wt_aodv_learn(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_route *told);
/* Whoever sends to us is a neighbour. */
void wt_aodv_hear(struct wt_aodv *aodv, wt_time now, uint32_t neighbour, unsigned interface);
/* A neighbour whose hellos were heard, and from which something came (6.9: any packet). */
void wt_aodv_still_there(struct wt_aodv *aodv, wt_time now, uint32_t neighbour);
/*
 * The length of a way that a neighbour tells, as it is from here: a hop more. By weights it is the weight of the link more, at most 255, and
 * "hops" of messages and routes are sums of weights. A link weighs 1, and 1 more for each frame to this neighbour that the link layer gave
 * up within weight-time, at most WT_AODV_HEAVIEST. Every weight is at least 1: so along a way the sum still falls at each station, which is
 * all that the rule of sequence numbers needs of hops (no loop).
 */
#define WT_AODV_HEAVIEST 8
uint8_t wt_aodv_further(struct wt_aodv *aodv, wt_time now, uint8_t hops, uint32_t neighbour);
/* A frame to a neighbour was given up. */
void wt_aodv_lost(struct wt_aodv *aodv, wt_time now, uint32_t neighbour);
void wt_aodv_break_route(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_route *route, uint32_t seq);
void wt_aodv_add_precursor(struct wt_aodv *aodv, uint32_t dst, uint32_t neighbour);
/* Errors (6.11): what is lost is noted, then told to the neighbours that used these ways. */
void wt_aodv_note_lost(struct wt_aodv *aodv, uint32_t dst, uint32_t seq);
void wt_aodv_tell_lost(struct wt_aodv *aodv, wt_time now);
/* A packet came for which we know no way: its neighbour is told. */
void wt_aodv_tell_no_way(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet);
void wt_aodv_on_error(struct wt_aodv *aodv, wt_time now, uint32_t from, const uint8_t *data);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The route cache of DSR (RFC 4728 section 4.1): paths that begin at this station. */
#ifndef WT_STACK_MESH_ROUTING_DSR_H
#define WT_STACK_MESH_ROUTING_DSR_H

#include "stack/mesh/list.h"
#include "stack/mesh/routing.h"
#include "stack/wire/dsr.h"

struct wt_dsr_cache {
	struct wt_mesh *mesh;
	struct wt_list paths;
	uint64_t limit;
	wt_time lifetime;
};

/* A way from us over these stations to the last of them. One with a station twice, or with us, is no path. */
void wt_dsr_cache_add(struct wt_dsr_cache *cache, wt_time now, const uint32_t *station, unsigned count);
/* The shortest way, the newest of equals: the stations between, and the destination as the last. False: none. */
bool wt_dsr_cache_find(struct wt_dsr_cache *cache, wt_time now, uint32_t dst, struct wt_dsr_addresses *over);
/* A link broke: what lies behind it is not known any more. */
void wt_dsr_cache_break(struct wt_dsr_cache *cache, wt_time now, uint32_t from, uint32_t to);
void wt_dsr_cache_finish(struct wt_dsr_cache *cache);

#endif

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
/* A whole way from `first` over these to the last, or 0: what lies behind us on it, and what lies before us the other way round. */
void wt_dsr_cache_learn(struct wt_dsr_cache *cache, wt_time now, uint32_t first, const struct wt_dsr_addresses *over, uint32_t last);
/* The same of a way that we are not on, heard from a station of it: ours begin with that station (3.3.1). */
void wt_dsr_cache_learn_from(struct wt_dsr_cache *cache, wt_time now, uint32_t from, uint32_t first, const struct wt_dsr_addresses *over,
			     uint32_t last);
/* The shortest way, the newest of equals: the stations between, and the destination as the last. False: none. */
bool wt_dsr_cache_find(struct wt_dsr_cache *cache, wt_time now, uint32_t dst, struct wt_dsr_addresses *over);
/* A link broke: what lies behind it is not known any more. */
void wt_dsr_cache_break(struct wt_dsr_cache *cache, wt_time now, uint32_t from, uint32_t to);
void wt_dsr_cache_finish(struct wt_dsr_cache *cache);

#endif

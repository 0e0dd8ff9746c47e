/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/mesh/routing/dsr.h"
#include "stack/text/trace.h"

struct path {
	struct wt_dsr_addresses over;
	wt_time used;
};

static bool is_path(const struct wt_dsr_cache *cache, const uint32_t *station, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (station[i] == wt_mesh_address(cache->mesh))
			return false;
		for (unsigned k = 0; k < i; k++)
			if (station[k] == station[i])
				return false;
	}
	return count && count <= WT_DSR_MOST;
}

static void expire(struct wt_dsr_cache *cache, wt_time now)
{
	struct path *path = cache->paths.at;

	for (unsigned i = cache->paths.count; i-- > 0;)
		if (path[i].used + cache->lifetime <= now || !path[i].over.count)
			wt_list_take(&cache->paths, i, sizeof(*path));
}

/* One that makes room: the one used the longest ago. */
static struct path *place(struct wt_dsr_cache *cache)
{
	struct path *path = cache->paths.at, *oldest = path;

	if (cache->paths.count < cache->limit)
		return wt_list_add(&cache->paths, sizeof(*path));
	for (unsigned i = 1; i < cache->paths.count; i++)
		if (path[i].used < oldest->used)
			oldest = &path[i];
	return oldest;
}

void wt_dsr_cache_add(struct wt_dsr_cache *cache, wt_time now, const uint32_t *station, unsigned count)
{
	struct path *path = cache->paths.at;

	if (!is_path(cache, station, count))
		return;
	expire(cache, now);
	for (unsigned i = 0; i < cache->paths.count; i++) {
		unsigned shorter = path[i].over.count < count ? path[i].over.count : count;

		if (memcmp(path[i].over.at, station, shorter * sizeof(*station)))
			continue;
		if (count > shorter) /* it goes on where one that is known ends */
			memcpy(path[i].over.at, station, count * sizeof(*station));
		path[i].over.count = count > shorter ? count : path[i].over.count;
		path[i].used = now;
		return;
	}
	path = place(cache);
	if (!path)
		return;
	*path = (struct path){.over.count = count, .used = now};
	memcpy(path->over.at, station, count * sizeof(*station));
	wt_mesh_tell(cache->mesh, now, WT_TRACE_ROUTE, (uint64_t[5]){station[count - 1], station[0], count, 0, 1});
}

/* All stations of a way, and where one of them is: at most at the count of them. */
static unsigned lay_out(uint32_t all[WT_DSR_MOST + 2], unsigned *count, uint32_t first, const struct wt_dsr_addresses *over, uint32_t last,
			uint32_t station)
{
	unsigned at;

	*count = 0;
	all[(*count)++] = first;
	for (unsigned i = 0; i < over->count; i++)
		all[(*count)++] = over->at[i];
	if (last)
		all[(*count)++] = last;
	for (at = 0; at < *count && all[at] != station; at++)
		;
	return at;
}

void wt_dsr_cache_learn(struct wt_dsr_cache *cache, wt_time now, uint32_t first, const struct wt_dsr_addresses *over, uint32_t last)
{
	uint32_t all[WT_DSR_MOST + 2], back[WT_DSR_MOST + 2];
	unsigned count, at = lay_out(all, &count, first, over, last, wt_mesh_address(cache->mesh));

	if (at == count)
		return;
	for (unsigned i = 0; i < at; i++)
		back[i] = all[at - 1 - i];
	wt_dsr_cache_add(cache, now, back, at);
	wt_dsr_cache_add(cache, now, all + at + 1, count - at - 1);
}

void wt_dsr_cache_learn_from(struct wt_dsr_cache *cache, wt_time now, uint32_t from, uint32_t first, const struct wt_dsr_addresses *over,
			     uint32_t last)
{
	uint32_t all[WT_DSR_MOST + 2], back[WT_DSR_MOST + 2];
	unsigned count, at = lay_out(all, &count, first, over, last, from);

	if (at == count)
		return;
	for (unsigned i = 0; i <= at; i++)
		back[i] = all[at - i];
	wt_dsr_cache_add(cache, now, all + at, count - at);
	wt_dsr_cache_add(cache, now, back, at + 1);
}

bool wt_dsr_cache_find(struct wt_dsr_cache *cache, wt_time now, uint32_t dst, struct wt_dsr_addresses *over)
{
	struct path *path, *found = NULL;

	expire(cache, now);
	path = cache->paths.at;
	over->count = 0;
	for (unsigned i = 0; i < cache->paths.count; i++)
		for (unsigned k = 0; k < path[i].over.count; k++) {
			if (path[i].over.at[k] != dst || (found && (k + 1 > over->count || (k + 1 == over->count && path[i].used <= found->used))))
				continue;
			found = &path[i];
			over->count = k + 1;
		}
	if (!found)
		return false;
	found->used = now;
	memcpy(over->at, found->over.at, over->count * sizeof(*over->at));
	return true;
}

void wt_dsr_cache_break(struct wt_dsr_cache *cache, wt_time now, uint32_t from, uint32_t to)
{
	struct path *path = cache->paths.at;

	for (unsigned i = 0; i < cache->paths.count; i++) {
		uint32_t at = wt_mesh_address(cache->mesh);

		for (unsigned k = 0; k < path[i].over.count; at = path[i].over.at[k++]) {
			if (at != from || path[i].over.at[k] != to)
				continue;
			wt_mesh_tell(cache->mesh, now, WT_TRACE_ROUTE,
				     (uint64_t[5]){path[i].over.at[path[i].over.count - 1], path[i].over.at[0], path[i].over.count, 0, 0});
			path[i].over.count = k;
			break;
		}
	}
	expire(cache, now);
}

void wt_dsr_cache_finish(struct wt_dsr_cache *cache)
{
	free(cache->paths.at);
}

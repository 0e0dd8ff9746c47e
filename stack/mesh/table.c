/* SPDX-License-Identifier: BSD-2-Clause */
/* The routes of a mesh node, in order of their destinations, and the one call that writes them. */
#include <stdlib.h>
#include <string.h>

#include "stack/mesh/inside.h"

/* The place of a destination, or where it would stand. */
static unsigned place(const struct wt_mesh *mesh, uint32_t dst)
{
	unsigned low = 0, high = mesh->routes;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (mesh->route[middle].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct wt_mesh_route *find(const struct wt_mesh *mesh, uint32_t dst)
{
	unsigned at = place(mesh, dst);

	return at < mesh->routes && mesh->route[at].dst == dst ? &mesh->route[at] : NULL;
}

const struct wt_mesh_route *wt_mesh_route(const struct wt_mesh *mesh, uint32_t dst)
{
	return find(mesh, dst);
}

const struct wt_mesh_route *wt_mesh_valid_route(const struct wt_mesh *mesh, wt_time now, uint32_t dst)
{
	const struct wt_mesh_route *route = find(mesh, dst);

	return route && route->valid && route->expires > now ? route : NULL;
}

unsigned wt_mesh_routes(const struct wt_mesh *mesh)
{
	return mesh->routes;
}

const struct wt_mesh_route *wt_mesh_route_at(const struct wt_mesh *mesh, unsigned i)
{
	return &mesh->route[i];
}

/*
 * The loop check. No way leads over ourselves. Where destinations number their routes (DSDV, AODV), along every way the pair (number,
 * -hops) grows: so a way in use, or remembered with a number, gives place only to one of a newer number, or of the same number and
 * fewer hops, or as many after it broke. The destination itself as the next hop cannot be part of a loop.
 */
static bool may_write(const struct wt_mesh *mesh, wt_time now, const struct wt_mesh_route *old, const struct wt_mesh_route *new)
{
	int32_t newer;

	if (new->dst == mesh->number || (new->valid && (new->next == mesh->number || !new->next)))
		return false;
	if (!mesh->ops->ordered || !new->valid || !old || !old->seq_known || new->next == new->dst)
		return true;
	if (!new->seq_known)
		return false;
	newer = (int32_t)(new->seq - old->seq);
	if (newer || (old->valid && old->next == new->next && old->hops == new->hops))
		return newer >= 0;
	return old->valid && old->expires > now ? new->hops < old->hops : new->hops <= old->hops || !old->valid;
}

static bool grow(struct wt_mesh *mesh)
{
	unsigned room = mesh->route_room ? 2 * mesh->route_room : 16;
	struct wt_mesh_route *route;

	if (mesh->routes < mesh->route_room)
		return true;
	route = malloc(room * sizeof(*route));
	if (!route)
		return false;
	if (mesh->routes)
		memcpy(route, mesh->route, mesh->routes * sizeof(*route));
	free(mesh->route);
	mesh->route = route;
	mesh->route_room = room;
	return true;
}

/* Does the journal want to know? Not of a mere extension of time. */
static bool is_news(const struct wt_mesh_route *old, const struct wt_mesh_route *new)
{
	return !old ? new->valid : old->valid != new->valid || (new->valid && (old->next != new->next || old->hops != new->hops));
}

bool wt_mesh_set_route(struct wt_mesh *mesh, wt_time now, const struct wt_mesh_route *new)
{
	struct wt_mesh_route *old = find(mesh, new->dst);
	unsigned at = place(mesh, new->dst);
	bool news = is_news(old, new);

	if (!may_write(mesh, now, old, new) || (!old && !grow(mesh))) {
		mesh->counts.routes_refused++;
		return false;
	}
	if (!old) {
		memmove(&mesh->route[at + 1], &mesh->route[at], (mesh->routes - at) * sizeof(*mesh->route));
		mesh->routes++;
	}
	mesh->route[at] = *new;
	mesh->counts.routes_written++;
	if (news)
		wt_mesh_tell(mesh, now, WT_TRACE_ROUTE, (uint64_t[5]){new->dst, new->next, new->hops, new->seq, new->valid});
	return true;
}

void wt_mesh_keep_route(struct wt_mesh *mesh, uint32_t dst, wt_time expires)
{
	struct wt_mesh_route *route = find(mesh, dst);

	if (route && route->valid && route->expires < expires)
		route->expires = expires;
}

void wt_mesh_forget_route(struct wt_mesh *mesh, uint32_t dst)
{
	struct wt_mesh_route *route = find(mesh, dst);

	if (!route)
		return;
	mesh->routes--;
	memmove(route, route + 1, (size_t)(mesh->route + mesh->routes - route) * sizeof(*route));
}

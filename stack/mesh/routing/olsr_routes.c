/* SPDX-License-Identifier: BSD-2-Clause */
/* What OLSR computes from what it heard: multipoint relays (RFC 3626 section 8.3.1) and ways (section 10). */
#include "stack/mesh/routing/olsr.h"

enum { WILL_NEVER = 0, WILL_ALWAYS = 7 };

struct wt_olsr_neighbour *wt_olsr_find(struct wt_olsr *olsr, uint32_t addr)
{
	struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;

	for (unsigned i = 0; i < olsr->neighbours.count; i++)
		if (neighbour[i].addr == addr)
			return &neighbour[i];
	return NULL;
}

bool wt_olsr_is_sym(const struct wt_olsr_neighbour *neighbour, wt_time now)
{
	return neighbour && neighbour->sym > now;
}

/* ---- relays ----------------------------------------------------------------------------------------------- */

/* May a relay be chosen for it: reached over a neighbour that is willing, and neither us nor a neighbour itself? */
static bool counts(struct wt_olsr *olsr, wt_time now, const struct wt_olsr_two_hop *two)
{
	const struct wt_olsr_neighbour *over = wt_olsr_find(olsr, two->neighbour);

	return wt_olsr_is_sym(over, now) && over->willingness != WILL_NEVER && two->addr != wt_mesh_address(olsr->mesh) &&
	       !wt_olsr_is_sym(wt_olsr_find(olsr, two->addr), now);
}

/* Is it reached by one that was chosen? `only`: by none but this neighbour? */
static bool covered(struct wt_olsr *olsr, wt_time now, uint32_t addr)
{
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;

	for (unsigned i = 0; i < olsr->two_hops.count; i++)
		if (two[i].addr == addr && counts(olsr, now, &two[i]) && wt_olsr_find(olsr, two[i].neighbour)->mpr)
			return true;
	return false;
}

static unsigned ways_to(struct wt_olsr *olsr, wt_time now, uint32_t addr)
{
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;
	unsigned ways = 0;

	for (unsigned i = 0; i < olsr->two_hops.count; i++)
		ways += two[i].addr == addr && counts(olsr, now, &two[i]);
	return ways;
}

/* Stations behind a neighbour: D(y) of all, or of those that are not yet covered. */
static unsigned reach(struct wt_olsr *olsr, wt_time now, uint32_t neighbour, bool all)
{
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;
	unsigned count = 0;

	for (unsigned i = 0; i < olsr->two_hops.count; i++)
		if (two[i].neighbour == neighbour && counts(olsr, now, &two[i]))
			count += all || !covered(olsr, now, two[i].addr);
	return count;
}

/* The neighbour to choose next: the most willing, then who covers most, then who has most neighbours; NULL: all are covered. */
static struct wt_olsr_neighbour *best(struct wt_olsr *olsr, wt_time now)
{
	struct wt_olsr_neighbour *neighbour = olsr->neighbours.at, *found = NULL;
	unsigned found_new = 0, found_all = 0;

	for (unsigned i = 0; i < olsr->neighbours.count; i++) {
		unsigned new = wt_olsr_is_sym(&neighbour[i], now) && !neighbour[i].mpr ? reach(olsr, now, neighbour[i].addr, false) : 0, all;

		if (!new)
			continue;
		all = reach(olsr, now, neighbour[i].addr, true);
		if (!found || neighbour[i].willingness > found->willingness ||
		    (neighbour[i].willingness == found->willingness && (new > found_new || (new == found_new && all > found_all)))) {
			found = &neighbour[i];
			found_new = new;
			found_all = all;
		}
	}
	return found;
}

void wt_olsr_choose_relays(struct wt_olsr *olsr, wt_time now)
{
	struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;

	for (unsigned i = 0; i < olsr->neighbours.count; i++)
		neighbour[i].mpr = wt_olsr_is_sym(&neighbour[i], now) && neighbour[i].willingness == WILL_ALWAYS;
	for (unsigned i = 0; i < olsr->two_hops.count; i++) /* the only way to somebody */
		if (counts(olsr, now, &two[i]) && ways_to(olsr, now, two[i].addr) == 1)
			wt_olsr_find(olsr, two[i].neighbour)->mpr = true;
	while ((neighbour = best(olsr, now)))
		neighbour->mpr = true;
}

/* ---- ways ------------------------------------------------------------------------------------------------- */

struct ways {
	struct wt_mesh_route *at;
	unsigned count;
};

static const struct wt_mesh_route *find_way(const struct ways *ways, uint32_t dst)
{
	for (unsigned i = 0; i < ways->count; i++)
		if (ways->at[i].dst == dst)
			return &ways->at[i];
	return NULL;
}

static void add_way(const struct wt_olsr *olsr, struct ways *ways, uint32_t dst, uint32_t next, unsigned interface, uint32_t hops)
{
	if (dst != wt_mesh_address(olsr->mesh) && !find_way(ways, dst))
		ways->at[ways->count++] = (struct wt_mesh_route){.dst = dst, .next = next, .interface = interface, .hops = hops, .valid = true,
								 .expires = WT_NEVER};
}

/* Breadth first: neighbours, those behind them, then hop by hop along what TCs told. */
static void find_ways(struct wt_olsr *olsr, wt_time now, struct ways *ways)
{
	const struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;
	const struct wt_olsr_edge *edge = olsr->edges.at;

	for (unsigned i = 0; i < olsr->neighbours.count; i++)
		if (wt_olsr_is_sym(&neighbour[i], now))
			add_way(olsr, ways, neighbour[i].addr, neighbour[i].addr, neighbour[i].interface, 1);
	for (unsigned i = 0; i < olsr->two_hops.count; i++)
		if (counts(olsr, now, &two[i])) {
			const struct wt_mesh_route *over = find_way(ways, two[i].neighbour);

			add_way(olsr, ways, two[i].addr, over->next, over->interface, 2);
		}
	for (unsigned hops = 2, before = 0; before != ways->count; hops++) {
		before = ways->count;
		for (unsigned i = 0; i < olsr->edges.count; i++) {
			const struct wt_mesh_route *over = find_way(ways, edge[i].last);

			if (over && over->hops == hops)
				add_way(olsr, ways, edge[i].dst, over->next, over->interface, hops + 1);
		}
	}
}

/* A way is written if it is another than before; one that is found no more is forgotten, and told to the journal as invalid. */
void wt_olsr_write_routes(struct wt_olsr *olsr, wt_time now)
{
	size_t most = (size_t)olsr->neighbours.count + olsr->two_hops.count + olsr->edges.count + 1;
	struct ways ways = {.at = calloc(most, sizeof(*ways.at))};

	if (!ways.at)
		return;
	find_ways(olsr, now, &ways);
	for (unsigned i = wt_mesh_routes(olsr->mesh); i-- > 0;) {
		struct wt_mesh_route old = *wt_mesh_route_at(olsr->mesh, i);

		if (find_way(&ways, old.dst))
			continue;
		old.valid = false;
		wt_mesh_set_route(olsr->mesh, now, &old);
		wt_mesh_forget_route(olsr->mesh, old.dst);
	}
	for (unsigned i = 0; i < ways.count; i++) {
		const struct wt_mesh_route *old = wt_mesh_route(olsr->mesh, ways.at[i].dst);

		if (!old || old->next != ways.at[i].next || old->hops != ways.at[i].hops)
			wt_mesh_set_route(olsr->mesh, now, &ways.at[i]);
	}
	free(ways.at);
}

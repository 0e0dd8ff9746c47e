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

/* One that counts: over which neighbour, and which station, by the number of the first entry about it. */
struct behind {
	unsigned over, station;
};

/* The stations behind our neighbours while relays are chosen. By number of a station: how many neighbours lead to it, is one of them chosen? */
struct choice {
	struct wt_olsr_neighbour *neighbour;
	struct behind *behind;
	unsigned *ways, count;
	bool *covered;
};

static void take_behind(struct wt_olsr *olsr, wt_time now, struct choice *choice)
{
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;

	for (unsigned i = 0; i < olsr->two_hops.count; i++) {
		struct behind *one = &choice->behind[choice->count];

		if (!counts(olsr, now, &two[i]))
			continue;
		one->over = (unsigned)(wt_olsr_find(olsr, two[i].neighbour) - choice->neighbour);
		for (one->station = 0; two[one->station].addr != two[i].addr; one->station++)
			;
		choice->ways[one->station]++;
		choice->count++;
	}
}

static void choose(struct choice *choice, unsigned neighbour)
{
	choice->neighbour[neighbour].mpr = true;
	for (unsigned i = 0; i < choice->count; i++)
		if (choice->behind[i].over == neighbour)
			choice->covered[choice->behind[i].station] = true;
}

/* The neighbour to choose next: the most willing, then who covers most, then who has most neighbours. False: all are covered. */
static bool choose_best(struct choice *choice, unsigned neighbours)
{
	unsigned found = neighbours, found_new = 0, found_all = 0;

	for (unsigned k = 0; k < neighbours; k++) {
		unsigned new = 0, all = 0;

		for (unsigned i = 0; i < choice->count; i++)
			if (choice->behind[i].over == k) {
				all++;
				new += !choice->covered[choice->behind[i].station];
			}
		if (!new || choice->neighbour[k].mpr)
			continue;
		if (found == neighbours || choice->neighbour[k].willingness > choice->neighbour[found].willingness ||
		    (choice->neighbour[k].willingness == choice->neighbour[found].willingness &&
		     (new > found_new || (new == found_new && all > found_all)))) {
			found = k;
			found_new = new;
			found_all = all;
		}
	}
	if (found < neighbours)
		choose(choice, found);
	return found < neighbours;
}

static void choose_all(struct wt_olsr *olsr, wt_time now, struct choice *choice)
{
	take_behind(olsr, now, choice);
	for (unsigned i = 0; i < olsr->neighbours.count; i++)
		if (wt_olsr_is_sym(&choice->neighbour[i], now) && choice->neighbour[i].willingness == WILL_ALWAYS)
			choose(choice, i);
	for (unsigned i = 0; i < choice->count; i++) /* the only way to somebody */
		if (choice->ways[choice->behind[i].station] == 1)
			choose(choice, choice->behind[i].over);
	while (choose_best(choice, olsr->neighbours.count))
		;
}

static void choose_relays(struct wt_olsr *olsr, wt_time now)
{
	size_t most = olsr->two_hops.count + 1u;
	struct choice choice = {.neighbour = olsr->neighbours.at, .behind = calloc(most, sizeof(*choice.behind)),
				.ways = calloc(most, sizeof(*choice.ways)), .covered = calloc(most, sizeof(*choice.covered))};

	if (choice.behind && choice.ways && choice.covered) { /* else those of before go on */
		for (unsigned i = 0; i < olsr->neighbours.count; i++)
			choice.neighbour[i].mpr = false;
		choose_all(olsr, now, &choice);
	}
	free(choice.behind);
	free(choice.ways);
	free(choice.covered);
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
static void write_routes(struct wt_olsr *olsr, wt_time now)
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

/* ---- both ------------------------------------------------------------------------------------------------- */

/* FNV-1a over numbers. */
static void mix(uint64_t *mark, uint64_t number)
{
	*mark = (*mark ^ number) * 0x100000001b3;
}

/* Of everything that relays and ways depend on, in its order, which decides among equals. */
static uint64_t mark_of(const struct wt_olsr *olsr, wt_time now)
{
	const struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	const struct wt_olsr_two_hop *two = olsr->two_hops.at;
	const struct wt_olsr_edge *edge = olsr->edges.at;
	uint64_t mark = 0xcbf29ce484222325;

	for (unsigned i = 0; i < olsr->neighbours.count; i++) {
		mix(&mark, neighbour[i].addr);
		mix(&mark, neighbour[i].interface * 16ull + neighbour[i].willingness * 2ull + wt_olsr_is_sym(&neighbour[i], now));
	}
	mix(&mark, olsr->neighbours.count);
	for (unsigned i = 0; i < olsr->two_hops.count; i++)
		mix(&mark, (uint64_t)two[i].neighbour << 32 | two[i].addr);
	mix(&mark, olsr->two_hops.count);
	for (unsigned i = 0; i < olsr->edges.count; i++)
		mix(&mark, (uint64_t)edge[i].last << 32 | edge[i].dst);
	mix(&mark, olsr->edges.count);
	return mark | 1;
}

void wt_olsr_settle(struct wt_olsr *olsr, wt_time now)
{
	uint64_t mark = mark_of(olsr, now);

	if (mark == olsr->known)
		return;
	olsr->known = mark;
	choose_relays(olsr, now);
	write_routes(olsr, now);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The routes of AODV, who uses them, and errors. */
#include "stack/mesh/routing/aodv.h"

bool wt_aodv_is_host(uint32_t addr)
{
	struct wt_addr typed = wt_mesh_addr(addr);

	return wt_source_usable(&typed);
}

/* ---- routes ----------------------------------------------------------------------------------------------- */

void wt_aodv_break_route(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_route *route, uint32_t seq)
{
	struct wt_mesh_route broken = *route;

	broken.valid = false;
	broken.seq = seq;
	broken.expires = wt_time_add(now, aodv->params.delete_period);
	wt_mesh_set_route(aodv->mesh, now, &broken);
}

const struct wt_mesh_route *wt_aodv_known(struct wt_aodv *aodv, wt_time now, uint32_t dst)
{
	const struct wt_mesh_route *route = wt_mesh_route(aodv->mesh, dst);

	if (route && route->valid && route->expires <= now)
		wt_aodv_break_route(aodv, route->expires, route, route->seq + 1);
	route = wt_mesh_route(aodv->mesh, dst);
	if (route && route->expires <= now) {
		wt_mesh_forget_route(aodv->mesh, dst);
		return NULL;
	}
	return route;
}

const struct wt_mesh_route *wt_aodv_valid(struct wt_aodv *aodv, wt_time now, uint32_t dst)
{
	const struct wt_mesh_route *route = wt_aodv_known(aodv, now, dst);

	return route && route->valid ? route : NULL;
}

void wt_aodv_learn(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_route *told)
{
	const struct wt_mesh_route *old = wt_aodv_known(aodv, now, told->dst);
	struct wt_mesh_route new = *told;
	int32_t newer;

	new.valid = true;
	if (old && old->valid && old->expires > new.expires)
		new.expires = old->expires;
	if (old && old->seq_known && told->seq_known) {
		newer = (int32_t)(told->seq - old->seq);
		if (newer < 0)
			return;
		if (newer == 0 && old->valid && told->hops >= old->hops) {
			if (old->next == told->next && old->hops == told->hops)
				wt_mesh_keep_route(aodv->mesh, told->dst, told->expires);
			return;
		}
	} else if (old && old->seq_known) { /* a neighbour heard: the number stays */
		new.seq = old->seq;
		new.seq_known = true;
	}
	wt_mesh_set_route(aodv->mesh, now, &new);
}

/* ---- weights of links ------------------------------------------------------------------------------------- */

static unsigned weight(struct wt_aodv *aodv, wt_time now, uint32_t neighbour)
{
	struct wt_aodv_lost *lost = aodv->lost.at;
	unsigned weight = 1;

	while (aodv->lost.count && lost[0].until <= now) /* they came in order of time */
		wt_list_take(&aodv->lost, 0, sizeof(*lost));
	for (unsigned i = 0; i < aodv->lost.count; i++)
		weight += lost[i].neighbour == neighbour;
	return weight < WT_AODV_HEAVIEST ? weight : WT_AODV_HEAVIEST;
}

uint8_t wt_aodv_further(struct wt_aodv *aodv, wt_time now, uint8_t hops, uint32_t neighbour)
{
	unsigned sum = hops + (aodv->params.weight ? weight(aodv, now, neighbour) : 1);

	return sum < UINT8_MAX ? (uint8_t)sum : UINT8_MAX;
}

void wt_aodv_lost(struct wt_aodv *aodv, wt_time now, uint32_t neighbour)
{
	struct wt_aodv_lost *lost = aodv->params.weight && weight(aodv, now, neighbour) < WT_AODV_HEAVIEST ? wt_list_add(&aodv->lost, sizeof(*lost)) : NULL;

	if (lost)
		*lost = (struct wt_aodv_lost){neighbour, wt_time_add(now, aodv->params.weight_time)};
}

void wt_aodv_still_there(struct wt_aodv *aodv, wt_time now, uint32_t neighbour)
{
	struct wt_aodv_heard *heard = aodv->heard.at;

	for (unsigned i = 0; i < aodv->heard.count; i++)
		if (heard[i].neighbour == neighbour)
			heard[i].until = wt_time_add(now, (wt_time)aodv->params.hello_loss * aodv->params.hello_interval);
}

void wt_aodv_hear(struct wt_aodv *aodv, wt_time now, uint32_t neighbour, unsigned interface)
{
	const struct wt_mesh_route told = {.dst = neighbour, .next = neighbour, .hops = wt_aodv_further(aodv, now, 0, neighbour),
					   .interface = interface, .expires = wt_time_add(now, aodv->params.active)};
	const struct wt_mesh_route *old = aodv->params.weight ? wt_aodv_valid(aodv, now, neighbour) : NULL;

	if (wt_aodv_is_host(neighbour) && (!old || old->hops >= told.hops)) /* else there is a lighter way to it */
		wt_aodv_learn(aodv, now, &told);
	wt_aodv_still_there(aodv, now, neighbour);
}

void wt_aodv_add_precursor(struct wt_aodv *aodv, uint32_t dst, uint32_t neighbour)
{
	struct wt_aodv_precursor *precursor = aodv->precursors.at;

	for (unsigned i = 0; i < aodv->precursors.count; i++)
		if (precursor[i].dst == dst && precursor[i].neighbour == neighbour)
			return;
	precursor = wt_list_add(&aodv->precursors, sizeof(*precursor));
	if (precursor)
		*precursor = (struct wt_aodv_precursor){dst, neighbour};
}

/* ---- errors (6.11) ---------------------------------------------------------------------------------------- */

void wt_aodv_note_lost(struct wt_aodv *aodv, uint32_t dst, uint32_t seq)
{
	if (aodv->rerr.count == WT_AODV_RERR_MOST)
		return;
	aodv->rerr.lost[aodv->rerr.count].dst = dst;
	aodv->rerr.lost[aodv->rerr.count++].seq = seq;
}

static bool is_lost(const struct wt_aodv *aodv, uint32_t dst)
{
	for (unsigned i = 0; i < aodv->rerr.count; i++)
		if (aodv->rerr.lost[i].dst == dst)
			return true;
	return false;
}

/* Sends what was noted to the neighbours that used these ways: to one alone, or to all. They are precursors no more, unless it is repaired. */
void wt_aodv_tell_lost(struct wt_aodv *aodv, wt_time now)
{
	struct wt_aodv_precursor *precursor = aodv->precursors.at;
	uint8_t data[WT_AODV_RERR_LEN];
	uint32_t to = 0;

	for (unsigned i = aodv->precursors.count; i-- > 0;) {
		if (!is_lost(aodv, precursor[i].dst))
			continue;
		to = !to || to == precursor[i].neighbour ? precursor[i].neighbour : WT_MESH_BROADCAST;
		if (!(aodv->rerr.flags & WT_AODV_NO_DELETE))
			wt_list_take(&aodv->precursors, i, sizeof(*precursor));
	}
	if (to && to != WT_MESH_BROADCAST && !wt_aodv_valid(aodv, now, to))
		to = WT_MESH_BROADCAST;
	if (to && wt_rate_may(&aodv->rerrs, aodv->params.rerr_limit, now)) {
		const struct wt_mesh_route *route = wt_mesh_route(aodv->mesh, to);

		wt_mesh_send(aodv->mesh, now, to == WT_MESH_BROADCAST ? WT_MESH_ALL : route->interface, to, 1, data,
			     wt_aodv_emit_rerr(data, &aodv->rerr), 0);
	}
	aodv->rerr.count = aodv->rerr.flags = 0;
}

void wt_aodv_tell_no_way(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet)
{
	const struct wt_mesh_route *route = wt_aodv_known(aodv, now, packet->dst);

	wt_aodv_note_lost(aodv, packet->dst, route && route->seq_known ? route->seq : 0);
	if (packet->from)
		wt_aodv_add_precursor(aodv, packet->dst, packet->from);
	wt_aodv_tell_lost(aodv, now);
}

void wt_aodv_on_error(struct wt_aodv *aodv, wt_time now, uint32_t from, const uint8_t *data)
{
	struct wt_aodv_rerr rerr;

	wt_aodv_parse_rerr(data, &rerr);
	for (unsigned i = 0; i < rerr.count; i++) {
		const struct wt_mesh_route *route = wt_aodv_valid(aodv, now, rerr.lost[i].dst);

		/* it is about us: others count further than we do, and would take what we ask for old news */
		if (rerr.lost[i].dst == wt_mesh_address(aodv->mesh) && (int32_t)(rerr.lost[i].seq - aodv->seq) > 0)
			aodv->seq = rerr.lost[i].seq;
		if (!route || route->next != from)
			continue;
		wt_aodv_note_lost(aodv, rerr.lost[i].dst, rerr.lost[i].seq);
		if (!(rerr.flags & WT_AODV_NO_DELETE))
			wt_aodv_break_route(aodv, now, route, rerr.lost[i].seq);
	}
	aodv->rerr.flags = rerr.flags & WT_AODV_NO_DELETE;
	wt_aodv_tell_lost(aodv, now);
}

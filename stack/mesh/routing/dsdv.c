/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DSDV (Perkins and Bhagwat 1994): every station tells its neighbours all ways it knows, from time to time, and what changed, at once. A
 * destination numbers its own entry, by two; who finds a link broken makes the number odd and the metric infinite. A newer number wins; of
 * equal ones the shorter way. A way that came with a newer number over a longer path is used at once and told of only after the settling
 * time: a better one of the same number usually follows.
 *
 * A link is broken if nothing was heard of a neighbour for three periods; the link layer is asked only with `feedback=on`. Packets without
 * a way wait in a short buffer. The paper has no packet format: stack/wire/dsdv.h. Of what lies behind a station only single addresses are
 * told of, with its own number; networks are not.
 */
#include "stack/mesh/list.h"
#include "stack/mesh/routing.h"
#include "stack/wire/dsdv.h"

struct params {
	uint64_t misses, triggered, feedback, buffer;
	wt_time period, settling, trigger_gap, jitter, start, buffer_time;
	double weight;
};

static const struct params defaults = {
	.misses = 3, .triggered = 1, .buffer = 5,
	.period = 15 * WT_S, .settling = 6 * WT_S, .trigger_gap = WT_S, .jitter = 10 * WT_MS, .start = 2 * WT_S, .buffer_time = 30 * WT_S,
	.weight = 0.875,
};

/* What is known of a destination beside its route. */
struct about {
	uint32_t dst;
	bool changed;       /* since it was told of */
	wt_time tell_at;    /* not before: it settles */
	wt_time number_at;  /* when its newest number was first heard */
	wt_time settling;   /* how long after that the best way used to come, on average */
	wt_time heard;      /* of a neighbour: its last update; 0: none */
};

struct dsdv {
	struct wt_mesh *mesh;
	struct params params;
	struct wt_mesh_buffer buffer;
	uint32_t seq;
	struct wt_list about;
	wt_time full_due, part_due, part_last;
};

static struct about *about(struct dsdv *dsdv, uint32_t dst)
{
	struct about *at = dsdv->about.at;

	for (unsigned i = 0; i < dsdv->about.count; i++)
		if (at[i].dst == dst)
			return &at[i];
	at = wt_list_add(&dsdv->about, sizeof(*at));
	if (at)
		*at = (struct about){.dst = dst, .settling = dsdv->params.settling};
	return at;
}

/* ---- telling ---------------------------------------------------------------------------------------------- */

static void send(struct dsdv *dsdv, wt_time now, uint8_t *data, unsigned kind, unsigned count)
{
	wt_mesh_send(dsdv->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, 1, data, wt_dsdv_finish(data, kind, count),
		     wt_mesh_random(dsdv->mesh, dsdv->params.jitter));
}

/* Ourselves, and addresses behind us. */
static unsigned tell_own(struct dsdv *dsdv, uint8_t *data)
{
	uint32_t network;
	unsigned count = 0, prefix;

	wt_dsdv_emit(data, count++, &(struct wt_dsdv_entry){wt_mesh_address(dsdv->mesh), dsdv->seq, 0});
	for (unsigned i = 0; wt_mesh_network(dsdv->mesh, i, &network, &prefix) && count < WT_DSDV_MOST / 2; i++)
		if (prefix == 32)
			wt_dsdv_emit(data, count++, &(struct wt_dsdv_entry){network, dsdv->seq, 1});
	return count;
}

/* All that is known, or what changed and has settled; ourselves first. */
static void tell(struct dsdv *dsdv, wt_time now, unsigned kind)
{
	uint8_t data[WT_DSDV_HEADER + WT_DSDV_ENTRY * WT_DSDV_MOST];
	unsigned count = tell_own(dsdv, data);

	for (unsigned i = 0; i < wt_mesh_routes(dsdv->mesh); i++) {
		const struct wt_mesh_route *route = wt_mesh_route_at(dsdv->mesh, i);
		struct about *known = about(dsdv, route->dst);
		struct wt_dsdv_entry entry = {route->dst, route->seq, route->valid ? (uint8_t)route->hops : WT_DSDV_NO_WAY};

		if (!known || !route->seq_known || known->tell_at > now || (kind == WT_DSDV_PART && !known->changed))
			continue;
		known->changed = false;
		wt_dsdv_emit(data, count++, &entry);
		if (count == WT_DSDV_MOST) {
			send(dsdv, now, data, kind, count);
			count = 0;
		}
	}
	if (count)
		send(dsdv, now, data, kind, count);
}

/* An update of what changed, soon, but not too often. */
static void trigger(struct dsdv *dsdv, wt_time now)
{
	if (dsdv->params.triggered)
		dsdv->part_due = wt_time_min(dsdv->part_due, wt_time_max(now, dsdv->part_last + dsdv->params.trigger_gap));
}

/* ---- hearing ---------------------------------------------------------------------------------------------- */

/* No way any more: told at once, with an odd number, so that all who come over us know. */
static void lose(struct dsdv *dsdv, wt_time now, const struct wt_mesh_route *route, uint32_t seq)
{
	struct wt_mesh_route lost = *route;
	struct about *known = about(dsdv, route->dst);

	lost.valid = false;
	lost.seq = seq;
	lost.expires = WT_NEVER;
	wt_mesh_set_route(dsdv->mesh, now, &lost);
	if (!known)
		return;
	known->changed = true;
	known->tell_at = now;
	trigger(dsdv, now);
}

static void lose_neighbour(struct dsdv *dsdv, wt_time now, uint32_t neighbour)
{
	for (unsigned i = 0; i < wt_mesh_routes(dsdv->mesh); i++) {
		const struct wt_mesh_route route = *wt_mesh_route_at(dsdv->mesh, i);

		if (route.valid && route.next == neighbour)
			lose(dsdv, now, &route, route.seq | 1);
	}
}

/* A way over `packet->src`, newer or shorter than the one known. */
static void take(struct dsdv *dsdv, wt_time now, const struct wt_mesh_packet *packet, const struct wt_dsdv_entry *entry,
		 const struct wt_mesh_route *old)
{
	struct wt_mesh_route route = {.dst = entry->dst, .next = packet->src, .interface = packet->interface, .seq = entry->seq, .seq_known = true,
				      .hops = entry->metric + 1u, .valid = true, .expires = WT_NEVER};
	bool newer = !old || old->seq != entry->seq, was = old && old->valid, longer = was && route.hops > old->hops;
	bool news = !was || route.hops != old->hops;
	struct about *known = about(dsdv, entry->dst);

	if (!wt_mesh_set_route(dsdv->mesh, now, &route) || !known)
		return;
	if (newer)
		known->number_at = now;
	else /* a better way of the same number: so long it took */
		known->settling = (wt_time)(dsdv->params.weight * (double)known->settling + (1 - dsdv->params.weight) * (double)(now - known->number_at));
	known->tell_at = newer && longer ? now + 2 * known->settling : now;
	known->changed = known->changed || news;
	if (news && known->tell_at <= now)
		trigger(dsdv, now);
	else if (news)
		dsdv->part_due = wt_time_min(dsdv->part_due, known->tell_at);
	if (!was)
		wt_mesh_buffer_send(&dsdv->buffer, now, entry->dst);
}

static void hear(struct dsdv *dsdv, wt_time now, const struct wt_mesh_packet *packet, const struct wt_dsdv_entry *entry)
{
	const struct wt_mesh_route *old = wt_mesh_route(dsdv->mesh, entry->dst);
	int32_t newer = old ? (int32_t)(entry->seq - old->seq) : 1;

	if (wt_mesh_serves(dsdv->mesh, entry->dst)) {
		if ((int32_t)(entry->seq - dsdv->seq) > 0) { /* somebody lost us: we are here */
			dsdv->seq = (entry->seq | 1) + 1;
			trigger(dsdv, now);
		}
		return;
	}
	if (entry->metric >= WT_DSDV_NO_WAY - 1) {
		struct about *known;

		if (old && old->valid && old->next == packet->src && newer > 0) {
			lose(dsdv, now, old, entry->seq);
		} else if (old && old->valid && newer < 0 && (known = about(dsdv, entry->dst))) { /* we know better, and say so */
			known->changed = true;
			trigger(dsdv, now);
		}
		return;
	}
	if (newer > 0 || (newer == 0 && (!old->valid || entry->metric + 1u < old->hops)))
		take(dsdv, now, packet, entry, old);
}

static void dsdv_message(void *state, wt_time now, struct wt_mesh_message *message)
{
	struct dsdv *dsdv = state;
	int count = wt_dsdv_count(message->data, message->len);
	struct wt_dsdv_entry entry;
	struct about *neighbour;

	for (int i = 0; i < count; i++) {
		struct wt_addr addr;

		wt_dsdv_parse(message->data, (unsigned)i, &entry);
		addr = wt_mesh_addr(entry.dst);
		if (!wt_source_usable(&addr) || (entry.metric < WT_DSDV_NO_WAY && entry.seq & 1))
			count = -1;
	}
	if (count < 0) {
		wt_mesh_malformed(dsdv->mesh);
		return;
	}
	neighbour = about(dsdv, message->packet->src);
	if (neighbour)
		neighbour->heard = now;
	for (int i = 0; i < count; i++) {
		wt_dsdv_parse(message->data, (unsigned)i, &entry);
		hear(dsdv, now, message->packet, &entry);
	}
}

/* ---- packets and time ------------------------------------------------------------------------------------- */

static void dsdv_no_route(void *state, wt_time now, struct wt_mesh_packet *packet)
{
	struct dsdv *dsdv = state;

	if (wt_mesh_serves(dsdv->mesh, packet->src))
		wt_mesh_buffer_put(&dsdv->buffer, now, packet);
	else
		wt_mesh_refuse(dsdv->mesh, now, packet, WT_REFUSAL_HOST, WT_DROP_NO_ROUTE);
}

static void dsdv_link_failure(void *state, wt_time now, uint32_t next, struct wt_mesh_packet *packet)
{
	struct dsdv *dsdv = state;

	if (dsdv->params.feedback)
		lose_neighbour(dsdv, now, next);
	if (packet->frame)
		wt_mesh_drop(dsdv->mesh, now, packet, WT_DROP_NO_ACK);
}

static wt_time silence(const struct dsdv *dsdv)
{
	return (wt_time)dsdv->params.misses * dsdv->params.period;
}

static wt_time dsdv_deadline(const void *state)
{
	const struct dsdv *dsdv = state;
	const struct about *at = dsdv->about.at;
	wt_time due = wt_time_min(wt_mesh_buffer_deadline(&dsdv->buffer), wt_time_min(dsdv->full_due, dsdv->part_due));

	for (unsigned i = 0; i < dsdv->about.count; i++)
		if (at[i].heard)
			due = wt_time_min(due, at[i].heard + silence(dsdv));
	return due;
}

/* The next time at which something settles that has to be told. */
static wt_time settles(const struct dsdv *dsdv, wt_time now)
{
	const struct about *at = dsdv->about.at;
	wt_time due = WT_NEVER;

	for (unsigned i = 0; i < dsdv->about.count; i++)
		if (at[i].changed && at[i].tell_at > now)
			due = wt_time_min(due, at[i].tell_at);
	return due;
}

static void dsdv_timer(void *state, wt_time now)
{
	struct dsdv *dsdv = state;
	struct about *at = dsdv->about.at;

	wt_mesh_buffer_expire(&dsdv->buffer, now);
	for (unsigned i = 0; i < dsdv->about.count; i++) {
		at = dsdv->about.at; /* it may have moved */
		if (at[i].heard && at[i].heard + silence(dsdv) <= now) {
			at[i].heard = 0;
			lose_neighbour(dsdv, now, at[i].dst);
		}
	}
	if (dsdv->full_due <= now) {
		dsdv->seq += 2;
		tell(dsdv, now, WT_DSDV_FULL);
		dsdv->full_due = now + dsdv->params.period - dsdv->params.period / 16 + wt_mesh_random(dsdv->mesh, dsdv->params.period / 8);
		dsdv->part_last = now;
		dsdv->part_due = settles(dsdv, now);
	} else if (dsdv->part_due <= now) {
		tell(dsdv, now, WT_DSDV_PART);
		dsdv->part_last = now;
		dsdv->part_due = settles(dsdv, now);
	}
}

static int dsdv_init(struct wt_mesh *mesh, void *state, const void *params)
{
	struct dsdv *dsdv = state;

	dsdv->mesh = mesh;
	dsdv->params = *(const struct params *)params;
	dsdv->buffer = (struct wt_mesh_buffer){.mesh = mesh, .limit = dsdv->params.buffer, .lifetime = dsdv->params.buffer_time};
	dsdv->full_due = wt_mesh_random(mesh, dsdv->params.start);
	dsdv->part_due = WT_NEVER;
	dsdv->part_last = -dsdv->params.trigger_gap;
	return 0;
}

static void dsdv_finish(void *state)
{
	struct dsdv *dsdv = state;

	wt_mesh_buffer_clear(&dsdv->buffer);
	free(dsdv->about.at);
}

#define AT(field) offsetof(struct params, field)

static const struct wt_param rows[] = {
	{"period", WT_PARAM_TIME, AT(period), "between full updates, a sixteenth more or less", (double)WT_MS, 1e15},
	{"misses", WT_PARAM_COUNT, AT(misses), "periods without an update that break a link", 1, 1000},
	{"triggered", WT_PARAM_BOOL, AT(triggered), "what changed is told at once"},
	{"trigger-gap", WT_PARAM_TIME, AT(trigger_gap), "between two such updates, at least", (double)WT_MS, 1e15},
	{"settling", WT_PARAM_TIME, AT(settling), "settling time of a destination at the start", 0, 1e15},
	{"weight", WT_PARAM_SHARE, AT(weight), "of the past in the average of settling times"},
	{"feedback", WT_PARAM_BOOL, AT(feedback), "the link layer's word breaks links, too"},
	{"start", WT_PARAM_TIME, AT(start), "the first full update comes within this time", 0, 1e15},
	{"jitter", WT_PARAM_TIME, AT(jitter), "an update is sent after a time below this", 0, 1e12},
	{"buffer", WT_PARAM_COUNT, AT(buffer), "packets of our own that wait for a way, at most", 0, 100000},
	{"buffer-time", WT_PARAM_TIME, AT(buffer_time), "that a packet waits for a way", (double)WT_MS, 1e15},
};

const struct wt_routing_ops wt_routing_dsdv = {
	.name = "dsdv",
	.text = "all ways, told to neighbours from time to time, with sequence numbers (Perkins and Bhagwat 1994)",
	.params = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
	.params_size = sizeof(struct params),
	.params_default = &defaults,
	.state_size = sizeof(struct dsdv),
	.port = WT_DSDV_PORT,
	.ordered = true,
	.init = dsdv_init,
	.finish = dsdv_finish,
	.on_message = dsdv_message,
	.on_no_route = dsdv_no_route,
	.on_link_failure = dsdv_link_failure,
	.deadline = dsdv_deadline,
	.on_timer = dsdv_timer,
};

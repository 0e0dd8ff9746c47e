/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AODV (RFC 3561): who needs a way asks for it in growing rings; whoever knows one answers; routes carry the destination's own sequence
 * number, so that no loop forms. A link is known to be broken by the link layer's word (6.10, the usual one here), or by hellos not heard.
 *
 * Defaults of times and rings are those of the studies (ns-2's); RFC 3561 section 10 has others, which the help of each parameter names.
 * Left out: blacklists and RREP-ACK (6.8: links of the air are the same both ways), multicast (J), subnets (7), and the wait after a
 * reboot (6.13: a node starts with its run). Where 6.5 would write a reverse route whatever its number, the rule of 6.2 decides.
 */
#include "stack/mesh/routing/aodv.h"
#include "stack/text/trace.h"

static const struct wt_aodv_params defaults = {
	.feedback = 1, .repair = 1, .ring = 1,
	.ttl_start = 5, .ttl_increment = 2, .ttl_threshold = 7, .diameter = 30, .retries = 3, .timeout_buffer = 2,
	.buffer = 64, .rreq_limit = 10, .rerr_limit = 10, .hello_loss = 2,
	.active = 10 * WT_S, .my_route = 10 * WT_S, .node_traversal = 30 * WT_MS, .delete_period = 15 * WT_S, .buffer_time = 30 * WT_S,
	.hello_interval = WT_S, .jitter = 10 * WT_MS, .weight_time = 10 * WT_S,
};

enum { LOCAL_ADD_TTL = 2, MAX_HOPS = 255 };

static wt_time net_traversal(const struct wt_aodv *aodv)
{
	return 2 * aodv->params.node_traversal * (wt_time)aodv->params.diameter;
}

/* ---- requests --------------------------------------------------------------------------------------------- */

static struct wt_aodv_discovery *find_discovery(struct wt_aodv *aodv, uint32_t dst)
{
	struct wt_aodv_discovery *discovery = aodv->discoveries.at;

	for (unsigned i = 0; i < aodv->discoveries.count; i++)
		if (discovery[i].dst == dst)
			return &discovery[i];
	return NULL;
}

static void end_discovery(struct wt_aodv *aodv, const struct wt_aodv_discovery *discovery)
{
	wt_list_take(&aodv->discoveries, (unsigned)(discovery - (struct wt_aodv_discovery *)aodv->discoveries.at), sizeof(*discovery));
}

/* Was it seen before? From now on it is. */
static bool seen(struct wt_aodv *aodv, wt_time now, uint32_t orig, uint32_t id)
{
	struct wt_aodv_seen *seen = aodv->seen.at;

	while (aodv->seen.count && seen[0].until <= now) /* they came in order of time */
		wt_list_take(&aodv->seen, 0, sizeof(*seen));
	for (unsigned i = 0; i < aodv->seen.count; i++)
		if (seen[i].orig == orig && seen[i].id == id)
			return true;
	seen = wt_list_add(&aodv->seen, sizeof(*seen));
	if (seen)
		*seen = (struct wt_aodv_seen){orig, id, wt_time_add(now, 2 * net_traversal(aodv))};
	return false;
}

static void ask(struct wt_aodv *aodv, wt_time now, struct wt_aodv_discovery *discovery)
{
	const struct wt_mesh_route *route = wt_aodv_known(aodv, now, discovery->dst);
	struct wt_aodv_rreq rreq = {.id = ++aodv->rreq_id, .dst = discovery->dst, .orig = wt_mesh_address(aodv->mesh)};
	const struct wt_aodv_params *params = &aodv->params;
	uint8_t data[WT_AODV_RREQ_LEN];

	if (!wt_rate_may(&aodv->rreqs, params->rreq_limit, now)) {
		discovery->due = aodv->rreqs.since + WT_S;
		return;
	}
	discovery->attempts++;
	rreq.orig_seq = ++aodv->seq;
	rreq.dst_seq = route && route->seq_known ? route->seq : 0;
	rreq.flags = (uint8_t)((route && route->seq_known ? 0 : WT_AODV_UNKNOWN_SEQ) | (params->destination_only ? WT_AODV_DESTINATION_ONLY : 0) |
			       (params->gratuitous ? WT_AODV_GRATUITOUS : 0));
	wt_aodv_emit_rreq(data, &rreq);
	seen(aodv, now, rreq.orig, rreq.id);
	aodv->spoke = now;
	wt_mesh_counts(aodv->mesh)->discoveries++;
	wt_mesh_tell(aodv->mesh, now, WT_TRACE_DISCOVERY, (uint64_t[5]){discovery->dst, discovery->ttl, discovery->attempts});
	wt_mesh_send(aodv->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, (uint8_t)discovery->ttl, data, sizeof(data), 0);
	if (discovery->ttl >= params->diameter)
		discovery->due = now + (net_traversal(aodv) << (discovery->retries < 8 ? discovery->retries : 8));
	else
		discovery->due = now + 2 * params->node_traversal * (wt_time)(discovery->ttl + params->timeout_buffer);
}

/* The ring after one of `ttl` hops (6.4): wider by an increment until the threshold is reached, then the whole net. */
static unsigned wider(const struct wt_aodv_params *params, unsigned ttl)
{
	return (unsigned)(ttl < params->ttl_threshold && ttl + params->ttl_increment < params->diameter ? ttl + params->ttl_increment
													: params->diameter);
}

/* The first ring behind a lost way of `hops`: by 6.4 wider by an increment, however long it was; in ns-2 the threshold holds here, too. */
static unsigned again(const struct wt_aodv_params *params, unsigned hops)
{
	return params->again_threshold ? wider(params, hops) : (unsigned)(hops + params->ttl_increment);
}

static void discover(struct wt_aodv *aodv, wt_time now, uint32_t dst, unsigned ttl, bool repair, uint32_t hops)
{
	const struct wt_aodv_params *params = &aodv->params;
	struct wt_aodv_discovery *discovery;

	if (find_discovery(aodv, dst) || !(discovery = wt_list_add(&aodv->discoveries, sizeof(*discovery))))
		return;
	if (!params->ring || ttl > params->diameter)
		ttl = (unsigned)params->diameter;
	*discovery = (struct wt_aodv_discovery){.dst = dst, .ttl = ttl, .repair = repair, .hops = hops};
	ask(aodv, now, discovery);
}

/* Nobody answered in time: a wider ring, the whole net again, or the end. */
static void discovery_due(struct wt_aodv *aodv, wt_time now, struct wt_aodv_discovery *discovery)
{
	const struct wt_aodv_params *params = &aodv->params;
	struct wt_aodv_discovery old = *discovery;

	if (discovery->attempts && (discovery->repair || discovery->retries >= params->retries)) {
		end_discovery(aodv, discovery);
		wt_mesh_buffer_refuse(&aodv->buffer, now, old.dst);
		if (old.repair) {
			const struct wt_mesh_route *route = wt_aodv_known(aodv, now, old.dst);

			wt_aodv_note_lost(aodv, old.dst, route ? route->seq : 0);
			wt_aodv_tell_lost(aodv, now);
		}
		return;
	}
	if (discovery->attempts && discovery->ttl >= params->diameter) {
		discovery->retries++;
	} else if (discovery->attempts) {
		discovery->ttl = wider(params, discovery->ttl);
	}
	ask(aodv, now, discovery);
}

/* ---- replies ---------------------------------------------------------------------------------------------- */

static void reply_by(struct wt_aodv *aodv, wt_time now, const struct wt_aodv_rrep *rrep, const struct wt_mesh_route *back)
{
	uint8_t data[WT_AODV_RREP_LEN];

	wt_aodv_emit_rrep(data, rrep);
	wt_mesh_send(aodv->mesh, now, back->interface, back->next, (uint8_t)(back->hops < MAX_HOPS ? back->hops : MAX_HOPS), data, sizeof(data), 0);
}

static void reply(struct wt_aodv *aodv, wt_time now, const struct wt_aodv_rrep *rrep, uint32_t to)
{
	const struct wt_mesh_route *back = wt_aodv_valid(aodv, now, to);

	if (back)
		reply_by(aodv, now, rrep, back);
}

static uint32_t ms(wt_time time)
{
	return (uint32_t)(time / WT_MS);
}

/*
 * As the destination (6.6.1), or for a network behind us. By weights each copy of a request is answered to the neighbour that it came from:
 * what a link weighs its sender alone knows, so the answers find the lightest way. To pass lighter copies of requests on, too, would double
 * the flood: among 225 stations three quarters of the data were lost by that.
 */
static void reply_ourselves(struct wt_aodv *aodv, wt_time now, const struct wt_aodv_rreq *rreq, const struct wt_mesh_route *copy)
{
	struct wt_aodv_rrep rrep = {.dst = rreq->dst, .orig = rreq->orig, .lifetime_ms = ms(aodv->params.my_route)};

	if (!(rreq->flags & WT_AODV_UNKNOWN_SEQ) && (int32_t)(rreq->dst_seq - aodv->seq) > 0)
		aodv->seq = rreq->dst_seq; /* 6.1 */
	rrep.dst_seq = aodv->seq;
	if (aodv->params.weight)
		reply_by(aodv, now, &rrep, copy);
	else
		reply(aodv, now, &rrep, rreq->orig);
}

/* As one on the way (6.6.2), who may let the destination know, too (6.6.3). */
static void reply_for(struct wt_aodv *aodv, wt_time now, const struct wt_aodv_rreq *rreq, const struct wt_mesh_route *found)
{
	const struct wt_mesh_route route = *found, *back = wt_aodv_valid(aodv, now, rreq->orig);
	struct wt_aodv_rrep rrep = {.hops = (uint8_t)route.hops, .dst = rreq->dst, .dst_seq = route.seq, .orig = rreq->orig,
				    .lifetime_ms = ms(route.expires - now)};

	if (!back)
		return;
	wt_aodv_add_precursor(aodv, route.dst, back->next);
	wt_aodv_add_precursor(aodv, rreq->orig, route.next);
	if (rreq->flags & WT_AODV_GRATUITOUS)
		reply(aodv, now, &(struct wt_aodv_rrep){.hops = (uint8_t)back->hops, .dst = rreq->orig, .dst_seq = rreq->orig_seq, .orig = rreq->dst,
							.lifetime_ms = ms(back->expires - now)}, rreq->dst);
	reply(aodv, now, &rrep, rreq->orig);
}

static void on_request(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet, const uint8_t *data)
{
	const struct wt_mesh_route *route;
	struct wt_aodv_rreq rreq;
	struct wt_mesh_route back;
	uint8_t copy[WT_AODV_RREQ_LEN];
	bool again, ours;

	wt_aodv_parse_rreq(data, &rreq);
	if (!wt_aodv_is_host(rreq.orig) || !wt_aodv_is_host(rreq.dst) || rreq.hops == MAX_HOPS) {
		wt_mesh_malformed(aodv->mesh);
		return;
	}
	wt_aodv_hear(aodv, now, packet->src, packet->interface);
	if (rreq.orig == wt_mesh_address(aodv->mesh))
		return;
	again = seen(aodv, now, rreq.orig, rreq.id);
	rreq.hops = wt_aodv_further(aodv, now, rreq.hops, packet->src);
	ours = wt_mesh_serves(aodv->mesh, rreq.dst);
	if (again && !(aodv->params.weight && ours))
		return;
	back = (struct wt_mesh_route){.dst = rreq.orig, .next = packet->src, .hops = rreq.hops, .interface = packet->interface, .seq = rreq.orig_seq,
				      .seq_known = true};
	back.expires = now + 2 * net_traversal(aodv) - 2 * rreq.hops * aodv->params.node_traversal;
	back.expires = wt_time_max(back.expires, now + (aodv->params.weight ? net_traversal(aodv) : aodv->params.node_traversal));
	wt_aodv_learn(aodv, now, &back);
	if (ours) {
		reply_ourselves(aodv, now, &rreq, &back);
		return;
	}
	route = wt_aodv_valid(aodv, now, rreq.dst);
	if (route && route->seq_known && !(rreq.flags & WT_AODV_DESTINATION_ONLY) && route->next != packet->src &&
	    (rreq.flags & WT_AODV_UNKNOWN_SEQ || (int32_t)(route->seq - rreq.dst_seq) >= 0)) {
		reply_for(aodv, now, &rreq, route);
		return;
	}
	if (packet->ip.ttl <= 1 || rreq.hops == MAX_HOPS)
		return;
	route = wt_aodv_known(aodv, now, rreq.dst);
	if (route && route->seq_known && (rreq.flags & WT_AODV_UNKNOWN_SEQ || (int32_t)(route->seq - rreq.dst_seq) > 0)) {
		rreq.dst_seq = route->seq;
		rreq.flags &= (uint8_t)~WT_AODV_UNKNOWN_SEQ;
	}
	wt_aodv_emit_rreq(copy, &rreq);
	aodv->spoke = now;
	wt_mesh_send(aodv->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, packet->ip.ttl - 1, copy, sizeof(copy),
		     wt_mesh_random(aodv->mesh, aodv->params.jitter));
}

/* There is a way: whatever waited for it leaves. A repaired one that became longer is told of (6.12). */
static void found_way(struct wt_aodv *aodv, wt_time now, uint32_t dst)
{
	struct wt_aodv_discovery *discovery = find_discovery(aodv, dst);
	const struct wt_mesh_route *route = wt_aodv_valid(aodv, now, dst);

	if (!route)
		return;
	if (discovery && discovery->repair && route->hops > discovery->hops) {
		aodv->rerr.flags = WT_AODV_NO_DELETE;
		wt_aodv_note_lost(aodv, dst, route->seq);
		wt_aodv_tell_lost(aodv, now);
	}
	if (discovery)
		end_discovery(aodv, discovery);
	wt_mesh_buffer_send(&aodv->buffer, now, dst);
}

static void on_hello(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet, const struct wt_mesh_route *told)
{
	struct wt_aodv_heard *heard = aodv->heard.at;

	wt_aodv_learn(aodv, now, told);
	for (unsigned i = 0; i < aodv->heard.count; i++)
		if (heard[i].neighbour == packet->src)
			return;
	heard = aodv->params.hello ? wt_list_add(&aodv->heard, sizeof(*heard)) : NULL;
	if (!heard)
		return;
	heard->neighbour = packet->src;
	wt_aodv_still_there(aodv, now, packet->src);
}

static void on_reply(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet, const uint8_t *data)
{
	const struct wt_mesh_route *back;
	struct wt_aodv_rrep rrep;
	struct wt_mesh_route told;

	wt_aodv_parse_rrep(data, &rrep);
	if (!wt_aodv_is_host(rrep.dst) || rrep.hops == MAX_HOPS) {
		wt_mesh_malformed(aodv->mesh);
		return;
	}
	wt_aodv_hear(aodv, now, packet->src, packet->interface);
	rrep.hops = wt_aodv_further(aodv, now, rrep.hops, packet->src);
	told = (struct wt_mesh_route){.dst = rrep.dst, .next = packet->src, .hops = rrep.hops, .interface = packet->interface, .seq = rrep.dst_seq,
				      .seq_known = true, .expires = now + rrep.lifetime_ms * WT_MS};
	if (packet->dst == WT_MESH_BROADCAST && rrep.dst == packet->src) {
		on_hello(aodv, now, packet, &told);
		return;
	}
	if (wt_mesh_serves(aodv->mesh, rrep.dst))
		return;
	wt_aodv_learn(aodv, now, &told);
	if (rrep.hops < MAX_HOPS && rrep.orig != wt_mesh_address(aodv->mesh) && (back = wt_aodv_valid(aodv, now, rrep.orig))) {
		const struct wt_mesh_route *way = wt_aodv_valid(aodv, now, rrep.dst);

		wt_aodv_add_precursor(aodv, rrep.dst, back->next);
		if (way) /* both ways are used now (6.7) */
			wt_aodv_add_precursor(aodv, rrep.orig, way->next);
		wt_mesh_keep_route(aodv->mesh, rrep.orig, now + aodv->params.active);
		reply(aodv, now, &rrep, rrep.orig);
	}
	found_way(aodv, now, rrep.dst);
}

static void aodv_message(void *state, wt_time now, struct wt_mesh_message *message)
{
	struct wt_aodv *aodv = state;

	switch (wt_aodv_type(message->data, message->len)) {
	case WT_AODV_RREQ:
		on_request(aodv, now, message->packet, message->data);
		break;
	case WT_AODV_RREP:
		on_reply(aodv, now, message->packet, message->data);
		break;
	case WT_AODV_RERR:
		wt_aodv_on_error(aodv, now, message->packet->src, message->data);
		break;
	case WT_AODV_RREP_ACK: /* we ask for none */
		break;
	default:
		wt_mesh_malformed(aodv->mesh);
	}
}

/* ---- packets of data -------------------------------------------------------------------------------------- */

/* A way that is used lasts, and so does the one back (6.2). */
static bool aodv_forward(void *state, wt_time now, struct wt_mesh_packet *packet)
{
	struct wt_aodv *aodv = state;
	wt_time until = wt_time_add(now, aodv->params.active);
	const struct wt_mesh_route *route = wt_aodv_valid(aodv, now, packet->dst);

	if (packet->from)
		wt_aodv_still_there(aodv, now, packet->from);
	if (!route)
		return false;
	wt_mesh_keep_route(aodv->mesh, packet->dst, until);
	if (wt_aodv_valid(aodv, now, route->next))
		wt_mesh_keep_route(aodv->mesh, route->next, until);
	if (packet->from && wt_aodv_valid(aodv, now, packet->src))
		wt_mesh_keep_route(aodv->mesh, packet->src, until);
	if (packet->from && wt_aodv_valid(aodv, now, packet->from))
		wt_mesh_keep_route(aodv->mesh, packet->from, until);
	return false;
}

static void aodv_no_route(void *state, wt_time now, struct wt_mesh_packet *packet)
{
	struct wt_aodv *aodv = state;
	const struct wt_mesh_route *route = wt_aodv_known(aodv, now, packet->dst);
	uint32_t dst = packet->dst;

	if (!wt_mesh_serves(aodv->mesh, packet->src) && !find_discovery(aodv, dst)) {
		wt_aodv_tell_no_way(aodv, now, packet);
		wt_mesh_refuse(aodv->mesh, now, packet, WT_REFUSAL_HOST, WT_DROP_NO_ROUTE);
		return;
	}
	wt_mesh_buffer_put(&aodv->buffer, now, packet);
	discover(aodv, now, dst, route && route->hops ? again(&aodv->params, route->hops) : (unsigned)aodv->params.ttl_start, false, 0);
}

/* May we mend it? It is nearer to its end than to its source, and near (MAX_REPAIR_TTL, section 10). */
static bool may_repair(struct wt_aodv *aodv, wt_time now, const struct wt_mesh_packet *packet, const struct wt_mesh_route *route)
{
	const struct wt_mesh_route *source = packet->frame ? wt_mesh_route(aodv->mesh, packet->src) : NULL;

	return aodv->params.repair && packet->frame && route && route->seq_known && !wt_mesh_serves(aodv->mesh, packet->src) &&
	       route->hops * 10 <= 3 * aodv->params.diameter && source && route->hops <= source->hops;
}

/* All ways over a neighbour are broken (6.11); `spared`: the one that is repaired. */
static void break_link(struct wt_aodv *aodv, wt_time now, uint32_t next, uint32_t spared)
{
	for (unsigned i = 0; i < wt_mesh_routes(aodv->mesh); i++) {
		const struct wt_mesh_route route = *wt_mesh_route_at(aodv->mesh, i);

		if (!route.valid || route.expires <= now || route.next != next)
			continue;
		wt_aodv_break_route(aodv, now, &route, route.seq + 1);
		if (route.dst != spared)
			wt_aodv_note_lost(aodv, route.dst, route.seq + 1);
	}
	wt_aodv_tell_lost(aodv, now);
}

static void aodv_link_failure(void *state, wt_time now, uint32_t next, struct wt_mesh_packet *packet)
{
	struct wt_aodv *aodv = state;
	const struct wt_mesh_route *found = packet->frame ? wt_mesh_route(aodv->mesh, packet->dst) : NULL;
	struct wt_mesh_route route = found ? *found : (struct wt_mesh_route){0};
	bool ours = packet->frame && wt_mesh_serves(aodv->mesh, packet->src), repair;

	wt_aodv_lost(aodv, now, next);
	if (!aodv->params.feedback) {
		if (packet->frame)
			wt_mesh_drop(aodv->mesh, now, packet, WT_DROP_NO_ACK);
		return;
	}
	/* one of many frames that went to the same neighbour: meanwhile there is another way, or it is being looked for */
	repair = (route.next == next && route.valid && may_repair(aodv, now, packet, found)) || (packet->frame && find_discovery(aodv, packet->dst));
	break_link(aodv, now, next, repair ? packet->dst : 0);
	if (!packet->frame)
		return;
	if (!repair && !(ours && aodv->params.requeue)) {
		wt_mesh_drop(aodv->mesh, now, packet, WT_DROP_NO_ACK);
		return;
	}
	wt_mesh_counts(aodv->mesh)->salvaged++;
	if (repair) {
		const struct wt_mesh_route *source = wt_mesh_route(aodv->mesh, packet->src);
		unsigned half = source ? (source->hops + 1) / 2 : 0, ttl = (route.hops > half ? route.hops : half) + LOCAL_ADD_TTL;
		uint32_t dst = packet->dst;

		wt_mesh_buffer_put(&aodv->buffer, now, packet);
		discover(aodv, now, dst, ttl, true, route.hops);
		return;
	}
	wt_mesh_route_packet(aodv->mesh, now, packet);
}

/* ---- time ------------------------------------------------------------------------------------------------- */

static wt_time aodv_deadline(const void *state)
{
	const struct wt_aodv *aodv = state;
	const struct wt_aodv_discovery *discovery = aodv->discoveries.at;
	const struct wt_aodv_heard *heard = aodv->heard.at;
	wt_time due = wt_mesh_buffer_deadline(&aodv->buffer);

	if (aodv->params.hello)
		due = wt_time_min(due, aodv->hello_due);
	for (unsigned i = 0; i < aodv->discoveries.count; i++)
		due = wt_time_min(due, discovery[i].due);
	for (unsigned i = 0; i < aodv->heard.count; i++)
		due = wt_time_min(due, heard[i].until);
	return due;
}

/* A hello (6.9), if a way leads over us and nothing else was said since. */
static void say_hello(struct wt_aodv *aodv, wt_time now)
{
	struct wt_aodv_rrep hello = {.dst = wt_mesh_address(aodv->mesh), .dst_seq = aodv->seq,
				     .lifetime_ms = ms((wt_time)aodv->params.hello_loss * aodv->params.hello_interval)};
	uint8_t data[WT_AODV_RREP_LEN];
	bool active = false;

	for (unsigned i = 0; i < wt_mesh_routes(aodv->mesh); i++) {
		const struct wt_mesh_route *route = wt_mesh_route_at(aodv->mesh, i);

		active = active || (route->valid && route->expires > now);
	}
	if (active && aodv->spoke + aodv->params.hello_interval <= now) {
		aodv->spoke = now;
		wt_aodv_emit_rrep(data, &hello);
		wt_mesh_send(aodv->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, 1, data, sizeof(data), 0);
	}
	aodv->hello_due = now + aodv->params.hello_interval * 3 / 4 + wt_mesh_random(aodv->mesh, aodv->params.hello_interval / 4);
}

static void aodv_timer(void *state, wt_time now)
{
	struct wt_aodv *aodv = state;
	struct wt_aodv_heard *heard;

	wt_mesh_buffer_expire(&aodv->buffer, now);
	if (aodv->params.hello && aodv->hello_due <= now)
		say_hello(aodv, now);
	for (unsigned i = aodv->heard.count; i-- > 0;) {
		heard = aodv->heard.at;
		if (heard[i].until <= now) {
			uint32_t neighbour = heard[i].neighbour;

			wt_list_take(&aodv->heard, i, sizeof(*heard));
			break_link(aodv, now, neighbour, 0);
		}
	}
	for (unsigned i = aodv->discoveries.count; i-- > 0;) {
		struct wt_aodv_discovery *discovery = aodv->discoveries.at;

		if (discovery[i].due <= now)
			discovery_due(aodv, now, &discovery[i]);
	}
}

static int aodv_init(struct wt_mesh *mesh, void *state, const void *params)
{
	struct wt_aodv *aodv = state;

	aodv->mesh = mesh;
	aodv->params = *(const struct wt_aodv_params *)params;
	aodv->buffer = (struct wt_mesh_buffer){.mesh = mesh, .limit = aodv->params.buffer, .lifetime = aodv->params.buffer_time};
	aodv->hello_due = aodv->params.hello ? wt_mesh_random(mesh, aodv->params.hello_interval) : WT_NEVER;
	aodv->spoke = -WT_S;
	return 0;
}

static void aodv_finish(void *state)
{
	struct wt_aodv *aodv = state;

	wt_mesh_buffer_clear(&aodv->buffer);
	free(aodv->seen.at);
	free(aodv->discoveries.at);
	free(aodv->precursors.at);
	free(aodv->heard.at);
	free(aodv->lost.at);
}

#define AT(field) offsetof(struct wt_aodv_params, field)

static const struct wt_param rows[] = {
	{"hello", WT_PARAM_BOOL, AT(hello), "hellos tell of neighbours (6.9)"},
	{"feedback", WT_PARAM_BOOL, AT(feedback), "the link layer's word breaks links (6.10)"},
	{"repair", WT_PARAM_BOOL, AT(repair), "a broken way is mended where it broke, if its end is near (6.12)"},
	{"requeue", WT_PARAM_BOOL, AT(requeue), "a packet of our own that a link lost waits for another way; off: lost"},
	{"ring", WT_PARAM_BOOL, AT(ring), "requests in growing rings (6.4)"},
	{"destination-only", WT_PARAM_BOOL, AT(destination_only), "requests that only their destination answers (D, 5.1)"},
	{"gratuitous", WT_PARAM_BOOL, AT(gratuitous), "who answers for a destination tells it, too (G, 6.6.3)"},
	{"ttl-start", WT_PARAM_COUNT, AT(ttl_start), "of the first ring; RFC: 1", 1, 255},
	{"ttl-increment", WT_PARAM_COUNT, AT(ttl_increment), "of the next ones", 1, 255},
	{"ttl-threshold", WT_PARAM_COUNT, AT(ttl_threshold), "a ring as wide as this is followed by the whole net", 0, 255},
	{"again-threshold", WT_PARAM_BOOL, AT(again_threshold), "also for the first ring behind a lost way (ns-2); off: its hops + increment (6.4)"},
	{"weight", WT_PARAM_BOOL, AT(weight), "the lightest way: a link weighs 1, and 1 more for each frame lost on it of late"},
	{"diameter", WT_PARAM_COUNT, AT(diameter), "NET_DIAMETER, hops; RFC: 35", 1, 255},
	{"retries", WT_PARAM_COUNT, AT(retries), "RREQ_RETRIES through the whole net; RFC: 2", 0, 255},
	{"timeout-buffer", WT_PARAM_COUNT, AT(timeout_buffer), "TIMEOUT_BUFFER, hops added to a ring's time", 0, 255},
	{"buffer", WT_PARAM_COUNT, AT(buffer), "packets that wait for ways, at most", 0, 100000},
	{"rreq-limit", WT_PARAM_COUNT, AT(rreq_limit), "RREQ_RATELIMIT, requests in a second; 0: no limit", 0, 1000000},
	{"rerr-limit", WT_PARAM_COUNT, AT(rerr_limit), "RERR_RATELIMIT, errors in a second; 0: no limit", 0, 1000000},
	{"hello-loss", WT_PARAM_COUNT, AT(hello_loss), "ALLOWED_HELLO_LOSS, hellos not heard that break a link", 1, 255},
	{"active", WT_PARAM_TIME, AT(active), "ACTIVE_ROUTE_TIMEOUT, of a way not used; RFC: 3 s", (double)WT_MS, 1e15},
	{"my-route", WT_PARAM_TIME, AT(my_route), "MY_ROUTE_TIMEOUT, that a destination grants; RFC: 6 s", (double)WT_MS, 1e15},
	{"node-traversal", WT_PARAM_TIME, AT(node_traversal), "NODE_TRAVERSAL_TIME, of a hop; RFC: 40 ms", (double)WT_US, 1e12},
	{"delete", WT_PARAM_TIME, AT(delete_period), "DELETE_PERIOD, how long the number of a broken way is kept", (double)WT_MS, 1e15},
	{"buffer-time", WT_PARAM_TIME, AT(buffer_time), "that a packet waits for a way", (double)WT_MS, 1e15},
	{"hello-interval", WT_PARAM_TIME, AT(hello_interval), "HELLO_INTERVAL", (double)WT_MS, 1e15},
	{"weight-time", WT_PARAM_TIME, AT(weight_time), "of late: within this time", (double)WT_MS, 1e15},
	{"jitter", WT_PARAM_TIME, AT(jitter), "a request is passed on after a time below this", 0, 1e12},
};

const struct wt_routing_ops wt_routing_aodv = {
	.name = "aodv",
	.text = "ways on demand, with sequence numbers (RFC 3561)",
	.params = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
	.params_size = sizeof(struct wt_aodv_params),
	.params_default = &defaults,
	.state_size = sizeof(struct wt_aodv),
	.port = WT_AODV_PORT,
	.ordered = true,
	.init = aodv_init,
	.finish = aodv_finish,
	.on_message = aodv_message,
	.on_forward = aodv_forward,
	.on_no_route = aodv_no_route,
	.on_link_failure = aodv_link_failure,
	.deadline = aodv_deadline,
	.on_timer = aodv_timer,
};

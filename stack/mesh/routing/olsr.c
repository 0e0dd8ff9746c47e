/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OLSR (RFC 3626): neighbours find each other by HELLOs, which also say whom each hears; every station chooses among its neighbours few
 * relays that reach all stations two hops away; those that were chosen tell all, over relays, who chose them (TC); each computes the shortest
 * ways from that. A gateway tells of the networks behind it (HNA, section 12).
 *
 * Left out: several interfaces of one station (MID: all our links have the station's one address), link hysteresis (14, optional). The
 * link layer's word, which is optional too (13), breaks links with `feedback=on`. A packet without a way is refused: nothing waits.
 */
#include "stack/mesh/routing/olsr.h"

#include "stack/base/bytes.h"

static const struct wt_olsr_params defaults = {
	.willingness = 3, .hello = 2 * WT_S, .tc = 5 * WT_S, .neighbour_hold = 6 * WT_S, .topology_hold = 15 * WT_S,
	.duplicate_hold = 30 * WT_S, .jitter = 500 * WT_MS,
};

enum { ROOM = 1400, TTL = 255 };

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* Takes away what is over; true: something was. `at`: the offset of the time in a record. */
static bool expire(struct wt_list *list, size_t size, size_t at, wt_time now)
{
	unsigned before = list->count;
	wt_time until;

	for (unsigned i = list->count; i-- > 0;) {
		memcpy(&until, (char *)list->at + i * size + at, sizeof(until));
		if (until <= now)
			wt_list_take(list, i, size);
	}
	return list->count != before;
}

static wt_time earliest(const struct wt_list *list, size_t size, size_t at, wt_time due)
{
	wt_time until;

	for (unsigned i = 0; i < list->count; i++) {
		memcpy(&until, (char *)list->at + i * size + at, sizeof(until));
		due = wt_time_min(due, until);
	}
	return due;
}

#define EXPIRE(list, type) expire(&olsr->list, sizeof(struct type), offsetof(struct type, until), now)
#define EARLIEST(list, type) due = earliest(&olsr->list, sizeof(struct type), offsetof(struct type, until), due)

/* ---- what is told ----------------------------------------------------------------------------------------- */

static wt_time jitter(struct wt_olsr *olsr)
{
	return wt_mesh_random(olsr->mesh, olsr->params.jitter);
}

/* A packet of one message whose body stands at data + 16. */
static void send(struct wt_olsr *olsr, wt_time now, uint8_t *data, const struct wt_olsr_message *message, wt_time delay)
{
	wt_olsr_emit(data + WT_OLSR_HEADER, message);
	wt_mesh_send(olsr->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, 1, data,
		     wt_olsr_finish(data, olsr->packet_seq++, WT_OLSR_MESSAGE + message->len), delay);
}

/* 6.2: what a link is, and what the neighbour is. */
static uint8_t code_of(const struct wt_olsr_neighbour *neighbour, wt_time now)
{
	unsigned link = neighbour->sym > now ? WT_OLSR_SYM_LINK : neighbour->asym > now ? WT_OLSR_ASYM_LINK : WT_OLSR_LOST_LINK;
	unsigned kind = neighbour->mpr ? WT_OLSR_MPR_NEIGHBOUR : neighbour->sym > now ? WT_OLSR_SYM_NEIGHBOUR : WT_OLSR_NOT_NEIGHBOUR;

	return (uint8_t)(link | kind << 2);
}

static void say_hello(struct wt_olsr *olsr, wt_time now)
{
	const struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	struct wt_olsr_message message = {.type = WT_OLSR_HELLO, .ttl = 1, .validity = olsr->params.neighbour_hold,
					  .orig = wt_mesh_address(olsr->mesh), .seq = olsr->message_seq++};
	uint8_t data[ROOM + 64], *body = data + WT_OLSR_HEADER + WT_OLSR_MESSAGE;
	uint32_t len = 4;

	wt_put16(body, 0);
	body[2] = wt_olsr_time_code(olsr->params.hello);
	body[3] = (uint8_t)olsr->params.willingness;
	for (unsigned code = 0; code < 12; code++) {
		uint32_t group = len;

		len += 4;
		for (unsigned i = 0; i < olsr->neighbours.count && len < ROOM; i++)
			if (code_of(&neighbour[i], now) == code) {
				wt_put32(body + len, neighbour[i].addr);
				len += 4;
			}
		if (len == group + 4) {
			len = group;
			continue;
		}
		wt_put16(body + group, (uint16_t)(code << 8));
		wt_put16(body + group + 2, (uint16_t)(len - group));
	}
	message.len = len;
	send(olsr, now, data, &message, 0);
}

/* Who chose us (9.3); with an empty list for a while after nobody does any more. */
static void tell_topology(struct wt_olsr *olsr, wt_time now)
{
	const struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	struct wt_olsr_message message = {.type = WT_OLSR_TC, .ttl = TTL, .validity = olsr->params.topology_hold,
					  .orig = wt_mesh_address(olsr->mesh), .len = 4};
	uint8_t data[ROOM + 64], *body = data + WT_OLSR_HEADER + WT_OLSR_MESSAGE;

	for (unsigned i = 0; i < olsr->neighbours.count && message.len < ROOM; i++)
		if (neighbour[i].selector > now) {
			wt_put32(body + message.len, neighbour[i].addr);
			message.len += 4;
		}
	if (message.len > 4)
		olsr->tc_until = now + olsr->params.topology_hold;
	if (olsr->tc_until <= now)
		return;
	message.seq = olsr->message_seq++;
	wt_put16(body, olsr->ansn);
	wt_put16(body + 2, 0);
	send(olsr, now, data, &message, 0);
}

/* The networks behind a gateway (12.2). */
static void tell_networks(struct wt_olsr *olsr, wt_time now)
{
	struct wt_olsr_message message = {.type = WT_OLSR_HNA, .ttl = TTL, .validity = olsr->params.topology_hold,
					  .orig = wt_mesh_address(olsr->mesh)};
	uint8_t data[ROOM + 64], *body = data + WT_OLSR_HEADER + WT_OLSR_MESSAGE;
	uint32_t network;
	unsigned prefix;

	for (unsigned i = 0; message.len < ROOM && wt_mesh_network(olsr->mesh, i, &network, &prefix); i++) {
		wt_put32(body + message.len, network);
		wt_put32(body + message.len + 4, prefix ? UINT32_MAX << (32 - prefix) : 0);
		message.len += 8;
	}
	if (!message.len)
		return;
	message.seq = olsr->message_seq++;
	send(olsr, now, data, &message, 0);
}

/* ---- what is heard ---------------------------------------------------------------------------------------- */

static struct wt_olsr_neighbour *neighbour_at(struct wt_olsr *olsr, uint32_t addr)
{
	struct wt_olsr_neighbour *neighbour = wt_olsr_find(olsr, addr);

	if (!neighbour && (neighbour = wt_list_add(&olsr->neighbours, sizeof(*neighbour))))
		*neighbour = (struct wt_olsr_neighbour){.addr = addr};
	return neighbour;
}

/* Stations behind a neighbour (8.2.1): those it names as its own neighbours. */
static void hear_two_hops(struct wt_olsr *olsr, wt_time until, uint32_t neighbour, const struct wt_olsr_group *group)
{
	for (unsigned i = 0; i < group->count; i++) {
		uint32_t addr = wt_get32(group->addresses + 4 * i);
		struct wt_olsr_two_hop *two = olsr->two_hops.at;
		unsigned k = 0;

		while (k < olsr->two_hops.count && (two[k].addr != addr || two[k].neighbour != neighbour))
			k++;
		if (group->neighbour == WT_OLSR_NOT_NEIGHBOUR) {
			if (k < olsr->two_hops.count)
				wt_list_take(&olsr->two_hops, k, sizeof(*two));
			continue;
		}
		two = k < olsr->two_hops.count ? &two[k] : wt_list_add(&olsr->two_hops, sizeof(*two));
		if (two)
			*two = (struct wt_olsr_two_hop){neighbour, addr, until};
	}
}

/* What it says of us (7.1.1, 8.4.1). */
static void hear_of_us(struct wt_olsr *olsr, wt_time now, wt_time until, struct wt_olsr_neighbour *neighbour, const struct wt_olsr_group *group)
{
	for (unsigned i = 0; i < group->count; i++) {
		if (wt_get32(group->addresses + 4 * i) != wt_mesh_address(olsr->mesh))
			continue;
		if (group->link == WT_OLSR_LOST_LINK)
			neighbour->sym = now;
		else if (group->link != WT_OLSR_UNSPEC_LINK)
			neighbour->sym = until;
		if (group->neighbour != WT_OLSR_MPR_NEIGHBOUR)
			continue;
		olsr->ansn += neighbour->selector <= now;
		neighbour->selector = until;
	}
}

static bool hear_hello(struct wt_olsr *olsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_olsr_message *message)
{
	wt_time until = wt_time_add(now, message->validity);
	struct wt_olsr_neighbour *neighbour;
	struct wt_olsr_group group;
	uint32_t at = 0;
	int more;

	while ((more = wt_olsr_next_group(message->body, message->len, &at, &group)) > 0)
		;
	if (more < 0)
		return false;
	neighbour = neighbour_at(olsr, packet->src);
	if (!neighbour)
		return true;
	neighbour->interface = packet->interface;
	neighbour->asym = until;
	neighbour->willingness = message->body[3] & 7;
	for (at = 0; wt_olsr_next_group(message->body, message->len, &at, &group) > 0;)
		hear_of_us(olsr, now, until, neighbour, &group);
	neighbour->until = wt_time_max(neighbour->asym, neighbour->sym > now ? neighbour->sym + olsr->params.neighbour_hold : 0);
	for (at = 0; neighbour->sym > now && wt_olsr_next_group(message->body, message->len, &at, &group) > 0;)
		hear_two_hops(olsr, until, packet->src, &group);
	return true;
}

/* Most TCs say what the one before said: its edges, one behind the other, live on. */
static bool says_the_same(struct wt_olsr *olsr, const struct wt_olsr_message *message, uint16_t ansn, wt_time until)
{
	struct wt_olsr_edge *edge = olsr->edges.at;
	unsigned count = (message->len - 4) / 4, first = 0, known = 0;

	for (unsigned i = 0; i < olsr->edges.count; i++)
		known += edge[i].last == message->orig;
	while (first < olsr->edges.count && edge[first].last != message->orig)
		first++;
	if (known != count || first + count > olsr->edges.count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (edge[first + i].last != message->orig || edge[first + i].dst != wt_get32(message->body + 4 + 4 * i))
			return false;
	for (unsigned i = 0; i < count; i++) {
		edge[first + i].ansn = ansn;
		edge[first + i].until = until;
	}
	return true;
}

/* 9.5: older news are ignored, newer ones replace. */
static bool hear_topology(struct wt_olsr *olsr, wt_time now, const struct wt_olsr_message *message)
{
	struct wt_olsr_edge *edge = olsr->edges.at;
	uint16_t ansn;

	if (message->len < 4 || message->len % 4)
		return false;
	ansn = wt_get16(message->body);
	for (unsigned i = 0; i < olsr->edges.count; i++)
		if (edge[i].last == message->orig && (int16_t)(edge[i].ansn - ansn) > 0)
			return true;
	if (says_the_same(olsr, message, ansn, wt_time_add(now, message->validity)))
		return true;
	for (unsigned i = olsr->edges.count; i-- > 0;)
		if (edge[i].last == message->orig)
			wt_list_take(&olsr->edges, i, sizeof(*edge));
	for (uint32_t at = 4; at < message->len; at += 4) {
		edge = wt_list_add(&olsr->edges, sizeof(*edge));
		if (edge)
			*edge = (struct wt_olsr_edge){wt_get32(message->body + at), message->orig, ansn, wt_time_add(now, message->validity)};
	}
	return true;
}

static bool hear_networks(struct wt_olsr *olsr, wt_time now, const struct wt_olsr_message *message)
{
	struct wt_olsr_network *network;

	if (message->len % 8)
		return false;
	for (uint32_t at = 0; at < message->len; at += 8) {
		struct wt_olsr_network told = {message->orig, wt_get32(message->body + at), wt_get32(message->body + at + 4),
					       wt_time_add(now, message->validity)};
		unsigned k = 0;

		network = olsr->networks.at;
		while (k < olsr->networks.count && (network[k].gateway != told.gateway || network[k].network != told.network ||
						    network[k].mask != told.mask))
			k++;
		network = k < olsr->networks.count ? &network[k] : wt_list_add(&olsr->networks, sizeof(*network));
		if (network)
			*network = told;
	}
	return true;
}

static struct wt_olsr_duplicate *duplicate(struct wt_olsr *olsr, const struct wt_olsr_message *message)
{
	struct wt_olsr_duplicate *seen = olsr->duplicates.at;

	for (unsigned i = 0; i < olsr->duplicates.count; i++)
		if (seen[i].orig == message->orig && seen[i].seq == message->seq)
			return &seen[i];
	return NULL;
}

/* 3.4.1: a message goes on if it came from one that chose us as its relay, once. */
static void pass_on(struct wt_olsr *olsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_olsr_message *message)
{
	const struct wt_olsr_neighbour *from = wt_olsr_find(olsr, packet->src);
	struct wt_olsr_duplicate *seen = duplicate(olsr, message);
	struct wt_olsr_message next = *message;
	uint8_t data[2048];

	if (!wt_olsr_is_sym(from, now) || (seen && seen->passed_on))
		return;
	if (!seen)
		seen = wt_list_add(&olsr->duplicates, sizeof(*seen));
	if (!seen)
		return;
	*seen = (struct wt_olsr_duplicate){message->orig, message->seq, from->selector > now && message->ttl > 1,
					   now + olsr->params.duplicate_hold};
	if (!seen->passed_on || WT_OLSR_HEADER + message->size > sizeof(data))
		return;
	next.ttl--;
	next.hops++;
	memcpy(data + WT_OLSR_HEADER, message->head, message->size);
	data[WT_OLSR_HEADER + 8] = next.ttl;
	data[WT_OLSR_HEADER + 9] = next.hops;
	wt_mesh_send(olsr->mesh, now, WT_MESH_ALL, WT_MESH_BROADCAST, 1, data, wt_olsr_finish(data, olsr->packet_seq++, message->size),
		     jitter(olsr));
}

/* False: it is malformed. */
static bool hear(struct wt_olsr *olsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_olsr_message *message)
{
	struct wt_addr orig = wt_mesh_addr(message->orig);
	bool new = !duplicate(olsr, message), sym, good = true;

	if (!wt_source_usable(&orig))
		return false;
	if (message->orig == wt_mesh_address(olsr->mesh) || !message->ttl)
		return true;
	if (message->type == WT_OLSR_HELLO) /* of the link alone */
		return message->orig != packet->src || hear_hello(olsr, now, packet, message);
	sym = wt_olsr_is_sym(wt_olsr_find(olsr, packet->src), now);
	if (new && sym && message->type == WT_OLSR_TC)
		good = hear_topology(olsr, now, message);
	else if (new && sym && message->type == WT_OLSR_HNA)
		good = hear_networks(olsr, now, message);
	if (good)
		pass_on(olsr, now, packet, message);
	return good;
}

static void update(struct wt_olsr *olsr, wt_time now);

static void olsr_message(void *state, wt_time now, struct wt_mesh_message *in)
{
	struct wt_olsr *olsr = state;
	struct wt_olsr_message message;
	uint32_t at = 0;
	int more;

	while ((more = wt_olsr_next(in->data, in->len, &at, &message)) > 0)
		;
	if (more < 0) {
		wt_mesh_malformed(olsr->mesh);
		return;
	}
	for (at = 0; more >= 0 && wt_olsr_next(in->data, in->len, &at, &message) > 0;)
		if (!hear(olsr, now, in->packet, &message))
			more = -1;
	if (more < 0)
		wt_mesh_malformed(olsr->mesh);
	update(olsr, now);
}

/* ---- time ------------------------------------------------------------------------------------------------- */

/* When to look again. */
static void plan(struct wt_olsr *olsr, wt_time now)
{
	const struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;
	wt_time due = wt_time_min(olsr->hello_due, olsr->tc_due);

	for (unsigned i = 0; i < olsr->neighbours.count; i++) {
		if (neighbour[i].sym > now)
			due = wt_time_min(due, neighbour[i].sym);
		if (neighbour[i].selector > now)
			due = wt_time_min(due, neighbour[i].selector);
	}
	EARLIEST(neighbours, wt_olsr_neighbour);
	EARLIEST(two_hops, wt_olsr_two_hop);
	EARLIEST(edges, wt_olsr_edge);
	EARLIEST(networks, wt_olsr_network);
	EARLIEST(duplicates, wt_olsr_duplicate);
	olsr->due = due;
}

static void update(struct wt_olsr *olsr, wt_time now)
{
	wt_olsr_settle(olsr, now);
	plan(olsr, now);
}

/* Those behind a neighbour that is none any more are not known over it (8.5). */
static void forget_behind(struct wt_olsr *olsr, wt_time now)
{
	struct wt_olsr_two_hop *two = olsr->two_hops.at;

	for (unsigned i = olsr->two_hops.count; i-- > 0;)
		if (!wt_olsr_is_sym(wt_olsr_find(olsr, two[i].neighbour), now))
			wt_list_take(&olsr->two_hops, i, sizeof(*two));
}

/* Who chose us no more; the list that TCs tell is another then. */
static void end_selectors(struct wt_olsr *olsr, wt_time now)
{
	struct wt_olsr_neighbour *neighbour = olsr->neighbours.at;

	for (unsigned i = 0; i < olsr->neighbours.count; i++)
		if (neighbour[i].selector && (neighbour[i].selector <= now || neighbour[i].sym <= now)) {
			neighbour[i].selector = 0;
			olsr->ansn++;
		}
}

static wt_time olsr_deadline(const void *state)
{
	return ((const struct wt_olsr *)state)->due;
}

static void olsr_timer(void *state, wt_time now)
{
	struct wt_olsr *olsr = state;

	end_selectors(olsr, now);
	EXPIRE(neighbours, wt_olsr_neighbour);
	EXPIRE(two_hops, wt_olsr_two_hop);
	EXPIRE(edges, wt_olsr_edge);
	EXPIRE(networks, wt_olsr_network);
	EXPIRE(duplicates, wt_olsr_duplicate);
	forget_behind(olsr, now);
	wt_olsr_settle(olsr, now);
	if (olsr->hello_due <= now) {
		say_hello(olsr, now);
		olsr->hello_due = now + olsr->params.hello - jitter(olsr);
	}
	if (olsr->tc_due <= now) {
		tell_topology(olsr, now);
		tell_networks(olsr, now);
		olsr->tc_due = now + olsr->params.tc - jitter(olsr);
	}
	update(olsr, now);
}

/* ---- packets ---------------------------------------------------------------------------------------------- */

/* To a network behind a gateway: by the way to the nearest gateway, the longest prefix first (12.6). */
static void olsr_no_route(void *state, wt_time now, struct wt_mesh_packet *packet)
{
	struct wt_olsr *olsr = state;
	const struct wt_olsr_network *network = olsr->networks.at, *best = NULL;
	const struct wt_mesh_route *way = NULL, *to;

	for (unsigned i = 0; i < olsr->networks.count; i++) {
		if ((packet->dst & network[i].mask) != network[i].network || !(to = wt_mesh_valid_route(olsr->mesh, now, network[i].gateway)))
			continue;
		if (!best || network[i].mask > best->mask || (network[i].mask == best->mask && to->hops < way->hops)) {
			best = &network[i];
			way = to;
		}
	}
	if (way)
		wt_mesh_transmit(olsr->mesh, now, packet->frame, way->interface, way->next, 0);
	else
		wt_mesh_refuse(olsr->mesh, now, packet, WT_REFUSAL_ROUTE, WT_DROP_NO_ROUTE);
}

static void olsr_link_failure(void *state, wt_time now, uint32_t next, struct wt_mesh_packet *packet)
{
	struct wt_olsr *olsr = state;
	struct wt_olsr_neighbour *neighbour = wt_olsr_find(olsr, next);

	if (olsr->params.feedback && wt_olsr_is_sym(neighbour, now)) {
		neighbour->sym = now;
		end_selectors(olsr, now);
		forget_behind(olsr, now);
		update(olsr, now);
	}
	if (packet->frame)
		wt_mesh_drop(olsr->mesh, now, packet, WT_DROP_NO_ACK);
}

static int olsr_init(struct wt_mesh *mesh, void *state, const void *params)
{
	struct wt_olsr *olsr = state;

	olsr->mesh = mesh;
	olsr->params = *(const struct wt_olsr_params *)params;
	olsr->hello_due = wt_mesh_random(mesh, olsr->params.hello);
	olsr->tc_due = wt_mesh_random(mesh, olsr->params.tc);
	olsr->due = wt_time_min(olsr->hello_due, olsr->tc_due);
	return 0;
}

static void olsr_finish(void *state)
{
	struct wt_olsr *olsr = state;

	free(olsr->neighbours.at);
	free(olsr->two_hops.at);
	free(olsr->edges.at);
	free(olsr->networks.at);
	free(olsr->duplicates.at);
}

#define AT(field) offsetof(struct wt_olsr_params, field)

static const struct wt_param rows[] = {
	{"hello", WT_PARAM_TIME, AT(hello), "HELLO_INTERVAL (18.2)", 10e6, 1e15},
	{"tc", WT_PARAM_TIME, AT(tc), "TC_INTERVAL, of HNA, too", 10e6, 1e15},
	{"neighbour-hold", WT_PARAM_TIME, AT(neighbour_hold), "NEIGHB_HOLD_TIME (18.3)", 10e6, 3968e9},
	{"topology-hold", WT_PARAM_TIME, AT(topology_hold), "TOP_HOLD_TIME, of HNA, too", 10e6, 3968e9},
	{"duplicate-hold", WT_PARAM_TIME, AT(duplicate_hold), "DUP_HOLD_TIME", 10e6, 1e15},
	{"jitter", WT_PARAM_TIME, AT(jitter), "MAXJITTER (18.8); below both intervals", 0, 5e6 * 1000},
	{"willingness", WT_PARAM_COUNT, AT(willingness), "to be a relay: 0 never, 3 as usual, 7 always (18.8)", 0, 7},
	{"feedback", WT_PARAM_BOOL, AT(feedback), "the link layer's word breaks links (13)"},
};

const struct wt_routing_ops wt_routing_olsr = {
	.name = "olsr",
	.text = "all ways, from links that relays tell of (RFC 3626)",
	.params = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
	.params_size = sizeof(struct wt_olsr_params),
	.params_default = &defaults,
	.state_size = sizeof(struct wt_olsr),
	.port = WT_OLSR_PORT,
	.init = olsr_init,
	.finish = olsr_finish,
	.on_message = olsr_message,
	.on_no_route = olsr_no_route,
	.on_link_failure = olsr_link_failure,
	.deadline = olsr_deadline,
	.on_timer = olsr_timer,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DSR (RFC 4728): a packet carries the way it takes. Who knows none asks for it, first its neighbours alone, then all; a request gathers the
 * stations it passes, and its target, or one that knows the rest, sends the way back. Every station keeps the ways it sees in a cache. A
 * link that fails is told to the source; packets are sent another way from where they are, if the cache has one (salvaging).
 *
 * Links are the same both ways, so that a reply goes back over the stations of its request. Stations hear packets between others, keep the
 * ways in them, and tell their sources of shorter ones (3.4.3). Left out: flow state (7) and acknowledgements of its own (8.3: the link
 * layer's are there). A way to a neighbour needs no header. DSR runs on one link, port 1.
 */
#include "stack/mesh/routing/dsr.h"

#include "stack/base/bytes.h"
#include "stack/text/trace.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/packet.h"

struct params {
	uint64_t ring_zero, cached_replies, learn, overhear, shorten, salvage, cache, buffer, retries, hop_limit, backoff;
	wt_time cache_time, buffer_time, ring_zero_time, period, wait, period_most, jitter, reply_delay, holdoff;
};

static const struct params defaults = {
	.ring_zero = 1, .cached_replies = 1, .learn = 1, .overhear = 1, .shorten = 1, .salvage = 15, .cache = 64, .buffer = 64, .retries = 16, .hop_limit = 255, .backoff = 2,
	.cache_time = 300 * WT_S, .buffer_time = 30 * WT_S, .ring_zero_time = 30 * WT_MS, .period = 500 * WT_MS, .wait = 500 * WT_MS, .period_most = 10 * WT_S,
	.jitter = 10 * WT_MS, .reply_delay = WT_MS, .holdoff = WT_S,
};

enum { LINK = 1, SEEN = 64, TTL = 64, SHORTER = 64 };

/* Of the Route Request Table (4.3). */
struct discovery {
	uint32_t dst;
	unsigned tries;  /* through the whole net */
	wt_time due, period;
	wt_time began;
	bool answered;   /* the next one for this target begins a RequestPeriod after this one, not before */
};

struct seen {
	uint32_t orig;
	uint16_t id;
};

/* Of the Gratuitous Route Reply Table (4.4): who was told of a shorter way, from whom the packet was heard. */
struct shorter {
	uint32_t orig, from;
	wt_time until;
};

struct dsr {
	struct wt_mesh *mesh;
	struct params params;
	struct wt_mesh_buffer buffer;
	struct wt_dsr_cache cache;
	struct wt_list discoveries;
	struct seen seen[SEEN]; /* the last ones */
	unsigned seen_at;
	struct shorter shorter[SHORTER]; /* the last ones */
	unsigned shorter_at;
	uint16_t id;
};

/* ---- headers in packets ----------------------------------------------------------------------------------- */

static void set_lengths(struct wt_mesh_packet *packet, uint8_t protocol, uint32_t total)
{
	uint8_t *ip = wt_frame_own_bytes(packet->frame) + WT_ETH_HEADER;

	ip[9] = protocol;
	wt_put16(ip + 2, (uint16_t)total);
	wt_packet_ipv4_checksum(ip);
	packet->frame->len = WT_ETH_HEADER + total;
	packet->ip.protocol = protocol;
	packet->ip.total_len = (uint16_t)total;
}

/* Puts an options header behind IP's. False: the frame has no room for it, and is gone. */
static bool wrap(struct dsr *dsr, wt_time now, struct wt_mesh_packet *packet, const struct wt_dsr *header)
{
	struct wt_frame *frame = packet->frame;
	uint8_t bytes[WT_DSR_ROOM], *payload = wt_frame_own_bytes(frame) + WT_ETH_HEADER + packet->ip.header_len;
	uint32_t more = wt_dsr_emit(bytes, header), len = (uint32_t)packet->ip.total_len - packet->ip.header_len;

	wt_frame_finish_csum(frame);
	if (WT_ETH_HEADER + packet->ip.total_len + more > frame->room || packet->ip.total_len + more > UINT16_MAX) {
		wt_mesh_drop(dsr->mesh, now, packet, WT_DROP_MTU);
		return false;
	}
	memmove(payload + more, payload, len);
	memcpy(payload, bytes, more);
	set_lengths(packet, WT_IP_DSR, packet->ip.total_len + more);
	return true;
}

/* Takes it away again. */
static void unwrap(struct wt_mesh_packet *packet, const struct wt_dsr *header)
{
	uint8_t *payload = wt_frame_own_bytes(packet->frame) + WT_ETH_HEADER + packet->ip.header_len;
	uint32_t len = (uint32_t)packet->ip.total_len - packet->ip.header_len - header->len;

	memmove(payload, payload + header->len, len);
	set_lengths(packet, header->next_header, packet->ip.total_len - header->len);
}

/* A packet of data leaves by a way that ends with its destination. salvage: how often it was sent another way. */
static void send_data(struct dsr *dsr, wt_time now, struct wt_mesh_packet *packet, const struct wt_dsr_addresses *way, unsigned salvage)
{
	struct wt_dsr header = {.next_header = packet->ip.protocol, .has_route = true, .route.salvage = (uint8_t)salvage};
	struct wt_dsr_addresses *over = &header.route.over;

	if (salvage) /* errors about it come to us (8.3.6) */
		over->at[over->count++] = wt_mesh_address(dsr->mesh);
	for (unsigned i = 0; i + 1 < way->count && over->count < WT_DSR_MOST; i++)
		over->at[over->count++] = way->at[i];
	header.route.left = (uint8_t)(way->count - 1);
	if ((over->count || salvage) && !wrap(dsr, now, packet, &header))
		return;
	wt_mesh_transmit(dsr->mesh, now, packet->frame, LINK, way->at[0], 0);
}

/* A packet of ours with options alone, over a way that ends with its destination. */
static void send_options(struct dsr *dsr, wt_time now, struct wt_dsr *header, const struct wt_dsr_addresses *way, wt_time delay)
{
	struct wt_ipv4 ip = {.src = wt_mesh_addr(wt_mesh_address(dsr->mesh)), .dst = wt_mesh_addr(way->at[way->count - 1]), .ttl = TTL,
			     .protocol = WT_IP_DSR};
	uint8_t bytes[WT_DSR_ROOM];
	struct wt_frame *frame;
	uint32_t len;

	header->next_header = WT_IP_NO_NEXT;
	header->has_route = true;
	header->route = (struct wt_dsr_route){.left = (uint8_t)(way->count - 1), .over.count = way->count - 1};
	memcpy(header->route.over.at, way->at, (way->count - 1) * sizeof(*way->at));
	len = wt_dsr_emit(bytes, header);
	frame = wt_mesh_make(dsr->mesh, now, &ip, len);
	if (!frame)
		return;
	memcpy(wt_mesh_payload(frame), bytes, len);
	wt_mesh_counts(dsr->mesh)->messages_sent++;
	wt_mesh_counts(dsr->mesh)->bytes_sent += frame->len - WT_ETH_HEADER;
	wt_mesh_transmit(dsr->mesh, now, frame, LINK, way->at[0], delay);
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

static void send_request(struct dsr *dsr, wt_time now, uint32_t orig, uint8_t ttl, const struct wt_dsr_request *request, wt_time delay)
{
	struct wt_dsr header = {.next_header = WT_IP_NO_NEXT, .has_request = true, .request = *request};
	struct wt_ipv4 ip = {.src = wt_mesh_addr(orig), .dst = wt_mesh_addr(WT_MESH_BROADCAST), .ttl = ttl, .protocol = WT_IP_DSR};
	uint8_t bytes[WT_DSR_ROOM];
	uint32_t len = wt_dsr_emit(bytes, &header);
	struct wt_frame *frame = wt_mesh_make(dsr->mesh, now, &ip, len);

	if (!frame)
		return;
	memcpy(wt_mesh_payload(frame), bytes, len);
	wt_mesh_counts(dsr->mesh)->messages_sent++;
	wt_mesh_counts(dsr->mesh)->bytes_sent += frame->len - WT_ETH_HEADER;
	wt_mesh_transmit(dsr->mesh, now, frame, LINK, WT_MESH_BROADCAST, delay);
}

static void ask(struct dsr *dsr, wt_time now, struct discovery *discovery, unsigned ttl)
{
	wt_mesh_counts(dsr->mesh)->discoveries++;
	wt_mesh_tell(dsr->mesh, now, WT_TRACE_DISCOVERY, (uint64_t[5]){discovery->dst, ttl, discovery->tries + 1});
	send_request(dsr, now, wt_mesh_address(dsr->mesh), (uint8_t)ttl, &(struct wt_dsr_request){.id = ++dsr->id, .target = discovery->dst}, 0);
}

static void begin(struct dsr *dsr, wt_time now, struct discovery *discovery)
{
	*discovery = (struct discovery){.dst = discovery->dst, .period = dsr->params.wait, .due = now, .began = now};
	if (!dsr->params.ring_zero)
		return;
	ask(dsr, now, discovery, 1);
	discovery->due = now + dsr->params.ring_zero_time;
}

static void discover(struct dsr *dsr, wt_time now, uint32_t dst)
{
	struct discovery *discovery = dsr->discoveries.at;

	for (unsigned i = 0; i < dsr->discoveries.count; i++)
		if (discovery[i].dst == dst)
			return;
	discovery = wt_list_add(&dsr->discoveries, sizeof(*discovery));
	if (!discovery)
		return;
	discovery->dst = dst;
	begin(dsr, now, discovery);
}

/* False: it ended. */
static bool discovery_due(struct dsr *dsr, wt_time now, struct discovery *discovery)
{
	if (!wt_mesh_buffer_has(&dsr->buffer, discovery->dst) || (!discovery->answered && discovery->tries >= dsr->params.retries))
		return false;
	if (discovery->answered) {
		begin(dsr, now, discovery);
		return true;
	}
	ask(dsr, now, discovery, (unsigned)dsr->params.hop_limit);
	discovery->tries++;
	discovery->due = now + discovery->period;
	discovery->period = wt_time_min((wt_time)dsr->params.backoff * discovery->period, dsr->params.period_most);
	return true;
}

/* Something was learned: what waited for it leaves. */
static void wake(struct dsr *dsr, wt_time now)
{
	struct wt_dsr_addresses way;

	for (unsigned i = dsr->discoveries.count; i-- > 0;) {
		struct discovery *discovery = dsr->discoveries.at;

		if (!wt_dsr_cache_find(&dsr->cache, now, discovery[i].dst, &way))
			continue;
		if (!discovery[i].answered)
			discovery[i].due = discovery[i].began + dsr->params.period;
		discovery[i].answered = true;
		wt_mesh_buffer_send(&dsr->buffer, now, discovery[i].dst);
	}
}

/* By a way that is known, or one that is asked for. */
static bool dsr_forward(void *state, wt_time now, struct wt_mesh_packet *packet)
{
	struct dsr *dsr = state;
	struct wt_dsr_addresses way;
	uint32_t dst = packet->dst;

	if (packet->ip.protocol == WT_IP_DSR) { /* ours is made below; a host's own is none of it */
		wt_mesh_drop(dsr->mesh, now, packet, WT_DROP_PROTOCOL);
	} else if (wt_dsr_cache_find(&dsr->cache, now, dst, &way)) {
		send_data(dsr, now, packet, &way, 0);
	} else {
		wt_mesh_buffer_put(&dsr->buffer, now, packet);
		discover(dsr, now, dst);
	}
	return true;
}

/* ---- what a packet tells of ways -------------------------------------------------------------------------- */

/* A reply with the way over these, the target last, goes back over the stations in front of us. */
static void reply(struct dsr *dsr, wt_time now, uint32_t orig, const struct wt_dsr_addresses *passed, const struct wt_dsr_addresses *whole,
		  wt_time delay)
{
	struct wt_dsr header = {.has_reply = true, .reply.over = *whole};
	struct wt_dsr_addresses way = {.count = passed->count + 1};

	for (unsigned i = 0; i < passed->count; i++)
		way.at[i] = passed->at[passed->count - 1 - i];
	way.at[passed->count] = orig;
	send_options(dsr, now, &header, &way, delay);
}

/* From our cache (8.2.3): not if a station would be passed twice. After a while that grows with the way, so that shorter ones come first (8.2.5). */
static bool reply_from_cache(struct dsr *dsr, wt_time now, uint32_t orig, const struct wt_dsr_request *request)
{
	struct wt_dsr_addresses way, whole = request->over;

	if (!dsr->params.cached_replies || !wt_dsr_cache_find(&dsr->cache, now, request->target, &way) ||
	    whole.count + 1 + way.count > WT_DSR_MOST)
		return false;
	for (unsigned i = 0; i < way.count; i++) {
		if (way.at[i] == orig)
			return false;
		for (unsigned k = 0; k < request->over.count; k++)
			if (way.at[i] == request->over.at[k])
				return false;
	}
	whole.at[whole.count++] = wt_mesh_address(dsr->mesh);
	for (unsigned i = 0; i < way.count; i++)
		whole.at[whole.count++] = way.at[i];
	reply(dsr, now, orig, &request->over, &whole,
	      dsr->params.reply_delay * (whole.count - 1) + wt_mesh_random(dsr->mesh, dsr->params.reply_delay));
	return true;
}

static bool was_seen(struct dsr *dsr, uint32_t orig, uint16_t id)
{
	for (unsigned i = 0; i < SEEN; i++)
		if (dsr->seen[i].orig == orig && dsr->seen[i].id == id)
			return true;
	dsr->seen[dsr->seen_at++ % SEEN] = (struct seen){orig, id};
	return false;
}

static void on_request(struct dsr *dsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_dsr_request *request)
{
	uint32_t self = wt_mesh_address(dsr->mesh), orig = packet->src;
	struct wt_dsr_request next = *request;

	if (orig == self || next.over.count + 2 > WT_DSR_MOST)
		return;
	for (unsigned i = 0; i < request->over.count; i++)
		if (request->over.at[i] == self || request->over.at[i] == orig)
			return;
	next.over.at[next.over.count++] = self;
	wt_dsr_cache_learn(&dsr->cache, now, orig, &next.over, 0);
	if (wt_mesh_serves(dsr->mesh, request->target)) {
		struct wt_dsr_addresses whole = next.over; /* a gateway stands in front of whom it answers for */

		if (request->target != self)
			whole.at[whole.count++] = request->target;
		reply(dsr, now, orig, &request->over, &whole, 0);
	} else if (!was_seen(dsr, orig, request->id) && !reply_from_cache(dsr, now, orig, request) && packet->ip.ttl > 1) {
		send_request(dsr, now, orig, packet->ip.ttl - 1, &next, wt_mesh_random(dsr->mesh, dsr->params.jitter));
	}
	wake(dsr, now);
}

/* ---- packets with a header -------------------------------------------------------------------------------- */

static void arrived(struct dsr *dsr, wt_time now, struct wt_mesh_packet *packet, const struct wt_dsr *header)
{
	struct wt_mesh_packet data = *packet;

	if (header->next_header == WT_IP_NO_NEXT)
		return;
	packet->frame = NULL;
	unwrap(&data, header);
	if (data.dst == wt_mesh_address(dsr->mesh))
		wt_mesh_deliver(dsr->mesh, now, &data);
	else if (wt_mesh_hop(dsr->mesh, now, &data)) /* of a network behind us */
		wt_mesh_route_packet(dsr->mesh, now, &data);
}

static void pass_on(struct dsr *dsr, wt_time now, struct wt_mesh_packet *packet, const struct wt_dsr *header)
{
	const struct wt_dsr_route *route = &header->route;
	struct wt_mesh_packet data = *packet;
	unsigned at = route->over.count - route->left;
	uint32_t next = route->left > 1 ? route->over.at[at + 1] : packet->dst;

	if (!header->has_route || !route->left || route->over.at[at] != wt_mesh_address(dsr->mesh) || next == wt_mesh_address(dsr->mesh)) {
		wt_mesh_malformed(dsr->mesh);
		return;
	}
	packet->frame = NULL;
	if (data.ip.ttl <= 1 && header->next_header != WT_IP_NO_NEXT)
		unwrap(&data, header); /* its source is told of its own packet */
	if (!wt_mesh_hop(dsr->mesh, now, &data))
		return;
	wt_dsr_step(wt_frame_own_bytes(data.frame) + WT_ETH_HEADER + data.ip.header_len, route);
	wt_mesh_transmit(dsr->mesh, now, data.frame, LINK, next, 0);
}

static bool sane(const struct wt_mesh_packet *packet, const struct wt_dsr_addresses *over)
{
	for (unsigned i = 0; i < over->count; i++) {
		struct wt_addr addr = wt_mesh_addr(over->at[i]);

		if (!wt_source_usable(&addr))
			return false;
	}
	return packet->dst == WT_MESH_BROADCAST || wt_source_usable(&packet->ip.dst);
}

static void dsr_message(void *state, wt_time now, struct wt_mesh_message *message)
{
	struct wt_mesh_packet *packet = message->packet;
	struct dsr *dsr = state;
	struct wt_dsr header;

	if (!wt_dsr_parse(message->data, message->len, &header) || !sane(packet, &header.route.over) || !sane(packet, &header.reply.over) ||
	    !sane(packet, &header.request.over)) {
		wt_mesh_malformed(dsr->mesh);
		return;
	}
	if (packet->dst == WT_MESH_BROADCAST) {
		if (header.has_request)
			on_request(dsr, now, packet, &header.request);
		return;
	}
	if (header.has_error && header.error.type == WT_DSR_NODE_UNREACHABLE)
		wt_dsr_cache_break(&dsr->cache, now, header.error.source, header.error.unreachable);
	if (header.has_reply)
		wt_dsr_cache_learn(&dsr->cache, now, packet->dst, &header.reply.over, 0);
	if (header.has_route && !header.route.salvage && (dsr->params.learn || header.next_header == WT_IP_NO_NEXT))
		wt_dsr_cache_learn(&dsr->cache, now, packet->src, &header.route.over, packet->dst);
	if (wt_mesh_serves(dsr->mesh, packet->dst))
		arrived(dsr, now, packet, &header);
	else
		pass_on(dsr, now, packet, &header);
	wake(dsr, now);
}

/* ---- packets between others ------------------------------------------------------------------------------- */

/* Was this source told lately of a packet that this station sent? If not, it is now. */
static bool was_told(struct dsr *dsr, wt_time now, uint32_t orig, uint32_t from)
{
	for (unsigned i = 0; i < SHORTER; i++)
		if (dsr->shorter[i].orig == orig && dsr->shorter[i].from == from && dsr->shorter[i].until > now)
			return true;
	dsr->shorter[dsr->shorter_at++ % SHORTER] = (struct shorter){orig, from, now + dsr->params.holdoff};
	return false;
}

/* A packet that was to come to us later was heard already: those before us on its way are not needed, its source is told (3.4.3). */
static void shorten(struct dsr *dsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_dsr_route *route)
{
	const struct wt_dsr_addresses *over = &route->over;
	uint32_t self = wt_mesh_address(dsr->mesh), last = packet->dst;
	unsigned next = over->count - route->left, ours;
	struct wt_dsr_addresses passed = {.count = next}, whole;

	if (!route->left || route->left > over->count || route->salvage || packet->from != (next ? over->at[next - 1] : packet->src))
		return;
	for (ours = next + 1; ours < over->count && over->at[ours] != self; ours++)
		;
	if ((ours >= over->count && last != self) || was_told(dsr, now, packet->src, packet->from))
		return;
	memcpy(passed.at, over->at, next * sizeof(*over->at));
	whole = passed;
	whole.at[whole.count++] = self;
	for (unsigned i = ours + 1; i < over->count; i++)
		whole.at[whole.count++] = over->at[i];
	if (last != self)
		whole.at[whole.count++] = last;
	reply(dsr, now, packet->src, &passed, &whole, 0);
}

static void dsr_overheard(void *state, wt_time now, const struct wt_mesh_packet *packet)
{
	const uint8_t *data = wt_frame_look(packet->frame) + WT_ETH_HEADER + packet->ip.header_len;
	struct dsr *dsr = state;
	struct wt_dsr header;

	if (packet->ip.protocol != WT_IP_DSR || packet->src == wt_mesh_address(dsr->mesh) || packet->ip.frag_offset ||
	    !wt_dsr_parse(data, (uint32_t)packet->ip.total_len - packet->ip.header_len, &header) || !sane(packet, &header.route.over) ||
	    !sane(packet, &header.reply.over))
		return;
	if (header.has_error && header.error.type == WT_DSR_NODE_UNREACHABLE)
		wt_dsr_cache_break(&dsr->cache, now, header.error.source, header.error.unreachable);
	if (header.has_reply)
		wt_dsr_cache_learn_from(&dsr->cache, now, packet->from, packet->dst, &header.reply.over, 0);
	if (header.has_route && !header.route.salvage && (dsr->params.learn || header.next_header == WT_IP_NO_NEXT))
		wt_dsr_cache_learn_from(&dsr->cache, now, packet->from, packet->src, &header.route.over, packet->dst);
	if (header.has_route && dsr->params.shorten)
		shorten(dsr, now, packet, &header.route);
	wake(dsr, now);
}

static bool dsr_overhears(const void *params)
{
	return ((const struct params *)params)->overhear;
}

/* ---- links that fail -------------------------------------------------------------------------------------- */

/* The source, or who salvaged it last, hears of the link (8.3.4): over the stations that the packet passed, or as the cache says. */
static void tell_source(struct dsr *dsr, wt_time now, const struct wt_mesh_packet *packet, const struct wt_dsr *header, uint32_t next)
{
	uint32_t self = wt_mesh_address(dsr->mesh), to = header->route.salvage ? header->route.over.at[0] : packet->src;
	struct wt_dsr answer = {.has_error = true, .error = {WT_DSR_NODE_UNREACHABLE, header->route.salvage, self, to, next}};
	struct wt_dsr_addresses way = {0};
	unsigned at = header->route.over.count - header->route.left; /* behind us */

	if (to == self)
		return;
	if (at > header->route.over.count || at < 1u + (header->route.salvage != 0)) {
		if (!wt_dsr_cache_find(&dsr->cache, now, to, &way))
			return;
	} else {
		for (unsigned i = at - 1; i-- > (header->route.salvage ? 1u : 0u);)
			way.at[way.count++] = header->route.over.at[i];
		way.at[way.count++] = to;
	}
	send_options(dsr, now, &answer, &way, 0);
}

static void dsr_link_failure(void *state, wt_time now, uint32_t next, struct wt_mesh_packet *packet)
{
	struct dsr *dsr = state;
	const uint8_t *data = wt_frame_look(packet->frame) + WT_ETH_HEADER + packet->ip.header_len;
	struct wt_dsr header = {.next_header = packet->ip.protocol};
	struct wt_dsr_addresses way;

	wt_dsr_cache_break(&dsr->cache, now, wt_mesh_address(dsr->mesh), next);
	if (packet->ip.protocol == WT_IP_DSR) {
		if (!wt_dsr_parse(data, (uint32_t)packet->ip.total_len - packet->ip.header_len, &header) || header.next_header == WT_IP_NO_NEXT) {
			wt_mesh_drop(dsr->mesh, now, packet, WT_DROP_NO_ACK);
			return;
		}
		if (header.has_route)
			tell_source(dsr, now, packet, &header, next);
		unwrap(packet, &header);
	}
	if (wt_mesh_serves(dsr->mesh, packet->src)) { /* our own: any way will do, also one that is asked for */
		wt_mesh_counts(dsr->mesh)->salvaged++;
		dsr_forward(dsr, now, packet);
	} else if (header.route.salvage < dsr->params.salvage && wt_dsr_cache_find(&dsr->cache, now, packet->dst, &way) &&
		   way.count < WT_DSR_MOST) {
		wt_mesh_counts(dsr->mesh)->salvaged++;
		send_data(dsr, now, packet, &way, header.route.salvage + 1u);
	} else {
		wt_mesh_drop(dsr->mesh, now, packet, WT_DROP_NO_ACK);
	}
}

/* ---- time ------------------------------------------------------------------------------------------------- */

static wt_time dsr_deadline(const void *state)
{
	const struct dsr *dsr = state;
	const struct discovery *discovery = dsr->discoveries.at;
	wt_time due = wt_mesh_buffer_deadline(&dsr->buffer);

	for (unsigned i = 0; i < dsr->discoveries.count; i++)
		due = wt_time_min(due, discovery[i].due);
	return due;
}

static void dsr_timer(void *state, wt_time now)
{
	struct dsr *dsr = state;

	wt_mesh_buffer_expire(&dsr->buffer, now);
	for (unsigned i = dsr->discoveries.count; i-- > 0;) {
		struct discovery *discovery = dsr->discoveries.at;
		uint32_t dst;

		if (i >= dsr->discoveries.count || discovery[i].due > now || discovery_due(dsr, now, &discovery[i]))
			continue;
		dst = discovery[i].dst;
		wt_list_take(&dsr->discoveries, i, sizeof(*discovery));
		wt_mesh_buffer_refuse(&dsr->buffer, now, dst);
	}
}

static int dsr_init(struct wt_mesh *mesh, void *state, const void *params)
{
	struct dsr *dsr = state;

	dsr->mesh = mesh;
	dsr->params = *(const struct params *)params;
	dsr->buffer = (struct wt_mesh_buffer){.mesh = mesh, .limit = dsr->params.buffer, .lifetime = dsr->params.buffer_time};
	dsr->cache = (struct wt_dsr_cache){.mesh = mesh, .limit = dsr->params.cache, .lifetime = dsr->params.cache_time};
	return 0;
}

static void dsr_finish(void *state)
{
	struct dsr *dsr = state;

	wt_mesh_buffer_clear(&dsr->buffer);
	wt_dsr_cache_finish(&dsr->cache);
	free(dsr->discoveries.at);
}

#define AT(field) offsetof(struct params, field)

static const struct wt_param rows[] = {
	{"ring-zero", WT_PARAM_BOOL, AT(ring_zero), "neighbours alone are asked first (8.2.1)"},
	{"cached-replies", WT_PARAM_BOOL, AT(cached_replies), "who knows the rest of a way answers (8.2.3)"},
	{"learn", WT_PARAM_BOOL, AT(learn), "ways are learned from packets of data, too; off: as if they carried none (flow state)"},
	{"overhear", WT_PARAM_BOOL, AT(overhear), "packets between others are heard, and their ways kept (3.3.1)"},
	{"shorten", WT_PARAM_BOOL, AT(shorten), "a source is told of a shorter way that was overheard (3.4.3)"},
	{"salvage", WT_PARAM_COUNT, AT(salvage), "how often a packet is sent another way by others (MAX_SALVAGE_COUNT, 8.3.6)", 0, 15},
	{"cache", WT_PARAM_COUNT, AT(cache), "ways that a station keeps", 1, 10000},
	{"cache-time", WT_PARAM_TIME, AT(cache_time), "RouteCacheTimeout, of a way not used", (double)WT_MS, 1e15},
	{"buffer", WT_PARAM_COUNT, AT(buffer), "packets that wait for ways, at most", 0, 100000},
	{"buffer-time", WT_PARAM_TIME, AT(buffer_time), "SendBufferTimeout", (double)WT_MS, 1e15},
	{"ring-zero-time", WT_PARAM_TIME, AT(ring_zero_time), "NonpropRequestTimeout", (double)WT_US, 1e12},
	{"period", WT_PARAM_TIME, AT(period), "RequestPeriod: between two searches for a station, at least", (double)WT_MS, 1e15},
	{"wait", WT_PARAM_TIME, AT(wait), "for the answer to the first request through the whole net (4.3: 500ms; ns-2: 2s)", (double)WT_MS, 1e15},
	{"backoff", WT_PARAM_COUNT, AT(backoff), "times as long after each request that was not answered (4.3: 2; ns-2: 4)", 1, 100},
	{"period-most", WT_PARAM_TIME, AT(period_most), "MaxRequestPeriod", (double)WT_MS, 1e15},
	{"retries", WT_PARAM_COUNT, AT(retries), "MaxRequestRexmt, through the whole net", 1, 1000},
	{"holdoff", WT_PARAM_TIME, AT(holdoff), "GratReplyHoldoff: between two such replies for one source and neighbour, at least", 0, 1e15},
	{"hop-limit", WT_PARAM_COUNT, AT(hop_limit), "DiscoveryHopLimit", 1, 255},
	{"jitter", WT_PARAM_TIME, AT(jitter), "BroadcastJitter: a request is passed on after a time below this", 0, 1e12},
	{"reply-delay", WT_PARAM_TIME, AT(reply_delay), "for each hop of a way that a cache answers with (H, 8.2.5)", 0, 1e12},
};

const struct wt_routing_ops wt_routing_dsr = {
	.name = "dsr",
	.text = "ways on demand, carried by the packets (RFC 4728)",
	.params = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
	.params_size = sizeof(struct params),
	.params_default = &defaults,
	.state_size = sizeof(struct dsr),
	.protocol = WT_IP_DSR,
	.init = dsr_init,
	.finish = dsr_finish,
	.on_message = dsr_message,
	.on_forward = dsr_forward,
	.on_link_failure = dsr_link_failure,
	.overhears = dsr_overhears,
	.on_overheard = dsr_overheard,
	.deadline = dsr_deadline,
	.on_timer = dsr_timer,
};

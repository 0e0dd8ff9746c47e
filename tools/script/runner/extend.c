/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script run with options it does not write: `--with timestamps,sack,window_scaling`. The peer, which is the script, then offers what the
 * script itself never mentions, and behaves as a host that has agreed to it: it puts a timestamp on each segment and echoes ours (RFC 7323
 * 4.3), says in a block what a duplicate ACK is about (RFC 2018), and its windows are scaled. What the engine adds is taken away before the
 * script's expectation is compared, and looked at here: a timestamp on every segment that echoes one of ours, blocks only of what was sent.
 *
 * Timestamps take 12 bytes of each segment, so MTU and MSS are 12 larger, and segments keep the sizes that the script expects.
 */
#include <stdio.h>
#include <string.h>

#include "stack/wire/tcp.h"
#include "tools/script/runner/world.h"

enum { TIMESTAMP_ROOM = 12, MOST_SHIFT = 7, DEFAULT_MSS = 536, FIRST_TSVAL = 77777 };

/* ---- what the script leaves open --------------------------------------------------------------------------- */

static unsigned mentioned(const struct wt_script_packet *packet)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < packet->option_count; i++)
		switch (packet->options[i].kind) {
		case WT_SO_TIMESTAMP:
			bits |= WT_SX_TIMESTAMPS;
			break;
		case WT_SO_SACK:
		case WT_SO_SACK_PERMITTED:
			bits |= WT_SX_SACK;
			break;
		case WT_SO_WSCALE:
			bits |= WT_SX_SCALING;
			break;
		default:
			break;
		}
	return bits;
}

/* Bytes that stand for themselves: nothing is put beside them. */
static bool literal(const struct wt_script_packet *packet)
{
	for (unsigned i = 0; i < packet->option_count; i++)
		if (packet->options[i].kind == WT_SO_RAW || packet->options[i].kind == WT_SO_EOL)
			return true;
	return packet->damage.has_doff || packet->damage.has_ip_length;
}

/* The largest scale at which every window of the script can be said. */
static uint8_t shift_of(const struct wt_script *script)
{
	uint8_t shift = MOST_SHIFT;

	for (unsigned i = 0; i < script->event_count; i++) {
		const struct wt_script_packet *packet = &script->events[i].packet;

		if (script->events[i].kind != WT_SE_INBOUND || packet->kind != WT_SP_TCP || packet->flags & WT_SYN || packet->window == 65535)
			continue;
		while (packet->window & ((1u << shift) - 1))
			shift--;
	}
	return shift;
}

void wt_script_extend_init(struct wt_script_world *world)
{
	struct wt_tcp_settings *settings = &world->options.tcp.settings;
	unsigned bits = world->options.with & ~(world->options.insist ? 0 : world->options.without);

	for (unsigned i = 0; i < world->script->event_count; i++)
		if (world->script->events[i].kind == WT_SE_INBOUND || world->script->events[i].kind == WT_SE_OUTBOUND)
			bits &= ~mentioned(&world->script->events[i].packet);
	world->with = bits;
	world->report->with = bits;
	world->peer_shift = shift_of(world->script);
	if (bits & WT_SX_TIMESTAMPS) {
		settings->timestamps = 1;
		settings->mss += TIMESTAMP_ROOM;
		world->options.mtu += TIMESTAMP_ROOM;
	}
	if (bits & WT_SX_SACK)
		settings->sack = 1;
	if (bits & WT_SX_SCALING)
		settings->window_scaling = 1;
}

/* ---- what our side sent ------------------------------------------------------------------------------------- */

static const struct wt_script_tcp_option *find(const struct wt_script_packet *packet, enum wt_script_tcp_option_kind kind)
{
	for (unsigned i = 0; i < packet->option_count; i++)
		if (packet->options[i].kind == kind)
			return &packet->options[i];
	return NULL;
}

static void agree(struct wt_script_flow *flow)
{
	flow->scaling = flow->our_scaling && flow->peer_scaling;
	flow->our_shift = flow->scaling ? flow->our_offer : 0;
	flow->extras.agreed = flow->extras.offered & flow->extras.said;
}

void wt_script_extend_sent(struct wt_script_world *world, struct wt_script_flow *flow, const struct wt_script_packet *packet)
{
	const struct wt_script_tcp_option *scale = find(packet, WT_SO_WSCALE), *ts = find(packet, WT_SO_TIMESTAMP);
	struct wt_script_extras *extras = &flow->extras;
	uint32_t len = packet->len + !!(packet->flags & WT_SYN) + !!(packet->flags & WT_FIN);

	if (packet->flags & WT_SYN) {
		extras->offered = (uint8_t)mentioned(packet);
		flow->our_scaling = scale != NULL;
		flow->our_offer = scale ? (uint8_t)scale->value : 0;
		agree(flow);
	}
	if (!len)
		return;
	extras->sent[extras->count % WT_SX_SENT].start = packet->start;
	extras->sent[extras->count % WT_SX_SENT].end = packet->start + len;
	extras->sent[extras->count++ % WT_SX_SENT].tsval = ts ? ts->value + (flow->has_ts ? flow->ts_base : 0) : 0;
}

/* The end of what was sent at `number`, and the timestamp it went with last; false: nothing was. */
static bool sent_at(const struct wt_script_extras *extras, uint32_t number, uint32_t *end, uint32_t *tsval)
{
	for (unsigned n = extras->count; n-- > 0 && extras->count - n <= WT_SX_SENT;) {
		uint32_t start = extras->sent[n % WT_SX_SENT].start;

		if ((int32_t)(number - start) < 0 || (int32_t)(number - extras->sent[n % WT_SX_SENT].end) >= 0)
			continue;
		*end = extras->sent[n % WT_SX_SENT].end;
		*tsval = extras->sent[n % WT_SX_SENT].tsval;
		return true;
	}
	return false;
}

/* ---- what the other side says besides ----------------------------------------------------------------------- */

/* A duplicate ACK is about the next segment above the hole. */
static void note_duplicate(struct wt_script_extras *extras)
{
	uint32_t end, tsval;

	if (!extras->holed) {
		if (!sent_at(extras, extras->una, &end, &tsval))
			return;
		extras->holed = true;
		extras->hole_end = extras->sacked = end;
	}
	if (sent_at(extras, extras->sacked, &end, &tsval))
		extras->sacked = end;
}

static void note_ack(struct wt_script_flow *flow, const struct wt_script_packet *packet)
{
	struct wt_script_extras *extras = &flow->extras;
	uint32_t end, tsval;
	bool bare = !packet->len && !(packet->flags & (WT_SYN | WT_FIN));

	if (!packet->has_ack || !flow->has_iss)
		return;
	if (!extras->has_una || (int32_t)(packet->ack - extras->una) > 0) {
		if (sent_at(extras, extras->has_una ? extras->una : 0, &end, &tsval))
			extras->recent = tsval; /* of the first segment it covers: RFC 7323 4.3 (2) */
		extras->has_una = true;
		extras->una = packet->ack;
		if (extras->holed && (int32_t)(packet->ack - extras->hole_end) >= 0)
			extras->holed = false;
	} else if (packet->ack == extras->una && bare && packet->window == extras->window) {
		note_duplicate(extras);
	}
	extras->window = packet->window;
}

static void put(struct wt_script_packet *packet, struct wt_script_tcp_option option)
{
	packet->options[packet->option_count++] = option;
}

static void put_nops(struct wt_script_packet *packet)
{
	put(packet, (struct wt_script_tcp_option){.kind = WT_SO_NOP});
	put(packet, (struct wt_script_tcp_option){.kind = WT_SO_NOP});
}

static void put_timestamp(const struct wt_script_world *world, const struct wt_script_flow *flow, struct wt_script_packet *packet)
{
	put_nops(packet);
	put(packet, (struct wt_script_tcp_option){.kind = WT_SO_TIMESTAMP,
						  .value = FIRST_TSVAL + (uint32_t)(world->now / WT_MS),
						  .tsecr = packet->has_ack ? flow->extras.recent : 0});
}

static void extend_syn(const struct wt_script_world *world, struct wt_script_flow *flow, struct wt_script_packet *packet)
{
	unsigned bits = packet->flags & WT_ACK ? world->with & flow->extras.offered : world->with;
	struct wt_script_tcp_option *mss = NULL;

	for (unsigned i = 0; i < packet->option_count; i++)
		if (packet->options[i].kind == WT_SO_MSS)
			mss = &packet->options[i];
	if (world->with & WT_SX_TIMESTAMPS) {
		if (mss && mss->value <= 65535 - TIMESTAMP_ROOM)
			mss->value += TIMESTAMP_ROOM;
		else if (!mss)
			put(packet, (struct wt_script_tcp_option){.kind = WT_SO_MSS, .value = DEFAULT_MSS + TIMESTAMP_ROOM});
	}
	if (bits & WT_SX_TIMESTAMPS)
		put_timestamp(world, flow, packet);
	if (bits & WT_SX_SACK)
		put(packet, (struct wt_script_tcp_option){.kind = WT_SO_SACK_PERMITTED});
	if (bits & WT_SX_SCALING)
		put(packet, (struct wt_script_tcp_option){.kind = WT_SO_WSCALE, .value = world->peer_shift});
}

static void extend_segment(const struct wt_script_world *world, struct wt_script_flow *flow, struct wt_script_packet *packet)
{
	struct wt_script_extras *extras = &flow->extras;

	unsigned bits = extras->agreed & world->with;

	if (bits & WT_SX_SCALING)
		packet->window = (uint16_t)((packet->window + (packet->window == 65535 && world->peer_shift)) >> world->peer_shift);
	if (packet->flags & WT_RST)
		return;
	if (bits & WT_SX_TIMESTAMPS)
		put_timestamp(world, flow, packet);
	if (bits & WT_SX_SACK && extras->holed && packet->ack == extras->una && (int32_t)(extras->sacked - extras->hole_end) > 0) {
		put_nops(packet);
		put(packet, (struct wt_script_tcp_option){.kind = WT_SO_SACK, .len = 1, .sack = {{extras->hole_end, extras->sacked}}});
	}
}

void wt_script_extend(struct wt_script_world *world, struct wt_script_flow *flow, struct wt_script_packet *packet,
		      struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS])
{
	bool syn = packet->kind == WT_SP_TCP && packet->flags & WT_SYN;

	if (packet->kind == WT_SP_ICMP && world->with & WT_SX_TIMESTAMPS && packet->icmp_type == 3 && packet->icmp_code == 4 && packet->icmp_rest)
		packet->icmp_rest += TIMESTAMP_ROOM;
	if (packet->kind != WT_SP_TCP)
		return;
	if (packet->flags & WT_FIN) {
		flow->has_fin = true;
		flow->fin = packet->start + packet->len + syn;
	}
	if (world->with && !literal(packet) && packet->option_count + 8 < WT_SCRIPT_TCP_OPTIONS) {
		if (packet->option_count)
			memcpy(options, packet->options, packet->option_count * sizeof(*options));
		packet->options = options;
		note_ack(flow, packet);
		if (syn)
			extend_syn(world, flow, packet);
		else
			extend_segment(world, flow, packet);
	}
	if ((int32_t)(packet->start + packet->len - flow->top) > 0 || !flow->has_top)
		flow->top = packet->start + packet->len + syn + !!(packet->flags & WT_FIN);
	flow->has_top = true;
	if (syn) {
		flow->extras.said = (uint8_t)mentioned(packet);
		flow->peer_scaling = find(packet, WT_SO_WSCALE) != NULL;
		agree(flow);
	}
}

/* ---- what is taken away again ------------------------------------------------------------------------------- */

static bool added(const struct wt_script_world *world, const struct wt_script_tcp_option *option)
{
	switch (option->kind) {
	case WT_SO_NOP:
	case WT_SO_EOL:
		return true;
	case WT_SO_TIMESTAMP:
		return world->with & WT_SX_TIMESTAMPS;
	case WT_SO_SACK:
	case WT_SO_SACK_PERMITTED:
		return world->with & WT_SX_SACK;
	case WT_SO_WSCALE:
		return world->with & WT_SX_SCALING;
	default:
		return false;
	}
}

/* Each block speaks of what came; all but the first (it may be a duplicate's, RFC 2883) of what lies above the ACK. */
static const char *lie(const struct wt_script_flow *flow, const struct wt_script_packet *live, const struct wt_script_tcp_option *sack)
{
	for (unsigned i = 0; i < sack->len; i++) {
		if ((int32_t)(sack->sack[i].end - sack->sack[i].start) <= 0 || (int32_t)(sack->sack[i].end - flow->top) > 0)
			return "a SACK block of what never came";
		if (i && (int32_t)(sack->sack[i].start - live->ack) <= 0)
			return "a SACK block at or below its ACK";
	}
	return NULL;
}

static const char *check_added(const struct wt_script_world *world, const struct wt_script_flow *flow, const struct wt_script_packet *live)
{
	const struct wt_script_tcp_option *ts = find(live, WT_SO_TIMESTAMP), *sack = find(live, WT_SO_SACK);
	uint32_t now = FIRST_TSVAL + (uint32_t)(world->now / WT_MS);
	unsigned bits = flow->extras.agreed & world->with;

	if (live->flags & WT_RST)
		return NULL;
	if (bits & WT_SX_TIMESTAMPS && !(live->flags & WT_SYN)) {
		if (!ts)
			return "a segment without a timestamp on a connection that uses them";
		if (ts->tsecr < FIRST_TSVAL || ts->tsecr > now)
			return "a timestamp that echoes none of ours";
	}
	return bits & WT_SX_SACK && sack ? lie(flow, live, sack) : NULL;
}

static void take_away(const struct wt_script_world *world, struct wt_script_packet *packet)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < packet->option_count; i++)
		if (!added(world, &packet->options[i]))
			packet->options[kept++] = packet->options[i];
	packet->option_count = kept;
}

const char *wt_script_reduce(const struct wt_script_world *world, const struct wt_script_flow *flow, struct wt_script_packet *live)
{
	const char *fault;

	if (!world->with || live->kind != WT_SP_TCP)
		return NULL;
	fault = check_added(world, flow, live);
	take_away(world, live);
	for (unsigned i = 0; i < live->option_count; i++)
		if (live->options[i].kind == WT_SO_MSS && world->with & WT_SX_TIMESTAMPS)
			live->options[i].value -= TIMESTAMP_ROOM;
	if (flow->extras.agreed & world->with & WT_SX_SCALING && !(live->flags & WT_SYN)) {
		uint32_t window = (uint32_t)live->window << flow->our_shift;

		live->window = window < 65535 ? (uint16_t)window : 65535;
	}
	return fault;
}

void wt_script_reduce_expected(const struct wt_script_world *world, struct wt_script_packet *expected,
			       struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS])
{
	if (!world->with || expected->kind != WT_SP_TCP || !expected->option_count)
		return;
	memcpy(options, expected->options, expected->option_count * sizeof(*options));
	expected->options = options;
	take_away(world, expected);
}

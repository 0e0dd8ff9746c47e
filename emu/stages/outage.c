/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripted outages: every frame, ARP included, that comes in [at, at + length) is dropped, or a share of them; with a period,
 * in [at + k * period, at + k * period + length) for k = 0, 1, ... Of several outages that cover an instant the one with the
 * largest share counts. Where asked for, the sender hears of it by ICMP.
 */
#include <string.h>

#include "emu/stages/refuser.h"

struct outage {
	struct wt_refuser refuser;
	struct wt_stream stream;
	unsigned count;
	struct wt_outage outages[WT_OUTAGES_MAX];
	bool out;       /* the history as told so far */
	bool told;
	uint64_t visit;
	wt_time since, followed;
};

static bool covers(const struct wt_outage *outage, wt_time now)
{
	wt_time into = now - outage->at;

	if (into < 0)
		return false;
	if (outage->period)
		into %= outage->period;
	return into < outage->length;
}

static const struct wt_outage *worst(const struct outage *outage, wt_time now)
{
	const struct wt_outage *found = NULL;

	for (unsigned i = 0; i < outage->count; i++)
		if (covers(&outage->outages[i], now) && (!found || outage->outages[i].drop > found->drop))
			found = &outage->outages[i];
	return found;
}

/* The first moment after `now` at which one of them begins or ends. */
static wt_time next_edge(const struct outage *outage, wt_time now)
{
	wt_time edge = WT_NEVER;

	for (unsigned i = 0; i < outage->count; i++) {
		const struct wt_outage *one = &outage->outages[i];
		wt_time into = now - one->at, next;

		if (into < 0)
			next = one->at;
		else if (!one->period)
			next = into < one->length ? wt_time_add(one->at, one->length) : WT_NEVER;
		else if (one->length >= one->period)
			next = WT_NEVER;
		else
			next = wt_time_add(now - into % one->period, into % one->period < one->length ? one->length : one->period);
		edge = wt_time_min(edge, next);
	}
	return edge;
}

static struct wt_state present(const struct outage *outage)
{
	return (struct wt_state){.name = outage->out ? "out" : "up", .visit = outage->visit, .since = outage->since};
}

/* One that drops no share is none. */
static void come_into(struct outage *outage, wt_time now)
{
	struct wt_node *node = &outage->refuser.stage.node;
	const struct wt_outage *found = worst(outage, now);
	bool out = found && found->drop > 0;
	struct wt_state state;

	outage->followed = now;
	if (outage->told && out == outage->out)
		return;
	if (outage->told) {
		outage->visit++;
		outage->since = now;
	}
	outage->told = true;
	outage->out = out;
	state = present(outage);
	if (node->states)
		node->states->state(node->states, node, &state);
}

/* Follows the history from edge to edge. It is asked for in steps of a second or so; more edges than EDGES in one step, of
 * periods of microseconds, are not told one by one. */
static void follow(struct outage *outage, wt_time now)
{
	enum { EDGES = 100000 };
	wt_time edge;

	if (!outage->told)
		come_into(outage, outage->followed);
	for (unsigned i = 0; i < EDGES && (edge = next_edge(outage, outage->followed)) <= now; i++)
		come_into(outage, edge);
	if (now > outage->followed)
		come_into(outage, now);
}

static void outage_state(struct wt_node *node, wt_time now, struct wt_state *state)
{
	struct outage *outage = (struct outage *)node;

	follow(outage, now);
	*state = present(outage);
}

static void refuse(struct outage *outage, wt_time now, struct wt_frame *frame, const struct wt_outage *why)
{
	const struct wt_refusal refusal = {.kind = WT_REFUSAL_HOST, .from = why->from};

	wt_refuser_drop(&outage->refuser, now, frame, WT_DROP_OUTAGE, why->unreachable ? &refusal : NULL);
}

static int outage_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct outage *outage = (struct outage *)node;
	const struct wt_outage *found = worst(outage, now);

	if (!wt_packets_share(&outage->refuser.stage.packets, &outage->stream, frame, found ? found->drop : 0)) /* packets count at all times */
		return WT_ON;
	refuse(outage, now, frame, found);
	return WT_KEPT;
}

static const struct wt_node_ops outage_ops = {
	.state = outage_state,
	.pass = outage_pass,
	.input = wt_stage_input,
	.output = wt_refuser_output,
	.deadline = wt_refuser_deadline,
	.destroy = wt_refuser_destroy,
};

struct wt_node *wt_outage_create(const char *name, const struct wt_key *key, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = wt_stage_new(sizeof(*outage), &outage_ops, name);

	if (!outage)
		return NULL;
	if (key)
		wt_stream_init(&outage->stream, key);
	wt_outage_change(&outage->refuser.stage.node, 0, outages, count);
	return &outage->refuser.stage.node;
}

/* What was before this instant, was under the old ones; from it on the new ones hold, whoever asks and when. */
void wt_outage_change(struct wt_node *node, wt_time now, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = (struct outage *)node;

	if (now > outage->followed)
		follow(outage, now - 1);
	outage->count = count < WT_OUTAGES_MAX ? count : WT_OUTAGES_MAX;
	memcpy(outage->outages, outages, outage->count * sizeof(*outages));
	if (outage->told)
		come_into(outage, now);
}

void wt_outage_begin(struct wt_node *node, wt_time now)
{
	struct outage *outage = (struct outage *)node;

	outage->visit += outage->told;
	outage->told = false;
	outage->since = outage->followed = now;
}

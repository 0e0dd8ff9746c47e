/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripted outages: every frame, ARP included, that comes in [at, at + length) is dropped, or a share of them; with a period,
 * in [at + k * period, at + k * period + length) for k = 0, 1, ... Of several outages that cover an instant the one with the
 * largest share counts. Where asked for, the sender hears of it by ICMP.
 */
#include <string.h>

#include "emu/packet.h"
#include "emu/stage.h"

enum { HOST_UNREACHABLE = 1 };

struct outage {
	struct wt_stage stage;
	struct wt_frame_queue back; /* answers, on their way to the sender */
	struct wt_packets packets;
	struct wt_key key;
	unsigned count;
	struct wt_outage outages[WT_OUTAGES_MAX];
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

static void outage_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct outage *outage = (struct outage *)node;
	const struct wt_outage *found = worst(outage, now);
	struct wt_frame *answer;

	node->audit.in++;
	if (!found || !wt_packets_share(&outage->packets, &outage->key, frame, found->drop)) {
		frame->time = now;
		wt_stage_ready(&outage->stage, frame);
		return;
	}
	answer = found->unreachable ? wt_packet_unreachable(frame, HOST_UNREACHABLE, 0) : NULL;
	if (answer) {
		node->audit.made++;
		node->audit.queued++;
		answer->time = now;
		wt_frame_queue_push(&outage->back, answer);
	}
	wt_node_drop(node, now, frame, WT_DROP_OUTAGE);
}

static struct wt_frame *outage_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return wt_stage_output_both((struct wt_stage *)node, &((struct outage *)node)->back, now, port);
}

static wt_time outage_deadline(const struct wt_node *node)
{
	const struct outage *outage = (const struct outage *)node;

	return outage->back.head ? outage->back.head->time : wt_stage_deadline(node);
}

static void outage_destroy(struct wt_node *node)
{
	if (node)
		wt_frame_queue_clear(&((struct outage *)node)->back);
	wt_stage_destroy(node);
}

static const struct wt_node_ops outage_ops = {
	.input = outage_input,
	.output = outage_output,
	.deadline = outage_deadline,
	.destroy = outage_destroy,
};

struct wt_node *wt_outage_create(const char *name, const struct wt_key *key, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = wt_stage_new(sizeof(*outage), &outage_ops, name);

	if (!outage)
		return NULL;
	if (key)
		outage->key = *key;
	wt_outage_change(&outage->stage.node, 0, outages, count);
	return &outage->stage.node;
}

void wt_outage_change(struct wt_node *node, wt_time now, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = (struct outage *)node;

	outage->count = count < WT_OUTAGES_MAX ? count : WT_OUTAGES_MAX;
	memcpy(outage->outages, outages, outage->count * sizeof(*outages));
}

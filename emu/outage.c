/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripted outages: every frame, ARP included, that comes in [at, at + length) is dropped; with a period, in
 * [at + k * period, at + k * period + length) for k = 0, 1, ... Several outages: their union.
 */
#include "emu/stage.h"

#include <string.h>

struct outage {
	struct wt_stage stage;
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

static void outage_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct outage *outage = (struct outage *)node;

	node->audit.in++;
	for (unsigned i = 0; i < outage->count; i++) {
		if (covers(&outage->outages[i], now)) {
			wt_node_drop(node, now, frame, WT_DROP_OUTAGE);
			return;
		}
	}
	frame->time = now;
	wt_stage_ready(&outage->stage, frame);
}

static const struct wt_node_ops outage_ops = {
	.input = outage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_outage_create(const char *name, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = wt_stage_new(sizeof(*outage), &outage_ops, name);

	if (!outage)
		return NULL;
	wt_outage_change(&outage->stage.node, 0, outages, count);
	return &outage->stage.node;
}

void wt_outage_change(struct wt_node *node, wt_time now, const struct wt_outage *outages, unsigned count)
{
	struct outage *outage = (struct outage *)node;

	outage->count = count < WT_OUTAGES_MAX ? count : WT_OUTAGES_MAX;
	memcpy(outage->outages, outages, outage->count * sizeof(*outages));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/lateness_probe.h"

#include <stdio.h>

#define PERIOD (50 * WT_MS)
#define LONGEST (10 * WT_S) /* a loop that was away for longer need not be told of each probe it missed */

/* Of all ports, or of those alone that the kernel stamps. */
static uint64_t dated_by_reading(const struct wt_network *net, bool stamped_alone)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < net->world->hosts; i++)
		if (net->port[i]->hears || !stamped_alone)
			count += net->port[i]->unstamped;
	return count;
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	wt_node_drop(node, now, frame, WT_DROP_UNROUTED);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_lateness_probe *probe = (struct wt_lateness_probe *)node;
	uint64_t frames = dated_by_reading(probe->net, false);
	wt_time late = wt_rloop_clock(probe->rloop) - probe->due;

	if (now < probe->due)
		return NULL;
	if (!probe->began)
		probe->seen = dated_by_reading(probe->net, true);
	probe->began = true;
	if (frames != probe->seen)
		wt_histogram_add(&probe->late, late);
	if (late < PERIOD)
		probe->seen = frames;
	probe->due = wt_time_max(probe->due + PERIOD, now + late - LONGEST);
	return NULL;
}

static wt_time deadline(const struct wt_node *node)
{
	return ((const struct wt_lateness_probe *)node)->due;
}

void wt_lateness_probe_init(struct wt_lateness_probe *probe, const struct wt_network *net, const struct wt_rloop *rloop)
{
	static const struct wt_node_ops ops = {input, output, deadline, NULL, NULL, NULL};

	*probe = (struct wt_lateness_probe){.net = net, .rloop = rloop, .due = wt_rloop_clock(rloop) + PERIOD};
	probe->node.ops = &ops;
	snprintf(probe->node.name, sizeof(probe->node.name), "probe");
}

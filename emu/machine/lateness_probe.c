/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/lateness_probe.h"

#include <stdio.h>

#define PERIOD (50 * WT_MS)
#define LONGEST (10 * WT_S) /* a loop that was away for longer need not be told of each pulse it missed */

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
	struct wt_lateness_probe *pulse = (struct wt_lateness_probe *)node;
	uint64_t frames = dated_by_reading(pulse->net, false);
	wt_time late = wt_rloop_clock(pulse->rloop) - pulse->due;

	if (now < pulse->due)
		return NULL;
	if (!pulse->began)
		pulse->seen = dated_by_reading(pulse->net, true);
	pulse->began = true;
	if (frames != pulse->seen)
		wt_histogram_add(&pulse->late, late);
	if (late < PERIOD)
		pulse->seen = frames;
	pulse->due = wt_time_max(pulse->due + PERIOD, now + late - LONGEST);
	return NULL;
}

static wt_time deadline(const struct wt_node *node)
{
	return ((const struct wt_lateness_probe *)node)->due;
}

void wt_lateness_probe_init(struct wt_lateness_probe *pulse, const struct wt_network *net, const struct wt_rloop *rloop)
{
	static const struct wt_node_ops ops = {input, output, deadline, NULL, NULL, NULL};

	*pulse = (struct wt_lateness_probe){.net = net, .rloop = rloop, .due = wt_rloop_clock(rloop) + PERIOD};
	pulse->node.ops = &ops;
	snprintf(pulse->node.name, sizeof(pulse->node.name), "pulse");
}

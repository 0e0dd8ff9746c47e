/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node that wants to be run twenty times a second, and keeps how late it was. Of frames that are dated when they are read nobody
 * knows how long they had waited; but they wait for the same loop.
 */
#ifndef WT_EMU_MACHINE_LATENESS_PROBE_H
#define WT_EMU_MACHINE_LATENESS_PROBE_H

#include "emu/world/build.h"
#include "stack/base/histogram.h"
#include "stack/drive/rloop.h"

struct wt_lateness_probe {
	struct wt_node node;
	const struct wt_network *net;
	const struct wt_rloop *rloop;
	wt_time due;
	uint64_t seen;            /* frames dated by their reading, when it was last on time */
	struct wt_histogram late; /* while there were such */
};

/* To be added to the graph of the net, in memory of the caller's. */
void wt_lateness_probe_init(struct wt_lateness_probe *pulse, const struct wt_network *net, const struct wt_rloop *rloop);

#endif

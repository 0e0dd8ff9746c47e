/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node that wants to be run twenty times a second, and keeps how late it was. Of frames that are dated when they are read nobody
 * knows how long they had waited; but they wait for the same loop.
 *
 * A device is up, and its kernel sends its first frames (IPv6 looks for routers and neighbours), before the kernel is asked for stamps.
 * These frames came before the run began, so the first look does not judge it by them.
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
	bool began;               /* it has looked once */
	uint64_t seen;            /* frames dated by their reading, when it was last on time */
	struct wt_histogram late; /* while there were such */
};

/* To be added to the graph of the net, in memory of the caller's. */
void wt_lateness_probe_init(struct wt_lateness_probe *probe, const struct wt_network *net, const struct wt_rloop *rloop);

#endif

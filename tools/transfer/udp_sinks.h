/* SPDX-License-Identifier: BSD-2-Clause */
/* The sinks of datagrams of a server that knows no sender beforehand: one for each flow of each remote endpoint (tools/app/cbr.h). */
#ifndef WT_TOOLS_TRANSFER_UDP_SINKS_H
#define WT_TOOLS_TRANSFER_UDP_SINKS_H

#include "tools/app/cbr.h"

#define WT_UDP_SINKS 64 /* at a time; the one that is silent for longest makes room */

struct wt_udp_sinks {
	struct wt_host *host;
	struct wt_udp *udp; /* NULL: closed */
	wt_time epoch;      /* of the clock */
	struct wt_udp_sink *sink;
	unsigned count;
	uint64_t strange;   /* datagrams of nobody like us */
	void (*on_flow)(void *arg, const struct wt_endpoint *from, const struct wt_cbr_report *report);
	void *arg;
};

/* 0, or negative errno as of wt_udp_open(). on_flow: all of a flow came, or nothing more does. */
int wt_udp_sinks_open(struct wt_udp_sinks *sinks, struct wt_host *host, uint16_t port, wt_time epoch,
		      void (*on_flow)(void *arg, const struct wt_endpoint *from, const struct wt_cbr_report *report), void *arg);
/* Flows that go on are forgotten. */
void wt_udp_sinks_stop(struct wt_udp_sinks *sinks);

#endif

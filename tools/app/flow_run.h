/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flows of a world on its hosts: all of them in virtual time, those of one host in a lab. An end whose host is not here is somebody
 * else's. Everything happens in callbacks of the hosts.
 */
#ifndef WT_TOOLS_APP_FLOW_RUN_H
#define WT_TOOLS_APP_FLOW_RUN_H

#include "tools/app/flow.h"

struct wt_flow_run {
	const struct wt_world *world;
	const struct wt_app_flow *flow;     /* world->flows of them */
	struct wt_host **host;          /* by host of the world; NULL: not here */
	wt_time epoch;                  /* of the clock; 0: in virtual time */
	uint64_t seed;                  /* of payloads: that of flow i is seed + i */
	wt_time interval;               /* of the first flow; 0: none */
	void (*on_interval)(void *arg, const struct wt_bulk_interval *interval);
	void (*on_over)(void *arg);     /* all that was begun here has come to its end */
	void (*on_error)(void *arg, const char *sentence); /* a flow could not begin at its time */
	void *arg;

	struct wt_bulk_sender *sender;  /* by flow; host NULL: not here, or not begun */
	struct wt_rr *rr;               /* by flow: of those that ask */
	struct wt_bulk_server *server;
	struct wt_cbr_sender *datagram_sender; /* by flow; NULL: none of them is such */
	struct wt_cbr_sink *datagram_sink;
	struct wt_cbr_server *datagram_server;
	struct wt_flow_timer *timer;
	unsigned servers, datagram_servers, senders, receivers; /* here */
	unsigned senders_done, receivers_done;
	enum wt_bulk_fail fail;         /* the first failure of any */
	int error;
};

/* Listens and connects, now or at the flows' times. 0, or negative errno with a sentence; finish either way. */
int wt_flow_run_start(struct wt_flow_run *run, wt_time now, char *err, size_t err_len);
/* The run ends now: flows that go on are cut. */
void wt_flow_run_cut(struct wt_flow_run *run, wt_time now);
/* Before the hosts go: nobody listens any more. Results stay. */
void wt_flow_run_stop(struct wt_flow_run *run);
void wt_flow_run_finish(struct wt_flow_run *run);

#endif

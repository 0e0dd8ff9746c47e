/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow of a world made concrete: its modules, settings and application, from the words that the world carries for it. */
#ifndef WT_TOOLS_APP_FLOW_H
#define WT_TOOLS_APP_FLOW_H

#include "emu/world/world.h"
#include "stack/record/json.h"
#include "tools/app/bulk.h"
#include "tools/app/cbr.h"
#include "tools/app/playback.h"
#include "tools/app/rr.h"

/*
 * Applications: "bulk", which writes as fast as TCP takes it; "onoff:on=1s,off=2s", which rests in between; "playback:..." (playback.h);
 * "rr:request=64B,response=1KB", which asks and waits for the response (rr.h);
 * "cbr:rate=1Mbit,size=1000B", which is no TCP but datagrams (cbr.h).
 */
struct wt_app_flow {
	struct wt_tcp_config a, b; /* of its sender's and of its receiver's end */
	const char *kernel;        /* the kernel's TCP with this congestion control, a text of the world; NULL: ours */
	uint64_t size;             /* payload; 0: by time */
	wt_time time;              /* it writes so long from when it is connected, and what it wrote is still delivered; 0: to its end */
	wt_time on, off;
	bool plays;
	struct wt_playback_config playback; /* if it plays */
	bool asks;
	struct wt_rr_config rr; /* if it asks */
	bool datagrams;
	struct wt_cbr_config cbr; /* if it sends them */
};

/* The application by its words; NULL: bulk. 0, or -EINVAL with a sentence. */
int wt_flow_app(struct wt_app_flow *flow, const char *words, char *err, size_t err_len);
/* 0, or -EINVAL with a sentence, which begins with the flow's line where there is a file. */
int wt_flow_resolve(const struct wt_world *world, unsigned index, struct wt_app_flow *flow, char *err, size_t err_len);
/* All of a world that was checked, on the heap; NULL: refused, or no memory. */
struct wt_app_flow *wt_flows_resolve(const struct wt_world *world, char *err, size_t err_len);
/* -EINVAL with a sentence if one of them is the kernel's, which has no virtual time. */
int wt_flows_ours(const struct wt_world *world, const struct wt_app_flow *flow, char *err, size_t err_len);
/* What both ends of a connection of the bulk application do for it. rr: where what it asks is counted, if it asks. */
void wt_flow_send_config(const struct wt_app_flow *flow, struct wt_rr *rr, struct wt_bulk_send_config *config);
void wt_flow_serve_config(const struct wt_app_flow *flow, struct wt_bulk_serve_config *config);
/* Which one it is, as keys of the open object: the outcome (bulk_json.h) follows. */
void wt_flow_json(struct wt_json *json, const struct wt_world *world, unsigned index);

#endif

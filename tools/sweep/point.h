/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A point of a sweep made concrete: the words of its axes put into the parameters, the parameters turned into a path and flows. And the names
 * of runs: a run's id is the SHA-256 of everything that determines it - this program's sources, path and flows in normal form, the
 * seed - so that equal runs have equal ids in every sweep, and a run that was done once is found again.
 */
#ifndef WT_TOOLS_SWEEP_POINT_H
#define WT_TOOLS_SWEEP_POINT_H

#include "emu/path.h"
#include "tools/app/playback.h"
#include "tools/app/simulation.h"
#include "tools/common/sha256.h"
#include "tools/sweep/file.h"
#include "tools/app/token_meter.h"

#define WT_SWEEP_WORLD_TEXT 65536
#define WT_SWEEP_ID 33 /* 128 bits in hexadecimal, with the final 0 */

/* Large: on the heap. */
struct wt_sweep_run {
	char text[WT_SWEEP_PARAMS][WT_SWEEP_VALUE * 2]; /* empty: not given */
	unsigned line[WT_SWEEP_PARAMS];
	char kernel[24]; /* the kernel's TCP with this congestion control; empty: ours */
	char fwd[WT_PATH_TEXT], rev[WT_PATH_TEXT]; /* in normal form */
	struct wt_app_flow flow;   /* each of them */
	unsigned flows;
	uint32_t mtu;          /* 0: 1500 */
	wt_time limit;
	bool counts;           /* tokens, as they say: */
	struct wt_token_config tokens;
	char world_name[512];  /* for messages */
	char world_flow[80];   /* of a world without flows: the one it gets, as its file would say it, but for its words. Empty: it has some */
	char world[WT_SWEEP_WORLD_TEXT]; /* of a world of its own its text, filled in, in place of path and flows; empty: none */
};

/* 0, or -EINVAL with "FILE:LINE: ..." in err. */
int wt_sweep_resolve(const struct wt_sweep *sweep, uint32_t point, struct wt_sweep_run *run, char *err, size_t err_len);
/* The world of a point, with this seed; the kernel's TCP is taken for ours. 0, or negative errno with a sentence; finish either way. */
int wt_sweep_simulation(struct wt_sweep_run *run, uint64_t seed, struct wt_simulation *simulation, char *err, size_t err_len);
/* Resolves every point, and checks that every axis is used and the metric is known. */
int wt_sweep_check(const struct wt_sweep *sweep, char *err, size_t err_len);

/* What determines the runs of a point but for the seed, as keys of the open object. */
void wt_sweep_config_json(struct wt_json *json, const struct wt_sweep *sweep, const struct wt_sweep_run *run);
/* {"loss":"5%", ...} under "axes". */
void wt_sweep_axes_json(struct wt_json *json, const struct wt_sweep *sweep, uint32_t point);
/* The digest of a point, and the id of one of its runs. */
int wt_sweep_digest(const struct wt_sweep *sweep, const struct wt_sweep_run *run, char digest[WT_SHA256_TEXT]);
void wt_sweep_id(const char digest[WT_SHA256_TEXT], uint64_t seed, char id[WT_SWEEP_ID]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep file, as docs/man/wavetank-sweep.5.scd describes it: what is run (parameters), what is varied (axes: each a list of words),
 * how often. A point is one word of every axis; points are counted with the last axis fastest.
 */
#ifndef WT_TOOLS_SWEEP_FILE_H
#define WT_TOOLS_SWEEP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/daemon/verdict.h"
#include "tools/common/kernel_names.h"

#define WT_SWEEP_AXES 12
#define WT_SWEEP_WORDS 1000     /* of one axis */
#define WT_SWEEP_VARIANTS 64
#define WT_SWEEP_VALUE 1000
#define WT_SWEEP_RUNS 10000000u
#define WT_SWEEP_SEED (INT64_MAX - (int64_t)WT_SWEEP_RUNS) /* at most, so that those of all repeats are seeds of labs too */

/* Parameters of a run, in the order of sweep_file.c's table. */
enum wt_sweep_param {
	WT_SWEEP_STACK, WT_SWEEP_SENDER, WT_SWEEP_RECOVERY, WT_SWEEP_RECEIVER, WT_SWEEP_PRESET, WT_SWEEP_SETTINGS, WT_SWEEP_LINK,
	WT_SWEEP_FWD, WT_SWEEP_REV, WT_SWEEP_MTU, WT_SWEEP_SIZE, WT_SWEEP_TIME, WT_SWEEP_FLOWS, WT_SWEEP_LIMIT,
	WT_SWEEP_APP, WT_SWEEP_TOKENS, WT_SWEEP_PARAMS
};

extern const char *const wt_sweep_param_name[WT_SWEEP_PARAMS];

struct wt_sweep_value {
	char *text; /* NULL: not given */
	unsigned line;
};

struct wt_sweep_variant {
	char *name;
	unsigned line;
	struct wt_sweep_value param[WT_SWEEP_PARAMS];
};

struct wt_sweep_axis {
	char *name;
	unsigned line, words;
	char **word;
};

struct wt_sweep {
	char *file, *name, *metric;
	unsigned metric_line; /* 0: the default */
	char backend[8]; /* "sim", "tap", "packet" */
	uint64_t seed, repeats, most, attempts;
	struct wt_verdict_bounds bounds; /* in real time, of a run while the host is not too busy */
	double relative; /* stop rule: half of the 95 % interval over the mean; 0: `repeats` runs of each point */
	unsigned axes, variants;
	struct wt_sweep_axis axis[WT_SWEEP_AXES]; /* [variant NAME] sections become the axis "variant" */
	struct wt_sweep_variant variant[WT_SWEEP_VARIANTS];
	struct wt_sweep_value param[WT_SWEEP_PARAMS];
	uint32_t points;
	char kernel[WT_KERNEL_RELEASE]; /* release of the kernel whose TCP runs: part of the names of those runs. Not in the file */
};

/* Parses `text`; `name` is for messages. 0, or -EINVAL with "FILE:LINE: what, and what was expected" in err. Finish in any case. */
int wt_sweep_parse(struct wt_sweep *sweep, const char *text, const char *name, char *err, size_t err_len);
/* The same from a file; also an error of the file. */
int wt_sweep_load(struct wt_sweep *sweep, const char *path, char *err, size_t err_len);
void wt_sweep_finish(struct wt_sweep *sweep);

/* The word of an axis at a point. */
const char *wt_sweep_word(const struct wt_sweep *sweep, uint32_t point, unsigned axis);
/* "loss=5% variant=real" into text; returns it. */
const char *wt_sweep_point_text(const struct wt_sweep *sweep, uint32_t point, char *text, size_t len);

#endif

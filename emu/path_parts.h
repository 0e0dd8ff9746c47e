/* SPDX-License-Identifier: BSD-2-Clause */
/* What path.c, path_line.c and path_change.c share: a plan's stages, made, named and compared. */
#ifndef WT_EMU_PATH_PARTS_H
#define WT_EMU_PATH_PARTS_H

#include "emu/words/words.h"

/* The words, and their normal form. 0 or -EINVAL with a sentence; wt_path_plan_finish() after 0. */
int wt_path_read(struct wt_path_plan *plan, char text[WT_PATH_TEXT], const char *words, const struct wt_path_files *files, char *err,
		 size_t err_len);
/* What its i-th stage has from a file, or NULL. `which`: 1 for the trace of a delay, which may have jitter from another file. */
struct wt_samples *wt_path_samples(const struct wt_path *path, unsigned i, unsigned which);
/* What one of its stages holds of a file of that name; NULL: none does. Not held for the caller. */
struct wt_samples *wt_path_find_samples(const struct wt_path *path, const char *name, enum wt_samples_kind kind);
/* What each entry of a plan is called; shared histories are counted from 1. */
const char *wt_path_place_name(const struct wt_path_place *place, char name[WT_PATH_NAME]);
void wt_path_places(const struct wt_path_plan *plan, struct wt_path_place place[WT_PATH_PLACES]);
/* NULL: no memory. */
struct wt_node *wt_path_build(const struct wt_path *path, const struct wt_stage_plan *stage, const struct wt_path_place *place);
struct wt_node *wt_path_build_drain(const struct wt_path *path, const struct wt_path_place *place);
/* A filter or a merge. 0, -EINVAL with a sentence, -ENOMEM. */
int wt_path_build_gate(const struct wt_path *path, const struct wt_path_place *place, const char *expression, struct wt_node **node,
		       char *err, size_t err_len);
/* The key of the history that a chain follows. */
struct wt_key wt_path_timeline(const struct wt_path *path, const struct wt_path_place *place);
/* The stages that a handoff changes follow its clock as it stands, or none; node[i] is that of plan->stage[i]. */
void wt_path_follow(const struct wt_path_plan *plan, struct wt_node *const *node, wt_time now);
/* Do two directions agree in what they share? 0 or -EINVAL with a sentence. */
int wt_path_check_pair(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len);
bool wt_path_takes_whole(const struct wt_path_plan *plan);
/* With `twice` counted in. */
double wt_path_share(const struct wt_stage_plan *stage, double share);
struct wt_gilbert_config wt_path_gilbert(const struct wt_stage_plan *stage);

/* ---- a change, of one direction ------------------------------------------------------------------------------ */

enum { WT_PATH_NEW = -1, WT_PATH_OPEN = -1 };

struct wt_path_side {
	struct wt_path *path;
	struct wt_path_plan plan;
	char text[WT_PATH_TEXT];
	/* of each entry of the plan */
	int old[WT_PATH_PLACES];    /* which of path->stage it is, or WT_PATH_NEW */
	int filter[WT_PATH_PLACES]; /* the entry that is the filter around it, or WT_PATH_OPEN */
	bool stays[WT_PATH_PLACES]; /* in its place, with what it keeps */
	bool renewed[WT_PATH_PLACES]; /* it follows another history from then on */
	struct wt_node *node[WT_PATH_PLACES], *fresh[WT_PATH_PLACES]; /* fresh: the filter whose expression it takes */
	struct wt_path_place place[WT_PATH_PLACES];
	uint32_t histories;
	bool contents; /* a stage gets other values of a file */
	/* of each of path->stage: the drain that takes what it keeps, or NULL */
	struct wt_node *drain[WT_PATH_NODES];
	unsigned coming;
	struct wt_node *come[WT_PATH_COMING];
	/* the line there will be */
	unsigned count;
	struct wt_node *line[WT_PATH_NODES];
	struct wt_path_place line_place[WT_PATH_NODES];
};

/* What of the plan was there before, and what of that may stay in its place. `old` is what the path's own text says. */
void wt_path_match(struct wt_path_side *side, const struct wt_path_plan *old);
/* Makes what comes, and the line. 0, -EINVAL with a sentence (an expression), -ENOMEM; what was made is in come[] and fresh[]. */
int wt_path_lay_out(struct wt_path_side *side, char *err, size_t err_len);

#endif

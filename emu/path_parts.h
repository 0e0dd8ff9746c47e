/* SPDX-License-Identifier: BSD-2-Clause */
/* What path.c and path_change.c share: a plan's stages, made, named and compared. */
#ifndef WT_EMU_PATH_PARTS_H
#define WT_EMU_PATH_PARTS_H

#include "emu/words.h"

/* The words, and their normal form. 0 or -EINVAL with a sentence; wt_path_plan_finish() after 0. */
int wt_path_read(struct wt_path_plan *plan, char text[WT_PATH_TEXT], const char *words, char *err, size_t err_len);
/* What each stage of a plan is called; shared chains are counted from 1. */
void wt_path_places(const struct wt_path_plan *plan, struct wt_path_place place[WT_PATH_STAGES]);
/* NULL: no memory. */
struct wt_node *wt_path_build(const struct wt_path *path, const struct wt_stage_plan *stage, const struct wt_path_place *place);
/* The stages that a handoff changes learn of it; node[i] is that of plan->stage[i]. */
void wt_path_follow(const struct wt_path *path, const struct wt_path_plan *plan, struct wt_node *const *node, wt_time now);
const struct wt_handoff_config *wt_path_handoff(const struct wt_path_plan *plan); /* or NULL */
bool wt_path_one_timing(const struct wt_handoff_config *a, const struct wt_handoff_config *b);
/* Do two directions agree in what they share? 0 or -EINVAL with a sentence. */
int wt_path_check_pair(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len);
/* Does it treat what is sent in one piece as one? A delay does, unless each packet draws a part of its own. */
bool wt_path_takes_whole(const struct wt_path_plan *plan);
/* With `twice` counted in. */
double wt_path_share(const struct wt_stage_plan *stage, double share);
struct wt_gilbert_config wt_path_gilbert(const struct wt_stage_plan *stage);

#endif

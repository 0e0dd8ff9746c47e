/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changes when: a node without ports whose deadlines are the times of the world's events, so that a script runs to the
 * nanosecond in virtual and in real time. Everything of one [at] section happens at one instant.
 */
#ifndef WT_EMU_WORLD_CHANGE_H
#define WT_EMU_WORLD_CHANGE_H

#include "emu/world/build.h"

struct wt_script {
	struct wt_node node;
	const struct wt_world *world;
	struct wt_link *link; /* the world's, in its order */
	struct wt_graph *graph;
	unsigned next;
	/* told of each change, with the sentence why it could not be made, or NULL; may be NULL */
	void (*changed)(void *arg, wt_time now, const struct wt_world_event *event, const char *refused);
	void *arg;
};

/* The script is the caller's memory; add script->node to the graph. Events before `from` are passed over. */
void wt_script_init(struct wt_script *script, const struct wt_world *world, struct wt_link *link, struct wt_graph *graph, wt_time from);

#endif

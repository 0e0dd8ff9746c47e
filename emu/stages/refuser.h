/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage that tells the senders of what it drops, by ICMP. Answers leave by port 0, where the packet came in, and first. */
#ifndef WT_EMU_STAGES_REFUSER_H
#define WT_EMU_STAGES_REFUSER_H

#include "stack/net/refusal.h"
#include "emu/stage.h"

/* The first member of such a stage's struct, which wt_stage_new() makes. */
struct wt_refuser {
	struct wt_stage stage;
	struct wt_frame_queue answers;
	struct wt_refusal_limit limit;
};

/* Drops the frame, and answers it unless refusal is NULL. */
void wt_refuser_drop(struct wt_refuser *refuser, wt_time now, struct wt_frame *frame, enum wt_drop cause,
		     const struct wt_refusal *refusal);

/* Its verbs. */
struct wt_frame *wt_refuser_output(struct wt_node *node, wt_time now, unsigned *port);
wt_time wt_refuser_deadline(const struct wt_node *node);
void wt_refuser_destroy(struct wt_node *node);

#endif

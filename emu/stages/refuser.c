/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stages/refuser.h"

void wt_refuser_drop(struct wt_refuser *refuser, wt_time now, struct wt_frame *frame, enum wt_drop cause,
		     const struct wt_refusal *refusal)
{
	struct wt_node *node = &refuser->stage.node;
	struct wt_frame *answer = refusal ? wt_refuse(node, &refuser->limit, now, frame, refusal) : NULL;

	if (answer) {
		node->audit.queued++;
		wt_frame_queue_push(&refuser->answers, answer);
	}
	wt_node_drop(node, now, frame, cause);
}

struct wt_frame *wt_refuser_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_refuser *refuser = (struct wt_refuser *)node;
	struct wt_frame *answer = refuser->answers.head;

	if (!answer || answer->time > now)
		return wt_stage_output(node, now, port);
	wt_node_leave(node, &refuser->answers);
	refuser->stage.back++;
	*port = 0;
	return answer;
}

wt_time wt_refuser_deadline(const struct wt_node *node)
{
	const struct wt_refuser *refuser = (const struct wt_refuser *)node;

	return refuser->answers.head ? refuser->answers.head->time : wt_stage_deadline(node);
}

void wt_refuser_destroy(struct wt_node *node)
{
	if (node)
		wt_frame_queue_clear(&((struct wt_refuser *)node)->answers);
	wt_stage_destroy(node);
}

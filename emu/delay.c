/* SPDX-License-Identifier: BSD-2-Clause */
/* Constant delay: a frame that came at t leaves at exactly t + delay, in the order of arrival. After a
 * change to a shorter one, a frame waits for those before it. */
#include "emu/stage.h"

struct delay {
	struct wt_stage stage; /* ready holds what is under way, frame->time being when it is due */
	wt_time delay;
};

static void delay_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct delay *delay = (struct delay *)node;

	node->audit.in++;
	frame->time = wt_time_add(now, delay->delay);
	if (delay->stage.ready.tail) /* after a change to less: nothing overtakes */
		frame->time = wt_time_max(frame->time, delay->stage.ready.tail->time);
	wt_stage_ready(&delay->stage, frame);
}

static const struct wt_node_ops delay_ops = {
	.input = delay_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_delay_create(const char *name, wt_time time)
{
	struct delay *delay = wt_stage_new(sizeof(*delay), &delay_ops, name);

	if (!delay)
		return NULL;
	delay->delay = time;
	return &delay->stage.node;
}

void wt_delay_change(struct wt_node *node, wt_time now, wt_time time)
{
	((struct delay *)node)->delay = time;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rate: token bucket with an explicit depth, and a drop-tail queue with an explicit limit in front of it.
 *
 *            limit (bytes waiting)        burst (depth)
 *   in ──► │▒▒▒▒▒▒▒▒│ ──────────────► ( level ) ──► out          level grows with `rate`
 *
 * The level is an integer in units of 10^-9 bit: in one nanosecond exactly `rate` units flow in, and a byte costs
 * 8 * 10^9. So no division ever rounds the level and nothing drifts: the departure of the n-th frame of a busy period
 * is the first nanosecond at which the tokens for it are there, however many went before.
 *
 * Idle, the level stops at `burst`. While a frame waits it may rise to what that frame needs, so a frame larger than the
 * bucket is sent too, and burst 0 is a serial line: each frame leaves when its last bit has been sent. Over any
 * interval t at most burst + rate * t bytes leave, plus one frame.
 */
#include "emu/stage.h"

#include <stdlib.h>

#define UNITS_PER_BYTE INT64_C(8000000000)

struct rate {
	struct wt_stage stage; /* ready: released, frame->time being the release */
	struct wt_frame_queue waiting;
	struct wt_rate_config config;
	int64_t level; /* at time `last` */
	wt_time last;
};

static int64_t cost(const struct rate *rate, const struct wt_frame *frame)
{
	return (int64_t)(frame->len + rate->config.overhead) * UNITS_PER_BYTE;
}

/* Lets tokens flow in up to `now`, at most to `cap`. */
static void refill(struct rate *rate, wt_time now, int64_t cap)
{
	int64_t flow = (int64_t)rate->config.rate;
	wt_time passed = now - rate->last;

	if (passed <= 0)
		return;
	rate->last = now;
	if (rate->level >= cap)
		return;
	/* the division keeps the product below from overflowing after a long idle time */
	if (passed > (cap - rate->level) / flow)
		rate->level = cap;
	else
		rate->level += flow * passed;
}

/* When the tokens for `frame`, first in the queue, are complete. */
static wt_time due(const struct rate *rate, const struct wt_frame *frame)
{
	int64_t flow = (int64_t)rate->config.rate;
	int64_t missing = cost(rate, frame) - rate->level;

	if (missing <= 0)
		return rate->last;
	return wt_time_add(rate->last, missing / flow + (missing % flow != 0));
}

static int64_t depth(const struct rate *rate)
{
	return (int64_t)rate->config.burst * UNITS_PER_BYTE;
}

static void release(struct rate *rate, struct wt_frame *frame, wt_time time)
{
	rate->level -= cost(rate, frame);
	/* the sub-nanosecond rest is kept for a frame that waits; an idle bucket holds no more than its depth */
	if (!rate->waiting.head && rate->level > depth(rate))
		rate->level = depth(rate);
	frame->time = time;
	wt_frame_queue_push(&rate->stage.ready, frame);
}

/* Releases whatever was due at or before `now`, each at its own time. */
static void settle(struct rate *rate, wt_time now)
{
	while (rate->waiting.head) {
		struct wt_frame *frame = rate->waiting.head;
		wt_time time = due(rate, frame);

		if (time > now)
			return;
		/* `due` is the first nanosecond with enough: no clipping here, the rest carries over */
		refill(rate, time, INT64_MAX);
		wt_frame_queue_pop(&rate->waiting);
		release(rate, frame, time);
	}
	refill(rate, now, depth(rate));
}

static void rate_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct rate *rate = (struct rate *)node;

	node->audit.in++;
	settle(rate, now);
	if (!rate->waiting.head && rate->level >= cost(rate, frame)) {
		node->audit.queued++;
		release(rate, frame, now);
		return;
	}
	if (rate->waiting.bytes + frame->len > rate->config.limit) {
		wt_node_drop(node, now, frame, WT_DROP_QUEUE);
		return;
	}
	node->audit.queued++;
	wt_frame_queue_push(&rate->waiting, frame);
}

static struct wt_frame *rate_output(struct wt_node *node, wt_time now, unsigned *port)
{
	settle((struct rate *)node, now);
	return wt_stage_output(node, now, port);
}

static wt_time rate_deadline(const struct wt_node *node)
{
	const struct rate *rate = (const struct rate *)node;

	if (rate->stage.ready.head)
		return rate->stage.ready.head->time;
	return rate->waiting.head ? due(rate, rate->waiting.head) : WT_NEVER;
}

static void rate_destroy(struct wt_node *node)
{
	struct rate *rate = (struct rate *)node;

	if (!rate)
		return;
	wt_frame_queue_clear(&rate->waiting);
	wt_stage_destroy(node);
}

static const struct wt_node_ops rate_ops = {
	.input = rate_input,
	.output = rate_output,
	.deadline = rate_deadline,
	.destroy = rate_destroy,
};

struct wt_node *wt_rate_create(const char *name, const struct wt_rate_config *config)
{
	struct rate *rate = wt_stage_new(sizeof(*rate), &rate_ops, name);

	if (!rate)
		return NULL;
	rate->config = *config;
	rate->level = depth(rate);
	return &rate->stage.node;
}

void wt_rate_change(struct wt_node *node, wt_time now, const struct wt_rate_config *config)
{
	struct rate *rate = (struct rate *)node;

	settle(rate, now);
	if (rate->waiting.head) /* what has come in for the frame in front came at the old rate */
		refill(rate, now, INT64_MAX);
	rate->config = *config;
	if (!rate->waiting.head && rate->level > depth(rate))
		rate->level = depth(rate);
}

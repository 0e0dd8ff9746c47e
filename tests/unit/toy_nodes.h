/* SPDX-License-Identifier: BSD-2-Clause */
/* Small nodes for tests of the drivers: a source with a period, a constant delay, a sink that writes down what it got. */
#ifndef WT_TESTS_UNIT_TOY_NODES_H
#define WT_TESTS_UNIT_TOY_NODES_H

#include <stdio.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/node.h"
#include "tests/end_node.h"

/* Gives `left` frames, one each `period` from `due` on, each with its number in the first four bytes. */
struct toy_source {
	struct wt_node node;
	struct wt_pool *pool;
	wt_time due, period;
	uint32_t left, number;
};

static inline void toy_source_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	node->audit.taken++;
	wt_frame_free(frame);
}

static inline struct wt_frame *toy_source_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct toy_source *source = (struct toy_source *)node;
	struct wt_frame *frame;

	if (!source->left || source->due > now)
		return NULL;
	source->due += source->period; /* from the due time, never from now */
	source->left--;
	frame = wt_frame_new(source->pool);
	if (!frame)
		return NULL;
	frame->len = 60;
	memset(wt_frame_own_bytes(frame), 0, frame->len);
	wt_put32(wt_frame_own_bytes(frame), source->number++);
	node->audit.made++;
	node->audit.out++;
	*port = 0;
	return frame;
}

static inline wt_time toy_source_deadline(const struct wt_node *node)
{
	const struct toy_source *source = (const struct toy_source *)node;

	return source->left ? source->due : WT_NEVER;
}

static inline void toy_source_init(struct toy_source *source, const char *name, struct wt_pool *pool, wt_time due,
				   wt_time period, uint32_t count)
{
	static const struct wt_node_ops ops = {toy_source_input, toy_source_output, toy_source_deadline, NULL};

	*source = (struct toy_source){
		.node = {.ops = &ops, .ports = 1}, .pool = pool, .due = due, .period = period, .left = count};
	snprintf(source->node.name, sizeof(source->node.name), "%s", name);
}

/* Ports 0 and 1; whatever enters one leaves by the other `delay` later. The due time stands in frame->time. */
struct toy_delay {
	struct wt_node node;
	wt_time delay;
	struct wt_frame_queue queue;
};

static inline void toy_delay_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct toy_delay *delay = (struct toy_delay *)node;

	node->audit.in++;
	node->audit.queued++;
	frame->time = now + delay->delay;
	frame->mark = port ^ 1;
	wt_frame_queue_push(&delay->queue, frame);
}

static inline struct wt_frame *toy_delay_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct toy_delay *delay = (struct toy_delay *)node;
	struct wt_frame *frame;

	if (!delay->queue.head || delay->queue.head->time > now)
		return NULL;
	frame = wt_frame_queue_pop(&delay->queue);
	*port = frame->mark;
	node->audit.queued--;
	node->audit.out++;
	return frame;
}

static inline wt_time toy_delay_deadline(const struct wt_node *node)
{
	const struct toy_delay *delay = (const struct toy_delay *)node;

	return delay->queue.head ? delay->queue.head->time : WT_NEVER;
}

static inline void toy_delay_init(struct toy_delay *delay, const char *name, wt_time time)
{
	static const struct wt_node_ops ops = {toy_delay_input, toy_delay_output, toy_delay_deadline, NULL};

	*delay = (struct toy_delay){.node = {.ops = &ops, .ports = 2}, .delay = time};
	snprintf(delay->node.name, sizeof(delay->node.name), "%s", name);
}

/* Writes down time, port and number of the frames it takes. */
struct toy_sink {
	struct wt_node node;
	unsigned count;
	struct {
		wt_time time, stamp; /* the graph's, the frame's */
		unsigned port;
		uint32_t number;
	} got[1000];
};

static inline void toy_sink_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct toy_sink *sink = (struct toy_sink *)node;

	if (sink->count < 1000) {
		sink->got[sink->count].time = now;
		sink->got[sink->count].stamp = frame->time;
		sink->got[sink->count].port = port;
		sink->got[sink->count++].number = wt_get32(wt_frame_own_bytes(frame));
	}
	end_node_take(node, frame);
}

static inline void toy_sink_init(struct toy_sink *sink, const char *name, unsigned ports)
{
	static const struct wt_node_ops ops = END_NODE_OPS(toy_sink_input);

	memset(sink, 0, sizeof(*sink));
	sink->node.ops = &ops;
	sink->node.ports = ports;
	snprintf(sink->node.name, sizeof(sink->node.name), "%s", name);
}

#endif

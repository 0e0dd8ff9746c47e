/* SPDX-License-Identifier: BSD-2-Clause */
/* Where frames end in tests and benchmarks: a node that takes what comes to it and never has anything to give. */
#ifndef WT_TESTS_END_NODE_H
#define WT_TESTS_END_NODE_H

#include "stack/base/node.h"

static inline void end_node_take(struct wt_node *node, struct wt_frame *frame)
{
	node->audit.in++;
	node->audit.taken++;
	wt_frame_free(frame);
}

static inline void end_node_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	end_node_take(node, frame);
}

static inline struct wt_frame *end_node_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return NULL;
}

static inline wt_time end_node_deadline(const struct wt_node *node)
{
	return WT_NEVER;
}

/* The verbs of one with an input of its own, which looks at the frame before it is taken, or end_node_input. */
#define END_NODE_OPS(verb) {.input = (verb), .output = end_node_output, .deadline = end_node_deadline}

#endif

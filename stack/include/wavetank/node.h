/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes: anything that moves frames. Hosts, links, taps and devices are nodes, and so is what you write yourself with three verbs.
 *
 * The graph calls the verbs in order of time. `now` never goes back. A node reads no clock. It keeps its books: each frame that
 * came in leaves by output(), or ends by wtl_node_take() or wtl_node_drop(); a frame that the node makes itself comes from
 * wtl_node_make(). wtl_graph_check() makes the graph prove that after every call.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_NODE_H
#define WT_STACK_INCLUDE_WAVETANK_NODE_H

#include <wavetank/frame.h>

WTL_BEGIN_DECLS

struct wtl_graph;
struct wtl_node;

struct wtl_node_ops {
	size_t size; /* sizeof(struct wtl_node_ops) */
	/* Takes ownership of the frame, which came in by `port`. */
	void (*input)(void *arg, struct wtl_node *node, unsigned port, wt_time now, struct wtl_frame *frame);
	/* The next frame that is due at or before now, and in *port the port it leaves by; or NULL. */
	struct wtl_frame *(*output)(void *arg, struct wtl_node *node, wt_time now, unsigned *port);
	/* When output() could next give a frame (in the past: at once); WT_NEVER: only after input. No side effects. */
	wt_time (*deadline)(void *arg);
	/* Frees `arg`, with the frames in it. Optional. */
	void (*destroy)(void *arg);
};

/*
 * A node of yours in a graph, which owns it. `name` is unique in the graph, at most 39 characters. NULL with errno EINVAL (a verb is
 * missing, a name is too long) or ENOMEM; then `arg` is still yours.
 */
WT_API struct wtl_node *wtl_node_create(struct wtl_graph *graph, const char *name, unsigned ports, const struct wtl_node_ops *ops, void *arg);
WT_API const char *wtl_node_name(const struct wtl_node *node);

/* For the verbs of a node of yours: a new frame that it will give out; NULL: the pool is exhausted. */
WT_API struct wtl_frame *wtl_node_make(struct wtl_node *node, const void *bytes, uint32_t len);
/* The frame has come to its end as it should. */
WT_API void wtl_node_take(struct wtl_node *node, struct wtl_frame *frame);
/* The frame is lost: counted as cause "loss", told to whoever listens (wtl_graph_on_drop()), and freed. */
WT_API void wtl_node_drop(struct wtl_node *node, wt_time now, struct wtl_frame *frame);

/* The books of any node: in + made = out + taken + dropped + queued. Frames. */
struct wtl_books {
	uint64_t in, made, out, taken, dropped, queued;
};

WT_API void wtl_node_books(const struct wtl_node *node, struct wtl_books *books);

WTL_END_DECLS

#endif

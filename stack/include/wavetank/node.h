/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes: anything that moves frames. Hosts, links, taps and devices are nodes. You can write your own, with three functions (verbs).
 *
 * The graph calls the verbs in order of time. `now` never goes back. A node reads no clock. It accounts for every frame: one that
 * came in leaves by output(), or ends by wt_lib_node_take() or wt_lib_node_drop(); a frame that the node makes itself comes from
 * wt_lib_node_make(). With wt_lib_graph_check() the graph checks the books after every call.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_NODE_H
#define WT_STACK_INCLUDE_WAVETANK_NODE_H

#include <wavetank/frame.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_graph;
struct wt_lib_node;

struct wt_lib_node_ops {
	size_t size; /* sizeof(struct wt_lib_node_ops) */
	/* Takes ownership of the frame, which came in by `port`. */
	void (*input)(void *arg, struct wt_lib_node *node, unsigned port, wt_time now, struct wt_lib_frame *frame);
	/* The next frame that is due at or before now, and in *port the port it leaves by; or NULL. */
	struct wt_lib_frame *(*output)(void *arg, struct wt_lib_node *node, wt_time now, unsigned *port);
	/* When output() could next give a frame (in the past: at once); WT_NEVER: only after input. No side effects. */
	wt_time (*deadline)(void *arg);
	/* Frees `arg`, with the frames in it. Optional. */
	void (*destroy)(void *arg);
};

/*
 * A node of yours in a graph, which owns it. `name` is unique in the graph, at most 39 characters. NULL with errno EINVAL (a verb is
 * missing, a name is too long) or ENOMEM; then `arg` is still yours.
 */
WT_API struct wt_lib_node *wt_lib_node_create(struct wt_lib_graph *graph, const char *name, unsigned ports, const struct wt_lib_node_ops *ops, void *arg);
WT_API const char *wt_lib_node_name(const struct wt_lib_node *node);

/* For the verbs of a node of yours: a new frame that it will give out; NULL: the pool is exhausted. */
WT_API struct wt_lib_frame *wt_lib_node_make(struct wt_lib_node *node, const void *bytes, uint32_t len);
/* The node consumes the frame, which has reached its destination. Counted as taken, and freed. */
WT_API void wt_lib_node_take(struct wt_lib_node *node, struct wt_lib_frame *frame);
/* The frame is lost: counted as cause "loss", told to whoever listens (wt_lib_graph_on_drop()), and freed. */
WT_API void wt_lib_node_drop(struct wt_lib_node *node, wt_time now, struct wt_lib_frame *frame);

/* The books of any node: in + made = out + taken + dropped + queued. Frames. */
struct wt_lib_books {
	uint64_t in, made, out, taken, dropped, queued;
};

WT_API void wt_lib_node_books(const struct wt_lib_node *node, struct wt_lib_books *books);

WT_LIB_END_DECLS

#endif

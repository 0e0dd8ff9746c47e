/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A graph joins nodes port to port and runs them in order of time, one frame at a time. Virtual time (virtual.h) and real time (real.h)
 * drive the same graph.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_GRAPH_H
#define WT_STACK_INCLUDE_WAVETANK_GRAPH_H

#include <wavetank/node.h>

WT_LIB_BEGIN_DECLS

/* An empty graph with a pool of at most `frames` frames (0: 16384) of 2048 bytes. NULL with errno ENOMEM. */
WT_API struct wt_lib_graph *wt_lib_graph_create(uint32_t frames);
/* Destroys its nodes, hosts, links, captures and its driver too. Accepts NULL. */
WT_API void wt_lib_graph_destroy(struct wt_lib_graph *graph);
WT_API struct wt_lib_pool *wt_lib_graph_pool(struct wt_lib_graph *graph);

/* What leaves `a` by a_port enters `b` by b_port, and the other way round. Both are nodes of this graph. A frame that leaves by a
 * port that is joined to nothing is dropped. */
WT_API void wt_lib_graph_join(struct wt_lib_graph *graph, struct wt_lib_node *a, unsigned a_port, struct wt_lib_node *b, unsigned b_port);
/* Gives a frame to a node from outside, now. The graph owns the frame. */
WT_API void wt_lib_graph_input(struct wt_lib_graph *graph, struct wt_lib_node *node, unsigned port, struct wt_lib_frame *frame);
/* Tells the graph that the deadline of a node of yours has changed: the graph asks for it again. */
WT_API void wt_lib_graph_touch(struct wt_lib_graph *graph, struct wt_lib_node *node);
WT_API wt_time wt_lib_graph_now(const struct wt_lib_graph *graph);
/* When something is due next; WT_NEVER: nothing is. */
WT_API wt_time wt_lib_graph_deadline(const struct wt_lib_graph *graph);

/* Calls `dropped` before a dropped frame is freed, with the name of the cause ("loss", "queue", ...), which stays valid. NULL: no calls. */
typedef void wt_lib_dropped(void *arg, const struct wt_lib_node *node, wt_time now, struct wt_lib_frame *frame, const char *cause);
WT_API void wt_lib_graph_on_drop(struct wt_lib_graph *graph, wt_lib_dropped *dropped, void *arg);
/* Checks the books of a node after each of its calls: a fault aborts with the name and the books of the node. For tests. */
WT_API void wt_lib_graph_check(struct wt_lib_graph *graph, bool checked);
/* True if the books of all nodes balance. *broken (may be NULL): the first node whose books do not. */
WT_API bool wt_lib_graph_audit(const struct wt_lib_graph *graph, const struct wt_lib_node **broken);

WT_LIB_END_DECLS

#endif

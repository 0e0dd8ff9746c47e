/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/graph.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavetank/virtual.h>

#include "stack/drive/vloop.h"
#include "stack/library/library.h"

#define FRAMES 16384

void *wtl_refuse(int error, char *err, size_t err_len, const char *format, ...)
{
	va_list args;

	if (err_len) {
		va_start(args, format);
		vsnprintf(err, err_len, format, args);
		va_end(args);
	}
	errno = error;
	return NULL;
}

struct wtl_graph *wtl_graph_wrap(struct wt_graph *graph, struct wt_pool *pool, bool borrowed)
{
	struct wtl_graph *outer = calloc(1, sizeof(*outer));

	if (outer)
		*outer = (struct wtl_graph){.graph = graph, .pool = pool, .borrowed = borrowed};
	return outer;
}

struct wtl_graph *wtl_graph_create(uint32_t frames)
{
	struct wt_graph *graph = wt_graph_create();
	struct wt_pool *pool = wt_pool_create(frames ? frames : FRAMES, WTL_FRAME_ROOM);
	struct wtl_graph *outer = graph && pool ? wtl_graph_wrap(graph, pool, false) : NULL;

	if (!outer) {
		wt_graph_destroy(graph);
		wt_pool_destroy(pool);
		errno = ENOMEM;
	}
	return outer;
}

/* The driver first: it watches ports. Handles before their hosts, which the graph of the engine destroys. */
void wtl_graph_destroy(struct wtl_graph *graph)
{
	if (!graph)
		return;
	if (graph->real)
		wtl_real_destroy(graph->real);
	wtl_hosts_free(graph->hosts);
	if (!graph->borrowed)
		wt_graph_destroy(graph->graph);
	wtl_links_free(graph->links);
	if (graph->capture)
		wtl_capture_close(graph->capture);
	if (!graph->borrowed)
		wt_pool_destroy(graph->pool);
	free(graph);
}

struct wtl_pool *wtl_graph_pool(struct wtl_graph *graph)
{
	return (struct wtl_pool *)graph->pool;
}

void wtl_enter(struct wtl_graph *graph)
{
	if (graph->real)
		wtl_real_enter(graph->real);
}

void wtl_settle(struct wtl_graph *graph, struct wt_node *node)
{
	if (node)
		wt_graph_touch(graph->graph, node);
	if (graph->real)
		wtl_real_settle(graph->real);
}

void wtl_graph_join(struct wtl_graph *graph, struct wtl_node *a, unsigned a_port, struct wtl_node *b, unsigned b_port)
{
	wt_graph_join_both(graph->graph, wtl_inner_node(a), a_port, wtl_inner_node(b), b_port);
}

void wtl_graph_input(struct wtl_graph *graph, struct wtl_node *node, unsigned port, struct wtl_frame *frame)
{
	wtl_enter(graph);
	wt_graph_input(graph->graph, wtl_inner_node(node), port, wt_graph_now(graph->graph), wtl_inner_frame(frame));
	wtl_settle(graph, NULL);
}

void wtl_graph_touch(struct wtl_graph *graph, struct wtl_node *node)
{
	wtl_enter(graph);
	wtl_settle(graph, wtl_inner_node(node));
}

wt_time wtl_graph_now(const struct wtl_graph *graph)
{
	return wt_graph_now(graph->graph);
}

wt_time wtl_graph_deadline(const struct wtl_graph *graph)
{
	return wt_graph_deadline(graph->graph);
}

/* The capture's sink stands behind ours, if there is one. */
static void tell(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	struct wtl_graph *graph = (struct wtl_graph *)((char *)sink - offsetof(struct wtl_graph, sink));
	struct wt_drop_sink *next = graph->capture ? wtl_capture_sink(graph->capture) : NULL;

	if (next)
		next->drop(next, node, now, frame, cause);
	if (graph->dropped)
		graph->dropped(graph->dropped_arg, (const struct wtl_node *)node, now, (struct wtl_frame *)(uintptr_t)frame, wt_drop_name(cause));
}

void wtl_graph_on_drop(struct wtl_graph *graph, wtl_dropped *dropped, void *arg)
{
	graph->sink.drop = tell;
	graph->dropped = dropped;
	graph->dropped_arg = arg;
	wt_graph_set_drop_sink(graph->graph, &graph->sink);
}

void wtl_graph_check(struct wtl_graph *graph, bool checked)
{
	wt_graph_set_checked(graph->graph, checked);
}

bool wtl_graph_audit(const struct wtl_graph *graph, const struct wtl_node **broken)
{
	const struct wt_node *node = NULL;
	bool holds = wt_graph_audit(graph->graph, &node);

	if (broken)
		*broken = (const struct wtl_node *)node;
	return holds;
}

wt_time wtl_virtual_run(struct wtl_graph *graph, wt_time until, const bool *stop)
{
	return wt_vloop_run(graph->graph, until, stop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/graph.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavetank/virtual.h>

#include "stack/drive/vloop.h"
#include "stack/library/library.h"

#define FRAMES 16384

void *wt_lib_refuse(int error, char *err, size_t err_len, const char *format, ...)
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

struct wt_lib_graph *wt_lib_graph_wrap(struct wt_graph *graph, struct wt_pool *pool, bool borrowed)
{
	struct wt_lib_graph *outer = calloc(1, sizeof(*outer));

	if (outer)
		*outer = (struct wt_lib_graph){.graph = graph, .pool = pool, .borrowed = borrowed};
	return outer;
}

struct wt_lib_graph *wt_lib_graph_create(uint32_t frames)
{
	struct wt_graph *graph = wt_graph_create();
	struct wt_pool *pool = wt_pool_create(frames ? frames : FRAMES, WT_LIB_FRAME_ROOM);
	struct wt_lib_graph *outer = graph && pool ? wt_lib_graph_wrap(graph, pool, false) : NULL;

	if (!outer) {
		wt_graph_destroy(graph);
		wt_pool_destroy(pool);
		errno = ENOMEM;
	}
	return outer;
}

/* The driver first: it watches ports. Handles before their hosts, which the graph of the engine destroys. */
void wt_lib_graph_destroy(struct wt_lib_graph *graph)
{
	if (!graph)
		return;
	if (graph->real)
		wt_lib_real_destroy(graph->real);
	wt_lib_hosts_free(graph->hosts);
	if (!graph->borrowed)
		wt_graph_destroy(graph->graph);
	wt_lib_links_free(graph->links);
	if (graph->capture)
		wt_lib_capture_close(graph->capture);
	if (!graph->borrowed)
		wt_pool_destroy(graph->pool);
	free(graph);
}

struct wt_lib_pool *wt_lib_graph_pool(struct wt_lib_graph *graph)
{
	return (struct wt_lib_pool *)graph->pool;
}

void wt_lib_enter(struct wt_lib_graph *graph)
{
	if (graph->real)
		wt_lib_real_enter(graph->real);
}

void wt_lib_settle(struct wt_lib_graph *graph, struct wt_node *node)
{
	if (node)
		wt_graph_touch(graph->graph, node);
	if (graph->real)
		wt_lib_real_settle(graph->real);
}

void wt_lib_graph_join(struct wt_lib_graph *graph, struct wt_lib_node *a, unsigned a_port, struct wt_lib_node *b, unsigned b_port)
{
	wt_graph_join_both(graph->graph, wt_lib_inner_node(a), a_port, wt_lib_inner_node(b), b_port);
}

void wt_lib_graph_input(struct wt_lib_graph *graph, struct wt_lib_node *node, unsigned port, struct wt_lib_frame *frame)
{
	wt_lib_enter(graph);
	wt_graph_input(graph->graph, wt_lib_inner_node(node), port, wt_graph_now(graph->graph), wt_lib_inner_frame(frame));
	wt_lib_settle(graph, NULL);
}

void wt_lib_graph_touch(struct wt_lib_graph *graph, struct wt_lib_node *node)
{
	wt_lib_enter(graph);
	wt_lib_settle(graph, wt_lib_inner_node(node));
}

wt_time wt_lib_graph_now(const struct wt_lib_graph *graph)
{
	return wt_graph_now(graph->graph);
}

wt_time wt_lib_graph_deadline(const struct wt_lib_graph *graph)
{
	return wt_graph_deadline(graph->graph);
}

/* The capture's sink stands behind ours, if there is one. */
static void tell(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	struct wt_lib_graph *graph = (struct wt_lib_graph *)((char *)sink - offsetof(struct wt_lib_graph, sink));
	struct wt_drop_sink *next = graph->capture ? wt_lib_capture_sink(graph->capture) : NULL;

	if (next)
		next->drop(next, node, now, frame, cause);
	if (graph->dropped)
		graph->dropped(graph->dropped_arg, (const struct wt_lib_node *)node, now, (struct wt_lib_frame *)(uintptr_t)frame, wt_drop_name(cause));
}

void wt_lib_graph_on_drop(struct wt_lib_graph *graph, wt_lib_dropped *dropped, void *arg)
{
	graph->sink.drop = tell;
	graph->dropped = dropped;
	graph->dropped_arg = arg;
	wt_graph_set_drop_sink(graph->graph, &graph->sink);
}

void wt_lib_graph_check(struct wt_lib_graph *graph, bool checked)
{
	wt_graph_set_checked(graph->graph, checked);
}

bool wt_lib_graph_audit(const struct wt_lib_graph *graph, const struct wt_lib_node **broken)
{
	const struct wt_node *node = NULL;
	bool holds = wt_graph_audit(graph->graph, &node);

	if (broken)
		*broken = (const struct wt_lib_node *)node;
	return holds;
}

wt_time wt_lib_virtual_run(struct wt_lib_graph *graph, wt_time until, const bool *stop)
{
	return wt_vloop_run(graph->graph, until, stop);
}

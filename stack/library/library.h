/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libwavetank: the public headers (stack/include/wavetank) over the engine. The public structs are opaque and thin, so that the
 * engine may change below them. A frame and a node are those of the engine under another name.
 */
#ifndef WT_STACK_LIBRARY_LIBRARY_H
#define WT_STACK_LIBRARY_LIBRARY_H

#include <stdarg.h>

#include <wavetank/graph.h>
#include <wavetank/host.h>

#include "stack/base/frame.h"
#include "stack/base/node.h"
#include "stack/drive/graph.h"
#include "stack/host/host.h"

#define WTL_FRAME_ROOM 2048

struct wtl_capture;
struct wtl_real;

struct wtl_graph {
	struct wt_graph *graph;
	struct wt_pool *pool;
	struct wtl_real *real;       /* NULL: virtual time */
	struct wtl_capture *capture; /* or NULL */
	struct wtl_host *hosts;
	struct wtl_link *links;
	struct wt_drop_sink sink;    /* tells `dropped` */
	wtl_dropped *dropped;
	void *dropped_arg;
	bool borrowed;               /* graph and pool are a world's */
};

static inline struct wt_frame *wtl_inner_frame(const struct wtl_frame *frame)
{
	return (struct wt_frame *)(uintptr_t)frame;
}

static inline struct wt_node *wtl_inner_node(const struct wtl_node *node)
{
	return (struct wt_node *)(uintptr_t)node;
}

/* graph.c: a wrapper around a graph and a pool; the caller's if borrowed. NULL: no memory. */
struct wtl_graph *wtl_graph_wrap(struct wt_graph *graph, struct wt_pool *pool, bool borrowed);
/* In real time the graph is brought to this moment before a call from outside, and the timer is armed after it. Both are harmless
 * inside a verb. settle() touches the node (NULL: none). */
void wtl_enter(struct wtl_graph *graph);
void wtl_settle(struct wtl_graph *graph, struct wt_node *node);
/* Sets errno, writes the sentence, returns NULL. */
__attribute__((format(printf, 4, 5))) void *wtl_refuse(int error, char *err, size_t err_len, const char *format, ...);

/* real.c */
void wtl_real_enter(struct wtl_real *real);
void wtl_real_settle(struct wtl_real *real);
void wtl_real_destroy(struct wtl_real *real);
int64_t wtl_real_epoch(const struct wtl_real *real);
/* capture.c */
int wtl_capture_close(struct wtl_capture *capture);
struct wt_drop_sink *wtl_capture_sink(struct wtl_capture *capture);
/* path.c */
void wtl_links_free(struct wtl_link *links);
/* host.c: a wrapper around a host, which the graph of the engine has already. NULL: no memory. */
struct wtl_host *wtl_host_wrap(struct wtl_graph *graph, struct wt_host *host);
void wtl_hosts_free(struct wtl_host *hosts);

struct wtl_host {
	struct wtl_host *next;
	struct wtl_graph *graph;
	struct wt_host *host;
	struct wtl_tcp *tcps;     /* handles not given up */
	struct wtl_timer *timers;
};

/* tcp.c, timer.c */
void wtl_tcps_free(struct wtl_tcp *tcps);
void wtl_timers_free(struct wtl_timer *timers);

#endif

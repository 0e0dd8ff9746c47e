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

#define WT_LIB_FRAME_ROOM 2048

struct wt_lib_capture;
struct wt_lib_real;

struct wt_lib_graph {
	struct wt_graph *graph;
	struct wt_pool *pool;
	struct wt_lib_real *real;       /* NULL: virtual time */
	struct wt_lib_capture *capture; /* or NULL */
	struct wt_lib_host *hosts;
	struct wt_lib_link *links;
	struct wt_drop_sink sink;    /* tells `dropped` */
	wt_lib_dropped *dropped;
	void *dropped_arg;
	bool borrowed;               /* graph and pool are a world's */
};

static inline struct wt_frame *wt_lib_inner_frame(const struct wt_lib_frame *frame)
{
	return (struct wt_frame *)(uintptr_t)frame;
}

static inline struct wt_node *wt_lib_inner_node(const struct wt_lib_node *node)
{
	return (struct wt_node *)(uintptr_t)node;
}

/* graph.c: a wrapper around a graph and a pool; the caller's if borrowed. NULL: no memory. */
struct wt_lib_graph *wt_lib_graph_wrap(struct wt_graph *graph, struct wt_pool *pool, bool borrowed);
/* In real time the graph is brought to this moment before a call from outside, and the timer is armed after it. Both are harmless
 * inside a verb. settle() touches the node (NULL: none). */
void wt_lib_enter(struct wt_lib_graph *graph);
void wt_lib_settle(struct wt_lib_graph *graph, struct wt_node *node);
/* Sets errno, writes the sentence, returns NULL. */
__attribute__((format(printf, 4, 5))) void *wt_lib_refuse(int error, char *err, size_t err_len, const char *format, ...);

/* real.c */
void wt_lib_real_enter(struct wt_lib_real *real);
void wt_lib_real_settle(struct wt_lib_real *real);
void wt_lib_real_destroy(struct wt_lib_real *real);
int64_t wt_lib_real_epoch(const struct wt_lib_real *real);
/* capture.c */
int wt_lib_capture_close(struct wt_lib_capture *capture);
struct wt_drop_sink *wt_lib_capture_sink(struct wt_lib_capture *capture);
/* path.c */
void wt_lib_links_free(struct wt_lib_link *links);
/* host.c: a wrapper around a host, which the graph of the engine has already. NULL: no memory. */
struct wt_lib_host *wt_lib_host_wrap(struct wt_lib_graph *graph, struct wt_host *host);
void wt_lib_hosts_free(struct wt_lib_host *hosts);

struct wt_lib_host {
	struct wt_lib_host *next;
	struct wt_lib_graph *graph;
	struct wt_host *host;
	struct wt_lib_tcp *tcps;     /* handles not given up */
	struct wt_lib_timer *timers;
};

/* tcp.c, timer.c */
void wt_lib_tcps_free(struct wt_lib_tcp *tcps);
void wt_lib_timers_free(struct wt_lib_timer *timers);

#endif

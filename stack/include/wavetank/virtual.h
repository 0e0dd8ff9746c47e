/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual time: the clock jumps from event to event. Equal programs give equal frames at the same nanosecond. */
#ifndef WT_STACK_INCLUDE_WAVETANK_VIRTUAL_H
#define WT_STACK_INCLUDE_WAVETANK_VIRTUAL_H

#include <wavetank/graph.h>

WT_LIB_BEGIN_DECLS

/* Runs until *stop is true (NULL: never), nothing is due, or time reaches `until`. Returns the time reached. Not for a graph that
 * has a real-time driver. */
WT_API wt_time wt_lib_virtual_run(struct wt_lib_graph *graph, wt_time until, const bool *stop);

WT_LIB_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual time: the next event is always now. */
#ifndef WT_STACK_DRIVE_VLOOP_H
#define WT_STACK_DRIVE_VLOOP_H

#include "stack/drive/graph.h"

/* Steps until *stop is true, nothing is due, or time reaches `until`. Returns the logical time reached. stop may be NULL. */
wt_time wt_vloop_run(struct wt_graph *graph, wt_time until, const bool *stop);

#endif

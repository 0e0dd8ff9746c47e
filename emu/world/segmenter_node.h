/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts big frames (offload.h) that were on their way when the words of a path changed, in front of a stage that looks at packets. */
#ifndef WT_EMU_WORLD_SEGMENTER_NODE_H
#define WT_EMU_WORLD_SEGMENTER_NODE_H

#include "stack/base/node.h"

/* Port 0 in, port 1 out; packets come from the pool, and one for which it has no room is made and dropped (`pool`). NULL: no memory. */
struct wt_node *wt_segmenter_create(const char *name, struct wt_pool *pool);

#endif

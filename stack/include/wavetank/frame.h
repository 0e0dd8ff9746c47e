/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames: Ethernet frames in buffers of a pool. A frame has exactly one owner: passing it to a node passes on the ownership.
 * Every graph has a pool (wt_lib_graph_pool()), and its hosts and links use that one.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_FRAME_H
#define WT_STACK_INCLUDE_WAVETANK_FRAME_H

#include <wavetank/types.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_frame;
struct wt_lib_pool;

/* A frame with a copy of `len` bytes, Ethernet header first. NULL: the pool is exhausted, or len is more than wt_lib_pool_room(). */
WT_API struct wt_lib_frame *wt_lib_frame_new(struct wt_lib_pool *pool, const void *bytes, uint32_t len);
/* A copy from the same pool, or NULL when it is exhausted. */
WT_API struct wt_lib_frame *wt_lib_frame_copy(const struct wt_lib_frame *frame);
/* Gives a frame back to its pool. Accepts NULL. */
WT_API void wt_lib_frame_free(struct wt_lib_frame *frame);
WT_API uint32_t wt_lib_frame_len(const struct wt_lib_frame *frame);
/* Its number in its pool, which captures show. A copy has a number of its own. */
WT_API uint64_t wt_lib_frame_id(const struct wt_lib_frame *frame);
/* The bytes, to be read and written by the owner, with finished checksums. Valid until the frame is given away. */
WT_API uint8_t *wt_lib_frame_bytes(struct wt_lib_frame *frame);
/* Cuts or lengthens the frame; new bytes are undefined. 0, or -EMSGSIZE: more than the pool's room. */
WT_API int wt_lib_frame_resize(struct wt_lib_frame *frame, uint32_t len);

/* The longest frame of a pool, and how many frames it could still give. */
WT_API uint32_t wt_lib_pool_room(const struct wt_lib_pool *pool);
WT_API uint32_t wt_lib_pool_free_count(const struct wt_lib_pool *pool);

WT_LIB_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/frame.h>

#include <errno.h>
#include <string.h>

#include "stack/library/library.h"

struct wt_lib_frame *wt_lib_frame_new(struct wt_lib_pool *pool, const void *bytes, uint32_t len)
{
	struct wt_frame *frame = wt_frame_new((struct wt_pool *)pool);

	if (frame && len > frame->room) {
		wt_frame_free(frame);
		frame = NULL;
	}
	if (frame) {
		memcpy(wt_frame_own_bytes(frame), bytes, len);
		frame->len = len;
	}
	return (struct wt_lib_frame *)frame;
}

struct wt_lib_frame *wt_lib_frame_copy(const struct wt_lib_frame *frame)
{
	return (struct wt_lib_frame *)wt_frame_copy(wt_lib_inner_frame(frame));
}

void wt_lib_frame_free(struct wt_lib_frame *frame)
{
	wt_frame_free(wt_lib_inner_frame(frame));
}

uint32_t wt_lib_frame_len(const struct wt_lib_frame *frame)
{
	return wt_lib_inner_frame(frame)->len;
}

uint64_t wt_lib_frame_id(const struct wt_lib_frame *frame)
{
	return wt_lib_inner_frame(frame)->id;
}

/* Whoever gets the bytes may change them: from now on the checksum is what stands there, to be verified. */
uint8_t *wt_lib_frame_bytes(struct wt_lib_frame *frame)
{
	struct wt_frame *inner = wt_lib_inner_frame(frame);

	wt_frame_finish_csum(inner);
	inner->csum = WT_CSUM_NONE;
	return wt_frame_own_bytes(inner);
}

int wt_lib_frame_resize(struct wt_lib_frame *frame, uint32_t len)
{
	struct wt_frame *inner = wt_lib_inner_frame(frame);

	if (len > inner->room)
		return -EMSGSIZE;
	wt_lib_frame_bytes(frame);
	inner->len = len;
	return 0;
}

uint32_t wt_lib_pool_room(const struct wt_lib_pool *pool)
{
	return WT_LIB_FRAME_ROOM;
}

uint32_t wt_lib_pool_free_count(const struct wt_lib_pool *pool)
{
	return wt_pool_free_count((const struct wt_pool *)pool);
}

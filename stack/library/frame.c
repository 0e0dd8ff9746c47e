/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/frame.h>

#include <errno.h>
#include <string.h>

#include "stack/library/library.h"

struct wtl_frame *wtl_frame_new(struct wtl_pool *pool, const void *bytes, uint32_t len)
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
	return (struct wtl_frame *)frame;
}

struct wtl_frame *wtl_frame_copy(const struct wtl_frame *frame)
{
	return (struct wtl_frame *)wt_frame_copy(wtl_inner_frame(frame));
}

void wtl_frame_free(struct wtl_frame *frame)
{
	wt_frame_free(wtl_inner_frame(frame));
}

uint32_t wtl_frame_len(const struct wtl_frame *frame)
{
	return wtl_inner_frame(frame)->len;
}

uint64_t wtl_frame_id(const struct wtl_frame *frame)
{
	return wtl_inner_frame(frame)->id;
}

/* Whoever gets the bytes may change them: from now on the checksum is what stands there, to be verified. */
uint8_t *wtl_frame_bytes(struct wtl_frame *frame)
{
	struct wt_frame *inner = wtl_inner_frame(frame);

	wt_frame_finish_csum(inner);
	inner->csum = WT_CSUM_NONE;
	return wt_frame_own_bytes(inner);
}

int wtl_frame_resize(struct wtl_frame *frame, uint32_t len)
{
	struct wt_frame *inner = wtl_inner_frame(frame);

	if (len > inner->room)
		return -EMSGSIZE;
	wtl_frame_bytes(frame);
	inner->len = len;
	return 0;
}

uint32_t wtl_pool_room(const struct wtl_pool *pool)
{
	return WTL_FRAME_ROOM;
}

uint32_t wtl_pool_free_count(const struct wtl_pool *pool)
{
	return wt_pool_free_count((const struct wt_pool *)pool);
}

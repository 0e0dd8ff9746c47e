/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pool: one slab of frame records, one slab of bytes, a free list used as a stack so that the frame handed
 * out is the one whose bytes are still in the cache. Record and bytes start on cache lines of their own.
 *
 * A freed frame has room 0; freeing it again stops the program, because a frame with two owners would corrupt
 * a run silently. Under AddressSanitizer the bytes of a free frame are poisoned.
 */
#include "stack/base/frame.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

#if defined(__SANITIZE_ADDRESS__)
#define WT_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WT_POISON 1
#endif
#endif
#ifdef WT_POISON
#include <sanitizer/asan_interface.h>
#define poison(data, len) ASAN_POISON_MEMORY_REGION(data, len)
#define unpoison(data, len) ASAN_UNPOISON_MEMORY_REGION(data, len)
#else
#define poison(data, len) ((void)0)
#define unpoison(data, len) ((void)0)
#endif

struct slot {
	_Alignas(WT_CACHE_LINE) struct wt_frame frame; /* first: a frame's address is its slot's */
	uint8_t *bytes;
	uint8_t apart[WT_FRAME_APART];
};

struct wt_pool {
	struct wt_frame *free;
	uint32_t free_count, count, room;
	size_t stride;  /* of the buffers */
	uint32_t fresh; /* slots from here on were never handed out: their memory is not touched before it is needed */
	uint64_t next_id;
	bool whole; /* no frame lies apart */
	struct slot *slots;
	uint8_t *bytes;
};

struct wt_pool *wt_pool_create(uint32_t count, uint32_t room)
{
	size_t stride = ((size_t)room + WT_CACHE_LINE - 1) & ~(size_t)(WT_CACHE_LINE - 1);
	struct wt_pool *pool = calloc(1, sizeof(*pool));
	size_t bytes;

	if (!pool)
		return NULL;
	if (__builtin_mul_overflow(stride, (size_t)count, &bytes))
		goto fail;
	/* a zero-sized slab may be NULL, which would look like failure */
	pool->slots = aligned_alloc(WT_CACHE_LINE, ((size_t)count + 1) * sizeof(struct slot));
	pool->bytes = aligned_alloc(WT_CACHE_LINE, bytes + WT_CACHE_LINE);
	if (!pool->slots || !pool->bytes)
		goto fail;
	pool->count = count;
	pool->room = room;
	pool->stride = stride;
	poison(pool->bytes, bytes);
	pool->free_count = count;
	return pool;
fail:
	free(pool->slots);
	free(pool->bytes);
	free(pool);
	return NULL;
}

void wt_pool_destroy(struct wt_pool *pool)
{
	if (!pool)
		return;
	unpoison(pool->bytes, (size_t)pool->count * pool->room);
	free(pool->slots);
	free(pool->bytes);
	free(pool);
}

void wt_pool_make_whole(struct wt_pool *pool)
{
	pool->whole = true;
}

bool wt_pool_is_whole(const struct wt_pool *pool)
{
	return pool && pool->whole;
}

uint32_t wt_pool_free_count(const struct wt_pool *pool)
{
	return pool->free_count;
}

uint32_t wt_pool_count(const struct wt_pool *pool)
{
	return pool->count;
}

static struct wt_frame *fresh_slot(struct wt_pool *pool)
{
	struct slot *slot = &pool->slots[pool->fresh];

	slot->bytes = pool->bytes + pool->fresh++ * pool->stride;
	return &slot->frame;
}

static inline struct wt_frame *take(struct wt_pool *pool)
{
	struct wt_frame *frame = pool->free;

	if (frame)
		pool->free = frame->next;
	else if (pool->fresh < pool->count)
		frame = fresh_slot(pool);
	else
		return NULL;
	pool->free_count--;
	return frame;
}

struct wt_frame *wt_frame_new(struct wt_pool *pool)
{
	struct wt_frame *frame = take(pool);

	if (!frame)
		return NULL;
	*frame = (struct wt_frame){
		.pool = pool,
		.id = ++pool->next_id,
		.inside.bytes = ((struct slot *)frame)->bytes,
		.room = pool->room,
	};
	unpoison(frame->inside.bytes, frame->room);
	return frame;
}

struct wt_frame *wt_frame_copy(const struct wt_frame *frame)
{
	struct wt_frame *copy = wt_frame_new(frame->pool);

	if (!copy)
		return NULL;
	assert(frame->len <= copy->room);
	copy->time = frame->time;
	copy->len = frame->len;
	copy->csum_start = frame->csum_start;
	copy->csum_offset = frame->csum_offset;
	copy->gso_size = frame->gso_size;
	copy->csum = frame->csum;
	copy->from_path = frame->from_path;
	copy->mark = frame->mark;
	copy->fate = frame->fate;
	if (frame->inside.apart)
		memcpy(wt_frame_set_apart(copy, frame->len - frame->inside.rest_len, &frame->inside.rest, frame->inside.rest_len),
		       wt_frame_head(frame), frame->len - frame->inside.rest_len);
	else
		memcpy(copy->inside.bytes, frame->inside.bytes, frame->len);
	return copy;
}

uint8_t *wt_frame_set_apart(struct wt_frame *frame, uint32_t head, const struct wt_extent *rest, uint32_t len)
{
	struct slot *slot = (struct slot *)frame;

	assert(head <= WT_FRAME_APART && head + len <= frame->room);
	frame->len = head + len;
	if (frame->pool->whole) {
		if (len)
			wt_extent_read(rest, slot->bytes + head, len);
		return slot->bytes;
	}
	frame->inside.bytes = slot->apart;
	frame->inside.apart = true;
	frame->inside.rest_len = len;
	if (len)
		frame->inside.rest = *rest;
	return slot->apart;
}

/* The facts themselves are the caller's, so they are not cleared. */
struct wt_frame *wt_frame_new_facts(struct wt_pool *pool, const struct wt_frame_maker *maker, uint32_t head, const struct wt_extent *rest,
				    uint32_t len)
{
	struct wt_frame *frame = take(pool);

	if (!frame)
		return NULL;
	assert(head <= WT_FRAME_APART && head + len <= pool->room && !pool->whole);
	frame->next = NULL;
	frame->time = 0;
	frame->pool = pool;
	frame->id = ++pool->next_id;
	frame->room = pool->room;
	frame->csum_start = frame->csum_offset = frame->gso_size = 0;
	frame->csum = WT_CSUM_NONE;
	frame->fate = WT_FATE_UNDERWAY;
	frame->more = frame->from_path = frame->mark = 0;
	frame->len = head + len;
	frame->inside.bytes = ((struct slot *)frame)->apart;
	frame->inside.apart = frame->inside.unwritten = true;
	frame->inside.maker = maker;
	frame->inside.rest_len = len;
	if (len)
		frame->inside.rest = *rest;
	else
		frame->inside.rest.pattern = NULL;
	unpoison(((struct slot *)frame)->bytes, frame->room);
	return frame;
}

/* Beside the record, which is not the frame's to others: it stays what it is. */
void wt_frame_write_head(const struct wt_frame *frame)
{
	frame->inside.maker->write(frame, ((struct slot *)(uintptr_t)frame)->apart);
	((struct slot *)(uintptr_t)frame)->frame.inside.unwritten = false;
}

void wt_frame_drop_facts(struct wt_frame *frame)
{
	wt_frame_head(frame);
	frame->inside.maker->let_go(frame);
	frame->inside.maker = NULL;
}

/* Into the frame's own buffer, which nobody reads while the frame lies apart: so the frame itself stays as it is. */
const uint8_t *wt_frame_show(const struct wt_frame *frame)
{
	const struct slot *slot = (const struct slot *)frame;
	uint32_t head = frame->len - frame->inside.rest_len;

	memcpy(slot->bytes, wt_frame_head(frame), head);
	wt_extent_read(&frame->inside.rest, slot->bytes + head, frame->inside.rest_len);
	return slot->bytes;
}

uint8_t *wt_frame_join(struct wt_frame *frame)
{
	struct slot *slot = (struct slot *)frame;

	wt_frame_own_head(frame);
	if (frame->inside.rest.pattern)
		wt_frame_show(frame);
	else
		memcpy(slot->bytes, slot->apart, frame->len);
	frame->inside.bytes = slot->bytes;
	frame->inside.rest = (struct wt_extent){0};
	frame->inside.rest_len = 0;
	frame->inside.apart = false;
	return slot->bytes;
}

void wt_frame_free(struct wt_frame *frame)
{
	struct wt_pool *pool;

	if (!frame)
		return;
	assert(frame->room > 0); /* else: freed twice */
	if (frame->inside.maker)
		frame->inside.maker->let_go(frame);
	pool = frame->pool;
	frame->room = 0;
	poison(((struct slot *)frame)->bytes, pool->room);
	frame->next = pool->free;
	pool->free = frame;
	pool->free_count++;
}

/* False: the offsets point outside. They may come from a kernel's packet header, and then nobody can vouch for the bytes. */
static bool complete(const struct wt_frame *frame, uint8_t *bytes)
{
	enum { UDP = 6 /* its csum_offset; to others of that offset 0 and 0xffff are one number */ };
	uint16_t field;

	if ((uint32_t)frame->csum_start + frame->csum_offset + 2 > frame->len)
		return false;
	/* the pseudo-header's sum stands in the field and is summed with the rest */
	field = wt_csum_fold(wt_csum_add(0, bytes + frame->csum_start, frame->len - frame->csum_start));
	if (!field && frame->csum_offset == UDP) /* RFC 768: 0 says that there is none, which IPv6 does not take (RFC 8200 8.1) */
		field = 0xffff;
	wt_put16(bytes + frame->csum_start + frame->csum_offset, field);
	return true;
}

void wt_frame_finish_csum(struct wt_frame *frame)
{
	if (frame->csum == WT_CSUM_PARTIAL)
		frame->csum = complete(frame, wt_frame_own_bytes(frame)) ? WT_CSUM_VALID : WT_CSUM_NONE;
}

void wt_frame_read(const struct wt_frame *frame, uint8_t *to, uint32_t len)
{
	memcpy(to, wt_frame_look(frame), len);
	if (frame->csum == WT_CSUM_PARTIAL && len == frame->len)
		complete(frame, to);
}

void wt_frame_queue_clear(struct wt_frame_queue *queue)
{
	struct wt_frame *frame;

	while ((frame = wt_frame_queue_pop(queue)))
		wt_frame_free(frame);
}

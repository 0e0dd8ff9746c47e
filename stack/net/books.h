/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the parts of a host keep its books (stack/base/node.h): every frame that is made, kept, or used up goes
 * through one of these, so that the law of conservation needs no thought elsewhere.
 */
#ifndef WT_STACK_NET_BOOKS_H
#define WT_STACK_NET_BOOKS_H

#include "stack/base/node.h"

/* A new frame of the host's own; NULL: the pool was exhausted, which counts as made and dropped. Gives it. */
static inline struct wt_frame *wt_books_made(struct wt_node *node, wt_time now, struct wt_frame *frame)
{
	node->audit.made++;
	if (frame)
		frame->time = now;
	else
		node->audit.dropped[WT_DROP_POOL]++;
	return frame;
}

static inline struct wt_frame *wt_books_make(struct wt_node *node, struct wt_pool *pool, wt_time now)
{
	return wt_books_made(node, now, wt_frame_new(pool));
}

/* The frame is kept in a queue of the host. */
static inline void wt_books_keep(struct wt_node *node, struct wt_frame_queue *queue, struct wt_frame *frame)
{
	node->audit.queued++;
	wt_frame_queue_push(queue, frame);
}

/* The next frame of such a queue, not queued any more (the caller passes it on: out, taken or dropped). Or NULL. */
static inline struct wt_frame *wt_books_release(struct wt_node *node, struct wt_frame_queue *queue)
{
	struct wt_frame *frame = wt_frame_queue_pop(queue);

	if (frame)
		node->audit.queued--;
	return frame;
}

/* The frame has served its purpose here. */
static inline void wt_books_take(struct wt_node *node, struct wt_frame *frame)
{
	node->audit.taken++;
	wt_frame_free(frame);
}

#endif

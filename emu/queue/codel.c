/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CoDel (RFC 8289): drops, or marks, at the head when the sojourn has been above `target` for a whole `interval`, then
 * again after interval / sqrt(1), sqrt(2), sqrt(3) ... until it falls below.
 *
 *   sojourn  ────────╲target╱▔▔▔▔▔interval▔▔▔▔▔│drop ... │drop .. │drop . │
 *
 * sqrt() is exact in IEEE arithmetic, so the drop times are the same on every build.
 */
#include <math.h>
#include <stdlib.h>

#include "emu/queue/queue.h"

enum { MAX_PACKET = 1514 }; /* a queue that holds no more than this never drops */

struct codel {
	struct wt_queue queue;
	struct wt_frame_queue list;
	struct wt_codel state;
};

/* RFC 8289 section 5.6 */
static wt_time control_law(const struct wt_queue *queue, wt_time from, uint32_t count)
{
	return from + (wt_time)((double)queue->config->queue.interval / sqrt((double)count));
}

/* The next frame, and whether it may be dropped: section 5.6. What waits counts in all lists that share the link (4.4). */
static struct wt_frame *take(struct wt_codel *codel, struct wt_queue *queue, struct wt_frame_queue *list, wt_time now,
			     bool *may_drop)
{
	const struct wt_queue_config *config = &queue->config->queue;
	struct wt_frame *frame = wt_queue_pop(queue, list);

	*may_drop = false;
	if (!frame || now - frame->time < config->target || queue->bytes <= MAX_PACKET)
		codel->first_above = 0;
	else if (!codel->first_above)
		codel->first_above = now + config->interval;
	else
		*may_drop = now >= codel->first_above;
	return frame;
}

/* What waits in `list` when a drop is due: marked if it can be (and is then the frame to send), else the one after it. */
static struct wt_frame *strike(struct wt_codel *codel, struct wt_queue *queue, struct wt_frame_queue *list, wt_time now,
			       struct wt_frame *frame, bool *may_drop, bool *marked)
{
	*marked = wt_queue_mark(queue, frame);
	if (*marked)
		return frame;
	wt_queue_drop(queue, now, frame, WT_DROP_AQM);
	return take(codel, queue, list, now, may_drop);
}

/* Section 5.5. */
struct wt_frame *wt_codel_choose(struct wt_codel *codel, struct wt_queue *queue, struct wt_frame_queue *list, wt_time now)
{
	bool may_drop, marked = false;
	struct wt_frame *frame = take(codel, queue, list, now, &may_drop);
	uint32_t delta = codel->count - codel->last_count;

	if (codel->dropping) {
		codel->dropping = may_drop;
		while (codel->dropping && !marked && now >= codel->drop_next) {
			codel->count++;
			frame = strike(codel, queue, list, now, frame, &may_drop, &marked);
			codel->dropping = may_drop;
			if (may_drop)
				codel->drop_next = control_law(queue, codel->drop_next, codel->count);
		}
	} else if (may_drop) {
		frame = strike(codel, queue, list, now, frame, &may_drop, &marked);
		codel->dropping = true;
		/* soon after the last time: near the rate that was needed then */
		codel->count = delta > 1 && now - codel->drop_next < 16 * queue->config->queue.interval ? delta : 1;
		codel->last_count = codel->count;
		codel->drop_next = control_law(queue, now, codel->count);
	}
	return frame;
}

static void codel_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	if (wt_queue_full(queue, frame->len))
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	else
		wt_queue_push(queue, &((struct codel *)queue)->list, frame);
}

static struct wt_frame *codel_dequeue(struct wt_queue *queue, wt_time now)
{
	struct codel *codel = (struct codel *)queue;

	return wt_codel_dequeue(&codel->state, queue, &codel->list, now);
}

static void codel_clear(struct wt_queue *queue, wt_time now, bool count)
{
	struct codel *codel = (struct codel *)queue;

	wt_queue_clear_list(queue, now, &codel->list, count);
	codel->state = (struct wt_codel){0};
}

struct wt_queue *wt_queue_codel_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {codel_enqueue, codel_dequeue, codel_clear, NULL};
	struct codel *codel = calloc(1, sizeof(*codel));

	if (!codel)
		return NULL;
	codel->queue.ops = &ops;
	return &codel->queue;
}

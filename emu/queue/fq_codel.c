/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FQ-CoDel (RFC 8290): a queue with a CoDel of its own for each hash of a flow, served by deficit round robin, those that
 * have just become active first.
 *
 *   new:  3 ─► 17            a flow of few packets passes here, ahead of
 *   old:  5 ─► 2 ─► 9        the flows that always have something waiting
 *
 * When the buffer is full, the flow with the most bytes loses the older half of its frames, at most 64: so that flow is looked
 * for once in many arrivals, among the active ones, which are as many as there are flows with frames waiting.
 */
#include <stdlib.h>

#include "stack/wire/packet.h"
#include "emu/queue/queue.h"

#define NOBODY UINT32_MAX

enum { BATCH = 64 };

struct flow {
	struct wt_frame_queue list;
	struct wt_codel codel;
	int64_t deficit;
	uint32_t next; /* in its ring */
	bool active;
};

struct ring {
	uint32_t head, tail;
};

struct fq {
	struct wt_queue queue;
	struct ring fresh, old;
	uint32_t count;
	struct flow flow[];
};

static void ring_push(struct fq *fq, struct ring *ring, uint32_t index)
{
	fq->flow[index].next = NOBODY;
	if (ring->head == NOBODY)
		ring->head = index;
	else
		fq->flow[ring->tail].next = index;
	ring->tail = index;
}

static void ring_pop(struct fq *fq, struct ring *ring)
{
	ring->head = fq->flow[ring->head].next;
}

static struct flow *fattest(struct fq *fq)
{
	struct flow *found = NULL;

	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t at = i ? fq->old.head : fq->fresh.head; at != NOBODY; at = fq->flow[at].next)
			if (!found || fq->flow[at].list.bytes > found->list.bytes)
				found = &fq->flow[at];
	}
	return found;
}

/* RFC 8290 section 4.1, its last paragraph. A flow of one frame loses that. */
static void relieve(struct fq *fq, wt_time now)
{
	struct flow *flow = fattest(fq);
	uint32_t batch = flow->list.frames / 2;

	batch = batch > BATCH ? BATCH : batch;
	do {
		wt_queue_drop(&fq->queue, now, wt_queue_pop(&fq->queue, &flow->list), WT_DROP_QUEUE);
	} while (batch-- > 1);
}

static inline void keep(struct fq *fq, struct wt_frame *frame)
{
	struct wt_queue *queue = &fq->queue;
	uint64_t hash = wt_packet_flow(&queue->key, frame);
	/* a power of two, as by default: no division for each packet */
	uint32_t index = (uint32_t)(fq->count & (fq->count - 1) ? hash % fq->count : hash & (fq->count - 1));
	struct flow *flow = &fq->flow[index];

	wt_queue_push(queue, &flow->list, frame);
	if (!flow->active) {
		flow->active = true;
		flow->deficit = (int64_t)queue->config->queue.quantum;
		ring_push(fq, &fq->fresh, index);
	}
}

static void fq_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	struct fq *fq = (struct fq *)queue;
	uint64_t most;

	if (!wt_queue_full(queue, frame->len)) {
		keep(fq, frame);
	} else if (wt_queue_hopeless(queue, frame->len)) {
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	} else {
		most = wt_queue_most(queue);
		keep(fq, frame);
		while (wt_queue_level(queue) > most)
			relieve(fq, now);
	}
}

static struct wt_frame *fq_dequeue(struct wt_queue *queue, wt_time now)
{
	struct fq *fq = (struct fq *)queue;

	for (;;) {
		bool is_fresh = fq->fresh.head != NOBODY;
		struct ring *ring = is_fresh ? &fq->fresh : &fq->old;
		uint32_t index = ring->head;
		struct wt_frame *frame;
		struct flow *flow;

		if (index == NOBODY)
			return NULL;
		flow = &fq->flow[index];
		if (flow->deficit <= 0) {
			flow->deficit += (int64_t)queue->config->queue.quantum;
			ring_pop(fq, ring);
			ring_push(fq, &fq->old, index);
			continue;
		}
		frame = wt_codel_dequeue(&flow->codel, queue, &flow->list, now);
		if (frame) {
			flow->deficit -= frame->len;
			return frame;
		}
		/* a new flow that runs empty goes behind the old ones, or it would starve them (RFC 8290 4.2); the only one need not */
		ring_pop(fq, ring);
		if (is_fresh && (fq->fresh.head != NOBODY || fq->old.head != NOBODY))
			ring_push(fq, &fq->old, index);
		else
			flow->active = false;
	}
}

static void fq_clear(struct wt_queue *queue, wt_time now, bool count)
{
	struct fq *fq = (struct fq *)queue;

	for (uint32_t i = 0; i < fq->count; i++) {
		wt_queue_clear_list(queue, now, &fq->flow[i].list, count);
		fq->flow[i].codel = (struct wt_codel){0};
		fq->flow[i].active = false;
	}
	fq->fresh.head = fq->old.head = NOBODY;
}

struct wt_queue *wt_queue_fq_codel_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {fq_enqueue, fq_dequeue, fq_clear, NULL};
	struct fq *fq = calloc(1, sizeof(*fq) + config->queue.flows * sizeof(fq->flow[0]));

	if (!fq)
		return NULL;
	fq->queue.ops = &ops;
	fq->count = (uint32_t)config->queue.flows;
	fq->fresh.head = fq->old.head = NOBODY;
	return &fq->queue;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the disciplines share, the table of them, and the two plain ones: drop-tail and drop-head. */
#include "emu/queue/queue.h"

#include <stdlib.h>

#include "stack/wire/packet.h"

#define FIELD(name, type, field, low, high, text) \
	{name, WT_PARAM_##type, offsetof(struct wt_queue_config, field), text, low, high, NULL}
#define ECN FIELD("ecn", BOOL, ecn, 0, 1, "mark packets of ECN-capable transports instead of dropping them (RFC 3168)")
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct wt_param red_params[] = {
	FIELD("min", SIZE, min, 1, 1e12, "average below which nothing is dropped"),
	FIELD("max", SIZE, max, 2, 1e12, "average at which the share is `prob`"),
	FIELD("prob", SHARE, prob, 0, 1, "share dropped at max"),
	FIELD("weight", NUMBER, weight, 1e-9, 1, "of a new measurement in the average"),
	FIELD("gentle", BOOL, gentle, 0, 1, "from max to twice max the share rises to 1, not at once"),
	ECN,
};
static const struct wt_param codel_params[] = {
	FIELD("target", TIME, target, 1e3, 1e11, "sojourn that may stand"),
	FIELD("interval", TIME, interval, 1e3, 1e12, "for how long it may be exceeded"),
	ECN,
};
static const struct wt_param fq_codel_params[] = {
	FIELD("target", TIME, target, 1e3, 1e11, "sojourn that may stand"),
	FIELD("interval", TIME, interval, 1e3, 1e12, "for how long it may be exceeded"),
	FIELD("flows", COUNT, flows, 1, 65536, "number of queues"),
	FIELD("quantum", SIZE, quantum, 64, 1e6, "bytes a flow may send in a round"),
	ECN,
};
static const struct wt_param pie_params[] = {
	FIELD("target", TIME, target, 1e3, 1e11, "delay it steers to"),
	FIELD("update", TIME, update, 1e5, 1e11, "period of the controller"),
	FIELD("allowance", TIME, burst, 0, 1e11, "time a burst may last undropped"),
	FIELD("alpha", NUMBER, alpha, 0, 1e6, "weight of the delay's distance from the target, 1/s"),
	FIELD("beta", NUMBER, beta, 0, 1e6, "weight of the delay's growth, 1/s"),
	FIELD("mark", SHARE, mark, 0, 1, "with ecn: up to this probability marks, above it drops"),
	ECN,
};
static const struct wt_param dualpi2_params[] = {
	FIELD("target", TIME, target, 1e3, 1e11, "delay of the classic queue it steers to"),
	FIELD("update", TIME, update, 1e5, 1e11, "period of the controller"),
	FIELD("alpha", NUMBER, alpha, 0, 1e6, "integral gain, 1/s"),
	FIELD("beta", NUMBER, beta, 0, 1e6, "proportional gain, 1/s"),
	FIELD("coupling", NUMBER, coupling, 0.1, 100, "of the low latency queue's marks to the controller"),
	FIELD("min", TIME, interval, 0, 1e11, "sojourn in the low latency queue from which it marks by itself"),
	FIELD("range", TIME, range, 0, 1e11, "above min, until it marks every packet; 0: a step"),
	FIELD("share", SHARE, share, 0, 0.5, "of the link that the classic queue has while both wait"),
};

const struct wt_queue_kind_info wt_queue_kinds[WT_QUEUE_KINDS] = {
	[WT_QUEUE_TAIL] = {"tail", {.kind = WT_QUEUE_TAIL}, NULL, 0, wt_queue_tail_create},
	[WT_QUEUE_HEAD] = {"head", {.kind = WT_QUEUE_HEAD}, NULL, 0, wt_queue_head_create},
	[WT_QUEUE_RED] = {"red", {.kind = WT_QUEUE_RED, .prob = 0.1, .weight = 0.002}, red_params, COUNT(red_params),
			  wt_queue_red_create},
	[WT_QUEUE_CODEL] = {"codel", {.kind = WT_QUEUE_CODEL, .target = 5 * WT_MS, .interval = 100 * WT_MS}, codel_params,
			    COUNT(codel_params), wt_queue_codel_create},
	[WT_QUEUE_FQ_CODEL] = {"fq_codel", {.kind = WT_QUEUE_FQ_CODEL, .target = 5 * WT_MS, .interval = 100 * WT_MS,
			       .flows = 1024, .quantum = 1514}, fq_codel_params, COUNT(fq_codel_params),
			       wt_queue_fq_codel_create},
	[WT_QUEUE_PIE] = {"pie", {.kind = WT_QUEUE_PIE, .target = 15 * WT_MS, .update = 15 * WT_MS, .burst = 150 * WT_MS,
			  .alpha = 0.125, .beta = 1.25, .mark = 0.1}, pie_params, COUNT(pie_params), wt_queue_pie_create},
	[WT_QUEUE_DUALPI2] = {"dualpi2", {.kind = WT_QUEUE_DUALPI2, .target = 15 * WT_MS, .update = 16 * WT_MS, .alpha = 0.16,
			      .beta = 3.2, .coupling = 2, .interval = 800 * WT_US, .range = 400 * WT_US, .share = 1.0 / 16},
			      dualpi2_params, COUNT(dualpi2_params), wt_queue_dualpi2_create},
};

struct wt_queue *wt_queue_create(struct wt_node *node, const struct wt_key *key, const struct wt_rate_config *config)
{
	struct wt_queue *queue = wt_queue_kinds[config->queue.kind].create(config);

	if (!queue)
		return NULL;
	queue->node = node;
	queue->config = config;
	if (key)
		queue->key = *key;
	return queue;
}

void wt_queue_destroy(struct wt_queue *queue)
{
	if (!queue)
		return;
	queue->ops->clear(queue, 0, false);
	free(queue);
}

void wt_queue_drop(struct wt_queue *queue, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	struct wt_node *node = queue->node;

	node->audit.queued--;
	node->gone_on = node->audit.out + (node->audit.queued - queue->frames) + 1; /* the stage keeps those for a while */
	wt_node_drop(node, now, frame, cause);
	node->gone_on = 0;
}

bool wt_queue_mark(struct wt_queue *queue, struct wt_frame *frame)
{
	if (!queue->config->queue.ecn || !wt_packet_mark(frame))
		return false;
	queue->node->audit.marked++;
	return true;
}

bool wt_queue_chance(struct wt_queue *queue, const struct wt_frame *frame, double *number)
{
	uint64_t n;

	if (!wt_packets_next(&queue->packets, frame, &n))
		return false;
	*number = wt_random_unit(&queue->key, n);
	return true;
}

void wt_queue_clear_list(struct wt_queue *queue, wt_time now, struct wt_frame_queue *list, bool count)
{
	struct wt_frame *frame;

	while ((frame = wt_queue_pop(queue, list))) {
		if (queue->rescue)
			wt_frame_queue_push(queue->rescue, frame);
		else if (count)
			wt_queue_drop(queue, now, frame, WT_DROP_FLUSH);
		else
			wt_frame_free(frame);
	}
}

/* ---- another discipline ------------------------------------------------------------------------------------ */

/* Two lists, each in order of arrival, as one. */
static struct wt_frame_queue merge(struct wt_frame_queue *a, struct wt_frame_queue *b)
{
	struct wt_frame_queue merged = {0};

	while (a->head || b->head)
		wt_frame_queue_push(&merged, wt_frame_queue_pop(!b->head || (a->head && a->head->time <= b->head->time) ? a : b));
	return merged;
}

/* Disciplines keep many lists, each in order; one list after the other, runs of it are merged two by two. */
static void sort_by_arrival(struct wt_frame_queue *list)
{
	struct wt_frame_queue run[32] = {{0}}; /* run[i] has at least 2^i frames */
	struct wt_frame *frame;

	while ((frame = wt_frame_queue_pop(list))) {
		struct wt_frame_queue one = {0};
		unsigned i = 0;

		wt_frame_queue_push(&one, frame);
		for (; i < 31 && run[i].head; i++)
			one = merge(&run[i], &one);
		run[i] = merge(&run[i], &one);
	}
	for (unsigned i = 0; i < 32; i++)
		*list = merge(&run[i], list);
}

void wt_queue_take_all(struct wt_queue *queue, wt_time now, struct wt_frame_queue *list)
{
	queue->rescue = list;
	queue->ops->clear(queue, now, true);
	queue->rescue = NULL;
	sort_by_arrival(list);
}

void wt_queue_replace(struct wt_queue **queue, struct wt_queue *by, wt_time now)
{
	struct wt_queue *old = *queue;
	struct wt_frame_queue list = {0};
	struct wt_frame *frame;

	wt_queue_take_all(old, now, &list);
	by->packets = old->packets;
	by->sending = old->sending;
	by->unlimited = true;
	while ((frame = wt_frame_queue_pop(&list))) {
		by->node->audit.queued--; /* it comes anew */
		by->ops->enqueue(by, now, frame);
	}
	wt_queue_destroy(old);
	*queue = by;
}

/* ---- drop-tail and drop-head ----------------------------------------------------------------------------- */

struct plain {
	struct wt_queue queue;
	struct wt_frame_queue list;
};

static void tail_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	if (wt_queue_full(queue, frame->len))
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	else
		wt_queue_push(queue, &((struct plain *)queue)->list, frame);
}

/* The oldest go, so that the sender hears of the loss a queue's length earlier. What is being sent cannot be taken back. */
static void head_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	struct wt_frame_queue *list = &((struct plain *)queue)->list;
	uint64_t most;

	if (!wt_queue_full(queue, frame->len)) {
		wt_queue_push(queue, list, frame);
	} else if (wt_queue_hopeless(queue, frame->len)) {
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	} else {
		most = wt_queue_most(queue);
		wt_queue_push(queue, list, frame);
		while (wt_queue_level(queue) > most)
			wt_queue_drop(queue, now, wt_queue_pop(queue, list), WT_DROP_QUEUE);
	}
}

static struct wt_frame *plain_dequeue(struct wt_queue *queue, wt_time now)
{
	return wt_queue_pop(queue, &((struct plain *)queue)->list);
}

static void plain_clear(struct wt_queue *queue, wt_time now, bool count)
{
	wt_queue_clear_list(queue, now, &((struct plain *)queue)->list, count);
}

struct wt_queue *wt_queue_tail_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {tail_enqueue, plain_dequeue, plain_clear, NULL};
	struct plain *plain = calloc(1, sizeof(*plain));

	if (!plain)
		return NULL;
	plain->queue.ops = &ops;
	return &plain->queue;
}

struct wt_queue *wt_queue_head_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {head_enqueue, plain_dequeue, plain_clear, NULL};
	struct wt_queue *queue = wt_queue_tail_create(config);

	if (queue)
		queue->ops = &ops;
	return queue;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RED (Floyd and Jacobson 1993; gentle: Floyd 2000): an average of the waiting bytes decides how likely a frame that comes
 * is dropped, or marked.
 *
 *   1 │            ┆            ╭── gentle: reached at twice max
 *     │            ┆      ╭─────╯
 *   prob ──────────┆──╭───      otherwise 1 from max on
 *   0 └────────────╯
 *                 min  max
 *
 * The average moves at each arrival by `weight` of the way to the present length; after idle time it decays as if packets
 * of 1500 bytes had come meanwhile, one after the other at the link's rate. Between drops the counter spreads them evenly.
 */
#include <stdlib.h>

#include "emu/queue/queue.h"

struct red {
	struct wt_queue queue;
	struct wt_frame_queue list;
	uint64_t since;   /* arrivals since the last drop by chance, or since the average was below min */
	wt_time idle;     /* since when nothing waits nor is sent, and the link is as it is; -1: something does */
	double part;      /* of a packet, that was missed before */
};

enum { TYPICAL = 1500 };

/* Time that a typical packet takes on this link. */
static double typical_time(const struct wt_rate_config *config)
{
	if (config->trace)
		return (double)config->trace->value[config->trace->count - 1] / config->trace->count;
	if (config->every)
		return (double)config->every * TYPICAL / (double)config->lump;
	return TYPICAL * 8e9 / (double)config->rate;
}

/* base^n by squaring: no library decides the digits. */
static double power(double base, uint64_t n)
{
	double result = 1;

	for (; n; n >>= 1) {
		if (n & 1)
			result *= base;
		base *= base;
	}
	return result;
}

/* Typical packets that fit into the idle time, with the part that was left before. */
static double missed(const struct red *red, wt_time now)
{
	return red->part + (double)(now - red->idle) / typical_time(red->queue.config);
}

/* A year of a fast link holds more than a number, which decay as if they were 2^63. */
static uint64_t whole(double packets)
{
	return packets < 0x1p63 ? (uint64_t)packets : (uint64_t)1 << 63;
}

static bool is_idle(const struct red *red)
{
	return red->idle >= 0 && !red->queue.frames && !red->queue.sending;
}

static void measure(struct red *red, wt_time now)
{
	double weight = red->queue.config->queue.weight;

	if (is_idle(red)) {
		red->queue.pressure *= power(1 - weight, whole(missed(red, now)));
		red->part = 0;
	} else {
		red->queue.pressure += weight * ((double)(red->queue.bytes + red->queue.sending) - red->queue.pressure);
	}
	red->idle = -1;
}

/* The share for the present average: below 0 none at all, 1 for certain. */
static double share(const struct red *red)
{
	const struct wt_queue_config *config = &red->queue.config->queue;
	double min = (double)config->min, max = (double)config->max;

	if (red->queue.pressure < min)
		return -1;
	if (red->queue.pressure < max)
		return config->prob * (red->queue.pressure - min) / (max - min);
	if (!config->gentle || red->queue.pressure >= 2 * max)
		return 1;
	return config->prob + (1 - config->prob) * (red->queue.pressure - max) / max;
}

/*
 * Does chance strike the frame that comes? Without a drop for long the next is ever more likely, so that the gaps are
 * uniform on 1 ... 1/share: what section 7 of the paper wants (its pseudo-code counts the frame itself, and never gets 1/share).
 */
static bool strikes(struct red *red, const struct wt_frame *frame, double wanted)
{
	double number, left;

	if (wanted < 0) {
		red->since = 0;
		return false;
	}
	if (!wt_queue_chance(&red->queue, frame, &number))
		return false;
	left = 1 - (double)red->since++ * wanted;
	if (wanted < 1 && left > 0 && number >= wanted / left)
		return false;
	red->since = 0;
	return true;
}

static void red_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	struct red *red = (struct red *)queue;
	double wanted;

	measure(red, now);
	wanted = share(red);
	/* where every frame is struck, marks would no longer say anything: drop (RFC 3168 section 7) */
	if (strikes(red, frame, wanted) && (wanted >= 1 || !wt_queue_mark(queue, frame)))
		wt_queue_refuse(queue, now, frame, WT_DROP_AQM);
	else if (wt_queue_full(queue, frame->len))
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	else
		wt_queue_push(queue, &red->list, frame);
	/* nothing kept, nothing sent: idle time goes on from here */
	if (!queue->frames && !queue->sending)
		red->idle = now;
}

static struct wt_frame *red_dequeue(struct wt_queue *queue, wt_time now)
{
	struct red *red = (struct red *)queue;
	struct wt_frame *frame = wt_queue_pop(queue, &red->list);

	if (!frame)
		red->idle = now;
	return frame;
}

/* Another rate, or another weight, is for the idle time that comes. */
static void red_advance(struct wt_queue *queue, wt_time now)
{
	struct red *red = (struct red *)queue;
	double packets;

	if (!is_idle(red))
		return;
	packets = missed(red, now);
	red->queue.pressure *= power(1 - queue->config->queue.weight, whole(packets));
	red->part = packets < 0x1p63 ? packets - (double)whole(packets) : 0;
	red->idle = now;
}

static void red_clear(struct wt_queue *queue, wt_time now, bool count)
{
	struct red *red = (struct red *)queue;

	wt_queue_clear_list(queue, now, &red->list, count);
	if (red->idle < 0) /* what is being sent goes with what waits, or the stage does: idle time begins */
		red->idle = now;
}

struct wt_queue *wt_queue_red_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {red_enqueue, red_dequeue, red_clear, red_advance};
	struct red *red = calloc(1, sizeof(*red));

	if (!red)
		return NULL;
	red->queue.ops = &ops;
	return &red->queue;
}

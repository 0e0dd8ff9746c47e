/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PIE (RFC 8033): every `update` a controller moves the drop probability by how far the delay is from its target and by
 * how fast it grows; frames are dropped, or marked, as they come.
 *
 * Its basic scheme (section 4, appendix A: the delay is a sojourn, by timestamps) with three of its options: ECN (5.1),
 * derandomisation (5.4) and the cap on a step (5.5). The delay is the sojourn of the frame that began to be sent last, 0 when
 * nothing waits. Between two frames nothing the controller reads can change, so its steps are made up for when the next
 * frame comes or goes, or before a flush or other parameters. docs/emulation-model.md lists where this and the RFC differ.
 */
#include <stdlib.h>

#include "emu/queue/queue.h"

enum { MEAN_PACKET = 1024 }; /* MEAN_PKTSIZE, of which RFC 8034 gives the value */

struct pie {
	struct wt_queue queue;
	struct wt_frame_queue list;
	double accumulated; /* queue.pressure is the probability */
	wt_time delay, old_delay; /* the last sojourn; what the controller saw at its last step */
	wt_time burst;            /* how long a burst still passes */
	wt_time next;             /* step of the controller */
};

/* RFC 8033 section 4.2: small probabilities move in small steps. */
static double scaled(double step, double prob)
{
	static const struct {
		double below, by;
	} table[] = {{0.000001, 2048}, {0.00001, 512}, {0.0001, 128}, {0.001, 32}, {0.01, 8}, {0.1, 2}};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (prob < table[i].below)
			return step / table[i].by;
	return step;
}

/* Section 4.4: the congestion is over. What came last and what the last step saw must both say so. */
static bool calm(const struct pie *pie)
{
	wt_time half = pie->queue.config->queue.target / 2, delay = pie->queue.frames ? pie->delay : 0;

	return pie->queue.pressure == 0 && delay < half && pie->old_delay < half;
}

static void step(struct pie *pie)
{
	const struct wt_queue_config *config = &pie->queue.config->queue;
	double p;

	if (!pie->queue.frames)
		pie->delay = 0;
	p = config->alpha * ((double)(pie->delay - config->target) / 1e9) +
	    config->beta * ((double)(pie->delay - pie->old_delay) / 1e9);
	p = scaled(p, pie->queue.pressure);
	if (pie->queue.pressure >= 0.1 && p > 0.02)
		p = 0.02; /* section 5.5 */
	pie->queue.pressure += p;
	if (pie->delay == 0 && pie->old_delay == 0)
		pie->queue.pressure *= 0.98;
	if (pie->queue.pressure < 0)
		pie->queue.pressure = 0;
	if (pie->queue.pressure > 1)
		pie->queue.pressure = 1;
	pie->old_delay = pie->delay;
	pie->burst = pie->burst > config->update ? pie->burst - config->update : 0;
}

static void steps(struct pie *pie, wt_time now)
{
	wt_time period = pie->queue.config->queue.update;

	while (pie->next <= now) {
		step(pie);
		pie->next += period;
		/* empty and at rest: the steps left change nothing */
		if (!pie->queue.frames && !pie->delay && !pie->old_delay && pie->queue.pressure == 0 && pie->next <= now)
			pie->next += (now - pie->next) / period * period + period;
	}
}

/* Sections 4.1, 4.4 and 5.4: spread by the sum of probabilities since the last drop. */
static bool strikes(struct pie *pie, const struct wt_frame *frame)
{
	const struct wt_queue_config *config = &pie->queue.config->queue;
	double number;

	if (pie->burst > 0 || (pie->old_delay < config->target / 2 && pie->queue.pressure < 0.2) ||
	    pie->queue.bytes + pie->queue.sending <= 2 * MEAN_PACKET)
		return false;
	if (!wt_queue_chance(&pie->queue, frame, &number))
		return false;
	if (pie->queue.pressure == 0)
		pie->accumulated = 0;
	pie->accumulated += pie->queue.pressure;
	if (pie->accumulated < 0.85 || (pie->accumulated < 8.5 && number >= pie->queue.pressure))
		return false;
	pie->accumulated = 0;
	return true;
}

static void pie_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	struct pie *pie = (struct pie *)queue;

	steps(pie, now);
	if (calm(pie))
		pie->burst = queue->config->queue.burst;
	/* appendix B: a full buffer comes first, and its drop is one that the next need not follow closely */
	if (wt_queue_full(queue, frame->len)) {
		pie->accumulated = 0;
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	} else if (strikes(pie, frame) && (pie->queue.pressure > queue->config->queue.mark || !wt_queue_mark(queue, frame))) {
		wt_queue_refuse(queue, now, frame, WT_DROP_AQM);
	} else {
		wt_queue_push(queue, &pie->list, frame);
	}
}

static struct wt_frame *pie_dequeue(struct wt_queue *queue, wt_time now)
{
	struct pie *pie = (struct pie *)queue;
	struct wt_frame *frame;

	steps(pie, now);
	frame = wt_queue_pop(queue, &pie->list);
	if (frame)
		pie->delay = now - frame->time;
	return frame;
}

static void pie_advance(struct wt_queue *queue, wt_time now)
{
	struct pie *pie = (struct pie *)queue;
	wt_time period = queue->config->queue.update;

	steps(pie, now);
	pie->next = (now / period + 1) * period;
}

static void pie_clear(struct wt_queue *queue, wt_time now, bool count)
{
	wt_queue_clear_list(queue, now, &((struct pie *)queue)->list, count);
}

struct wt_queue *wt_queue_pie_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {pie_enqueue, pie_dequeue, pie_clear, pie_advance};
	struct pie *pie = calloc(1, sizeof(*pie));

	if (!pie)
		return NULL;
	pie->queue.ops = &ops;
	pie->burst = config->queue.burst;
	pie->next = config->queue.update;
	return &pie->queue;
}

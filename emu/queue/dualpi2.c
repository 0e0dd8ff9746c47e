/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DualPI2 (RFC 9332 appendix A): scalable traffic (ECT(1) and CE) in a shallow queue of its own, classic traffic in another,
 * one controller p' for both. Classic packets are dropped or marked with p'^2, low latency ones marked with coupling * p',
 * or more if their own queue grows, so that both kinds of flow get like shares.
 *
 *   ECT(1), CE ─► L ──mark max(ramp(sojourn), coupling p')──┐
 *                                                           ├─► link    L first, but for the classic queue's share
 *   the rest   ─► C ──drop or mark p'^2 ────────────────────┘
 *
 *   age of the older of both heads ─► controller p'
 *
 * The decisions are the RFC's accumulators (`recur`), not dice. When p'^2 reaches 1/coupling^2, marks say nothing more, and
 * both queues drop with p'^2 (its overload, figure 7). Without classic traffic it is the low latency queue that drives the
 * controller (figure 8), so that flows which do not heed their marks are held to the target by drops.
 */
#include <stdlib.h>

#include "stack/wire/packet.h"
#include "emu/queue/queue.h"

struct half {
	struct wt_frame_queue list;
	double count; /* of recur() */
};

struct dual {
	struct wt_queue queue; /* its pressure is p' */
	struct half low, classic;
	wt_time old_delay, next;
	double credit; /* bytes that the classic queue may send before the other */
};

static wt_time age(const struct half *half, wt_time at)
{
	return half->list.head ? at - half->list.head->time : 0;
}

/* Figure 8. */
static void step(struct dual *dual, wt_time at)
{
	const struct wt_queue_config *config = &dual->queue.config->queue;
	wt_time low = age(&dual->low, at), classic = age(&dual->classic, at), delay = low > classic ? low : classic;

	dual->queue.pressure += config->alpha * ((double)(delay - config->target) / 1e9) +
		   config->beta * ((double)(delay - dual->old_delay) / 1e9);
	if (dual->queue.pressure < 0)
		dual->queue.pressure = 0;
	if (dual->queue.pressure > 1)
		dual->queue.pressure = 1;
	dual->old_delay = delay;
}

/* Between two frames the heads stay, so the steps can be made up for. */
static void steps(struct dual *dual, wt_time now)
{
	wt_time period = dual->queue.config->queue.update;

	while (dual->next <= now) {
		step(dual, dual->next);
		dual->next += period;
		if (!dual->queue.frames && dual->queue.pressure == 0 && !dual->old_delay && dual->next <= now)
			dual->next += (now - dual->next) / period * period + period;
	}
}

static bool recur(struct half *half, double likelihood)
{
	half->count += likelihood;
	if (half->count <= 1)
		return false;
	half->count -= 1;
	return true;
}

/* Figure 5. */
static double ramp(const struct wt_queue_config *config, wt_time sojourn)
{
	if (sojourn >= config->interval + config->range)
		return 1;
	return sojourn > config->interval ? (double)(sojourn - config->interval) / (double)config->range : 0;
}

/* p'^2 has reached the most that classic packets may be marked with: 1/coupling^2, or 1 (figure 2). */
static bool overloaded(const struct dual *dual)
{
	return dual->queue.pressure >= 1 || dual->queue.config->queue.coupling * dual->queue.pressure >= 1;
}

static void mark(struct dual *dual, struct wt_frame *frame)
{
	dual->queue.node->audit.marked += wt_packet_mark(frame);
}

/*
 * NULL: dropped. A packet behind which no other waits has a queue of one packet, the least there is on a slow link: its own
 * delay is no reason to mark it (Th_len of figure 7).
 */
static struct wt_frame *send_low(struct dual *dual, wt_time now)
{
	const struct wt_queue_config *config = &dual->queue.config->queue;
	struct wt_frame *frame = wt_queue_pop(&dual->queue, &dual->low.list);
	double coupled = config->coupling * dual->queue.pressure;
	double own = dual->low.list.head ? ramp(config, now - frame->time) : 0;

	if (coupled < 1) {
		if (recur(&dual->low, own > coupled ? own : coupled))
			mark(dual, frame);
		return frame;
	}
	if (recur(&dual->low, dual->queue.pressure * dual->queue.pressure)) {
		wt_queue_drop(&dual->queue, now, frame, WT_DROP_AQM);
		return NULL;
	}
	mark(dual, frame);
	return frame;
}

static struct wt_frame *send_classic(struct dual *dual, wt_time now)
{
	struct wt_frame *frame = wt_queue_pop(&dual->queue, &dual->classic.list);

	if (!wt_packet_version(frame) || !recur(&dual->classic, dual->queue.pressure * dual->queue.pressure))
		return frame;
	if (overloaded(dual) || wt_packet_ecn(frame) == WT_ECN_NOT_ECT) {
		wt_queue_drop(&dual->queue, now, frame, WT_DROP_AQM);
		return NULL;
	}
	mark(dual, frame);
	return frame;
}

/* Weighted round robin. Low latency first; but for each byte it sends while the other waits, the other earns share / (1 - share). */
static bool classic_turn(struct dual *dual)
{
	double share = dual->queue.config->queue.share;
	const struct wt_frame *low = dual->low.list.head, *classic = dual->classic.list.head;

	if (!low || !classic)
		return classic;
	if (dual->credit >= classic->len) {
		dual->credit -= classic->len;
		return true;
	}
	dual->credit += low->len * share / (1 - share);
	return false;
}

static struct wt_frame *dual_dequeue(struct wt_queue *queue, wt_time now)
{
	struct dual *dual = (struct dual *)queue;
	struct wt_frame *frame = NULL;

	steps(dual, now);
	while (!frame && queue->frames) {
		frame = classic_turn(dual) ? send_classic(dual, now) : send_low(dual, now);
		if (!dual->classic.list.head)
			dual->credit = 0;
	}
	return frame;
}

static void dual_enqueue(struct wt_queue *queue, wt_time now, struct wt_frame *frame)
{
	struct dual *dual = (struct dual *)queue;
	enum wt_ecn ecn = wt_packet_ecn(frame);

	steps(dual, now);
	if (wt_queue_full(queue, frame->len))
		wt_queue_refuse(queue, now, frame, WT_DROP_QUEUE);
	else
		wt_queue_push(queue, ecn == WT_ECN_ECT1 || ecn == WT_ECN_CE ? &dual->low.list : &dual->classic.list, frame);
}

static void dual_advance(struct wt_queue *queue, wt_time now)
{
	struct dual *dual = (struct dual *)queue;
	wt_time period = queue->config->queue.update;

	steps(dual, now);
	dual->next = (now / period + 1) * period;
}

static void dual_clear(struct wt_queue *queue, wt_time now, bool count)
{
	struct dual *dual = (struct dual *)queue;

	wt_queue_clear_list(queue, now, &dual->low.list, count);
	wt_queue_clear_list(queue, now, &dual->classic.list, count);
	dual->credit = 0;
}

struct wt_queue *wt_queue_dualpi2_create(const struct wt_rate_config *config)
{
	static const struct wt_queue_ops ops = {dual_enqueue, dual_dequeue, dual_clear, dual_advance};
	struct dual *dual = calloc(1, sizeof(*dual));

	if (!dual)
		return NULL;
	dual->queue.ops = &ops;
	dual->next = config->queue.update;
	return &dual->queue;
}

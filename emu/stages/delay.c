/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delay: a frame that came at t leaves at t + delay, where the delay may follow a schedule, jitter, and change with a
 * handoff. In the order of arrival: one whose turn would come earlier waits for those before it; unless `reordering` lets
 * each leave when its own delay is over.
 */
#include <stdlib.h>

#include "emu/draw.h"
#include "emu/stages/handoff.h"

/* For reordering: a heap of those under way, by time and then by order of arrival. */
struct entry {
	wt_time time;
	uint64_t order;
	struct wt_frame *frame;
};

struct delay {
	struct wt_stage stage; /* ready holds what is under way in order, frame->time being when it is due */
	struct wt_stream stream;
	struct wt_delay_config config;
	struct wt_handoff_config handoff; /* every > 0: follow it */
	struct wt_handoff_clock clock;
	struct entry *heap;
	uint32_t count, room;
	uint64_t order;
	bool fixed;     /* no change will come: packets that nothing is drawn for are not counted */
	wt_time always; /* and nothing but this delay matters; 0: other words do */
	wt_time latest; /* when the last of the heap leaves, while it holds any */
};

/* ---- how long -------------------------------------------------------------------------------------------- */

static wt_time scheduled(struct delay *delay, wt_time now)
{
	const struct wt_delay_config *config = &delay->config;
	wt_time value = config->delay, into = config->every ? now % config->every : now;
	const struct wt_cell *cell;

	if (config->trace)
		value = wt_samples_at(config->trace, now, config->every);
	for (unsigned i = 0; i < config->steps && config->step[i].at <= into; i++)
		value = config->step[i].delay;
	if (!delay->handoff.every)
		return value;
	cell = wt_handoff_cell(&delay->clock, now);
	return cell && cell->has_delay ? cell->delay : value;
}

/* Added to the delay of an IP packet; what is not IP has none. May be negative. */
static wt_time jitter(struct delay *delay, const struct wt_frame *frame)
{
	const struct wt_delay_config *config = &delay->config;
	double mean = (double)config->spread, value;
	uint64_t number;

	if (!wt_packets_draw(&delay->stage.packets, frame, &number))
		return 0;
	switch (config->jitter) {
	case WT_JITTER_NORMAL: /* the deviation is at most WT_JITTER_MAX, and the number at most 10: nothing overflows */
		return (wt_time)(wt_stream_normal(&delay->stream, number) * mean);
	case WT_JITTER_PARETO:
		value = wt_random_pareto(&delay->stream.key, number, config->shape) * (config->shape - 1) * mean;
		return value < (double)WT_JITTER_MAX ? (wt_time)value : WT_JITTER_MAX;
	case WT_JITTER_FILE:
		return config->samples->value[wt_random_below(&delay->stream.key, number, config->samples->count)];
	case WT_JITTER_NONE:
		break;
	}
	return 0;
}

/* ---- reordering ------------------------------------------------------------------------------------------ */

static bool before(const struct entry *a, const struct entry *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Room for one more; grown by doubling, so not for each packet. */
static bool grow(struct delay *delay)
{
	uint32_t room = delay->room ? delay->room * 2 : 64;
	struct entry *heap;

	if (delay->count < delay->room)
		return true;
	heap = malloc(room * sizeof(*heap));
	if (!heap)
		return false;
	for (uint32_t i = 0; i < delay->count; i++)
		heap[i] = delay->heap[i];
	free(delay->heap);
	delay->heap = heap;
	delay->room = room;
	return true;
}

static void heap_push(struct delay *delay, struct wt_frame *frame)
{
	struct entry entry = {frame->time, delay->order++, frame};
	uint32_t at = delay->count++;

	delay->latest = at ? wt_time_max(delay->latest, entry.time) : entry.time;
	for (; at && before(&entry, &delay->heap[(at - 1) / 2]); at = (at - 1) / 2)
		delay->heap[at] = delay->heap[(at - 1) / 2];
	delay->heap[at] = entry;
}

static struct wt_frame *heap_pop(struct delay *delay)
{
	struct wt_frame *frame = delay->heap[0].frame;
	struct entry last = delay->heap[--delay->count];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < delay->count && before(&delay->heap[child + 1], &delay->heap[child]))
			child++;
		if (child >= delay->count || !before(&delay->heap[child], &last))
			break;
		delay->heap[at] = delay->heap[child];
		at = child;
	}
	if (delay->count)
		delay->heap[at] = last;
	return frame;
}

/* ---- the stage ------------------------------------------------------------------------------------------- */

static void delay_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct delay *delay = (struct delay *)node;
	struct wt_frame_queue *ready = &delay->stage.ready;
	wt_time wait = delay->config.steps || delay->config.trace || delay->handoff.every ? scheduled(delay, now) : delay->config.delay;

	node->audit.in++;
	if (delay->always && now < WT_NEVER / 2 && (!ready->tail || ready->tail->time <= now + delay->always)) {
		frame->time = now + delay->always;
		node->audit.queued++;
		wt_frame_queue_push(ready, frame);
		return;
	}
	if (delay->config.jitter != WT_JITTER_NONE)
		wait = wt_time_add(wait, jitter(delay, frame));
	else if (!delay->fixed)
		wt_packets_pass_over(&delay->stage.packets, frame);
	frame->time = wt_time_add(now, wt_time_max(wait, 0));
	if (!delay->config.reordering) {
		if (delay->stage.ready.tail)
			frame->time = wt_time_max(frame->time, delay->stage.ready.tail->time);
		if (delay->count) /* from before a change: in order from now on, so not past those either */
			frame->time = wt_time_max(frame->time, delay->latest);
		wt_stage_ready(&delay->stage, frame);
	} else if (grow(delay)) {
		node->audit.queued++;
		heap_push(delay, frame);
	} else {
		wt_node_drop(node, now, frame, WT_DROP_POOL);
	}
}

static struct wt_frame *delay_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct delay *delay = (struct delay *)node;
	struct wt_frame *ready = delay->stage.ready.head;

	/* of two that leave at one instant the one from before a change goes first */
	if (!delay->count || delay->heap[0].time > now ||
	    (ready && (delay->config.reordering ? ready->time <= delay->heap[0].time : ready->time < delay->heap[0].time)))
		return wt_stage_output(node, now, port);
	node->audit.queued--;
	node->audit.out++;
	*port = 1;
	return heap_pop(delay);
}

static wt_time delay_deadline(const struct wt_node *node)
{
	const struct delay *delay = (const struct delay *)node;
	wt_time ready = wt_stage_deadline(node);

	return delay->count ? wt_time_min(ready, delay->heap[0].time) : ready;
}

static void delay_destroy(struct wt_node *node)
{
	struct delay *delay = (struct delay *)node;

	if (!delay)
		return;
	while (delay->count)
		wt_frame_free(heap_pop(delay));
	free(delay->heap);
	wt_samples_release(delay->config.samples);
	wt_samples_release(delay->config.trace);
	wt_stage_destroy(node);
}

/* ---- taking frames ahead of time ----------------------------------------------------------------------------- */

static bool delay_is_plain(const struct wt_node *node)
{
	const struct delay *delay = (const struct delay *)node;
	const struct wt_delay_config *config = &delay->config;

	return config->delay > 0 && !config->steps && !config->trace && config->jitter == WT_JITTER_NONE && !config->reordering &&
	       !delay->handoff.every && !delay->count;
}

static bool delay_holds(struct wt_node *node, struct wt_hold *hold)
{
	struct delay *delay = (struct delay *)node;

	*hold = (struct wt_hold){.time = delay->config.delay, .frames = &delay->stage.ready, .tells = !delay->fixed};
	return delay_is_plain(node);
}

static struct wt_frame *delay_first(const struct wt_node *node, wt_time *leaves)
{
	struct wt_frame *frame = ((const struct delay *)node)->stage.ready.head;

	*leaves = frame ? frame->time : WT_NEVER;
	return frame;
}

static struct wt_frame *delay_give(struct wt_node *node, wt_time *leaves)
{
	struct wt_frame *frame = wt_node_leave(node, &((struct delay *)node)->stage.ready);

	*leaves = frame->time;
	return frame;
}

static void delay_passes(struct wt_node *node, const struct wt_frame *frame)
{
	wt_packets_pass_over(&((struct delay *)node)->stage.packets, frame);
}

static void delay_give_back(struct wt_node *node, uint32_t count, struct wt_frame_queue *list)
{
	struct delay *delay = (struct delay *)node;
	struct wt_frame_queue *ready = &delay->stage.ready, all = *list;
	struct wt_frame *frame;

	node->audit.out -= list->frames;
	node->audit.queued += list->frames;
	while ((frame = wt_frame_queue_pop(ready)))
		wt_frame_queue_push(&all, frame);
	*list = (struct wt_frame_queue){0};
	while (all.frames > count)
		wt_frame_queue_push(ready, wt_frame_queue_pop(&all));
	while ((frame = wt_frame_queue_pop(&all))) {
		if (!delay->fixed)
			wt_packets_take_back(&delay->stage.packets, frame);
		wt_frame_queue_push(list, frame);
	}
	node->audit.in -= count;
	node->audit.queued -= count;
}

static const struct wt_ahead_ops delay_ahead = {
	.holds = delay_holds, .first = delay_first, .give = delay_give, .passes = delay_passes, .give_back = delay_give_back,
};

static const struct wt_node_ops delay_ops = {
	.input = delay_input,
	.output = delay_output,
	.deadline = delay_deadline,
	.destroy = delay_destroy,
	.ahead = &delay_ahead,
};

struct wt_node *wt_delay_create(const char *name, const struct wt_key *key, const struct wt_delay_config *config)
{
	struct delay *delay = wt_stage_new(sizeof(*delay), &delay_ops, name);

	if (!delay)
		return NULL;
	if (key)
		wt_stream_init(&delay->stream, key);
	delay->config = *config;
	wt_samples_hold(config->samples);
	wt_samples_hold(config->trace);
	return &delay->stage.node;
}

void wt_delay_change(struct wt_node *node, wt_time now, const struct wt_delay_config *config)
{
	struct delay *delay = (struct delay *)node;
	struct wt_samples *old[] = {delay->config.samples, delay->config.trace};

	wt_samples_hold(config->samples);
	wt_samples_hold(config->trace);
	delay->config = *config;
	wt_samples_release(old[0]);
	wt_samples_release(old[1]);
}

void wt_delay_fix(struct wt_node *node)
{
	struct delay *delay = (struct delay *)node;

	delay->fixed = true;
	delay->always = delay_is_plain(node) && delay->config.delay < WT_NEVER / 2 ? delay->config.delay : 0;
}

void wt_delay_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock)
{
	struct delay *delay = (struct delay *)node;

	wt_handoff_copy(&delay->clock, &delay->handoff, clock);
}

void wt_delay_let_go(struct wt_node *node, struct wt_frame_queue *list)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = delay_output(node, WT_NEVER, &port)))
		wt_frame_queue_push(list, frame);
}

struct wt_samples *wt_delay_samples(const struct wt_node *node)
{
	return ((const struct delay *)node)->config.samples;
}

struct wt_samples *wt_delay_trace(const struct wt_node *node)
{
	return ((const struct delay *)node)->config.trace;
}

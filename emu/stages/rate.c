/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rate: a queue of some discipline (queue.h) in front of a link (link.h).
 *
 *            limit                     sent
 *   in ──► │▒▒▒▒▒▒▒▒│ ──dequeue──► [ one frame ] ──► out       when the link has what it costs
 *
 * The departure of the n-th frame of a busy period is the first nanosecond at which the tokens for it are there, however
 * many went before and however late anybody asks. Idle, the level stops at `burst`. While a frame is sent the level may
 * rise to what that frame needs, so a frame larger than the bucket is sent too, and burst 0 is a serial line: each frame
 * leaves when its last bit has been sent. Over any interval t at most burst + rate * t bytes leave, plus one frame.
 */
#include <errno.h>
#include <stdlib.h>

#include "emu/stages/handoff.h"
#include "emu/stages/bucket.h"
#include "emu/queue/queue.h"

struct rate {
	struct wt_stage stage; /* ready: released, frame->time being the release */
	struct wt_rate_config config;
	struct wt_bucket link;
	struct wt_queue *queue, *next; /* next: for the change that follows, or NULL */
	struct wt_frame *sent; /* waits for its tokens; NULL: nothing waits at all */
	wt_time due;           /* when `sent` has them */
	struct wt_rate_log *log;
	uint64_t home;         /* the rate its own words say */
	struct wt_handoff_config handoff; /* every > 0: follow it */
	struct wt_handoff_clock clock;
	struct wt_lane ahead; /* handed out before their time; then nothing is `sent`, and nothing waits in the queue */
};

/* The next frame becomes the one that is sent. False: there is none. */
static inline bool begin_next(struct rate *rate, wt_time now)
{
	struct wt_frame *frame;

	rate->queue->sending = 0;
	rate->sent = frame = rate->queue->ops->dequeue(rate->queue, now);
	if (!frame)
		return false;
	rate->queue->sending = frame->len;
	rate->due = wt_bucket_begin(&rate->link, now, frame->len);
	return true;
}

static inline void begin(struct rate *rate, wt_time now)
{
	if (!begin_next(rate, now))
		wt_bucket_rest(&rate->link);
}

/* The one that is sent has gone, at its own time; the next begins. */
static inline void go(struct rate *rate)
{
	struct wt_frame *frame = rate->sent;
	wt_time time = rate->due;

	wt_bucket_end(&rate->link, time, frame->len);
	if (rate->log)
		rate->log->consumed(rate->log, &rate->stage.node, time, frame, frame->len + rate->config.overhead);
	frame->time = time;
	begin(rate, time);
}

static void depart(struct rate *rate)
{
	struct wt_frame *frame = rate->sent;

	go(rate);
	wt_frame_queue_push(&rate->stage.ready, frame);
}

/* Releases whatever was due at or before `now`. */
static inline void release(struct rate *rate, wt_time now)
{
	while (rate->sent && rate->due <= now)
		depart(rate);
	if (!rate->sent)
		wt_bucket_idle(&rate->link, now);
}

/* Another rate from `now` on. What has come in for the frame being sent came at the old one. */
static void set_rate(struct rate *rate, wt_time now, uint64_t bits)
{
	if (!bits || bits == rate->config.rate)
		return;
	wt_queue_advance(rate->queue, now);
	wt_bucket_before_change(&rate->link, now, rate->sent);
	rate->config.rate = bits;
	if (rate->sent)
		rate->due = wt_bucket_due(&rate->link, rate->sent->len);
}

/* Nothing waits any more, nor is sent. */
static void empty(struct rate *rate, wt_time now)
{
	if (rate->sent)
		wt_bucket_abandon(&rate->link, now);
	rate->sent = NULL;
	rate->queue->sending = 0;
	wt_bucket_idle(&rate->link, now);
	wt_bucket_rest(&rate->link);
}

static void flush(struct rate *rate, wt_time now)
{
	wt_queue_advance(rate->queue, now);
	rate->queue->ops->clear(rate->queue, now, true);
	if (rate->sent)
		wt_queue_drop(rate->queue, now, rate->sent, WT_DROP_FLUSH);
	empty(rate, now);
}

/* Departures, and handoffs between them. What is due when one begins still leaves. */
static void hand_off(struct rate *rate, wt_time now)
{
	while (rate->clock.next <= now) {
		wt_time at = rate->clock.next;
		const struct wt_cell *cell;

		release(rate, at);
		cell = wt_handoff_cell(&rate->clock, at);
		set_rate(rate, at, cell && cell->has_rate ? cell->rate : rate->home);
		if (rate->handoff.flush)
			flush(rate, at);
	}
}

/* Brings everything to `now`. */
static inline void settle(struct rate *rate, wt_time now)
{
	if (rate->handoff.every)
		hand_off(rate, now);
	release(rate, now);
}

static void rate_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct rate *rate = (struct rate *)node;

	node->audit.in++;
	settle(rate, now);
	frame->time = now;
	rate->queue->unlimited = !rate->sent && wt_bucket_open(&rate->link, now, frame->len);
	rate->queue->ops->enqueue(rate->queue, now, frame);
	if (!rate->sent) {
		begin(rate, now);
		release(rate, now);
	}
}

/* The one that is sent leaves straight away where no other waits to: what else is due is asked for by the deadline. */
static struct wt_frame *rate_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct rate *rate = (struct rate *)node;
	struct wt_frame *frame = rate->sent;

	if (rate->stage.ready.head || !frame || rate->due > now || rate->handoff.every) {
		settle(rate, now);
		return wt_stage_output(node, now, port);
	}
	go(rate);
	node->audit.queued--;
	node->audit.out++;
	*port = 1;
	return frame;
}

static wt_time rate_deadline(const struct wt_node *node)
{
	const struct rate *rate = (const struct rate *)node;

	if (rate->stage.ready.head)
		return rate->stage.ready.head->time;
	if (!rate->sent)
		return WT_NEVER;
	return rate->handoff.every ? wt_time_min(rate->due, rate->clock.next) : rate->due;
}

static void rate_destroy(struct wt_node *node)
{
	struct rate *rate = (struct rate *)node;

	if (!rate)
		return;
	wt_frame_free(rate->sent);
	wt_queue_destroy(rate->queue);
	wt_queue_destroy(rate->next);
	wt_samples_release(rate->config.trace);
	wt_lane_finish(&rate->ahead);
	wt_stage_destroy(node);
}

/* ---- ahead of time ---------------------------------------------------------------------------------------- */

/*
 * Of a plain queue in front of tokens that flow the departure is known when a frame comes: the link is as the last one leaves it. The lane
 * stands behind that one's departure meanwhile, and the bucket waits until all is taken back.
 */
static struct wt_lane *ahead_begin(struct wt_node *node)
{
	struct rate *rate = (struct rate *)node;
	const struct wt_rate_config *config = &rate->config;
	struct wt_lane *lane = &rate->ahead;

	if (config->queue.kind != WT_QUEUE_TAIL || config->trace || config->every || rate->handoff.every || rate->log ||
	    rate->stage.ready.head || rate->next || !wt_lane_grow(lane, rate->queue->frames + 1)) /* for all that ahead_give() will hand out */
		return NULL;
	lane->rate = (int64_t)config->rate;
	lane->depth = wt_bucket_depth(&rate->link);
	lane->limit = config->limit;
	lane->packets = config->packets;
	lane->overhead = (uint32_t)config->overhead;
	lane->before = rate->link.last;
	wt_lane_measure(lane, lane->len);
	wt_lane_bound(lane);
	return lane;
}

static struct wt_frame *ahead_give(struct wt_node *node, wt_time *leaves)
{
	struct rate *rate = (struct rate *)node;
	struct wt_lane *lane = &rate->ahead;
	struct wt_frame *frame = rate->sent;

	if (!frame) {
		lane->last = rate->link.last;
		lane->level = rate->link.level;
		lane->counted = lane->end;
		return NULL;
	}
	lane->bytes += frame->len;
	*wt_lane_at(lane, lane->end++) = /* there is a place */
		(struct wt_departure){.came = frame->time, .leaves = rate->due, .level = rate->link.level, .upto_idle = 2 * lane->bytes};
	wt_bucket_end(&rate->link, rate->due, frame->len);
	/* no wt_bucket_rest(): a frame that comes before this one leaves finds the rest of its last nanosecond */
	begin_next(rate, *leaves = rate->due);
	node->audit.queued--;
	node->audit.out++;
	return frame;
}

/* Those that the graph has put through the lane since come into the books. */
static void count_taken(struct rate *rate)
{
	uint64_t taken = rate->ahead.end - rate->ahead.counted;

	rate->stage.node.audit.in += taken;
	rate->stage.node.audit.out += taken;
	rate->ahead.counted = rate->ahead.end;
}

static bool ahead_drop(struct rate *rate, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	count_taken(rate);
	rate->stage.node.audit.in++;
	wt_node_drop(&rate->stage.node, now, frame, cause);
	return false;
}

/* Does it find the tokens it costs? Then it needs no room. */
static bool lane_is_open(const struct wt_lane *lane, wt_time at, uint32_t len)
{
	return lane->last <= at && wt_lane_level(lane, at) >= wt_lane_cost(lane, len);
}

static bool ahead_take(struct wt_node *node, wt_time now, wt_time at, struct wt_frame *frame, bool here, wt_time *leaves)
{
	struct rate *rate = (struct rate *)node;
	struct wt_lane *lane = &rate->ahead;
	bool room;

	wt_lane_reach(lane, at);
	room = wt_lane_has_room(lane, frame->len);
	if (!room && !here) /* one that finds an open link has room too: that is asked when it is there */
		return false;
	if (!wt_lane_has_place(lane))
		wt_lane_make_room(lane, now);
	if (!wt_lane_has_place(lane) && !wt_lane_grow(lane, lane->room + 1))
		return here && ahead_drop(rate, now, frame, WT_DROP_POOL);
	if (!room && !lane_is_open(lane, at, frame->len))
		return ahead_drop(rate, now, frame, WT_DROP_QUEUE);
	*leaves = wt_lane_push(lane, at, frame->len);
	return true;
}

static uint32_t ahead_under_way(struct wt_node *node, wt_time come, wt_time left)
{
	struct wt_lane *lane = &((struct rate *)node)->ahead;

	for (; lane->first != lane->end; wt_lane_pop(lane)) {
		const struct wt_departure *departure = wt_lane_at(lane, lane->first);

		if (departure->leaves > left || departure->came > come)
			break;
	}
	return (uint32_t)wt_lane_count(lane);
}

/* What has come waits as it would have: the first of it is being sent. */
static void wait_again(struct rate *rate, const struct wt_departure *departure, struct wt_frame *frame)
{
	rate->stage.node.audit.queued++;
	frame->time = departure->came;
	if (!rate->sent) {
		rate->sent = frame;
		rate->link.last = rate->ahead.before;
		rate->link.level = departure->level;
		if (wt_departure_idle(departure)) {
			wt_bucket_rest(&rate->link);
			wt_bucket_idle(&rate->link, departure->came);
		}
		rate->due = departure->leaves;
		rate->queue->sending = frame->len;
		return;
	}
	rate->stage.node.audit.queued--; /* it comes anew, and was let in before */
	rate->queue->unlimited = true;
	rate->queue->ops->enqueue(rate->queue, frame->time, frame);
}

static void ahead_recall(struct wt_node *node, wt_time come, struct wt_frame_queue *list)
{
	struct rate *rate = (struct rate *)node;
	struct wt_lane *lane = &rate->ahead;
	struct wt_frame_queue not_come = {0};
	struct wt_frame *frame;

	count_taken(rate);
	rate->link.last = lane->last;
	rate->link.level = lane->level;
	node->audit.out -= wt_lane_count(lane);
	for (; (frame = wt_frame_queue_pop(list)); wt_lane_pop(lane)) {
		const struct wt_departure *departure = wt_lane_at(lane, lane->first);

		if (departure->came <= come) {
			wait_again(rate, departure, frame);
			continue;
		}
		if (!rate->sent && !not_come.head) {
			rate->link.last = lane->before;
			rate->link.level = departure->level;
		}
		frame->time = departure->came;
		node->audit.in--;
		wt_frame_queue_push(&not_come, frame);
	}
	if (!rate->sent)
		wt_bucket_rest(&rate->link);
	*list = not_come;
}

static const struct wt_ahead_ops rate_ahead = {
	.begin = ahead_begin, .give = ahead_give, .take = ahead_take, .under_way = ahead_under_way, .recall = ahead_recall,
};

static const struct wt_node_ops rate_ops = {
	.input = rate_input,
	.output = rate_output,
	.deadline = rate_deadline,
	.destroy = rate_destroy,
	.ahead = &rate_ahead,
};

struct wt_node *wt_rate_create(const char *name, const struct wt_key *key, const struct wt_rate_config *config)
{
	struct rate *rate = wt_stage_new(sizeof(*rate), &rate_ops, name);

	if (!rate)
		return NULL;
	rate->config = *config;
	rate->home = config->rate;
	wt_samples_hold(config->trace);
	wt_bucket_init(&rate->link, &rate->config);
	rate->queue = wt_queue_create(&rate->stage.node, key, &rate->config);
	if (!rate->queue) {
		rate_destroy(&rate->stage.node);
		return NULL;
	}
	return &rate->stage.node;
}

/* A rate in the place of a trace, or the other way round. The bucket begins empty: a change there and back is no gift. */
static void restart_link(struct rate *rate, wt_time now)
{
	wt_bucket_init(&rate->link, &rate->config);
	rate->link.level = 0;
	rate->link.last = now;
	if (!rate->sent)
		return;
	rate->due = wt_bucket_begin(&rate->link, now, rate->sent->len);
}

void wt_rate_change(struct wt_node *node, wt_time now, const struct wt_rate_config *config)
{
	struct rate *rate = (struct rate *)node;
	struct wt_samples *old = rate->config.trace;
	const struct wt_cell *cell;

	settle(rate, now);
	wt_queue_advance(rate->queue, now);
	/* what has come in for the frame being sent came at the old rate */
	wt_bucket_before_change(&rate->link, now, rate->sent);
	wt_samples_hold(config->trace);
	rate->config = *config;
	rate->home = config->rate;
	if (rate->next)
		wt_queue_replace(&rate->queue, rate->next, now);
	rate->next = NULL;
	wt_queue_advance(rate->queue, now);
	if (!old != !config->trace)
		restart_link(rate, now);
	else if (old && !wt_samples_equal(old, config->trace))
		wt_bucket_retrace(&rate->link);
	cell = rate->handoff.every ? wt_handoff_cell(&rate->clock, now) : NULL;
	if (cell && cell->has_rate)
		rate->config.rate = cell->rate;
	wt_samples_release(old);
	if (!rate->sent)
		wt_bucket_rest(&rate->link);
	else if (!config->trace) /* a trace's opportunities have been taken for this frame */
		rate->due = wt_bucket_due(&rate->link, rate->sent->len);
}

int wt_rate_prepare(struct wt_node *node, const struct wt_rate_config *config)
{
	struct rate *rate = (struct rate *)node;
	const struct wt_queue_config *old = &rate->config.queue, *new = &config->queue;

	wt_queue_destroy(rate->next);
	rate->next = NULL;
	if (old->kind == new->kind && (old->flows == new->flows || new->kind != WT_QUEUE_FQ_CODEL))
		return 0;
	rate->next = wt_queue_create(node, &rate->queue->key, config);
	if (!rate->next)
		return -ENOMEM;
	rate->next->config = &rate->config;
	return 0;
}

void wt_rate_flush(struct wt_node *node, wt_time now)
{
	settle((struct rate *)node, now);
	flush((struct rate *)node, now);
}

void wt_rate_let_go(struct wt_node *node, wt_time now, struct wt_frame_queue *list)
{
	struct rate *rate = (struct rate *)node;
	struct wt_frame_queue waiting = {0};
	struct wt_frame *frame;
	unsigned port;

	while ((frame = rate_output(node, now, &port)))
		wt_frame_queue_push(list, frame);
	frame = rate->sent;
	wt_queue_advance(rate->queue, now);
	wt_queue_take_all(rate->queue, now, &waiting);
	for (; frame; frame = wt_frame_queue_pop(&waiting)) {
		frame->time = now;
		wt_frame_queue_push(list, frame);
		node->audit.queued--;
		node->audit.out++;
	}
	empty(rate, now);
}

void wt_rate_counts(const struct wt_node *node, struct wt_rate_counts *counts)
{
	const struct rate *rate = (const struct rate *)node;

	*counts = (struct wt_rate_counts){
		.waiting_frames = rate->queue->frames + (rate->sent != NULL),
		.waiting_bytes = rate->queue->bytes + rate->queue->sending,
		.pressure = rate->queue->pressure,
	};
}

void wt_rate_set_log(struct wt_node *node, struct wt_rate_log *log)
{
	((struct rate *)node)->log = log;
}

struct wt_samples *wt_rate_trace(const struct wt_node *node)
{
	return ((const struct rate *)node)->config.trace;
}

wt_time wt_rate_every(const struct wt_node *node)
{
	const struct rate *rate = (const struct rate *)node;

	return rate->config.trace ? 0 : rate->config.every;
}

void wt_rate_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock)
{
	struct rate *rate = (struct rate *)node;
	const struct wt_cell *cell;

	/* what has happened until now happened by the old values; a handoff of the new ones may begin at this very instant */
	settle(rate, now);
	wt_handoff_copy(&rate->clock, &rate->handoff, clock);
	settle(rate, now);
	cell = clock ? wt_handoff_cell(&rate->clock, now) : NULL;
	set_rate(rate, now, cell && cell->has_rate ? cell->rate : rate->home);
}

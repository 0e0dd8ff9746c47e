/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue in front of a link. A discipline is three verbs; the rate stage knows no more of it:
 *
 *   enqueue   takes a frame that came: keeps it, or drops it, or drops another
 *   dequeue   the frame to send next, dropping on the way as it must; NULL: nothing waits
 *   clear     frees what waits
 *
 * One that steps by a timer, or counts idle time, has a fourth, so that it reads what stood at the time, though frames alone wake it:
 *
 *   advance   until now; asked for before anything but frames changes what it reads, and after its parameters have changed
 *
 * A frame is dequeued when its transmission begins, so the time it has waited (its sojourn, by logical time) does not hold
 * its own transmission. While it is sent it still counts towards the limit, which is the frames or bytes of the buffer.
 * Decisions about chance are numbers of the stage's stream, as everywhere: n-th packet of its class, n-th number.
 */
#ifndef WT_EMU_QUEUE_QUEUE_H
#define WT_EMU_QUEUE_QUEUE_H

#include "emu/stage.h"
#include "stack/text/params.h"

struct wt_queue;

struct wt_queue_ops {
	void (*enqueue)(struct wt_queue *queue, wt_time now, struct wt_frame *frame);
	struct wt_frame *(*dequeue)(struct wt_queue *queue, wt_time now);
	void (*clear)(struct wt_queue *queue, wt_time now, bool count); /* count: drops, of cause flush */
	void (*advance)(struct wt_queue *queue, wt_time now); /* NULL: time alone changes nothing */
};

struct wt_queue {
	const struct wt_queue_ops *ops;
	struct wt_node *node;                /* whose books are kept and whose drops these are */
	const struct wt_rate_config *config;
	struct wt_key key;
	struct wt_packets packets;           /* for decisions by chance */
	uint64_t frames, bytes;              /* that wait */
	uint64_t sending;                    /* bytes of the frame being sent; 0: none */
	bool unlimited;                      /* the frame that comes finds an open link: no limit holds for it */
	struct wt_frame_queue *rescue;       /* where clear puts what it would drop or free; NULL: nowhere */
	double pressure;                     /* RED: its average, bytes; PIE: its probability; DualPI2: its p' */
};

/* What a path's words call a discipline, its defaults, and its parameters. */
struct wt_queue_kind_info {
	const char *name;
	struct wt_queue_config defaults;
	const struct wt_param *params; /* offsets in struct wt_queue_config */
	unsigned count;
	struct wt_queue *(*create)(const struct wt_rate_config *config);
};

extern const struct wt_queue_kind_info wt_queue_kinds[WT_QUEUE_KINDS];

/* NULL: no memory. The node's memory and the config's outlive it. */
struct wt_queue *wt_queue_create(struct wt_node *node, const struct wt_key *key, const struct wt_rate_config *config);
void wt_queue_destroy(struct wt_queue *queue); /* frees what waits; accepts NULL */
static inline void wt_queue_advance(struct wt_queue *queue, wt_time now)
{
	if (queue->ops->advance)
		queue->ops->advance(queue, now);
}

/* Takes out everything that waits, in the order it came, without judging it; in the books it still is queued. */
void wt_queue_take_all(struct wt_queue *queue, wt_time now, struct wt_frame_queue *list);
/* Puts a new discipline in the place of another, which it destroys: frames that wait go over in their order, and none is over
 * the limit; numbers go on. */
void wt_queue_replace(struct wt_queue **queue, struct wt_queue *by, wt_time now);

/* ---- for disciplines ---- */

/* Would the buffer hold more than its limit with these bytes in one more frame? */
static inline bool wt_queue_full(const struct wt_queue *queue, uint32_t len)
{
	const struct wt_rate_config *config = queue->config;

	if (queue->unlimited)
		return false;
	if (config->packets)
		return queue->frames + (queue->sending > 0) + 1 > config->limit;
	return queue->bytes + queue->sending + len > config->limit;
}

/* Disciplines that drop others for a frame that comes ask: could it not stay even if nothing else waited? */
static inline bool wt_queue_hopeless(const struct wt_queue *queue, uint32_t len)
{
	const struct wt_rate_config *config = queue->config;

	return (config->packets ? (queue->sending > 0) + 1u : queue->sending + len) > config->limit;
}

/* What counts towards the limit: bytes, or packets. */
static inline uint64_t wt_queue_level(const struct wt_queue *queue)
{
	return queue->config->packets ? queue->frames + (queue->sending > 0) : queue->bytes + queue->sending;
}

/* The level at which they stop dropping: the limit, or what stands there from the time of a larger one. */
static inline uint64_t wt_queue_most(const struct wt_queue *queue)
{
	uint64_t level = wt_queue_level(queue);

	return level > queue->config->limit ? level : queue->config->limit;
}

static inline void wt_queue_push(struct wt_queue *queue, struct wt_frame_queue *list, struct wt_frame *frame)
{
	queue->frames++;
	queue->bytes += frame->len;
	queue->node->audit.queued++;
	wt_frame_queue_push(list, frame);
}

/* Still in the stage's books as queued: send it or drop it. */
static inline struct wt_frame *wt_queue_pop(struct wt_queue *queue, struct wt_frame_queue *list)
{
	struct wt_frame *frame = wt_frame_queue_pop(list);

	if (frame) {
		queue->frames--;
		queue->bytes -= frame->len;
	}
	return frame;
}

/* Drops what came and was never kept; or what was popped. */
static inline void wt_queue_refuse(struct wt_queue *queue, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	wt_node_drop(queue->node, now, frame, cause);
}

void wt_queue_drop(struct wt_queue *queue, wt_time now, struct wt_frame *frame, enum wt_drop cause);

/* Marks CE where the discipline may and the packet can. */
bool wt_queue_mark(struct wt_queue *queue, struct wt_frame *frame);
/* The next number of the packet's stream, in [0, 1). False: not an IP packet; chance does not touch it. */
bool wt_queue_chance(struct wt_queue *queue, const struct wt_frame *frame, double *number);
void wt_queue_clear_list(struct wt_queue *queue, wt_time now, struct wt_frame_queue *list, bool count);

/* CoDel over one list of frames: RFC 8289 section 5. FQ-CoDel has many. */
struct wt_codel {
	wt_time first_above, drop_next;
	uint32_t count, last_count;
	bool dropping;
};

struct wt_frame *wt_codel_choose(struct wt_codel *codel, struct wt_queue *queue, struct wt_frame_queue *list, wt_time now);

static inline struct wt_frame *wt_codel_dequeue(struct wt_codel *codel, struct wt_queue *queue, struct wt_frame_queue *list,
						wt_time now)
{
	if (list->head)
		return wt_codel_choose(codel, queue, list, now);
	codel->first_above = 0; /* section 5.5 and 5.6: nothing waits, and dropping ends */
	codel->dropping = false;
	return NULL;
}

/* What each file gives to wt_queue_kinds. */
struct wt_queue *wt_queue_tail_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_head_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_red_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_codel_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_fq_codel_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_pie_create(const struct wt_rate_config *config);
struct wt_queue *wt_queue_dualpi2_create(const struct wt_rate_config *config);

#endif

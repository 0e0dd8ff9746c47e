/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame: one Ethernet frame in a buffer of a pool, with what is known of its checksum.
 *
 * A frame that one host of ours makes for another needs no buffer while nobody asks for its bytes: its headers lie beside the record, or
 * are only facts from which somebody can write them (struct wt_frame_maker), and its payload is named (extent.h). The bytes are the truth
 * from when somebody owns them; the way back does not exist.
 *
 * Frames are owned by exactly one holder; passing a frame to a node's input() passes the ownership. A pool is a
 * fixed slab made at start: no allocation per packet, and an exhausted pool is a counted drop, not a failure.
 */
#ifndef WT_STACK_BASE_FRAME_H
#define WT_STACK_BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/extent.h"
#include "stack/base/time.h"

enum wt_csum {
	WT_CSUM_NONE,    /* bytes as they came off a wire: whoever needs the checksum verifies it */
	WT_CSUM_PARTIAL, /* pseudo-header sum stands in the field; sum from csum_start, store at +csum_offset */
	WT_CSUM_VALID,   /* checksum in the bytes is known to be right */
};

/* Frames that come back to the one who sent them say so. */
enum wt_fate {
	WT_FATE_UNDERWAY, /* an ordinary frame */
	WT_FATE_NO_ACK,   /* the air gave it up: it comes back by the port it was sent into, its bytes as they were */
};

struct wt_pool;
struct wt_frame;

/* Who keeps facts in a frame in place of its headers, and writes them for whoever looks: always the same. */
struct wt_frame_maker {
	void (*write)(const struct wt_frame *frame, uint8_t *head);
	void (*let_go)(struct wt_frame *frame); /* the facts are not wanted any more */
};

#define WT_FRAME_FACTS 4 /* of 8 bytes */
#define WT_CACHE_LINE 64 /* bytes: what is used together stands in one, where it can */

/* In lines of the cache: what a queue looks at, what a host looks at, and what is asked once. */
struct wt_frame {
	struct wt_frame *next; /* for the queue that holds the frame */
	wt_time time;          /* logical time of its last event: arrival, departure */
	struct wt_pool *pool;
	uint32_t len;
	uint32_t room;         /* bytes available */
	uint16_t csum_start;   /* offsets from the first byte; only for WT_CSUM_PARTIAL */
	uint16_t csum_offset;
	uint16_t gso_size;     /* payload per packet of a big offload frame; 0: an ordinary frame */
	uint8_t csum : 2;      /* enum wt_csum */
	uint8_t fate : 2;      /* enum wt_fate. Who does not look for another way drops it: WT_DROP_NO_ACK */
	uint8_t more : 1;      /* its device has read another one, which follows at once */
	uint8_t from_path : 3;     /* 1: an ICMP error that a node on the way made. What a host sent is never such, whatever its source says */
	uint8_t mark;          /* free for a node's own use while it owns the frame */
	struct {
		uint8_t *bytes;        /* in the buffer; or, `apart`, in the few bytes beside the record */
		const struct wt_frame_maker *maker; /* apart, and `facts` say what the headers do; NULL: they do not, or no more */
		uint32_t rest_len;
		bool apart;
		bool unwritten;        /* the maker has not written the headers yet */
		struct wt_extent rest; /* apart: what follows them, if rest.pattern */
	} inside;              /* for frame.c: others look, or own the bytes */
	uint64_t facts[WT_FRAME_FACTS]; /* the maker's */
	uint64_t id;           /* set by the pool; a copy gets its own. For joining logs. */
};

/* A pool of `count` frames of `room` bytes each. NULL if memory is short. Destroy accepts NULL. */
struct wt_pool *wt_pool_create(uint32_t count, uint32_t room);
void wt_pool_destroy(struct wt_pool *pool);
/*
 * For tests: from now on every frame has all its bytes, and hosts complete their checksums and vouch for none. That must change nothing but
 * the cost. Before the first frame.
 */
void wt_pool_make_whole(struct wt_pool *pool);
bool wt_pool_is_whole(const struct wt_pool *pool);
uint32_t wt_pool_free_count(const struct wt_pool *pool);
uint32_t wt_pool_count(const struct wt_pool *pool);

/* An empty frame (len 0, csum NONE), or NULL when the pool is exhausted. */
struct wt_frame *wt_frame_new(struct wt_pool *pool);
/* A copy of bytes and metadata from the same pool, or NULL when it is exhausted. */
struct wt_frame *wt_frame_copy(const struct wt_frame *frame);
/*
 * Four ways to the bytes, Ethernet header first. What they give holds until the frame is changed, given on or freed.
 *
 *   head       the headers, up to the payload of TCP or UDP: the facts that stages, queues and routers go by
 *   own_head   the same, to be changed: TTL, ECN, the Ethernet header
 *   look       all `len` bytes: for captures, digests, filters, quotes. Looking changes nothing
 *   own_bytes  the same to be written, `room` of them: for whoever makes a frame, corrupts it or cuts it. What stands there is the truth
 *              from then on
 */
void wt_frame_write_head(const struct wt_frame *frame); /* of one that is unwritten */
void wt_frame_drop_facts(struct wt_frame *frame);       /* the headers are bytes from now on */

static inline const uint8_t *wt_frame_head(const struct wt_frame *frame)
{
	if (frame->inside.unwritten)
		wt_frame_write_head(frame);
	return frame->inside.bytes;
}

static inline uint8_t *wt_frame_own_head(struct wt_frame *frame)
{
	if (frame->inside.maker)
		wt_frame_drop_facts(frame);
	return frame->inside.bytes;
}

const uint8_t *wt_frame_show(const struct wt_frame *frame); /* look, for a frame with payload by reference */
uint8_t *wt_frame_join(struct wt_frame *frame);             /* own_bytes, for one that lies apart */

static inline const uint8_t *wt_frame_look(const struct wt_frame *frame)
{
	return frame->inside.rest.pattern ? wt_frame_show(frame) : wt_frame_head(frame);
}

static inline uint8_t *wt_frame_own_bytes(struct wt_frame *frame)
{
	return frame->inside.apart ? wt_frame_join(frame) : frame->inside.bytes;
}

/*
 * Lays out a new frame apart: `head` bytes of headers, at most WT_FRAME_APART, which the caller writes where this returns, and behind them
 * `len` bytes of a pattern, which nobody writes. Headers and payload must fit in a frame of the pool. NULL for `rest` if len is 0.
 */
#define WT_FRAME_APART 96 /* headers of Ethernet, IPv4 and TCP with all options are 94 */
uint8_t *wt_frame_set_apart(struct wt_frame *frame, uint32_t head, const struct wt_extent *rest, uint32_t len);

/*
 * A new frame laid out in the same way, but nobody writes the headers until somebody looks: what they say stands in frame->facts, which the caller
 * fills in. The pool must not be whole. NULL when it is exhausted.
 */
struct wt_frame *wt_frame_new_facts(struct wt_pool *pool, const struct wt_frame_maker *maker, uint32_t head, const struct wt_extent *rest,
				    uint32_t len);

/* Until then the maker may keep more facts where the headers will be: WT_FRAME_APART bytes. NULL: they have been written. */
static inline uint8_t *wt_frame_beside(const struct wt_frame *frame)
{
	return frame->inside.unwritten ? frame->inside.bytes : NULL;
}

/* Do the facts of this maker still say all that the headers do? */
static inline bool wt_frame_has_facts(const struct wt_frame *frame, const struct wt_frame_maker *maker)
{
	return frame->inside.maker == maker;
}

/* The payload by reference, and where it begins in the frame; NULL: all bytes are there. */
static inline const struct wt_extent *wt_frame_rest(const struct wt_frame *frame, uint32_t *from)
{
	*from = frame->len - frame->inside.rest_len;
	return frame->inside.rest.pattern ? &frame->inside.rest : NULL;
}

/* Copies out `len` bytes as a wire would have them: a WT_CSUM_PARTIAL checksum is complete there, unless `len` cuts the frame off. */
void wt_frame_read(const struct wt_frame *frame, uint8_t *to, uint32_t len);
/* Gives the frame back to its pool. Accepts NULL. */
void wt_frame_free(struct wt_frame *frame);
/* Completes a WT_CSUM_PARTIAL checksum in the bytes; afterwards WT_CSUM_VALID. For writers of real bytes. */
void wt_frame_finish_csum(struct wt_frame *frame);

/* A FIFO of frames, linked through frame->next. Zero-initialised is empty. */
struct wt_frame_queue {
	struct wt_frame *head;
	struct wt_frame *tail;
	uint32_t frames;
	uint64_t bytes;
};

static inline void wt_frame_queue_push(struct wt_frame_queue *queue, struct wt_frame *frame)
{
	frame->next = NULL;
	if (queue->tail)
		queue->tail->next = frame;
	else
		queue->head = frame;
	queue->tail = frame;
	queue->frames++;
	queue->bytes += frame->len;
}

/* NULL when empty. */
static inline struct wt_frame *wt_frame_queue_pop(struct wt_frame_queue *queue)
{
	struct wt_frame *frame = queue->head;

	if (!frame)
		return NULL;
	queue->head = frame->next;
	if (!queue->head)
		queue->tail = NULL;
	frame->next = NULL;
	queue->frames--;
	queue->bytes -= frame->len;
	return frame;
}

void wt_frame_queue_clear(struct wt_frame_queue *queue); /* frees what is queued */

#endif

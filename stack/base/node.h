/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node: anything that moves frames. Three verbs, time as an argument, no clock, no descriptor, no global.
 *
 * The graph (stack/drive/graph.h) calls input() with what another node gave, then output() while deadline() is
 * now and output() gives something. It calls them in order of logical time, so `now` never goes back; a node that
 * is woken late by a real-time driver is still called with the time it asked for.
 *
 * A node that lets most frames leave where they stand says so with a fourth verb, pass(), and is spared the three others for them.
 */
#ifndef WT_STACK_BASE_NODE_H
#define WT_STACK_BASE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/frame.h"
#include "stack/base/lane.h"
#include "stack/base/time.h"

enum wt_drop {
#define WT_DROP(id, name, text) WT_DROP_##id,
#include "stack/base/drop.def"
#undef WT_DROP
	WT_DROP_CAUSES,
};

const char *wt_drop_name(enum wt_drop cause); /* "loss", "queue" ...: stable, used in files */
const char *wt_drop_text(enum wt_drop cause); /* one sentence for people */

/*
 * The books of one node, kept by the node itself. The law, checked after every step by the graph:
 *     in + made = out + taken + sum(dropped) + queued
 * `in` grows by one in every input(), `out` by one in every output() that gives a frame, and nowhere else.
 * `made` are frames the node created (a host's segments, a duplicate); `taken` are frames it consumed as its
 * purpose (a host's input, a wire port that wrote it).
 */
struct wt_audit {
	uint64_t in, made, out, taken, queued;
	uint64_t dropped[WT_DROP_CAUSES];
	uint64_t marked; /* given a CE mark (RFC 3168): of those that are queued or out */
	uint64_t corrupted; /* given wrong bits on purpose: likewise */
	uint64_t withheld;  /* ICMP errors not sent because there were too many: never made */
};

bool wt_audit_holds(const struct wt_audit *audit);
uint64_t wt_audit_dropped(const struct wt_audit *audit);

struct wt_node;

/* Told of every drop before the frame is freed; does not take the frame. */
struct wt_drop_sink {
	void (*drop)(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		     enum wt_drop cause);
};

/* A node that has states (a lossy channel's "on" and "off"): one of them. */
struct wt_state {
	const char *name;
	uint64_t visit; /* states before this one: 0 is that of the start */
	wt_time since;
	uint8_t ip_version, protocol; /* of the packets it holds for, where each class has its own; version 0: of all */
};

/*
 * Told of every state a node comes into, once, in order of time. Nodes follow their history lazily: the news may come later
 * than `since`, when a frame or wt_graph_tell_states() asks.
 */
struct wt_state_sink {
	void (*state)(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state);
};

/* A node that holds frames, in a row of nodes that are passed ahead of time. */
struct wt_hold {
	wt_time time;                        /* each frame is held for so long, in order */
	struct wt_frame_queue *frames;       /* those that it has, each with the time when it leaves */
	bool tells;                          /* passes(), input() and output() must be called; else its books are all there is to a frame that
						goes through it, and who counts it may put it there behind those that leave earlier, and
						take it out in time, to leave by port 1 */
};

/*
 * Virtual time, where nobody looks between two events: a node that knows at input when a frame will leave says so then, and the graph
 * gives the frame to the next node at once, dated, if that is one that holds every frame for a time and sets nothing off by taking it. If
 * that one knows it too, and behind it stands another that knows, the frame goes on through them all. That saves the events of the
 * departures. The books run ahead meanwhile; recall() makes them, and all else, what they would be. Frames come and leave by port 1.
 */
struct wt_ahead_ops {
	/* A node that decides (a rate). begin: may it give on ahead of time, as it is now? Its lane, through which whoever gives it a frame may
	 * put that; NULL: it may not. Then it hands out what it holds by give(), in order, until that gives NULL. */
	struct wt_lane *(*begin)(struct wt_node *node);
	/* A node that holds (a delay): does it hold every frame for a time, in order? What it says is so until the next time it is asked. */
	bool (*holds)(struct wt_node *node, struct wt_hold *hold);
	/* Both: the next of those it has, and when that leaves; NULL: none. give() takes it out. */
	struct wt_frame *(*first)(const struct wt_node *node, wt_time *leaves);
	struct wt_frame *(*give)(struct wt_node *node, wt_time *leaves);
	/* Who decides, where wt_lane_take() does not: input() at `at`, which is not before now: true if the frame leaves, and when. False: it was dropped; or, of one that comes
	 * later (not `here`), that cannot be told yet: nothing has happened then. */
	bool (*take)(struct wt_node *node, wt_time now, wt_time at, struct wt_frame *frame, bool here, wt_time *leaves);
	/* Who holds: a frame has gone through it. The books are kept by who calls. */
	void (*passes)(struct wt_node *node, const struct wt_frame *frame);
	/* Who decides. Of those it took: how many have not left at `left`, or not come at `come`. */
	uint32_t (*under_way)(struct wt_node *node, wt_time come, wt_time left);
	/* It is given so many back, in order, and takes those that have come; the others stay in the list, their time being when they come. */
	void (*recall)(struct wt_node *node, wt_time come, struct wt_frame_queue *list);
	/* Who holds. It is given back a list of those that it gave on, and puts there instead the last `count` of those it has then. */
	void (*give_back)(struct wt_node *node, uint32_t count, struct wt_frame_queue *list);
};

struct wt_node_ops {
	/* takes ownership, never fails: it drops and counts */
	void (*input)(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame);
	/* next frame due at or before now and the port it leaves by, or NULL */
	struct wt_frame *(*output)(struct wt_node *node, wt_time now, unsigned *port);
	/* when output() could next have work (may be in the past: at once), WT_NEVER if only input can make some */
	wt_time (*deadline)(const struct wt_node *node);
	/* frees the node and the frames it holds. Optional: NULL for a node in the caller's memory */
	void (*destroy)(struct wt_node *node);
	/* Optional: the state at `now`, which must not lie before any earlier call's. Tells node->states of those passed. Who
	 * asks, and when, changes nothing. */
	void (*state)(struct wt_node *node, wt_time now, struct wt_state *state);
	/*
	 * Optional: decides about a frame at once. The port by which it leaves now; or WT_KEPT if the node dropped it, or keeps it
	 * for output(). Whoever asks counts `in` before and, if the frame leaves, `out`. The graph asks instead of input() while
	 * nothing waits in the node to leave at this instant; otherwise input() decides the same, and output() keeps the order.
	 */
	int (*pass)(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame);
	const struct wt_ahead_ops *ahead; /* optional: one of its two halves */
	bool answers; /* what comes in mostly makes it due at once: output() is called then without asking deadline() */
	bool yields; /* due at the same nanosecond as others, it comes behind those that do not yield: a host's timer behind frames */
};

#define WT_KEPT (-1)

/* Embedded as first member by every implementation. Zero-initialise, then set ops and name. */
struct wt_node {
	const struct wt_node_ops *ops;
	char name[40]; /* unique in its graph; random streams are derived from it */
	unsigned ports;
	unsigned index; /* its place in its graph, set by wt_graph_add(): no search on the way to a node */
	struct wt_audit audit;
	struct wt_drop_sink *drops; /* NULL: only counted */
	struct wt_state_sink *states; /* NULL: nobody is told */
	uint64_t gone_on; /* for the sink of a drop, of a frame that waited in a queue: frames that went on from there, plus 1; else 0 */
};

/* Counts the drop, tells the sink, frees the frame. */
void wt_node_drop(struct wt_node *node, wt_time now, struct wt_frame *frame, enum wt_drop cause);

/* The first frame of a queue of the node leaves, with the books kept; NULL: none is there. */
static inline struct wt_frame *wt_node_leave(struct wt_node *node, struct wt_frame_queue *queue)
{
	struct wt_frame *frame = wt_frame_queue_pop(queue);

	if (frame) {
		node->audit.queued--;
		node->audit.out++;
	}
	return frame;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What graph.c and ahead.c share. */
#ifndef WT_STACK_DRIVE_INSIDE_H
#define WT_STACK_DRIVE_INSIDE_H

#include "stack/base/winner.h"
#include "stack/drive/graph.h"

struct joint {
	struct slot *to; /* NULL: nowhere */
	unsigned port;
};

struct slot {
	struct wt_node *node;
	uint32_t index; /* in slots, and its leaf among the deadlines */
	wt_time due;    /* by its leaf */
	void (*destroy)(struct wt_node *node); /* kept here: a node in the caller's memory may be gone before the graph */
	struct joint *joints; /* one per port of the node */
	const struct joint *early; /* frames are given on there ahead of time (wt_ahead_ops); NULL: they are not */
	struct wt_lane *lane; /* of one that decides and gives on there */
	struct slot *row;     /* the one where `early` leads */
	uint64_t passed; /* frames that went through one that holds, and are not in its books yet */
	struct wt_hold hold; /* of one that holds what another gives it early */
	struct wt_frame_queue *held; /* its frames, if the graph may take out those whose time has come; NULL */
	struct slot *next_dirty;
	uint32_t feeders; /* joints that lead here; counted when somebody wants to give on ahead of time */
	uint32_t stalled; /* runs in a row that gave nothing and asked for another at once */
	bool behind, handed; /* ahead.c: another gives on to it ahead of time; what it held has been given on */
	bool dirty; /* on the stack: it may have more to give at this instant */
	bool now;   /* its deadline() is known to be now */
	bool asked; /* its deadline() has been asked: its leaf says what it said */
};

struct wt_graph {
	struct slot **slots; /* each stays where it is: a change may add a node while others run */
	uint32_t count, room;
	struct slot *dirty_head; /* the top of the stack */
	uint64_t handed;      /* frames, at any instant */
	uint64_t before;      /* of them before this instant */
	uint64_t most;        /* more than that at one instant are too many */
	uint64_t look_at;     /* with so many handed on somebody looks whether they are, and at the interrupt */
	bool circles;         /* there were too many, and nothing is run from then on */
	struct wt_winner deadlines;
	wt_time now;
	wt_time (*clock)(const void *arg);
	const void *clock_arg;
	struct wt_drop_sink *drops;
	struct wt_state_sink *states;
	bool checked;
	bool running;
	bool may_ahead, ahead; /* nodes may give on ahead of time; they do now */
	const struct slot *root; /* the node whose turn it is; NULL: nobody's, or all have had theirs */
	bool *stop; /* set when frames circle without delay; NULL: abort */
	const volatile int *interrupt; /* NULL: none */
};

/* A leaf says what deadline() said; what is due at this instant is there as now, for time never goes back. */
/* What its leaf says: the time, and at one time those first that do not yield. A time beyond 146 years is never. */
static inline wt_time wt_slot_leaf(const struct slot *slot, wt_time due)
{
	return due >= WT_NEVER / 2 ? WT_NEVER : 2 * due + slot->node->ops->yields;
}

/* When the earliest node is due. */
static inline wt_time wt_graph_due(const struct wt_graph *graph)
{
	wt_time leaf = wt_winner_due(&graph->deadlines);

	return leaf == WT_NEVER ? WT_NEVER : leaf >> 1;
}

static inline void wt_slot_schedule(struct wt_graph *graph, struct slot *slot, wt_time due)
{
	if (due == slot->due)
		return;
	slot->due = due;
	wt_winner_set(&graph->deadlines, slot->index, wt_slot_leaf(slot, due));
}

void wt_graph_begin_ahead(struct wt_graph *graph); /* a run begins */
/* A frame leaves a slot that gives on early, at `leaves`: it goes as far as it can. Whoever holds it now; NULL: it is gone. */
struct slot *wt_slot_pass_on(struct slot *slot, wt_time now, wt_time leaves, struct wt_frame *frame);

/* A frame comes to a slot that gives on early, at `at`: true if it leaves, and when (struct wt_ahead_ops, take). */
__attribute__((always_inline)) static inline bool wt_slot_take(struct slot *slot, wt_time now, wt_time at, struct wt_frame *frame, bool here, wt_time *leaves)
{
	return wt_lane_take(slot->lane, at, frame->len, leaves) || slot->node->ops->ahead->take(slot->node, now, at, frame, here, leaves);
}

#endif

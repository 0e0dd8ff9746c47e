/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The impairments: each a node with ports 0 (in) and 1 (out), made here, chained by path.c, owned by a graph.
 *
 * docs/emulation-model.md states what each does to the nanosecond. What they share:
 *
 * - A stage computes from the time a thing was due, never from the time it was woken, and writes that time into
 *   frame->time. A late driver therefore delays one release; it never changes the next.
 * - Nothing is allocated per packet: waiting frames are linked through frame->next.
 * - A stage that holds no frame back is one verb, pass(), which drops the frame or sends it on; the others are those below.
 * - A random decision about a packet is the n-th number of the stage's stream, n being the packet's place in its
 *   flow (see packets.h): no other traffic moves it.
 */
#ifndef WT_EMU_STAGE_H
#define WT_EMU_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/packets.h"
#include "stack/net/refusal.h"
#include "emu/samples.h"
#include "stack/base/bytes.h"
#include "stack/base/node.h"
#include "stack/base/random.h"

struct wt_stage {
	struct wt_node node;
	struct wt_frame_queue ready; /* leave at once, in this order */
	uint64_t back;               /* answers that left by port 0, in the books among made and out */
	struct wt_packets packets;   /* that it has met, by class and flow */
};

/* What pass() says of a frame that goes on; WT_KEPT of one that was dropped, or put in `ready`. */
#define WT_ON 1

/* For implementations: allocate and name; the verbs of a stage that has pass(), and keeps frames in `ready` alone. */
void *wt_stage_new(size_t size, const struct wt_node_ops *ops, const char *name);
void wt_stage_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame);
static inline void wt_stage_ready(struct wt_stage *stage, struct wt_frame *frame)
{
	stage->node.audit.queued++;
	wt_frame_queue_push(&stage->ready, frame);
}
struct wt_frame *wt_stage_output(struct wt_node *node, wt_time now, unsigned *port);
wt_time wt_stage_deadline(const struct wt_node *node);
void wt_stage_destroy(struct wt_node *node);

/*
 * All: create gives NULL if memory is short; `name` names the node; `key` is the key of its decisions. change gives a
 * stage other values at `now`, cannot fail, and moves nothing that is already under way.
 */

enum wt_jitter { WT_JITTER_NONE, WT_JITTER_NORMAL, WT_JITTER_PARETO, WT_JITTER_FILE };

#define WT_DELAY_STEPS 16
#define WT_JITTER_MAX (3600 * WT_S)

struct wt_delay_config {
	wt_time delay;
	unsigned steps;
	struct {
		wt_time at, delay;
	} step[WT_DELAY_STEPS];     /* at rising times; within a period if there is one */
	struct wt_samples *trace;   /* instead of delay and steps: the delay over time. The stage holds it too; NULL: none */
	wt_time every;              /* 0: the schedule runs once */
	enum wt_jitter jitter;
	wt_time spread;             /* normal: deviation; Pareto: mean; at most WT_JITTER_MAX */
	double shape;               /* Pareto, above 1 */
	struct wt_samples *samples; /* the stage holds them too */
	bool reordering;            /* each leaves when its own delay is over */
};

/* `key` decides about jitter; NULL serves without. */
struct wt_node *wt_delay_create(const char *name, const struct wt_key *key, const struct wt_delay_config *config);
void wt_delay_change(struct wt_node *node, wt_time now, const struct wt_delay_config *config);
/* No change will come. */
void wt_delay_fix(struct wt_node *node);
/* Taken out of its place: what is under way goes into the list, each with the time it was going to leave. */
void wt_delay_let_go(struct wt_node *node, struct wt_frame_queue *list);
struct wt_samples *wt_delay_samples(const struct wt_node *node); /* what it holds, or NULL */
struct wt_samples *wt_delay_trace(const struct wt_node *node);   /* the same */

#define WT_CELLS 4

/* What holds after a handoff instead of the stages' own words. */
struct wt_cell {
	bool has_delay, has_rate, has_loss;
	wt_time delay;
	uint64_t rate;
	double loss;
};

struct wt_handoff_config {
	bool random;        /* exponential times between and during handoffs, of means every and length */
	wt_time at, every, length;
	double drop;        /* share lost during one */
	bool flush;         /* what waits in the queue is dropped when one begins */
	unsigned cells;     /* besides the one at home; the n-th handoff leads to n modulo (cells + 1) */
	struct wt_cell cell[WT_CELLS];
};

struct wt_handoff_clock;

/* Drops during handoffs. `clock` is the key of their times. With other times or another number of cells it begins anew, at home. */
struct wt_node *wt_handoff_create(const char *name, const struct wt_key *key, const struct wt_key *clock,
				  const struct wt_handoff_config *config);
void wt_handoff_change(struct wt_node *node, wt_time now, const struct wt_handoff_config *config);
/* Put into a path that runs already: one is at home, and the next handoff is the first one not before now. */
void wt_handoff_restart(struct wt_node *node, wt_time now);
const struct wt_handoff_clock *wt_handoff_clock_of(const struct wt_node *node);

/* These stages change with handoffs from now on, each by its copy of the clock, which stands at `now`; NULL: with none. */
void wt_delay_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock);
void wt_rate_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock);
void wt_loss_follow(struct wt_node *node, wt_time now, const struct wt_handoff_clock *clock);

struct wt_corrupt_config {
	double share;
	uint64_t bits; /* flipped in each packet that is struck */
};

#define WT_CORRUPT_BITS 1000

struct wt_node *wt_corrupt_create(const char *name, const struct wt_key *key, const struct wt_key *places,
				  const struct wt_corrupt_config *config);
void wt_corrupt_change(struct wt_node *node, wt_time now, const struct wt_corrupt_config *config);

struct wt_hops_config {
	uint64_t hops; /* 0 .. WT_HOPS_MAX */
	bool silent;   /* no ICMP */
	struct wt_sources from; /* of the first router; the others' follow */
};

#define WT_HOPS_MAX 255u

/* Answers leave by port 0. */
struct wt_node *wt_hops_create(const char *name, const struct wt_hops_config *config);
void wt_hops_change(struct wt_node *node, wt_time now, const struct wt_hops_config *config);

struct wt_mtu_config {
	uint64_t mtu; /* of IP, from WT_MTU_MIN */
	bool drop;    /* never fragment */
	bool silent;  /* no ICMP */
	struct wt_sources from;
};

#define WT_MTU_MIN 68u
#define WT_MTU_MAX 65535u

/* Answers leave by port 0. */
struct wt_node *wt_mtu_create(const char *name, const struct wt_mtu_config *config);
void wt_mtu_change(struct wt_node *node, wt_time now, const struct wt_mtu_config *config);

enum wt_queue_kind {
	WT_QUEUE_TAIL,
	WT_QUEUE_HEAD,
	WT_QUEUE_RED,
	WT_QUEUE_CODEL,
	WT_QUEUE_FQ_CODEL,
	WT_QUEUE_PIE,
	WT_QUEUE_DUALPI2,
	WT_QUEUE_KINDS,
};

/* What the disciplines (emu/queue*.c) are told; each uses some. Values from parameter tables, hence the types. */
struct wt_queue_config {
	enum wt_queue_kind kind;
	uint64_t ecn, gentle;                     /* 0 or 1 */
	uint64_t min, max, quantum;               /* bytes */
	uint64_t flows;
	wt_time target, interval, update, burst, range, rtt;
	double prob, weight, alpha, beta, mark, coupling, share;
};

#define WT_OPPORTUNITY 1500u /* bytes of IP that each line of a trace lets go */

struct wt_rate_config {
	uint64_t rate;     /* bit/s, 1 .. WT_RATE_MAX */
	uint64_t burst;    /* bytes, at most WT_BURST_MAX; 0: a serial line */
	uint64_t limit;    /* waiting bytes, or packets */
	uint64_t overhead; /* bytes added to each frame's length, at most WT_OVERHEAD_MAX */
	bool packets;      /* the limit counts packets */
	uint64_t lump;     /* instead of a rate: so many bytes, at most WT_BURST_MAX, ... */
	wt_time every;     /* ... come in at each multiple of this time; 0: a rate */
	struct wt_samples *trace; /* instead of a rate: when 1500 bytes may go; NULL: none. The stage holds it too */
	struct wt_queue_config queue;
};

#define WT_RATE_MAX UINT64_C(1000000000000)
#define WT_BURST_MAX UINT64_C(1000000000)
#define WT_OVERHEAD_MAX UINT64_C(1000)

/* `key` decides for the disciplines that drop by chance and hashes flows; NULL serves those that do neither. */
struct wt_node *wt_rate_create(const char *name, const struct wt_key *key, const struct wt_rate_config *config);
/* What left before `now` left at the old rate; the level is kept, up to the new depth. Between a rate and a trace, the frame being
 * sent begins anew. Another queue or number of flows needs wt_rate_prepare() before: waiting frames go over in their order. */
void wt_rate_change(struct wt_node *node, wt_time now, const struct wt_rate_config *config);
/* Memory for the change that follows: 0 or -ENOMEM. */
int wt_rate_prepare(struct wt_node *node, const struct wt_rate_config *config);
/* Drops what waits at `now`, the frame being sent included (cause flush); a frame due at that very instant still leaves. */
void wt_rate_flush(struct wt_node *node, wt_time now);
/* Taken out of its place: what waits goes into the list in its order, to leave at `now`. */
void wt_rate_let_go(struct wt_node *node, wt_time now, struct wt_frame_queue *list);

struct wt_rate_counts {
	uint64_t waiting_frames, waiting_bytes; /* with the one being sent */
	double pressure; /* what the queue steers by: RED its average in bytes, PIE its probability, DualPI2 its p'; else 0 */
};

void wt_rate_counts(const struct wt_node *node, struct wt_rate_counts *counts);

/* Told of each frame that goes and the bytes of tokens it took, at the logical time it did: what consumption per round trip
 * is counted from. The frame is not the log's. */
struct wt_rate_log {
	void (*consumed)(struct wt_rate_log *log, const struct wt_node *node, wt_time time, const struct wt_frame *frame,
			 uint64_t bytes);
};

void wt_rate_set_log(struct wt_node *node, struct wt_rate_log *log); /* NULL: none */
struct wt_samples *wt_rate_trace(const struct wt_node *node); /* what it holds, or NULL */
wt_time wt_rate_every(const struct wt_node *node); /* between two lumps of tokens; 0: they flow, or are a trace */

struct wt_loss_config {
	double share;
	bool twice;               /* each packet meets it twice: 1-(1-share)^2 */
	struct wt_samples *trace; /* instead: the share over time. The stage holds it too; NULL: none */
	wt_time every;            /* when the trace begins anew; 0: never */
};

struct wt_node *wt_loss_create(const char *name, const struct wt_key *key, const struct wt_loss_config *config);
void wt_loss_change(struct wt_node *node, wt_time now, const struct wt_loss_config *config);
struct wt_samples *wt_loss_trace(const struct wt_node *node); /* what it holds, or NULL */

enum wt_markov_start { WT_MARKOV_START_OFF, WT_MARKOV_START_ON, WT_MARKOV_START_RANDOM };

struct wt_gilbert_config {
	wt_time mean[2]; /* sojourn in off [0] and on [1] */
	double drop[2];  /* share dropped there */
	enum wt_markov_start start;
};

/* `timeline` is the key of the state's history; the same key and means give the same history. */
struct wt_node *wt_gilbert_create(const char *name, const struct wt_key *key, const struct wt_key *timeline,
				  const struct wt_gilbert_config *config);
/* The present sojourn ends when it would have ended; `start` is history. */
void wt_gilbert_change(struct wt_node *node, wt_time now, const struct wt_gilbert_config *config);
/* Fresh, and put into a path that runs already: its history begins now. */
void wt_gilbert_begin(struct wt_node *node, wt_time now);
/* It follows another history from now on, which begins now, by the means and the start of this config. */
void wt_gilbert_renew(struct wt_node *node, wt_time now, const struct wt_key *timeline, const struct wt_gilbert_config *config);

#define WT_CHAIN_STATES 8

struct wt_chain_config {
	unsigned states, start;       /* start: a state counted from 1; 0: by the stationary law */
	wt_time mean[WT_CHAIN_STATES];
	double drop[WT_CHAIN_STATES];
	double to[WT_CHAIN_STATES][WT_CHAIN_STATES]; /* share of the jumps from one state to another */
	bool listed[WT_CHAIN_STATES]; /* its jumps were written out */
};

struct wt_node *wt_markov_loss_create(const char *name, const struct wt_key *key, const struct wt_key *timeline,
				      const struct wt_chain_config *config);
/* With another number of states the history begins anew. */
void wt_markov_loss_change(struct wt_node *node, wt_time now, const struct wt_chain_config *config);
void wt_markov_loss_begin(struct wt_node *node, wt_time now);
void wt_markov_loss_renew(struct wt_node *node, wt_time now, const struct wt_key *timeline, const struct wt_chain_config *config);

struct wt_elliott_config {
	double p, r; /* good to bad, bad to good, with each packet */
	double h, k; /* a packet passes in the bad, in the good state */
};

/* `steps`: the key of the chain's own moves. */
struct wt_node *wt_elliott_create(const char *name, const struct wt_key *key, const struct wt_key *steps,
				  const struct wt_elliott_config *config);
void wt_elliott_change(struct wt_node *node, wt_time now, const struct wt_elliott_config *config);

#define WT_LIST_MAX 64
#define WT_LIST_LAST UINT64_C(1000000000000)

struct wt_list_range {
	uint64_t first, last; /* from 1; of the packets of a class, or, where copies are named, of a flow */
	uint32_t copy, copies; /* the first and the last of them, from 1; 0: not by copies */
};

struct wt_list_config {
	unsigned count;
	struct wt_list_range range[WT_LIST_MAX]; /* rising */
	bool copies;                             /* "loss copy": ranges name copies (emu/loss/copies.h) */
	struct wt_samples *trace;                /* instead, from a file: bits, 1 for each packet that is lost, numbers or copies. The stage holds it too */
};

struct wt_node *wt_list_create(const char *name, const struct wt_list_config *config);
void wt_list_change(struct wt_node *node, wt_time now, const struct wt_list_config *config);
struct wt_samples *wt_list_trace(const struct wt_node *node); /* what it holds, or NULL */

struct wt_outage {
	wt_time at, length;
	wt_time period; /* 0: once */
	double drop;    /* share of the packets; 1: every frame */
	bool unreachable; /* tell the sender by ICMP, by port 0 */
	struct wt_sources from;
};

#define WT_OUTAGES_MAX 16

struct wt_node *wt_outage_create(const char *name, const struct wt_key *key, const struct wt_outage *outages, unsigned count);
void wt_outage_change(struct wt_node *node, wt_time now, const struct wt_outage *outages, unsigned count);
/* Fresh, or taken away for a time, and put into a path that runs already. */
void wt_outage_begin(struct wt_node *node, wt_time now);

struct wt_node *wt_duplicate_create(const char *name, const struct wt_key *key, double share);
void wt_duplicate_change(struct wt_node *node, wt_time now, double share);

struct wt_node *wt_reorder_create(const char *name, const struct wt_key *key, double share, wt_time delay);
void wt_reorder_change(struct wt_node *node, wt_time now, double share, wt_time delay);
/* Taken out of its place: what it holds goes into the list in its order, to leave at `now`. */
void wt_reorder_let_go(struct wt_node *node, wt_time now, struct wt_frame_queue *list);

/* Stands in the place of one that was taken out, with what that has let go. */
struct wt_node *wt_drain_create(const char *name);
/* Frames of a list, to leave at their times, none before one that is in front of it. */
void wt_drain_take(struct wt_node *node, struct wt_frame_queue *list);
void wt_drain_let_go(struct wt_node *node, struct wt_frame_queue *list);

#endif

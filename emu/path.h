/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a path, from words in the manner of tc:
 *
 *   rate 10Mbit burst 20KB limit 64KB delay 15ms loss gilbert on 1s 20% off 1s 0%
 *
 * Each impairment is a node with ports 0 (in) and 1 (out); a path is a chain of them. docs/emulation-model.md states the
 * meaning of each to the nanosecond, and why the order is what it is. Words:
 *
 *   hops N [silent|from A]   TTL and hop limit are lowered by N routers, and may end there, told by ICMP from A, A+1, ...
 *   mtu SIZE [drop] [silent|from A]  larger packets are fragmented, or dropped and the sender told by ICMP
 *   rate R burst B limit L [overhead N] [queue KIND ...]
 *                            token bucket: rate R, depth B, queue of at most L waiting bytes (or 50packets); N bytes are
 *                            added to each Ethernet frame's length. `burst 0B`: a serial line, a frame leaves with its last
 *                            bit. KIND: tail, head, red, codel, fq_codel, pie, dualpi2, with parameters (`target 5ms ecn`)
 *   rate SIZE every T ...    the same with tokens in lumps;  rate trace FILE limit L ...: Mahimahi's opportunities
 *   outage at T for D [drop P] [unreachable [from A]]   every frame is dropped in [T, T+D), or a share; may be repeated
 *   outage every T for D [at S] ...            the same in [S+kT, S+kT+D), k = 0, 1 ...; S is T if not given
 *   handoff every T for D [at S] | mean T for D   [drop P] [flush|keep] [to-delay T] [to-rate R] [to-loss P] [then ...]
 *                            losses for D, and another delay, rate, loss from then on, in both directions at one instant
 *   loss P, loss twice P     independent loss; two of them in a row
 *   loss gilbert on T P off T P [twice] [shared] [start random|on|off]
 *                            two-state continuous-time chain: exponential sojourns of mean T, drop share P in each state;
 *                            `shared`: both directions follow the same timeline (the paper's one virtual protocol);
 *                            it starts at random, by the stationary shares, unless told otherwise
 *   loss markov state T P [to N P]... state T P ... [shared] [start random|N]    several states
 *   loss elliott p P r P [h P] [k P], loss elliott mean P burst Npackets         a chain that steps with each packet
 *   loss list 3,9-12, loss copy 17:2, loss trace FILE   stated packets
 *   corrupt P [bits N]       bits flipped
 *   duplicate P              independent duplication
 *   reorder P delay T        a share P of packets is held back by T
 *   delay T [at T T]... [every T] [jitter normal T | pareto T shape N | file FILE] [reordering]
 *
 * The order of the words does not matter: frames pass the stages in the order of the list above. Another order, or a
 * stage twice, is written as a chain of such groups: "loss 1% | rate 2Mbit burst 0B limit 64KB".
 * Units are mandatory. No words at all: an ideal wire, no stage.
 *
 *   only (EXPRESSION) { WORDS }    a group of its own, which frames go around that the expression does not match
 */
#ifndef WT_EMU_PATH_H
#define WT_EMU_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/net/refusal.h"
#include "emu/samples.h"
#include "stack/base/node.h"

#define WT_PATH_STAGES 16
#define WT_PATH_NODES 384 /* with those that changes took away: see wt_path_lay_out() */
#define WT_PATH_COMING 96
#define WT_PATH_TEXT 4096
#define WT_PATH_NAME 16

/* What a stage is: the which-th of its kind, and which history it follows. */
struct wt_path_place {
	uint8_t kind, which; /* which: from 1 */
	bool shared;         /* its history is one with the other direction's */
	bool gone;           /* taken away by a change, or only there since one: a drain */
	bool whole;          /* it does not look at single packets */
	uint32_t history;    /* the shared ones are numbered; of its own 0 is the first, and others are new numbers */
	struct wt_state_sink *states; /* whom it told while it was there */
};

/* Filters are made by those who can read their expressions: nodes that give what matches by port 1, what does not by port 2; and where
 * the two ways meet again, nodes that take from ports 0 and 1 and give by port 2. All begin with a struct wt_stage. */
struct wt_path_gates {
	/* 0, or -EINVAL with a sentence, or -ENOMEM */
	int (*filter)(struct wt_node **filter, const char *name, const char *expression, char *err, size_t err_len);
	struct wt_node *(*merge)(const char *name);
	/* `filter` takes the expression of `fresh`, which is freed. */
	void (*exchange)(struct wt_node *filter, struct wt_node *fresh);
};

struct wt_path {
	unsigned count;  /* in the order frames pass, with drains, and filters around them, that still hold some */
	unsigned spares; /* behind them: taken away, and empty; their books stay, and they come back by the same words */
	struct wt_node *stage[WT_PATH_NODES];
	struct wt_path_place place[WT_PATH_NODES];
	char direction[9];
	uint64_t seed;
	const struct wt_path_gates *gates; /* NULL: filters are refused */
	struct wt_refusal_rate answers; /* of each stage */
	struct wt_samples_cache *cache; /* of files read before, which words may name; NULL: none */
	uint32_t contents; /* changes so far that brought a stage other values of a file, whatever the words say */
	uint32_t histories; /* numbers given to histories so far */
	bool whole; /* no stage looks at single packets: there is none, or delays that all frames share */
	char text[WT_PATH_TEXT];                 /* the specification in normal form: parsed again, it gives the same path */
};

/*
 * Builds the stages of one direction. `direction` ("fwd", "rev"; at most 8 characters) and the kind of a stage name its node
 * ("fwd.loss", the second one "fwd.loss.2") and so its random stream under `seed`: a delay added to a path moves no loss.
 * 0, or -EINVAL with one sentence in err: which word, where, and what was expected; -ENOMEM.
 * The caller adds the stages to a graph (which then owns them) or calls wt_path_finish().
 */
int wt_path_init(struct wt_path *path, const char *words, const char *direction, uint64_t seed, char *err, size_t err_len);
void wt_path_finish(struct wt_path *path);
/* How many answers each stage may give from now on, and each that comes. */
void wt_path_limit_answers(struct wt_path *path, const struct wt_refusal_rate *rate);
/* The words stay as they are to the end of the run, so that no stage needs to know what only a change could make matter. */
void wt_path_fix(struct wt_path *path);
/* Answers (ICMP) that stages made and gave out by port 0, towards where frames come from; whoever builds the graph joins that. */
uint64_t wt_path_sent_back(const struct wt_path *path);

/*
 * Both directions, "fwd" and "rev". The error names the direction. Refuses a `shared` Gilbert chain whose partner in the other
 * direction is missing or has other sojourns: the two would not share anything.
 */
int wt_path_init_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
		      uint64_t seed, char *err, size_t err_len);
/* The same, with filters and a cache, each of which may be NULL. The cache must last as long as the paths do. */
int wt_path_init_filtered(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, uint64_t seed,
			  const struct wt_path_gates *gates, struct wt_samples_cache *cache, char *err, size_t err_len);

/* "loss", and the second of its kind "loss.2". Returns name. */
const char *wt_path_stage_name(const struct wt_path *path, unsigned i, char name[WT_PATH_NAME]);

/*
 * Other words for paths that run, both directions at one instant `now`, the scenario's time, which must not lie before anything
 * the stages have been called with. A stage is known by its kind and its number among these ("fwd.loss.2"):
 *
 *   it stays       new values; frames under way keep the departure they were given, waiting ones wait on under the new values
 *                  (a new queue gets them in their order), and its streams of random numbers go on where they are
 *   it comes       begins at `now`, its streams at their beginning
 *   it goes        what waits for a rate or is held by `reorder` leaves at once, what is in a delay when it was going to; a drain
 *                  stands in its place until that is done, which later frames pass in their order
 *   it moves       to another place among those that keep frames, or into, out of or with a filter: it goes there and comes here, with
 *                  its streams and its history
 *
 * A filter stays if its expression does. One whose stages let go of frames stands around the drain until that is empty.
 * `flush` has a bit for each direction: what waits in front of its rates is dropped first. path->text becomes the new normal form.
 *
 * A file that new words name is not read again if a stage of the path has it, or the cache.
 * Words that could not begin a run, or that change in one direction what both share, are refused with one sentence, and nothing has
 * changed at all.
 */
/*
 * `words`, in which one stage has another value ("30ms") or other words ("delay 30ms jitter normal 1ms", or without its name), in normal
 * form. `stage`: its name without the direction, "loss.2". 0 or -EINVAL with a sentence.
 */
int wt_path_edit(const struct wt_path *path, const char *words, const char *stage, const char *value, char text[WT_PATH_TEXT], char *err,
		 size_t err_len);

struct wt_path_change;

/* NULL words: the direction stays as it is. rev NULL: fwd alone. NULL: refused (err), or no memory. */
struct wt_path_change *wt_path_prepare(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
				       char *err, size_t err_len);
/* The nodes that come, in direction 0 or 1; a graph must have them before the change is put in force. */
unsigned wt_path_coming(const struct wt_path_change *change, unsigned direction, struct wt_node *node[WT_PATH_COMING]);
/* The line there will be: how many, of which what stands in places[]. */
unsigned wt_path_line(const struct wt_path_change *change, unsigned direction, const struct wt_path_place **places);
/* Puts it in force, at the instant it was prepared, and frees it. The caller joins path->stage anew and touches each of them in its graph. */
void wt_path_commit(struct wt_path_change *change, wt_time now, unsigned flush);
/* Frees it; what was to come too, unless a graph has it. Accepts NULL. */
void wt_path_cancel(struct wt_path_change *change, bool in_graph);

/* The same in one step, for paths in no graph. 0 or -EINVAL with a sentence. */
int wt_path_change(struct wt_path *path, const char *words, wt_time now, char *err, size_t err_len);
int wt_path_change_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, wt_time now,
			char *err, size_t err_len);

#endif

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
 *   loss list 3,9-12, loss trace FILE            stated packets
 *   corrupt P [bits N]       bits flipped
 *   duplicate P              independent duplication
 *   reorder P delay T        a share P of packets is held back by T
 *   delay T [at T T]... [every T] [jitter normal T | pareto T shape N | file FILE] [reordering]
 *
 * The order of the words does not matter: frames pass the stages in the order of the list above. Another order, or a
 * stage twice, is written as a chain of such groups: "loss 1% | rate 2Mbit burst 0B limit 64KB".
 * Units are mandatory. No words at all: an ideal wire, no stage.
 */
#ifndef WT_EMU_PATH_H
#define WT_EMU_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/node.h"

#define WT_PATH_STAGES 16
#define WT_PATH_NODES 48 /* with those that changes took away */
#define WT_PATH_TEXT 2048
#define WT_PATH_NAME 16

/* What a stage is: the which-th of its kind, and which chain is shared with the other direction. */
struct wt_path_place {
	uint8_t kind, which; /* which: from 1 */
	uint8_t shared;      /* 0: a history of its own */
	bool gone;           /* taken away by a change */
	struct wt_state_sink *states; /* whom it told while it was there */
};

struct wt_path {
	unsigned count;  /* in the order frames pass, with stages taken away that still hold some */
	unsigned spares; /* behind them: taken away and empty; their books stay, and they come back by the same words */
	struct wt_node *stage[WT_PATH_NODES];
	struct wt_path_place place[WT_PATH_NODES];
	char direction[9];
	uint64_t seed;
	unsigned shared; /* chains shared so far */
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
/* Answers (ICMP) that stages made and gave out by port 0, towards where frames come from; whoever builds the graph joins that. */
uint64_t wt_path_sent_back(const struct wt_path *path);

/*
 * Both directions, "fwd" and "rev". The error names the direction. Refuses a `shared` Gilbert chain whose partner in the other
 * direction is missing or has other sojourns: the two would not share anything.
 */
int wt_path_init_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
		      uint64_t seed, char *err, size_t err_len);

/* "loss", and the second of its kind "loss.2". Returns name. */
const char *wt_path_stage_name(const struct wt_path *path, unsigned i, char name[WT_PATH_NAME]);

/*
 * Other words for paths that run, both directions at one instant `now`, the scenario's time, which must not lie before anything
 * the stages have been called with. A stage is known by its kind and its number among these ("fwd.loss.2"):
 *
 *   it stays       new values; frames under way keep the departure they were given, waiting ones wait on under the new values
 *                  (a new queue gets them in their order), and its streams of random numbers go on where they are
 *   it comes       begins at `now`, its streams at their beginning
 *   it goes        frames that wait for a rate leave at once; those in a delay or held leave when they were going to leave, and
 *                  none overtakes them on the way (the stage stays in its place until it is empty)
 *
 * `flush` has a bit for each direction: what waits in front of its rates is dropped first. path->text becomes the new normal form.
 *
 * Words that cannot be read, that put rates, delays and reordering stages into another order, that add a handoff or change its
 * times, or that change a shared history in one direction only, are refused with one sentence, and nothing has changed at all.
 */
struct wt_path_change;

/* NULL words: the direction stays as it is. rev NULL: fwd alone. NULL: refused (err), or no memory. */
struct wt_path_change *wt_path_prepare(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
				       char *err, size_t err_len);
/* The stages that come, in direction 0 or 1; a graph must have them before the change is put in force. */
unsigned wt_path_coming(const struct wt_path_change *change, unsigned direction, struct wt_node *node[WT_PATH_STAGES]);
/* Puts it in force and frees it. The caller joins path->stage anew and touches each of them in its graph. */
void wt_path_commit(struct wt_path_change *change, wt_time now, unsigned flush);
/* Frees it; what was to come too, unless a graph has it. Accepts NULL. */
void wt_path_cancel(struct wt_path_change *change, bool in_graph);

/* The same in one step, for paths in no graph. 0 or -EINVAL with a sentence. */
int wt_path_change(struct wt_path *path, const char *words, wt_time now, char *err, size_t err_len);
int wt_path_change_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, wt_time now,
			char *err, size_t err_len);

#endif

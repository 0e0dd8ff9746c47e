/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a path, from words in the manner of tc:
 *
 *   rate 10Mbit burst 20KB limit 64KB delay 15ms loss gilbert on 1s 20% off 1s 0%
 *
 * Each impairment is a node with ports 0 (in) and 1 (out); a path is a chain of them. docs/emulation-model.md states the
 * meaning and the order of each. Words:
 *
 *   rate R burst B limit L   token bucket: rate R, depth B, drop-tail queue of at most L waiting bytes
 *   delay T                  constant delay
 *   loss P                   independent loss
 *   loss gilbert on T P off T P [shared] [start on|off|random]
 *                            two-state continuous-time chain: exponential sojourns of mean T, drop share P in each state;
 *                            `shared`: both directions follow the same timeline (the paper's one virtual protocol)
 *   duplicate P              independent duplication
 *   reorder P delay T        a share P of packets is held back by T
 *   outage at T for T        everything is dropped in [at, at+for); may be repeated
 *   outage every T for T     periodic
 */
#ifndef WT_EMU_PATH_H
#define WT_EMU_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "stack/base/node.h"

#define WT_PATH_STAGES 16

struct wt_path {
	unsigned count;
	struct wt_node *stage[WT_PATH_STAGES]; /* in the order frames pass */
	char text[512];                        /* the specification in normal form */
};

/*
 * Builds the stages of one direction. `direction` ("fwd", "rev") and the stage's place name the nodes ("fwd.0.rate") and so their
 * random streams under `seed`. 0, or -EINVAL with one sentence in err: which word, and what was expected; -ENOMEM.
 * The caller adds the stages to a graph (which then owns them) or calls wt_path_finish().
 */
int wt_path_init(struct wt_path *path, const char *words, const char *direction, uint64_t seed, char *err, size_t err_len);
void wt_path_finish(struct wt_path *path);

#endif

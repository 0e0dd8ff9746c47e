/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What senders take from a bucket whose tokens come in lumps (`rate 20KB every 30ms ...`): one event for each interval between two lumps
 * in which a frame went, with its bytes of tokens. Where the interval is the path's round trip, as in the TCP-Real experiments
 * (NOSSDAV 2001, section 5), this is the consumption per round trip.
 */
#ifndef WT_EMU_DAEMON_TOKENS_H
#define WT_EMU_DAEMON_TOKENS_H

#include "emu/daemon/control.h"
#include "emu/world/build.h"
#include "stack/record/journal.h"

struct wt_tokens {
	struct wt_rate_log log;
	struct wt_journal *journal; /* or NULL */
	struct wt_control *control; /* or NULL */
	unsigned count;
	struct wt_token_interval {
		const struct wt_node *node; /* NULL: no bucket of lumps */
		wt_time from, every;
		uint64_t bytes, frames;
	} *interval; /* by index of the node in its graph */
};

/* Watches the buckets of the net, and no others from now on: again when words have changed. Without memory for more, those there are. */
void wt_tokens_watch(struct wt_tokens *tokens, const struct wt_network *net, wt_time now);
/* Tells of the intervals that are over by `now`. */
void wt_tokens_tell(struct wt_tokens *tokens, wt_time now);
/* Tells of those under way, too, at the end of a run. */
void wt_tokens_end(struct wt_tokens *tokens, wt_time now);
void wt_tokens_finish(struct wt_tokens *tokens);

#endif

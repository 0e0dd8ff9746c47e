/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many tokens of the sender's bucket a connection uses per round trip (TCP-Real paper, sections 1, 3 and 4.4). The bucket is
 * the first rate stage of the path; the emulator tells of each frame that goes and the bytes of tokens it took.
 *
 * What a round trip is, the paper does not say, and the three ways of counting differ by a factor:
 *   slot    fixed slots of the path's own round trip, from the first SYN to the last acknowledgement, idle ones too
 *   busy    the same, but those in which nothing went are left out
 *   round   what a sender would time: from a frame that goes to its acknowledgement, which after a loss is a long time
 */
#ifndef WT_TOOLS_APP_TOKEN_METER_H
#define WT_TOOLS_APP_TOKEN_METER_H

#include <stdio.h>

#include "emu/path.h"
#include "emu/stage.h"
#include "stack/text/params.h"
#include "tools/app/bulk.h"

enum wt_token_unit { WT_TOKEN_SLOT, WT_TOKEN_BUSY, WT_TOKEN_ROUND, WT_TOKEN_UNITS };

struct wt_token_config {
	uint64_t token;  /* bytes that make one token: a packet of 1 KB with its headers */
	wt_time slot;
	uint64_t per;    /* enum wt_token_unit: what is traced */
};

/* "tokens" or "tokens:token=1078B,slot=30ms,per=round". 0, or -EINVAL with one sentence in err. */
int wt_token_parse(const char *words, struct wt_token_config *config, char *err, size_t err_len);

/* Tokens per slot, per busy slot and per round. */
struct wt_token_count {
	uint64_t units;
	double mean, spread; /* tokens; deviation over mean of one unit; NaN without units */
};

struct wt_token_meter {
	struct wt_rate_log log;
	struct wt_token_config config;
	const struct wt_bulk_sender *flow;
	FILE *trace;               /* CSV, a line per unit; NULL: none */
	int64_t slot;              /* number of the current one */
	double slot_tokens, round_tokens;
	wt_time round_from, last;
	wt_seq mark;               /* the round ends when what is before this is acknowledged */
	bool in_round;
	struct {
		uint64_t n;
		double sum, squares;
	} sums[WT_TOKEN_UNITS];
};

/* Watches the first rate stage of a path. 0, or -EINVAL with a sentence: it has none. The trace is the caller's. */
int wt_token_watch(struct wt_token_meter *meter, const struct wt_token_config *config, struct wt_path *path,
		   const struct wt_bulk_sender *flow, FILE *trace, char *err, size_t err_len);
/* The flow is over: ends what is open and counts. Once. */
void wt_token_finish(struct wt_token_meter *meter, struct wt_token_count count[WT_TOKEN_UNITS]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The named scenarios of `wavetank cc trace` and of tests/validation: one bulk flow over one link in virtual time, and which of its data
 * packets are lost. The same stand in ns-2 (tests/validation/link.tcl), so that windows can be laid side by side.
 */
#ifndef WT_TOOLS_CC_SCENARIO_H
#define WT_TOOLS_CC_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_CC_SCENARIO_MSS 1000u  /* payload of a segment; frames have 54 bytes more */
#define WT_CC_SCENARIO_QUEUE 50u  /* frames */
#define WT_CC_SCENARIO_DELAY_MS 15u /* each way */

struct wt_cc_scenario {
	const char *name, *text;
	unsigned seconds;
	unsigned window;   /* the receiver's, in segments */
	unsigned rate;     /* Mbit/s */
	/* numbers of lost data packets, from 1, as they pass the link: first, first + step, ... last; then `also` */
	uint32_t first, step, last; /* first 0: none */
	uint32_t also[2];
	bool again;        /* and the retransmission of the first of them */
};

extern const struct wt_cc_scenario wt_cc_scenarios[]; /* ends with a name of NULL */

struct wt_cc_scenario_words {
	const char *sender, *recovery, *receiver; /* NULL: the defaults */
	const char *preset;   /* NULL: modern */
	const char *settings; /* on top of the scenario's; NULL: none */
	wt_time time;         /* 0: the scenario's */
	uint64_t *dropped;    /* frames that the path lost, by list or by a full queue; NULL: nobody asks */
};

/* A change of the sender's numbers. */
struct wt_cc_sample {
	wt_time time;
	uint32_t cwnd, ssthresh, flight; /* bytes */
	uint64_t acked;                  /* packets */
	const char *event;               /* "ack", "loss", "timeout", "recovered", "undo", "mark" */
};

/*
 * Runs it; `sample` is called for each change, in order of time. 0, or negative errno with a sentence: -EINVAL is about words.
 */
int wt_cc_scenario_run(const struct wt_cc_scenario *scenario, const struct wt_cc_scenario_words *words,
		       void (*sample)(void *arg, const struct wt_cc_sample *sample), void *arg, char *err, size_t err_len);

#endif

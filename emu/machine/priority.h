/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the daemon claims of the machine so as to be on time: a processor to stay on, precedence over other processes, and that idle
 * processors do not sleep so deeply that waking takes long. All of it ends with the process, however it ends.
 */
#ifndef WT_EMU_MACHINE_PRIORITY_H
#define WT_EMU_MACHINE_PRIORITY_H

#include <stddef.h>

#include "emu/daemon/options.h"

struct wt_priority {
	int awake; /* /dev/cpu_dma_latency, which holds as long as it is open; 0: not claimed */
};

/*
 * Would it take the processors' time from other commands of its session? So it is where the kernel shares time among sessions first
 * (sched_autogroup, sched(7)) and it spins before all others: a session has one weight for all processors, and the one that spins uses it up.
 */
bool wt_claim_wants_session(const struct wt_options *options);
/* What the options ask for. 0, or a negative errno and one sentence. */
int wt_priority(struct wt_priority *claim, const struct wt_options *options, char *err, size_t err_len);
/* Accepts one that claimed nothing. */
void wt_claim_finish(struct wt_priority *claim);

#endif

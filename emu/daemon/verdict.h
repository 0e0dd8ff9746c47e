/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Was the run what its words say? Looked at each second and at the end. A run is invalid if
 *
 *   late          of the frames a port wrote, more than 1 %, and more than one, left later than the bound
 *   busy          the hypervisor took a larger share of the processors than the bound (steal, /proc/stat)
 *   kernel-drops  the kernel dropped frames at a port (tx_dropped, packet socket drops), or refused some we wrote, or, where
 *                 reception is steered, a processor's queue overflowed
 *   memory        a frame was lost because no memory was left for it
 *   too-long      a frame that came to a port was longer than the emulator takes, as where hosts have an MTU for jumbo frames
 *   malformed     a big frame that came to a port contradicted the header the kernel put in front of it
 *   port-gone     a port was away for a time
 *   script        a change that the file asks for could not be made at its time
 *   audit         frames were lost without a cause
 */
#ifndef WT_EMU_DAEMON_VERDICT_H
#define WT_EMU_DAEMON_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"
#include "stack/base/histogram.h"

enum wt_fault {
	WT_FAULT_LATE, WT_FAULT_BUSY, WT_FAULT_KERNEL_DROPS, WT_FAULT_MEMORY, WT_FAULT_TOO_LONG, WT_FAULT_MALFORMED, WT_FAULT_PORT_GONE,
	WT_FAULT_SCRIPT, WT_FAULT_AUDIT, WT_FAULTS,
};

const char *wt_fault_name(enum wt_fault fault);

/* Processor time since the machine started, in ticks, of all processors. */
struct wt_ticks {
	uint64_t all, steal;
};

/* What a valid run keeps. */
struct wt_verdict_bounds {
	wt_time late; /* all but 1 % of the frames, or one, leave within this time after they were due */
	double steal; /* and the hypervisor takes no larger share of the processors, 0 to 1 */
};

#define WT_VERDICT_WHERE 48 /* room for the name of a place */
#define WT_VERDICT_BOUNDS {.late = WT_MS, .steal = 0.01}

struct wt_verdict {
	struct wt_verdict_bounds bounds;
	int stat_fd;             /* /proc/stat, opened before the privileges go; -1: none */
	struct wt_ticks from, to;
	wt_time first[WT_FAULTS]; /* when first noticed; WT_NEVER: not */
	char where[WT_FAULTS][WT_VERDICT_WHERE]; /* and where: a port, a link, "loop" ... */
};

void wt_verdict_init(struct wt_verdict *verdict, struct wt_verdict_bounds bounds);
void wt_verdict_finish(struct wt_verdict *verdict);
/* Notes a fault and its place; true if it is the first of its kind. */
bool wt_verdict_fault(struct wt_verdict *verdict, enum wt_fault fault, const char *where, wt_time now);
/* Reads the processors' ticks; true if too many were stolen so far, a noise of a few ticks aside. */
bool wt_verdict_busy(struct wt_verdict *verdict);
double wt_verdict_steal(const struct wt_verdict *verdict); /* share, of the last reading */
/*
 * What the bound is for: no more than 1 % of the frames were later than this, or one. A frame alone tells nothing of a share: of
 * fewer than a hundred it would be more than 1 %, whatever the host is like.
 */
wt_time wt_verdict_lateness(const struct wt_histogram *late);
/* Did so many leave late? */
bool wt_verdict_late(const struct wt_verdict *verdict, const struct wt_histogram *late);
bool wt_verdict_valid(const struct wt_verdict *verdict);

/* The ticks in the text of /proc/stat; false: it is none. */
bool wt_ticks_parse(const char *text, struct wt_ticks *ticks);

#endif

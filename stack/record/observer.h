/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node that looks at frames and passes them on at the same instant, in order: what comes in by port 0 leaves by port 1
 * and the reverse. Embed it first in what malloc() gave.
 */
#ifndef WT_STACK_RECORD_OBSERVER_H
#define WT_STACK_RECORD_OBSERVER_H

#include "stack/base/node.h"

struct wt_observer {
	struct wt_node node; /* first */
	void (*see)(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame);
	struct wt_frame_queue passing;
};

/* Sets the verbs; the whole object is freed with free(). */
void wt_observer_init(struct wt_observer *observer, const char *name,
		     void (*see)(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame));

#endif

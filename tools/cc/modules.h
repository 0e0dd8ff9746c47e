/* SPDX-License-Identifier: BSD-2-Clause */
/* One description for the three kinds of congestion module, for the commands that list and show them. */
#ifndef WT_TOOLS_CC_MODULES_H
#define WT_TOOLS_CC_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/cc.h"

struct wt_cc_module {
	const char *table; /* "sender", "recovery", "receiver" */
	const char *option; /* how it is chosen on the command line */
	const char *name, *text;
	const char *recovery; /* senders: the recovery module that goes with it */
	const char *receiver; /* senders: the receiver module that makes the protocol whole; NULL: standard */
	const char *const *gauges;
	const struct wt_param *params;
	size_t param_count;
	const void *defaults;
	const struct wt_cc_preset *presets;
};

/* The i-th module of the registry: senders, recoveries, receivers. False behind the last. */
bool wt_cc_module_at(size_t i, struct wt_cc_module *module);

#endif

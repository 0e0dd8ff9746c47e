/* SPDX-License-Identifier: BSD-2-Clause */
/* One description for the three kinds of congestion module, for the commands that list and show them. */
#ifndef WT_TOOLS_MODULES_MODULES_H
#define WT_TOOLS_MODULES_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/modules/check.h"

struct wt_cc_described {
	const char *table; /* "sender", "recovery", "receiver" */
	const char *option; /* how it is chosen on the command line */
	const char *name, *text;
	const char *recovery; /* senders: the recovery module that goes with it */
	const char *receiver; /* senders: the receiver module that makes the protocol whole; NULL: standard */
	const char *const *gauges;
	const struct wt_param *params;
	size_t param_count, params_size;
	const void *defaults;
	const struct wt_cc_preset *presets;
	const char *missing; /* a hook that each module of this kind has, and this one has not; NULL: none */
};

struct wt_cc_described wt_cc_describe(const struct wt_cc_subject *subject);
/* The i-th module of the registry: senders, recoveries, receivers. False behind the last. */
bool wt_cc_subject_at(size_t i, struct wt_cc_subject *subject);
/* The i-th module that `name` stands for: those of the registry of that name, or those of a file ("./x.so"). */
bool wt_cc_subject_named(const char *name, size_t i, struct wt_cc_subject *subject);
/* For a name that stands for none: the sentence to stderr, and the exit code 2. */
int wt_cc_no_module(const char *name);

#endif

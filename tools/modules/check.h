/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of cc/cc.h as rules that a program can try: random histories from a seed, memory that tells of writes beyond it. The
 * tests of the tree, `wavetank cc check` and the loader of module files go through the same ones.
 */
#ifndef WT_TOOLS_MODULES_CHECK_H
#define WT_TOOLS_MODULES_CHECK_H

#include "cc/choose.h"

/* id, name, the rule */
#define WT_CC_RULES(X)                                                                                                      \
	X(TABLE, "table", "name, text, sizes and the hooks that every module has are there")                               \
	X(PARAMETERS, "parameters", "each has a line of help, keeps its range and reads back what it prints")              \
	X(COMPANIONS, "companions", "the recovery and the receiver module that it names exist")                            \
	X(WINDOW, "window", "cwnd is at least one segment and the module's floor, at most 2^31 - 1, whatever the facts")   \
	X(BYTES, "bytes", "an ACK cut into single bytes grows the window by at most one segment")                          \
	X(MARKS, "marks", "an ECN mark lowers the window, and the ACK that tells of it does not raise it")                 \
	X(RECORDS, "records", "what it marks as lost ends where a record ends")                                            \
	X(PHASES, "phases", "recovery is entered once, left if it was entered, and over after a timeout")                  \
	X(INFLATE, "inflate", "inflate stays below the flight, the window and three segments together")                    \
	X(OPTION, "option", "its TCP option is of kind 253 or 254 and fits the room it was given")                         \
	X(EDGE, "edge", "the advertised window is never raised, nor its right edge taken back")                            \
	X(OUTPUTS, "outputs", "notes and verdicts are those that the headers name")                                        \
	X(TIMER, "timer", "after on_timer() the deadline lies ahead")                                                      \
	X(MEMORY, "memory", "nothing is written but its state and its output")                                             \
	X(REPEATS, "repeats", "the same events give the same outputs")                                                     \
	X(RESPONDS, "responds", "other events give other outputs")

enum wt_cc_rule {
#define WT_CC_RULE(id, name, text) WT_CC_RULE_##id,
	WT_CC_RULES(WT_CC_RULE)
#undef WT_CC_RULE
	WT_CC_RULE_COUNT,
};

struct wt_cc_rule_info {
	const char *name, *text;
};

extern const struct wt_cc_rule_info wt_cc_rule_info[WT_CC_RULE_COUNT];

/* One of the three. */
struct wt_cc_subject {
	const struct wt_sender_ops *sender;
	const struct wt_recovery_ops *recovery;
	const struct wt_receiver_ops *receiver;
};

#define WT_CC_SENTENCE 200

struct wt_cc_report {
	bool tried[WT_CC_RULE_COUNT];
	char broken[WT_CC_RULE_COUNT][WT_CC_SENTENCE]; /* how it was first broken; empty: it was not */
	char ended[WT_CC_SENTENCE]; /* the module ended its process, or did not come back; empty: it did not */
};

/* So many histories of ten thousand events; 0 is only its table. The module's hooks run in this process. */
void wt_cc_check(const struct wt_cc_subject *subject, unsigned trials, struct wt_cc_report *report);
/* The same in a child, which a module may crash or keep for five seconds. 0, or negative errno. */
int wt_cc_check_apart(const struct wt_cc_subject *subject, unsigned trials, struct wt_cc_report *report);
/* The first rule that is broken, or what ended the child, as "rule: how"; NULL: none. Writes text. */
const char *wt_cc_check_verdict(const struct wt_cc_report *report, char *text, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs as JSON Lines: engine trace events, and drops with cause joinable to a capture by time and frame id. */
#ifndef WT_STACK_DRIVE_JOURNAL_H
#define WT_STACK_DRIVE_JOURNAL_H

#include "stack/base/node.h"
#include "stack/base/trace.h"

struct wt_journal;

struct wt_journal *wt_journal_open(const char *path); /* NULL with errno */
/* A trace sink for one host; `name` becomes "host" in each line. Owned by the journal. */
struct wt_trace_sink *wt_journal_trace(struct wt_journal *journal, const char *name);
struct wt_drop_sink *wt_journal_drops(struct wt_journal *journal, struct wt_drop_sink *next);
int wt_journal_close(struct wt_journal *journal); /* 0 or the first write error */

#endif

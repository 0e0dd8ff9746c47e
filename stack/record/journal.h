/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs as JSON Lines: engine trace events, and drops with cause joinable to a capture by time and frame id.
 *
 *   {"time_ns":1500,"host":"a","conn":1,"event":"recovery:rtt_sampled","data":{"rtt_ns":...,...}}
 *   {"time_ns":1500,"event":"emulation:packet_dropped","data":{"node":"fwd.loss","cause":"loss","frame":17,"len_bytes":1514,...}}
 *   {"time_ns":1200,"event":"emulation:state_entered","data":{"node":"fwd.gilbert","state":"on","visit":3}}
 *
 * The events of emulation: event_json.h. Names and fields of trace events: stack/text/trace.def. Causes: stack/base/drop.def.
 */
#ifndef WT_STACK_RECORD_JOURNAL_H
#define WT_STACK_RECORD_JOURNAL_H

#include "stack/base/node.h"
#include "stack/text/trace.h"
#include "stack/record/json.h"

struct wt_journal;

struct wt_journal *wt_journal_open(const char *path); /* NULL with errno */
/* A trace sink for one host; `name` becomes "host" in each line. Owned by the journal. NULL: no memory. */
struct wt_trace_sink *wt_journal_trace(struct wt_journal *journal, const char *name);
/* Owned by the journal; passes the news on to `next` if given. One per journal. */
struct wt_drop_sink *wt_journal_drops(struct wt_journal *journal, struct wt_drop_sink *next);
/* Owned by the journal: the states that nodes come into (wt_graph_set_state_sink()). */
struct wt_state_sink *wt_journal_states(struct wt_journal *journal);
/* A line of another kind: data is open until wt_journal_end(). NULL after a write error: nothing to add, nothing to end. */
struct wt_json *wt_journal_begin(struct wt_journal *journal, wt_time now, const char *event);
void wt_journal_end(struct wt_journal *journal);
/* Writes what is buffered. 0, or the first write error so far. */
int wt_journal_flush(struct wt_journal *journal);
int wt_journal_close(struct wt_journal *journal); /* 0 or the first write error. Accepts NULL */

#endif

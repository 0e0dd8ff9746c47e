/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading journals (stack/record/journal.h) line by line, for what is made of them: qlog, xplot, CSV, numbers. */
#ifndef WT_TOOLS_RESULTS_TRACE_FILE_H
#define WT_TOOLS_RESULTS_TRACE_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stack/base/time.h"
#include "stack/text/trace.h"

enum { WT_LINE_DROP = WT_TRACE_TYPES, WT_LINE_STATE, WT_LINE_OTHER };

/* One line. Strings and data live until the callback returns. */
struct wt_trace_line {
	wt_time time;
	const char *host; /* "": the path, not a host */
	uint32_t conn;
	unsigned type; /* enum wt_trace_type, or WT_LINE_... */
	const char *event;
	uint64_t field[WT_TRACE_FIELDS]; /* by trace.def; 0 what the line does not have */
	json_t *data;
};

/* Calls fn for each number of a line that trace.def does not name: what a congestion module shows of itself. */
typedef void wt_trace_gauge_fn(void *arg, const char *name, double value);
void wt_trace_gauges(const struct wt_trace_line *line, wt_trace_gauge_fn *fn, void *arg);

/* Nonzero ends the reading. */
typedef int wt_trace_line_fn(void *arg, const struct wt_trace_line *line);

/*
 * Reads all lines. Lines of other kinds (the record of a scenario) and a last line that was cut off are passed over; of the
 * latter wt_trace_survey() tells the user. 0; the callback's nonzero; or negative errno with one sentence in err: -EINVAL is "FILE:LINE: what is wrong".
 */
int wt_trace_read(const char *path, wt_trace_line_fn *fn, void *arg, char *err, size_t err_len);

uint64_t wt_trace_u64(const json_t *object, const char *key); /* 0 if it is not there */
const char *wt_trace_string(const json_t *object, const char *key); /* "" */

/* Whom to look at: one connection of one host. */
struct wt_trace_flow {
	char host[32];
	uint32_t conn;
	uint32_t iss;      /* sequence number of its SYN, or of the first segment seen less one */
	uint64_t payload;  /* bytes it sent, with those sent again */
	uint64_t segments; /* that carried payload */
	uint64_t end;      /* highest offset from iss that it sent */
	bool opened;       /* it sent the first SYN */
};

#define WT_TRACE_FLOWS 256

struct wt_trace_flows {
	unsigned count, hosts;
	char host[16][32];
	struct wt_trace_flow flow[WT_TRACE_FLOWS]; /* those past the last are left out */
	uint64_t lines, drops;
	bool path; /* events of a path: its states, its changes */
	wt_time last; /* when the latest event was */
};

/* What is in a file. Same errors; a file without any event is -EINVAL. */
int wt_trace_survey(const char *path, struct wt_trace_flows *flows, char *err, size_t err_len);
/* The log of a path (emu run, lab up --log): no connection in it, or nothing at all, because nothing was dropped. */
bool wt_trace_is_log(const char *path, const struct wt_trace_flows *flows);
/* True: drops on the path would be in this journal. One of `send` or `recv` knows its own host alone. */
bool wt_trace_sees_path(const struct wt_trace_flows *flows);
/* The one that sent most payload, or the one named (host NULL, conn 0: any). NULL: there is none. */
const struct wt_trace_flow *wt_trace_choose(const struct wt_trace_flows *flows, const char *host, uint32_t conn);
/* True, with offset and payload: the line is the drop of a segment that this flow sent. */
bool wt_trace_drop_of(const struct wt_trace_flow *flow, const struct wt_trace_line *line, uint64_t *offset, uint64_t *payload);

/* ---- what is made of them: 0, or an error as above ------------------------------------------------------ */

int wt_trace_qlog(FILE *out, const char *path, const struct wt_trace_flows *flows, char *err, size_t err_len);
int wt_trace_xpl(FILE *out, const char *path, const struct wt_trace_flow *flow, char *err, size_t err_len);
int wt_trace_csv(FILE *out, const char *path, char *err, size_t err_len);
int wt_trace_stats(FILE *out, const char *path, const struct wt_trace_flows *flows, bool json, char *err, size_t err_len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the engine tells: typed, fixed-size events to a sink. The engine never prints. The names and fields of
 * events stand in trace.def, which feeds this enum, the JSON Lines writer, the manual and the tests.
 */
#ifndef WT_STACK_TEXT_TRACE_H
#define WT_STACK_TEXT_TRACE_H

#include <stdint.h>

#include "stack/base/time.h"

#define WT_TRACE_FIELDS 8

enum wt_trace_type {
#define WT_TRACE(id, name, text, ...) WT_TRACE_##id,
#include "stack/text/trace.def"
#undef WT_TRACE
	WT_TRACE_TYPES,
};

struct wt_trace_event {
	wt_time time;
	uint32_t conn; /* the connection's number in its host, from 1; 0: the host itself */
	uint32_t type; /* enum wt_trace_type */
	uint64_t field[WT_TRACE_FIELDS];
	const char *const *gauges; /* names of further numbers, which a module chose; ends with NULL; NULL: none */
	const double *gauge;       /* as many numbers */
};

struct wt_trace_sink {
	void (*event)(struct wt_trace_sink *sink, const struct wt_trace_event *event);
};

/* Description of an event type: name and NULL-terminated field names ("cwnd_bytes", ...). */
struct wt_trace_info {
	const char *name, *text;
	const char *fields[WT_TRACE_FIELDS + 1];
};

const struct wt_trace_info *wt_trace_info(enum wt_trace_type type);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/text/trace.h"

#include <stddef.h>

const struct wt_trace_info *wt_trace_info(enum wt_trace_type type)
{
	static const struct wt_trace_info infos[] = {
#define WT_TRACE(id, name, text, ...) {name, text, {__VA_ARGS__, NULL}},
#include "stack/text/trace.def"
#undef WT_TRACE
	};

	return &infos[type];
}

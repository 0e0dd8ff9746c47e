/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the parser. Each returns false after wt_scan_fail(). */
#ifndef WT_TOOLS_SCRIPT_LANGUAGE_PARSE_H
#define WT_TOOLS_SCRIPT_LANGUAGE_PARSE_H

#include "tools/script/language/script.h"

/* What follows "<" or ">". */
bool wt_script_parse_packet(struct wt_scan *scan, bool outbound, struct wt_script_packet *packet);
void wt_script_packet_finish(struct wt_script_packet *packet);
/* name(arguments) = result */
bool wt_script_parse_call(struct wt_scan *scan, struct wt_script_call *call);
void wt_script_call_finish(struct wt_script_call *call);

#endif

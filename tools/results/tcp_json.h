/* SPDX-License-Identifier: BSD-2-Clause */
/* A TCP configuration as JSON: modules with all their parameters, and the stack settings. */
#ifndef WT_TOOLS_RESULTS_TCP_JSON_H
#define WT_TOOLS_RESULTS_TCP_JSON_H

#include "stack/record/json.h"
#include "stack/host/host.h"

/* An object "key" with "sender", "recovery", "receiver" and "settings". */
void wt_tcp_config_json(struct wt_json *json, const char *key, const struct wt_tcp_config *config);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that jansson has read, written on as they were. */
#ifndef WT_TOOLS_COMMON_JSON_COPY_H
#define WT_TOOLS_COMMON_JSON_COPY_H

#include <jansson.h>

#include "stack/record/json.h"

/* `value` under `key` in the open object; null if it is NULL. */
void wt_json_copy(struct wt_json *json, const char *key, const json_t *value);
/* The last line of a text as JSON, which the caller decrefs; NULL: it is none. Cuts the text. */
json_t *wt_json_last_line(char *text);

#endif

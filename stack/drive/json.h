/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing JSON, one value after the other; keys and nesting are the caller's, commas and escapes are ours. */
#ifndef WT_STACK_DRIVE_JSON_H
#define WT_STACK_DRIVE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct wt_json {
	FILE *out;
	unsigned depth;
	bool comma[16];
};

void wt_json_init(struct wt_json *json, FILE *out);
/* key NULL inside arrays and at top level. Closing the top-level value writes a newline: JSON Lines. */
void wt_json_object(struct wt_json *json, const char *key);
void wt_json_array(struct wt_json *json, const char *key);
void wt_json_end(struct wt_json *json);
void wt_json_string(struct wt_json *json, const char *key, const char *value); /* NULL value: null */
void wt_json_u64(struct wt_json *json, const char *key, uint64_t value);
void wt_json_i64(struct wt_json *json, const char *key, int64_t value);
void wt_json_number(struct wt_json *json, const char *key, double value); /* shortest that reads back; NaN: null */
void wt_json_bool(struct wt_json *json, const char *key, bool value);
/* A value that is JSON text already. */
void wt_json_raw(struct wt_json *json, const char *key, const char *text);

#endif

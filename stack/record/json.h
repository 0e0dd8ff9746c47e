/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing JSON, one value after the other; keys and nesting are the caller's, commas and escapes are ours.
 * Bytes that are not UTF-8 become U+FFFD, so the output is always valid JSON. At most WT_JSON_DEPTH levels. What is written has
 * reached `out` when a top-level value ends, and part of it maybe before: nobody else writes there meanwhile.
 */
#ifndef WT_STACK_RECORD_JSON_H
#define WT_STACK_RECORD_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WT_JSON_DEPTH 16

struct wt_json {
	FILE *out;
	unsigned depth, used;
	bool comma[WT_JSON_DEPTH + 1]; /* something stands at this level already */
	char close[WT_JSON_DEPTH + 1];
	char text[1024]; /* not in `out` yet */
};

void wt_json_init(struct wt_json *json, FILE *out);
/* key NULL inside arrays and at top level. A newline follows each top-level value: JSON Lines. */
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

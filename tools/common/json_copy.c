/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/json_copy.h"

#include <stdlib.h>
#include <string.h>

void wt_json_copy(struct wt_json *json, const char *key, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;

	wt_json_raw(json, key, text ? text : "null");
	free(text);
}

json_t *wt_json_last_line(char *text)
{
	size_t len = strlen(text);
	char *line;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	return json_loads(line ? line + 1 : text, 0, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/metric.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static double number_at(const json_t *result, const char *path)
{
	const json_t *at = strchr(path, '.') ? result : json_object_get(result, "metrics");
	bool counts = false;
	char word[64];

	while (*path && json_is_object(at)) {
		const json_t *next = NULL;
		size_t len = 0;

		do { /* names of flows may have a dot themselves: "newreno.1" */
			len += strcspn(path + len, ".");
			if (len >= sizeof(word))
				return NAN;
			memcpy(word, path, len);
			word[len] = '\0';
			next = json_object_get(at, word);
		} while (!next && path[len++]);
		if (!next)
			return counts && !strchr(path, '.') ? 0 : NAN;
		path += len + (path[len] == '.');
		at = next;
		counts = !strcmp(word, "dropped") || !strcmp(word, "dropped_frames") || !strcmp(word, "ways");
	}
	return !*path && json_is_number(at) ? json_number_value(at) : NAN;
}

double wt_metric_of(const json_t *result, const char *path)
{
	const char *slash = strchr(path, '/');
	char dividend[128];

	if (!slash)
		return number_at(result, path);
	snprintf(dividend, sizeof(dividend), "%.*s", (int)(slash - path), path);
	return number_at(result, dividend) / number_at(result, slash + 1);
}

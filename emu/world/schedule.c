/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Splits at blanks, in place; how many words there are, of which the first `room` are given. */
static unsigned split(char *text, char **word, unsigned room)
{
	unsigned count = 0;

	for (char *one; (one = strtok_r(text, " \t", &text)); count++)
		if (count < room)
			word[count] = one;
	return count;
}

static int find(const struct wt_schedule *schedule, const char *name, size_t len)
{
	for (unsigned i = 0; i < schedule->columns; i++)
		if (!strncmp(schedule->column[i], name, len) && !schedule->column[i][len])
			return (int)i;
	return -1;
}

int wt_schedule_columns(struct wt_schedule *schedule, const char *names, char *err, size_t err_len)
{
	char text[512], *word[WT_SCHEDULE_COLUMNS];
	unsigned count;

	if (strlen(names) >= sizeof(text)) {
		snprintf(err, err_len, "columns: too many");
		return -EINVAL;
	}
	strcpy(text, names);
	count = split(text, word, WT_SCHEDULE_COLUMNS);
	if (!count || count > WT_SCHEDULE_COLUMNS) {
		snprintf(err, err_len, "columns: expected 1 to %d names, such as columns = hops delay rate outage", WT_SCHEDULE_COLUMNS);
		return -EINVAL;
	}
	schedule->columns = 0;
	for (unsigned i = 0; i < count; i++) {
		size_t len = strlen(word[i]);

		if (len >= sizeof(schedule->column[0]) || word[i][strspn(word[i], LETTERS)] || find(schedule, word[i], len) >= 0) {
			snprintf(err, err_len, "columns: \"%.40s\" is given twice, or no name of 1 to %zu letters, digits or _", word[i],
				 sizeof(schedule->column[0]) - 1);
			return -EINVAL;
		}
		strcpy(schedule->column[schedule->columns++], word[i]);
	}
	return 0;
}

int wt_schedule_check(const struct wt_schedule *schedule, char *const words[2], char *err, size_t err_len)
{
	bool used[WT_SCHEDULE_COLUMNS] = {false};

	for (unsigned i = 0; i < 2; i++)
		for (const char *at = words[i]; at && (at = strchr(at, '$')); at++) {
			int column = find(schedule, at + 1, strspn(at + 1, LETTERS));

			used[column < 0 ? 0 : column] |= column >= 0;
		}
	for (unsigned i = 0; i < schedule->columns; i++) {
		if (used[i])
			continue;
		snprintf(err, err_len, "columns: no words use $%s", schedule->column[i]);
		return -EINVAL;
	}
	return 0;
}

static void list_columns(const struct wt_schedule *schedule, char *list, size_t len)
{
	list[0] = 0;
	for (unsigned i = 0; i < schedule->columns; i++)
		snprintf(list + strlen(list), len - strlen(list), "%s%s", i ? " " : "", schedule->column[i]);
}

static bool write_words(const struct wt_schedule *schedule, const char *words, char *const *value, FILE *out, char *err, size_t err_len)
{
	char list[WT_SCHEDULE_COLUMNS * sizeof(schedule->column[0])];

	while (*words) {
		size_t plain = strcspn(words, "$"), len;
		int column;

		fwrite(words, 1, plain, out);
		words += plain;
		if (!*words)
			break;
		len = strspn(++words, LETTERS);
		column = find(schedule, words, len);
		if (column < 0) {
			list_columns(schedule, list, sizeof(list));
			snprintf(err, err_len, "there is no column for \"$%.*s\"; the columns are %s", (int)(len < 40 ? len : 40), words, list);
			return false;
		}
		fputs(value[column], out);
		words += len;
	}
	return true;
}

char *wt_schedule_words(const struct wt_schedule *schedule, const char *words, const char *row, char *err, size_t err_len)
{
	char *text = strdup(row), *value[WT_SCHEDULE_COLUMNS], *made = NULL, list[WT_SCHEDULE_COLUMNS * sizeof(schedule->column[0])];
	unsigned count = text ? split(text, value, WT_SCHEDULE_COLUMNS) : 0;
	size_t len;
	FILE *out;
	bool good;

	snprintf(err, err_len, "out of memory");
	out = text ? open_memstream(&made, &len) : NULL;
	if (!out) {
		free(text);
		return NULL;
	}
	if (count != schedule->columns) {
		list_columns(schedule, list, sizeof(list));
		snprintf(err, err_len, "expected %u values, for %s, and there are %u", schedule->columns, list, count);
		good = false;
	} else {
		good = write_words(schedule, words, value, out, err, err_len);
	}
	free(text);
	good &= !fclose(out);
	if (good)
		return made;
	free(made);
	return NULL;
}

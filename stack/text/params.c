/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/text/params.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"

#define NAME_ROOM 64
#define VALUE_ROOM 128
#define NEAREST_DISTANCE 3

/* ---- nearest word ------------------------------------------------------------------------------------- */

/* Edit distance (Levenshtein), rows of at most NAME_ROOM; words too long to compare are far. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[NAME_ROOM + 1];
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > NAME_ROOM || b_len > NAME_ROOM)
		return UINT32_MAX;
	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a_len; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_len];
}

const char *wt_nearest_word(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx)
{
	unsigned best_distance = NEAREST_DISTANCE + 1;
	const char *best = NULL, *known;

	for (size_t i = 0; (known = next(ctx, i)); i++) {
		unsigned d = distance(word, known);
		size_t longer = strlen(word) > strlen(known) ? strlen(word) : strlen(known);

		/* words that differ in more than half of their letters are not alike */
		if (d < best_distance && 2 * d <= longer) {
			best_distance = d;
			best = known;
		}
	}
	return best;
}

struct table {
	const struct wt_param *params;
	size_t count;
};

static const char *next_param(const void *ctx, size_t i)
{
	const struct table *table = ctx;

	return i < table->count ? table->params[i].name : NULL;
}

static const char *next_word(const void *ctx, size_t i)
{
	return ((const char *const *)ctx)[i];
}

/* "a, b, c" of what `next` yields; where not all fit, "a, b and 7 more". */
static void list_words(char *text, size_t len, const char *(*next)(const void *, size_t), const void *ctx)
{
	size_t at = 0, count = 0, whole = 0;

	for (; next(ctx, count); count++)
		whole += strlen(", ") + strlen(next(ctx, count));
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const char *word = next(ctx, i);

		if (whole > len + 1 && at + strlen(", ") + strlen(word) + sizeof(" and 999 more") > len) { /* `whole` has a comma too much */
			snprintf(text + at, len - at, "%s%zu more", i ? " and " : "", count - i);
			return;
		}
		at += (size_t)snprintf(text + at, len - at, "%s%s", i ? ", " : "", word);
	}
}

/* "no KIND 'word'; did you mean 'x'? known: a, b, c" */
static int unknown(char *err, size_t err_len, const char *kind, const char *word,
		   const char *(*next)(const void *, size_t), const void *ctx)
{
	const char *nearest = wt_nearest_word(word, next, ctx);
	char head[200], known[1024];
	size_t len, room;

	if (!next(ctx, 0))
		return wt_invalid(err, err_len, "no %s '%.40s': there are none", kind, word);
	snprintf(head, sizeof(head), "no %s '%.40s'; %s%s%sknown: ", kind, word, nearest ? "did you mean '" : "", nearest ? nearest : "",
		 nearest ? "'? " : "");
	len = strlen(head);
	room = err_len > len ? err_len - len : 1;
	list_words(known, room < sizeof(known) ? room : sizeof(known), next, ctx);
	return wt_invalid(err, err_len, "%s%s", head, known);
}

/* ---- one field ---------------------------------------------------------------------------------------- */

/* A field's value while it is read: which member holds it follows from the type. */
union value {
	wt_time time;
	uint64_t whole;
	double real;
};

static int parse_word(const struct wt_param *param, const char *text, uint64_t *out, char *err, size_t err_len)
{
	for (uint64_t i = 0; param->words[i]; i++)
		if (!strcmp(param->words[i], text)) {
			*out = i;
			return 0;
		}
	return unknown(err, err_len, "value", text, next_word, param->words);
}

static int parse_value(const struct wt_param *param, const char *text, union value *value, char *err, size_t err_len)
{
	switch (param->type) {
	case WT_PARAM_TIME:
	case WT_PARAM_TIMER:
		return wt_parse_time(text, &value->time, err, err_len);
	case WT_PARAM_SIZE:
		return wt_parse_size(text, &value->whole, err, err_len);
	case WT_PARAM_RATE:
		return wt_parse_rate(text, &value->whole, err, err_len);
	case WT_PARAM_COUNT:
		return wt_parse_count(text, &value->whole, err, err_len);
	case WT_PARAM_NUMBER:
		return wt_parse_number(text, &value->real, err, err_len);
	case WT_PARAM_SHARE:
		return wt_parse_share(text, &value->real, err, err_len);
	case WT_PARAM_BOOL:
		return wt_parse_bool(text, &value->whole, err, err_len);
	case WT_PARAM_WORD:
		return parse_word(param, text, &value->whole, err, err_len);
	}
	return wt_invalid(err, err_len, "parameter of unknown type");
}

/* The shortest decimal that strtod reads back to the same double. */
static const char *format_real(double value, char *text, size_t len)
{
	double back;

	for (int precision = 1; precision <= 17; precision++) {
		snprintf(text, len, "%.*g", precision, value);
		if (!wt_parse_number(text, &back, NULL, 0) && memcmp(&back, &value, sizeof(back)) == 0)
			break;
	}
	return text;
}

static const char *format_value(const struct wt_param *param, const union value *value, char *text, size_t len)
{
	switch (param->type) {
	case WT_PARAM_TIME:
	case WT_PARAM_TIMER:
		return wt_format_time(value->time, text, len);
	case WT_PARAM_SIZE:
		return wt_format_size(value->whole, text, len);
	case WT_PARAM_RATE:
		return wt_format_rate(value->whole, text, len);
	case WT_PARAM_NUMBER:
		return format_real(value->real, text, len);
	case WT_PARAM_SHARE:
		return wt_format_share(value->real, text, len);
	case WT_PARAM_BOOL:
		snprintf(text, len, "%s", value->whole ? "on" : "off");
		return text;
	case WT_PARAM_WORD:
		snprintf(text, len, "%s", param->words[value->whole]);
		return text;
	case WT_PARAM_COUNT:
		break;
	}
	snprintf(text, len, "%llu", (unsigned long long)value->whole);
	return text;
}

static bool is_real(enum wt_param_type type)
{
	return type == WT_PARAM_NUMBER || type == WT_PARAM_SHARE;
}

/* A bound of the table as a value of the parameter's type, for the error message. */
static const char *format_bound(const struct wt_param *param, double bound, char *text, size_t len)
{
	union value value = {0};

	if (is_real(param->type))
		value.real = bound;
	else if (bound >= 0x1p63)
		value.whole = param->type == WT_PARAM_TIME || param->type == WT_PARAM_TIMER ? INT64_MAX : UINT64_MAX;
	else
		value.whole = (uint64_t)bound;
	return format_value(param, &value, text, len);
}

static int check_bounds(const struct wt_param *param, const union value *value, const char *text, char *err,
			size_t err_len)
{
	double number = is_real(param->type) ? value->real : (double)value->whole;
	char low[64], high[64];

	if ((param->min == 0 && param->max == 0) || (number >= param->min && number <= param->max))
		return 0;
	if (param->type == WT_PARAM_TIMER && value->time == 0)
		return 0;
	return wt_invalid(err, err_len, "'%.40s' is out of range: expected %s%s to %s", text,
		    param->type == WT_PARAM_TIMER ? "0 or " : "",
		    format_bound(param, param->min, low, sizeof(low)),
		    format_bound(param, param->max, high, sizeof(high)));
}

int wt_param_set(const struct wt_param *table, size_t count, void *object, const char *name, const char *value,
		 char *err, size_t err_len)
{
	const struct table known = {table, count};
	const struct wt_param *param = NULL;
	union value parsed = {0};
	char why[384];

	for (size_t i = 0; i < count && !param; i++)
		if (!strcmp(table[i].name, name))
			param = &table[i];
	if (!param)
		return unknown(err, err_len, "parameter", name, next_param, &known);
	if (parse_value(param, value, &parsed, why, sizeof(why)) ||
	    check_bounds(param, &parsed, value, why, sizeof(why)))
		return wt_invalid(err, err_len, "%s: %s", param->name, why);
	/* every field is eight bytes: wt_time, uint64_t or double */
	memcpy((char *)object + param->offset, &parsed, sizeof(parsed));
	return 0;
}

int wt_param_set_list(const struct wt_param *table, size_t count, void *object, const char *list, char *err,
		      size_t err_len)
{
	const char *item = list;

	if (!list || !*list)
		return 0;
	for (;;) {
		size_t len = strcspn(item, ","), name_len = strcspn(item, "=,");
		char name[NAME_ROOM], value[VALUE_ROOM];
		int rc;

		if (name_len == len || !name_len)
			return wt_invalid(err, err_len, "'%.*s' is not name=value", (int)(len < 40 ? len : 40), item);
		if (name_len >= sizeof(name) || len - name_len > sizeof(value))
			return wt_invalid(err, err_len, "'%.40s...' is too long", item);
		snprintf(name, sizeof(name), "%.*s", (int)name_len, item);
		snprintf(value, sizeof(value), "%.*s", (int)(len - name_len - 1), item + name_len + 1);
		rc = wt_param_set(table, count, object, name, value, err, err_len);
		if (rc || !item[len])
			return rc;
		item += len + 1;
	}
}

const char *wt_param_format(const struct wt_param *param, const void *object, char *text, size_t len)
{
	union value value;

	memcpy(&value, (const char *)object + param->offset, sizeof(value));
	return format_value(param, &value, text, len);
}

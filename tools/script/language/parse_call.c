/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "tools/script/language/parse.h"

#define NESTING_MAX 3   /* a poll set is a list of structs of numbers */
#define ITEMS_MAX 16

/* NAME, NUMBER, -NUMBER, joined by | */
static bool parse_number(struct wt_scan *scan, struct wt_script_value *value)
{
	value->kind = WT_SV_NUMBER;
	do {
		char word[WT_SCAN_WORD];
		uint64_t digits = 0;
		int64_t one = 0;
		bool negative = wt_scan_is(scan, "-");

		if (wt_scan_word(scan, word)) {
			if (!wt_script_symbol(word, &one))
				return wt_scan_fail(scan, "unknown name '%s'", word);
		} else {
			if (!wt_scan_need_number(scan, "an argument", INT64_MAX, &digits))
				return false;
			one = (int64_t)digits;
		}
		value->number |= negative ? -one : one;
	} while (wt_scan_is(scan, "|"));
	return !scan->failed;
}

static bool parse_value(struct wt_scan *scan, unsigned depth, struct wt_script_value *value);

/* items to `closing`; each is NAME=VALUE inside a struct */
static bool parse_items(struct wt_scan *scan, unsigned depth, const char *closing, struct wt_script_value *value)
{
	value->items = calloc(ITEMS_MAX, sizeof(*value->items));
	if (!value->items)
		return wt_scan_fail(scan, "out of memory");
	if (wt_scan_is(scan, closing))
		return true;
	do {
		struct wt_script_value *item = &value->items[value->count];
		char name[WT_SCAN_WORD] = "";

		if (value->count == ITEMS_MAX)
			return wt_scan_fail(scan, "more than %d items", ITEMS_MAX);
		if (value->kind == WT_SV_STRUCT) {
			if (!wt_scan_word(scan, name))
				return wt_scan_expected(scan, "the name of a field");
			if (!wt_scan_need(scan, "="))
				return false;
		}
		value->count++;
		if (!parse_value(scan, depth + 1, item))
			return false;
		if (value->kind == WT_SV_STRUCT) {
			if (item->kind == WT_SV_STRING)
				return wt_scan_fail(scan, "a string cannot stand inside a struct");
			strcpy(item->text, name);
		}
	} while (wt_scan_is(scan, ","));
	return wt_scan_need(scan, closing);
}

static bool parse_value(struct wt_scan *scan, unsigned depth, struct wt_script_value *value)
{
	const char *start;
	size_t len;

	if (depth > NESTING_MAX)
		return wt_scan_fail(scan, "an argument is nested too deeply");
	if (wt_scan_is(scan, "...")) {
		value->kind = WT_SV_ANY;
		return true;
	}
	if (wt_scan_is(scan, "\"")) {
		value->kind = WT_SV_STRING;
		if (!wt_scan_until(scan, "\"", &start, &len))
			return false;
		if (len >= sizeof(value->text))
			return wt_scan_fail(scan, "a string is longer than %zu bytes", sizeof(value->text) - 1);
		memcpy(value->text, start, len);
		return true;
	}
	if (wt_scan_is(scan, "[")) {
		value->kind = WT_SV_LIST;
		return parse_items(scan, depth, "]", value);
	}
	if (wt_scan_is(scan, "{")) {
		value->kind = WT_SV_STRUCT;
		return parse_items(scan, depth, "}", value);
	}
	return parse_number(scan, value);
}

/* = NUMBER, = -1 ERRNO (words), or = ... */
static bool parse_result(struct wt_scan *scan, struct wt_script_call *call)
{
	struct wt_script_value result = {0};
	char word[WT_SCAN_WORD];
	const char *start;
	size_t len;

	if (wt_scan_is(scan, "...")) {
		call->any_result = true;
		return true;
	}
	if (!parse_number(scan, &result))
		return false;
	call->result = result.number;
	if (wt_scan_word(scan, word)) {
		if (!wt_script_errno(word, &call->error))
			return wt_scan_fail(scan, "unknown error name '%s'", word);
		if (call->result != -1)
			return wt_scan_fail(scan, "an error name stands only after -1");
	}
	return !wt_scan_is(scan, "(") || wt_scan_until(scan, ")", &start, &len);
}

bool wt_script_parse_call(struct wt_scan *scan, struct wt_script_call *call)
{
	if (!wt_scan_word(scan, call->name))
		return wt_scan_expected(scan, "<, >, %{ or a call");
	if (!wt_scan_need(scan, "("))
		return false;
	if (!wt_scan_is(scan, ")")) {
		do {
			if (call->count == WT_SCRIPT_ARGUMENTS)
				return wt_scan_fail(scan, "%s() has more than %d arguments", call->name, WT_SCRIPT_ARGUMENTS);
			if (!parse_value(scan, 0, &call->arguments[call->count++]))
				return false;
		} while (wt_scan_is(scan, ","));
		if (!wt_scan_need(scan, ")"))
			return false;
	}
	return wt_scan_need(scan, "=") && parse_result(scan, call);
}

static void value_finish(struct wt_script_value *value)
{
	for (unsigned i = 0; value->items && i < value->count; i++)
		value_finish(&value->items[i]);
	free(value->items);
	value->items = NULL;
}

void wt_script_call_finish(struct wt_script_call *call)
{
	for (unsigned i = 0; i < call->count; i++)
		value_finish(&call->arguments[i]);
}

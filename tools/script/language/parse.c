/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a script and its events; packets and calls have files of their own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/script/language/expression.h"
#include "tools/script/language/parse.h"

/* Room for one more element, zeroed; NULL when memory is short. */
static void *grow(void **array, unsigned *count, size_t size)
{
	if ((*count & (*count - 1)) == 0) {
		void *bigger = realloc(*array, (*count ? *count * 2 : 1) * size);

		if (!bigger)
			return NULL;
		*array = bigger;
	}
	return memset((char *)*array + size * (*count)++, 0, size);
}

/* --name or --name=value; the value runs to the first blank unless quoted. */
static bool parse_setting(struct wt_scan *scan, struct wt_script *script)
{
	struct wt_script_setting *setting;
	const char *start;
	size_t len = 0;

	setting = grow((void **)&script->settings, &script->setting_count, sizeof(*setting));
	if (!setting)
		return wt_scan_fail(scan, "out of memory");
	setting->line = scan->line;
	if (!wt_scan_word(scan, setting->name))
		return wt_scan_expected(scan, "the name of an option");
	if (scan->at == scan->end || *scan->at != '=')
		return true;
	scan->at++;
	if (scan->at < scan->end && *scan->at == '"') {
		scan->at++;
		if (!wt_scan_until(scan, "\"", &start, &len))
			return false;
	} else {
		for (start = scan->at; scan->at < scan->end && !strchr(" \t\r\n", *scan->at); scan->at++)
			len++;
	}
	setting->value = strndup(start, len);
	return setting->value ? true : wt_scan_fail(scan, "out of memory");
}

static bool parse_settings(struct wt_scan *scan, struct wt_script *script)
{
	while (!wt_scan_done(scan)) {
		if (!wt_scan_is(scan, "--") && !wt_scan_is(scan, "-")) /* -C=real as on the command line */
			break;
		if (!parse_setting(scan, script))
			return false;
	}
	return !scan->failed;
}

/* "~" or "..." between the ends of a range */
static bool range_mark(struct wt_scan *scan)
{
	return wt_scan_is(scan, "~") || wt_scan_is(scan, "...");
}

static bool parse_time(struct wt_scan *scan, struct wt_script_event *event)
{
	if (wt_scan_is(scan, "*")) {
		event->when = WT_AT_ANY;
		return true;
	}
	event->when = wt_scan_is(scan, "+") ? WT_AT_RELATIVE : WT_AT_ABSOLUTE;
	if (!wt_scan_seconds(scan, &event->from)) {
		if (event->when == WT_AT_ABSOLUTE && wt_scan_peek(scan) == '%') {
			event->when = WT_AT_RELATIVE; /* a code block may stand without a time: at once */
			return true;
		}
		return wt_scan_expected(scan, "a time such as +0.1, 0.1 or *");
	}
	event->to = event->from;
	if (!range_mark(scan))
		return true;
	event->range = true;
	if (wt_scan_is(scan, "+") && event->when != WT_AT_RELATIVE)
		return wt_scan_fail(scan, "a range cannot begin absolute and end relative");
	if (!wt_scan_seconds(scan, &event->to))
		return wt_scan_expected(scan, "the end of the time range");
	if (event->to < event->from)
		return wt_scan_fail(scan, "a time range ends before it begins");
	return true;
}

static bool parse_code(struct wt_scan *scan, struct wt_script_event *event)
{
	char error[WT_SCRIPT_ERROR];

	event->code_line = scan->line;
	if (!wt_scan_until(scan, "}%", &event->code, &event->code_len))
		return false;
	if (wt_expression_check(scan->file, event->code_line, event->code, event->code_len, NULL, NULL, error,
				sizeof(error)) >= 0)
		return true;
	scan->failed = true;
	memcpy(scan->error, error, sizeof(error));
	return false;
}

static bool parse_event(struct wt_scan *scan, struct wt_script_event *event)
{
	wt_scan_space(scan);
	event->line = scan->line;
	if (!parse_time(scan, event))
		return false;
	if (wt_scan_is(scan, "<")) {
		event->kind = WT_SE_INBOUND;
		if (event->when == WT_AT_ANY || event->range)
			return wt_scan_fail(scan, "an inbound packet needs one exact time");
		return wt_script_parse_packet(scan, false, &event->packet);
	}
	if (wt_scan_is(scan, ">")) {
		event->kind = WT_SE_OUTBOUND;
		return wt_script_parse_packet(scan, true, &event->packet);
	}
	if (event->when == WT_AT_ANY)
		return wt_scan_fail(scan, "only an expected packet may come at any time ('*')");
	if (wt_scan_is(scan, "%{")) {
		event->kind = WT_SE_CODE;
		if (event->range)
			return wt_scan_fail(scan, "a code block needs one exact time");
		return parse_code(scan, event);
	}
	if (wt_scan_peek(scan) == '`')
		return wt_scan_fail(scan, "shell commands are not run here; stack settings are --options at the top");
	event->kind = WT_SE_CALL;
	return wt_script_parse_call(scan, &event->call);
}

int wt_script_parse(struct wt_script *script, const char *file, const char *text, size_t len,
		    char error[WT_SCRIPT_ERROR])
{
	struct wt_scan scan;

	memset(script, 0, sizeof(*script));
	error[0] = 0;
	script->file = strdup(file);
	script->text = malloc(len + 1);
	if (!script->file || !script->text) {
		snprintf(error, WT_SCRIPT_ERROR, "%.300s: out of memory", file);
		return -ENOMEM;
	}
	memcpy(script->text, text, len);
	script->text[len] = 0;
	wt_scan_init(&scan, script->file, script->text, len);
	if (parse_settings(&scan, script)) {
		while (!wt_scan_done(&scan)) {
			struct wt_script_event *event =
				grow((void **)&script->events, &script->event_count, sizeof(*event));

			if (!event)
				wt_scan_fail(&scan, "out of memory");
			if (!event || !parse_event(&scan, event))
				break;
		}
	}
	if (!scan.failed && !script->event_count)
		wt_scan_fail(&scan, "the script has no event");
	memcpy(error, scan.error, sizeof(scan.error));
	return scan.failed ? -EINVAL : 0;
}

void wt_script_finish(struct wt_script *script)
{
	for (unsigned i = 0; i < script->setting_count; i++)
		free(script->settings[i].value);
	for (unsigned i = 0; i < script->event_count; i++) {
		wt_script_packet_finish(&script->events[i].packet);
		wt_script_call_finish(&script->events[i].call);
	}
	free(script->settings);
	free(script->events);
	free(script->file);
	free(script->text);
	memset(script, 0, sizeof(*script));
}

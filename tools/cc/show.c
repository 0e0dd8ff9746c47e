/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc show: a module's parameters with defaults, ranges and profiles. */
#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"
#include "stack/record/json.h"
#include "tools/modules/modules.h"
#include "tools/common/cli.h"

extern const struct wt_command wt_command_cc_show;

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "one line of JSON per module of that name"},
};

static const char *const types[] = {
	[WT_PARAM_TIME] = "time", [WT_PARAM_TIMER] = "time", [WT_PARAM_SIZE] = "size",     [WT_PARAM_RATE] = "rate",
	[WT_PARAM_COUNT] = "count", [WT_PARAM_NUMBER] = "number", [WT_PARAM_SHARE] = "share",
	[WT_PARAM_BOOL] = "on/off", [WT_PARAM_WORD] = "word",
};

/* "safe|paper", "1..65535", "on|off" */
static const char *range(const struct wt_param *p, char *text, size_t len)
{
	char low[32], high[32];
	size_t at = 0;

	text[0] = '\0';
	if (p->type == WT_PARAM_BOOL) {
		snprintf(text, len, "on|off");
	} else if (p->type == WT_PARAM_WORD) {
		for (size_t i = 0; p->words[i] && at < len; i++)
			at += (size_t)snprintf(text + at, len - at, "%s%s", i ? "|" : "", p->words[i]);
	} else if (p->min < p->max && (p->type == WT_PARAM_TIME || p->type == WT_PARAM_TIMER)) {
		snprintf(text, len, "%s..%s", wt_format_time((wt_time)p->min, low, sizeof(low)),
			 wt_format_time((wt_time)p->max, high, sizeof(high)));
	} else if (p->min < p->max) {
		snprintf(text, len, "%g..%g", p->min, p->max);
	}
	return text;
}

static void show_json(struct wt_json *json, const struct wt_cc_described *m)
{
	char text[128];

	wt_json_object(json, NULL);
	wt_json_string(json, "schema", "wavetank.cc.1");
	wt_json_string(json, "table", m->table);
	wt_json_string(json, "name", m->name);
	wt_json_string(json, "text", m->text);
	if (m->recovery)
		wt_json_string(json, "recovery", m->recovery);
	if (m->receiver)
		wt_json_string(json, "receiver", m->receiver);
	wt_json_array(json, "gauges");
	for (size_t i = 0; m->gauges && m->gauges[i]; i++)
		wt_json_string(json, NULL, m->gauges[i]);
	wt_json_end(json);
	wt_json_array(json, "parameters");
	for (size_t i = 0; i < m->param_count; i++) {
		const struct wt_param *p = &m->params[i];

		wt_json_object(json, NULL);
		wt_json_string(json, "name", p->name);
		wt_json_string(json, "type", types[p->type]);
		wt_json_string(json, "default", wt_param_format(p, m->defaults, text, sizeof(text)));
		wt_json_string(json, "range", range(p, text, sizeof(text)));
		wt_json_string(json, "text", p->text);
		if (m->presets) {
			wt_json_object(json, "profiles");
			for (const struct wt_cc_preset *preset = m->presets; preset->name; preset++)
				wt_json_string(json, preset->name, wt_param_format(p, preset->params, text, sizeof(text)));
			wt_json_end(json);
		}
		wt_json_end(json);
	}
	wt_json_end(json);
	wt_json_end(json);
}

static void show_profiles(const struct wt_cc_described *m)
{
	char value[128], usual[128];

	if (!m->presets)
		return;
	printf("\n  profiles, and where they differ from the defaults:\n");
	for (const struct wt_cc_preset *preset = m->presets; preset->name; preset++) {
		printf("    %-10s %s", preset->name, preset->text);
		for (size_t i = 0, shown = 0; i < m->param_count; i++) {
			wt_param_format(&m->params[i], preset->params, value, sizeof(value));
			wt_param_format(&m->params[i], m->defaults, usual, sizeof(usual));
			if (!strcmp(m->params[i].name, "profile") || !strcmp(value, usual))
				continue;
			printf("%s%s=%s", shown++ % 5 ? " " : "\n               ", m->params[i].name, value);
		}
		printf("\n");
	}
}

/* word: by which it is chosen, its name or its file. */
static void show_text(const struct wt_cc_described *m, const char *word)
{
	char value[128], bounds[128];

	printf("%s %s (%s %s)\n  %s\n", m->table, m->name, m->option, word, m->text);
	if (m->recovery)
		printf("  recovery, unless another is chosen: %s\n", m->recovery);
	if (m->param_count)
		printf("\n  parameters (%s %s:name=value,...):\n", m->option, word);
	for (size_t i = 0; i < m->param_count; i++) {
		const struct wt_param *p = &m->params[i];

		printf("    %-17s %s\n    %-17s default %s", p->name, p->text, "",
		       wt_param_format(p, m->defaults, value, sizeof(value)));
		printf(range(p, bounds, sizeof(bounds))[0] ? "  (%s)\n" : "%s\n", bounds);
	}
	show_profiles(m);
}

static int show(const char *name, bool as_json)
{
	struct wt_cc_subject subject;
	struct wt_json json;
	size_t i = 0;

	wt_json_init(&json, stdout);
	for (; wt_cc_subject_named(name, i, &subject); i++) {
		struct wt_cc_described m = wt_cc_describe(&subject);

		if (as_json) {
			show_json(&json, &m);
			continue;
		}
		if (i)
			printf("\n");
		show_text(&m, strchr(name, '/') ? name : m.name);
	}
	return i ? WT_EXIT_OK : wt_cc_no_module(name);
}

static int run(int argc, char **argv)
{
	const char *name = NULL, *json = NULL;

	if (wt_args_read(argc, argv, &json, &name, 1, "one module at a time"))
		return WT_EXIT_USAGE;
	if (!name)
		return wt_fail(WT_EXIT_USAGE, "the module is missing; wavetank cc list names them all");
	return show(name, json);
}

const struct wt_command wt_command_cc_show = {
	.name = "cc show",
	.arguments = "MODULE",
	.text = "show a congestion module's parameters, their defaults, ranges and profiles",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "Shows every module of that name: a sender, a recovery and a receiver may share one. ./x.so: those of a module file.\n"
		 "  wavetank cc show real",
};

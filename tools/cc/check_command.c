/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc check: the contract of modules, rule by rule. */
#include <stdio.h>

#include "stack/record/json.h"
#include "tools/modules/modules.h"
#include "tools/common/cli.h"

extern const struct wt_command wt_command_cc_check;

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "one line of JSON per module"},
};

enum { TRIALS = 6 }; /* histories of ten thousand events, each run three times */

struct check {
	bool json;
	struct wt_json out;
	unsigned modules, broken;
};

static const char *verdict_of(const struct wt_cc_report *report, unsigned rule)
{
	return report->broken[rule][0] ? "BROKEN" : report->tried[rule] ? "ok" : "-";
}

static void print_text(const struct wt_cc_described *m, const struct wt_cc_report *report, bool first)
{
	printf("%s%s %s\n", first ? "" : "\n", m->table, m->name ? m->name : "(no name)");
	for (unsigned rule = 0; rule < WT_CC_RULE_COUNT; rule++)
		if (report->tried[rule])
			printf("  %-7s %-11s %s%s%s\n", verdict_of(report, rule), wt_cc_rule_info[rule].name, wt_cc_rule_info[rule].text,
			       report->broken[rule][0] ? ": " : "", report->broken[rule]);
	if (report->ended[0])
		printf("  %-7s %-11s %s\n", "BROKEN", "ended", report->ended);
}

static void print_json(struct wt_json *json, const struct wt_cc_described *m, const struct wt_cc_report *report)
{
	char text[300];

	wt_json_object(json, NULL);
	wt_json_string(json, "schema", "wavetank.cc-check.1");
	wt_json_string(json, "table", m->table);
	wt_json_string(json, "name", m->name ? m->name : "");
	wt_json_bool(json, "ok", !wt_cc_check_verdict(report, text, sizeof(text)));
	wt_json_array(json, "rules");
	for (unsigned rule = 0; rule < WT_CC_RULE_COUNT; rule++) {
		if (!report->tried[rule])
			continue;
		wt_json_object(json, NULL);
		wt_json_string(json, "name", wt_cc_rule_info[rule].name);
		wt_json_string(json, "text", wt_cc_rule_info[rule].text);
		wt_json_bool(json, "ok", !report->broken[rule][0]);
		if (report->broken[rule][0])
			wt_json_string(json, "broken", report->broken[rule]);
		wt_json_end(json);
	}
	wt_json_end(json);
	if (report->ended[0])
		wt_json_string(json, "ended", report->ended);
	wt_json_end(json);
}

static int check_one(struct check *check, const struct wt_cc_subject *subject)
{
	struct wt_cc_described m = wt_cc_describe(subject);
	struct wt_cc_report report;
	char text[300];

	if (wt_cc_check_apart(subject, TRIALS, &report))
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot start a process to test the module in");
	if (check->json)
		print_json(&check->out, &m, &report);
	else
		print_text(&m, &report, check->modules == 0);
	check->modules++;
	check->broken += wt_cc_check_verdict(&report, text, sizeof(text)) != NULL;
	return 0;
}

static int check_named(struct check *check, const char *name)
{
	struct wt_cc_subject subject;
	int code = 0;
	size_t i = 0;

	for (; !code && wt_cc_subject_named(name, i, &subject); i++)
		code = check_one(check, &subject);
	return code ? code : i ? 0 : wt_cc_no_module(name);
}

static int run(int argc, char **argv)
{
	struct check check = {0};
	struct wt_cc_subject subject;
	struct wt_args args;
	int option, code = 0, words = 0;

	wt_json_init(&check.out, stdout);
	wt_args_init(&args, &wt_command_cc_check, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == OPT_JSON)
			check.json = true;
		else
			argv[words++] = (char *)(uintptr_t)args.value; /* options may stand behind; what was read is room for words */
	}
	for (int i = 0; i < words && !code; i++)
		code = check_named(&check, argv[i]);
	for (size_t i = 0; !words && !code && wt_cc_subject_at(i, &subject); i++)
		code = check_one(&check, &subject);
	if (code)
		return code;
	if (check.broken)
		return wt_fail(WT_EXIT_FAILED, "%u of %u module%s break%s the contract", check.broken, check.modules,
			       check.modules == 1 ? "" : "s", check.broken == 1 ? "s" : "");
	wt_say("%u module%s the contract", check.modules, check.modules == 1 ? " keeps" : "s keep");
	return WT_EXIT_OK;
}

const struct wt_command wt_command_cc_check = {
	.name = "cc check",
	.arguments = "[MODULE...]",
	.text = "check congestion modules against the contract, rule by rule",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "Without MODULE: every module of the program. Exit code 1 if one breaks a rule.\n"
		 "  wavetank cc check cubic ./mine.so",
};

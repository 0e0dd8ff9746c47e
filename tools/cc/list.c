/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc list. */
#include <stdio.h>

#include "stack/record/json.h"
#include "tools/modules/modules.h"
#include "tools/common/cli.h"

extern const struct wt_command wt_command_cc_list;

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "one line of JSON per module"},
};

static void list_json(void)
{
	struct wt_cc_subject subject;
	struct wt_json json;

	wt_json_init(&json, stdout);
	for (size_t i = 0; wt_cc_subject_at(i, &subject); i++) {
		struct wt_cc_described m = wt_cc_describe(&subject);

		wt_json_object(&json, NULL);
		wt_json_string(&json, "schema", "wavetank.cc.1");
		wt_json_string(&json, "table", m.table);
		wt_json_string(&json, "name", m.name);
		wt_json_string(&json, "text", m.text);
		if (m.recovery)
			wt_json_string(&json, "recovery", m.recovery);
		wt_json_u64(&json, "parameters", m.param_count);
		wt_json_end(&json);
	}
}

static void list_text(void)
{
	const char *table = NULL;
	struct wt_cc_subject subject;

	for (size_t i = 0; wt_cc_subject_at(i, &subject); i++) {
		struct wt_cc_described m = wt_cc_describe(&subject);

		if (m.table != table)
			printf("%s%s (%s)\n", table ? "\n" : "", m.table, m.option);
		table = m.table;
		printf("  %-10s %s\n", m.name, m.text);
	}
}

static int run(int argc, char **argv)
{
	const char *json = NULL;

	if (wt_args_read(argc, argv, &json, NULL, 0, "wavetank cc show NAME shows one module"))
		return WT_EXIT_USAGE;
	if (json)
		list_json();
	else
		list_text();
	return WT_EXIT_OK;
}

const struct wt_command wt_command_cc_list = {
	.name = "cc list",
	.arguments = "",
	.text = "list the congestion modules: senders, recoveries, receivers",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
};

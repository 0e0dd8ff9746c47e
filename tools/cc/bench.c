/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc bench: what an ACK costs in each sender module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stack/record/json.h"
#include "stack/text/units.h"
#include "tools/cc/cost.h"
#include "tools/modules/load.h"
#include "tools/modules/modules.h"
#include "tools/common/cli.h"

extern const struct wt_command wt_command_cc_bench;

enum { OPT_JSON, OPT_ACKS };

static const struct wt_option options[] = {
	[OPT_JSON] = {0, "json", NULL, "one line of JSON per module"},
	[OPT_ACKS] = {0, "acks", "N", "how many ACKs are counted (default 250)"},
};

enum { ACKS = 250, ACKS_MAX = 100000 };

struct bench {
	bool json, first;
	uint32_t acks;
	struct wt_json out;
};

static int print(struct bench *b, const char *name, const struct wt_cc_cost *cost)
{
	if (!b->json) {
		if (b->first)
			printf("%-20s %10s %10s   instructions per ACK\n", "module", "mean", "most");
		b->first = false;
		printf("%-20s %10.1f %10u\n", name, cost->mean, cost->most);
		return 0;
	}
	wt_json_object(&b->out, NULL);
	wt_json_string(&b->out, "schema", "wavetank.cc-bench.1");
	wt_json_string(&b->out, "module", name);
	wt_json_number(&b->out, "instructions_per_ack", cost->mean);
	wt_json_u64(&b->out, "most", cost->most);
	wt_json_u64(&b->out, "acks", cost->acks);
	wt_json_end(&b->out);
	return 0;
}

static int bench_one(struct bench *b, const char *word)
{
	struct wt_sender_choice choice;
	struct wt_cc_cost cost;
	char err[700];
	int error;

	if (wt_cc_choose_sender(NULL, word, &choice, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	error = wt_cc_cost(&choice, b->acks, &cost);
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "the instructions of %s cannot be counted: ptrace: %s", word, strerror(-error));
	return print(b, word, &cost);
}

static int read_acks(const char *value, uint32_t *acks)
{
	uint64_t count;

	if (wt_parse_count(value, &count, NULL, 0) || count < 1 || count > ACKS_MAX)
		return -EINVAL;
	*acks = (uint32_t)count;
	return 0;
}

static int run(int argc, char **argv)
{
	struct bench b = {.first = true, .acks = ACKS};
	struct wt_args args;
	int option, code = 0, words = 0;

	wt_json_init(&b.out, stdout);
	wt_args_init(&args, &wt_command_cc_bench, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == OPT_JSON)
			b.json = true;
		else if (option == OPT_ACKS && read_acks(args.value, &b.acks))
			return wt_fail(WT_EXIT_USAGE, "--acks: '%.40s': expected 1 to %d", args.value, ACKS_MAX);
		else if (option != OPT_ACKS)
			argv[words++] = (char *)(uintptr_t)args.value; /* options may stand behind; what was read is room for words */
	}
	for (int i = 0; i < words && !code; i++)
		code = bench_one(&b, argv[i]);
	for (size_t i = 0; !words && !code && wt_senders[i]; i++)
		code = bench_one(&b, wt_senders[i]->name);
	return code;
}

const struct wt_command wt_command_cc_bench = {
	.name = "cc bench",
	.arguments = "[MODULE...]",
	.text = "count the instructions that sender modules take per ACK",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "Counted one by one: a child process is single-stepped through the hooks of so many ACKs, on a path of 100 Mbit/s and 40 ms.\n"
		 "The count is exact and needs no privilege; it belongs to this build of the program. Without MODULE: every sender.\n"
		 "  wavetank cc bench cubic ./mine.so",
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank bench: how fast the engine is, beside others, in turn. What is run and measured is in tools/bench (Python). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/python.h"

extern const struct wt_command wt_command_bench;

enum { OPT_OUTPUT, OPT_ROUNDS, OPT_SIZE, OPT_NUMBER, OPT_CALLS };

static const struct wt_option options[] = {
	[OPT_OUTPUT] = {'o', "output", "FOLDER", "results: bench.jsonl, bench.txt, bench.svg (default bench)"},
	[OPT_ROUNDS] = {0, "rounds", "N", "times each is run, in turn with the others (default 3)"},
	[OPT_SIZE] = {0, "size", "SIZE", "of each bulk transfer (default 1GB; ten times as much with offloads)"},
	[OPT_NUMBER] = {'n', "number", "N", "requests, connections opened, idle, active (default 10000)"},
	[OPT_CALLS] = {0, "calls", NULL, "count system calls by strace, too: once, beside the rounds"},
};

static const char *const kinds[] = {"bulk", "ask", "open", "idle", "active", "sim", "chain", "air"};

static bool is_kind(const char *word)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(word, kinds[i]))
			return true;
	return false;
}

/* The script gets numbers without units. `text` keeps them. */
static int number(const char *option, const char *value, bool size, uint64_t most, char text[24])
{
	char err[200];
	uint64_t n;

	if (size ? wt_parse_size(value, &n, err, sizeof(err)) : wt_parse_count(value, &n, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "--%s: %s", option, err);
	if (n < 1 || n > most)
		return wt_fail(WT_EXIT_USAGE, "--%s: %s is not from 1 to %llu", option, value, (unsigned long long)most);
	snprintf(text, 24, "%llu", (unsigned long long)n);
	return WT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	char program[512] = "", rounds[24] = "3", size[24] = "1000000000", count[24] = "10000";
	const char *words[24] = {program, "bench", rounds, size, count, "", wt_quiet ? "quiet" : ""};
	unsigned word = 7;
	struct wt_args args;
	int option, code = WT_EXIT_OK;

	wt_args_init(&args, wt_current_command, argc, argv);
	while (!code && (option = wt_args_next(&args)) != WT_ARGS_END) {
		switch (option) {
		case WT_ARGS_BAD: return WT_EXIT_USAGE;
		case OPT_OUTPUT: words[1] = args.value; break;
		case OPT_ROUNDS: code = number("rounds", args.value, false, 1000, rounds); break;
		case OPT_SIZE: code = number("size", args.value, true, (uint64_t)1 << 40, size); break;
		case OPT_NUMBER: code = number("number", args.value, false, 60000, count); break;
		case OPT_CALLS: words[5] = "calls"; break;
		case WT_ARGS_WORD:
			if (!is_kind(args.value))
				return wt_fail(WT_EXIT_USAGE, "no measurement '%s'; known: bulk, ask, open, idle, active, sim, chain, air", args.value);
			if (word < 20)
				words[word++] = args.value;
			break;
		}
	}
	if (code)
		return code;
	words[6] = wt_quiet ? "quiet" : "";
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "/proc is not mounted");
	return wt_python_run("bench", "bench.py", "python3", -1, words);
}

const struct wt_command wt_command_bench = {
	.name = "bench",
	.arguments = "[bulk|ask|open|idle|active|sim|chain|air]...",
	.text = "measure how fast our engine is, in turn with others",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "  wavetank bench                        everything there is here to measure\n"
		 "  wavetank bench bulk --rounds 5 -o b   bulk over TAPs and packet sockets, with and without offloads\n"
		 "  wavetank bench air                    200 s of seven hops, 20 s of 225 stations, beside ns-2",
};

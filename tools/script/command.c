/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank script run: packet scripts against the engine, results in the Test Anything Protocol. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/cli.h"
#include "tools/script/language/packet.h"
#include "tools/script/runner/run.h"

#define FILE_MAX (1 << 20) /* bytes of one script */

extern const struct wt_command wt_command_script_run;

enum { OPT_TOLERANCE, OPT_PRESET, OPT_SETTING, OPT_SENDER, OPT_RECOVERY, OPT_RECEIVER, OPT_ISN, OPT_LOCAL_ISN, OPT_WITH, OPT_INSIST, OPT_VERBOSE };

static const struct wt_option options[] = {
	[OPT_TOLERANCE] = {0, "tolerance", "TIME", "how far a packet may be from its time (default 0)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings: modern, bsd90, xkernel, ns2"},
	[OPT_SETTING] = {'S', "set", "NAME=VALUE", "one stack setting; may be repeated"},
	[OPT_SENDER] = {'C', "congestion", "MODULE", "sender module with parameters (default newreno, recovery sack)"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module (default standard)"},
	[OPT_ISN] = {0, "remote-isn", "N", "where the script's sequence numbers begin on the wire (default 0)"},
	[OPT_LOCAL_ISN] = {0, "local-isn", "N", "our first initial sequence number (default: as it comes)"},
	[OPT_WITH] = {0, "with", "WORDS", "add timestamps,sack,window_scaling,merge where scripts leave them open"},
	[OPT_INSIST] = {0, "insist", NULL, "with --with: scripts that say they cannot must fail with it"},
	[OPT_VERBOSE] = {'v', "verbose", NULL, "print every packet, as comments in script notation"},
};

/* The names of the head option each command-line option stands for. */
static const char *const head_names[] = {
	[OPT_TOLERANCE] = "tolerance", [OPT_PRESET] = "preset",     [OPT_SETTING] = "stack", [OPT_SENDER] = "C",
	[OPT_RECOVERY] = "recovery",   [OPT_RECEIVER] = "receiver", [OPT_ISN] = "remote_isn",
	[OPT_LOCAL_ISN] = "local_isn",
};

struct list {
	char **names;
	size_t count, room;
};

static bool list_add(struct list *list, const char *name)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		char **bigger = realloc(list->names, room * sizeof(*bigger));

		if (!bigger)
			return false;
		list->names = bigger;
		list->room = room;
	}
	list->names[list->count] = strdup(name);
	return list->names[list->count++] != NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_script(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".pkt");
}

/* A folder stands for the scripts in it and below, in the order of their names. */
static int collect(struct list *list, const char *path, unsigned depth)
{
	struct list inside = {0};
	struct dirent *entry;
	struct stat st;
	int status = 0;
	DIR *dir;

	if (stat(path, &st))
		return wt_fail(WT_EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || depth > 8)
		return list_add(list, path) ? 0 : wt_fail(WT_EXIT_INTERNAL, "out of memory");
	dir = opendir(path);
	if (!dir)
		return wt_fail(WT_EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	while ((entry = readdir(dir))) {
		char name[4096];

		if (entry->d_name[0] == '.' || (size_t)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= sizeof(name))
			continue;
		if (stat(name, &st) == 0 && (S_ISDIR(st.st_mode) || is_script(name)))
			list_add(&inside, name);
	}
	closedir(dir);
	if (inside.count)
		qsort(inside.names, inside.count, sizeof(*inside.names), by_name);
	for (size_t i = 0; i < inside.count; i++) {
		if (!status)
			status = collect(list, inside.names[i], depth + 1);
		free(inside.names[i]);
	}
	free(inside.names);
	return status;
}

/* A folder without scripts is more likely a wrong folder than a test that passed. */
static int collect_some(struct list *list, const char *path)
{
	size_t before = list->count;
	int status = collect(list, path, 0);

	if (!status && list->count == before)
		return wt_fail(WT_EXIT_USAGE, "no script (*.pkt) in '%s'", path);
	return status;
}

static char *read_file(const char *name, size_t *len)
{
	FILE *file = fopen(name, "rb");
	char *text = file ? malloc(FILE_MAX + 1) : NULL;

	if (text) {
		*len = fread(text, 1, FILE_MAX + 1, file);
		if (ferror(file) || *len > FILE_MAX) {
			errno = ferror(file) ? EIO : EFBIG;
			free(text);
			text = NULL;
		}
	}
	if (file)
		fclose(file);
	return text;
}

static void print_comment(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("# %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

/* What is counted over all scripts. */
struct totals {
	size_t whole, part, not_run, own; /* with --with: all added, some, none for a reason, none because the script writes its own */
	unsigned long windows, together;
	unsigned without[4];
};

/* How much of what was to be added could be; a note for the line of TAP. */
static const char *note(struct totals *totals, const struct wt_script_options *asked, const struct wt_script_report *report, char *text,
			size_t len)
{
	unsigned refused = asked->with & report->without;

	totals->windows += report->windows;
	totals->together += report->together;
	if (!asked->with)
		return "";
	for (unsigned i = 0; i < 4; i++)
		totals->without[i] += refused >> i & 1;
	if (report->with) {
		totals->whole += !refused;
		totals->part += refused != 0;
		text[0] = '\0';
		if (refused)
			snprintf(text, len, " (without %s)", report->why);
		return text;
	}
	totals->not_run += refused != 0;
	totals->own += !refused;
	if (refused)
		snprintf(text, len, " # not run: without %s", report->why);
	else
		snprintf(text, len, " # not run: the script sets these options itself");
	return text;
}

/* A reason that is none any more: the script passes with the options that it says it cannot run with. */
static bool stale(const struct wt_script *script, const struct wt_script_options *defaults, struct wt_script_report *report)
{
	const unsigned refused = defaults->with & report->without, ran = report->with;
	struct wt_script_report one;

	for (unsigned bit = 1; bit <= refused; bit <<= 1) {
		struct wt_script_options forced = *defaults;

		if (!(refused & bit))
			continue;
		forced.with = ran | bit;
		forced.insist = true;
		if (!wt_script_run(script, &forced, NULL, &one) || !(one.with & bit))
			continue;
		snprintf(report->text, sizeof(report->text), "%.300s: passes with the options that it says it cannot run with (%.400s)", script->file,
			 report->why);
		return true;
	}
	return false;
}

/* One line of TAP; 0, 1 or 2 as the exit code. */
static enum wt_exit run_one(size_t number, const char *name, const struct wt_script_options *defaults, bool insist, FILE *log,
			    struct totals *totals)
{
	struct wt_script script;
	struct wt_script_report report = {.bad = true};
	char *text, added[500] = "";
	bool passed = false;
	size_t len = 0;

	text = read_file(name, &len);
	if (!text) {
		snprintf(report.text, sizeof(report.text), "%s: %s", name, strerror(errno));
	} else if (wt_script_parse(&script, name, text, len, report.text)) {
		wt_script_finish(&script);
	} else {
		passed = wt_script_run(&script, defaults, log, &report);
		if (passed && insist && stale(&script, defaults, &report))
			passed = false;
		wt_script_finish(&script);
	}
	free(text);
	printf("%s %zu - %s%s\n", passed ? "ok" : "not ok", number, name, note(totals, defaults, &report, added, sizeof(added)));
	print_comment(report.text);
	fflush(stdout);
	return passed ? WT_EXIT_OK : report.bad ? WT_EXIT_USAGE : WT_EXIT_FAILED;
}

static void print_totals(const struct totals *totals, const struct wt_script_options *asked)
{
	if (asked->with)
		printf("# added to %zu scripts, in part to %zu, for a reason not to %zu (timestamps %u, sack %u, window_scaling %u, merge %u times); "
		       "%zu set them themselves\n", totals->whole, totals->part, totals->not_run, totals->without[0], totals->without[1],
		       totals->without[2], totals->without[3], totals->own);
	if (asked->with & WT_SX_MERGE)
		printf("# %lu packets arrived at the same instant as others\n", totals->together);
	printf("# %lu windows compared with the rule\n", totals->windows);
}

static int run_all(const struct list *list, const struct wt_script_options *defaults, bool insist, FILE *log)
{
	struct totals totals = {0};
	int status = WT_EXIT_OK;

	printf("TAP version 13\n1..%zu\n", list->count);
	for (size_t i = 0; i < list->count; i++) {
		int one = run_one(i + 1, list->names[i], defaults, insist, log, &totals);

		status = one > status ? one : status; /* an unreadable script outweighs a failed one */
	}
	print_totals(&totals, defaults);
	return status;
}

static int run(int argc, char **argv)
{
	struct wt_script_options defaults;
	struct list list = {0};
	FILE *log = NULL;
	struct wt_args args;
	char error[256];
	int option, status = WT_EXIT_OK;
	bool insist = false;

	wt_script_options_init(&defaults);
	wt_args_init(&args, &wt_command_script_run, argc, argv);
	while (!status && (option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			status = WT_EXIT_USAGE;
		else if (option == WT_ARGS_WORD)
			status = collect_some(&list, args.value);
		else if (option == OPT_VERBOSE)
			log = stdout;
		else if (option == OPT_INSIST)
			insist = true;
		else if (option == OPT_WITH) {
			defaults.with = wt_script_with(args.value, error, sizeof(error));
			if (!defaults.with)
				status = wt_fail(WT_EXIT_USAGE, "--with: %s", error);
		}
		else if (wt_script_options_set(&defaults, head_names[option], args.value, error, sizeof(error)))
			status = wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, error);
	}
	if (!status && !list.count)
		status = wt_fail(WT_EXIT_USAGE, "no script named; try 'wavetank script run FILE.pkt'");
	if (!status && insist && !defaults.with)
		status = wt_fail(WT_EXIT_USAGE, "--insist requires --with");
	status = status ? status : run_all(&list, &defaults, insist, log);
	for (size_t i = 0; i < list.count; i++)
		free(list.names[i]);
	free(list.names);
	return status;
}

const struct wt_command wt_command_script_run = {
	.name = "script run",
	.arguments = "FILE|FOLDER...",
	.text = "run packet scripts against the engine in virtual time",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "A script says which packets arrive, which must leave and when, and what the application calls\n"
		 "(docs/packet-scripts.md). A folder stands for every *.pkt in it. Options at the head of a script win over\n"
		 "those given here. Exit: 0 all passed, 1 some failed, 2 a script cannot be read.\n"
		 "  wavetank script run -v tests/script/states",
};

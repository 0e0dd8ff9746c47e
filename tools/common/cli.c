/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/params.h"
#include "tools/common/wrap.h"
#include "tools/version.h"

#define WT_COMMAND(id) extern const struct wt_command wt_command_##id;
#include "tools/commands.def"
#undef WT_COMMAND

const struct wt_command *const wt_commands[] = {
#define WT_COMMAND(id) &wt_command_##id,
#include "tools/commands.def"
#undef WT_COMMAND
};
const size_t wt_command_count = sizeof(wt_commands) / sizeof(wt_commands[0]);

bool wt_quiet;
const char *wt_stdout_name = "standard output";
void (*wt_before_message)(void);
const struct wt_command *wt_current_command;

/* ---- messages ----------------------------------------------------------------------------------------- */

int wt_fail(enum wt_exit code, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	if (wt_before_message)
		wt_before_message();
	fprintf(stderr, "wavetank%s%s: ", wt_current_command ? " " : "", wt_current_command ? wt_current_command->name : "");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return code;
}

void wt_say(const char *format, ...)
{
	va_list ap;

	if (wt_quiet)
		return;
	if (wt_before_message)
		wt_before_message();
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* ---- names -------------------------------------------------------------------------------------------- */

/* The second words of the commands that begin with one. */
static const char *next_verb(const void *object, size_t i)
{
	size_t len = strlen(object);

	for (size_t at = 0; at < wt_command_count; at++)
		if (!strncmp(wt_commands[at]->name, object, len) && wt_commands[at]->name[len] == ' ' && i-- == 0)
			return wt_commands[at]->name + len + 1;
	return NULL;
}

/* The first words of all commands, duplicates included. */
static const char *next_object(const void *ctx, size_t i)
{
	static char words[sizeof(wt_commands) / sizeof(wt_commands[0])][16]; /* the caller keeps the best of them */

	if (i >= wt_command_count)
		return NULL;
	snprintf(words[i], sizeof(words[i]), "%.*s", (int)strcspn(wt_commands[i]->name, " "), wt_commands[i]->name);
	return words[i];
}

static const char *next_option_name(const void *ctx, size_t i)
{
	const struct wt_command *command = ctx;

	if (i < command->option_count)
		return command->options[i].name;
	return i == command->option_count ? "help" : i == command->option_count + 1 ? "quiet" : NULL;
}

static bool is_object(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < wt_command_count; i++)
		if (strncmp(wt_commands[i]->name, word, len) == 0 && wt_commands[i]->name[len] == ' ')
			return true;
	return false;
}

/* "lab up" before "lab"; *words says how many arguments the name took. */
static const struct wt_command *find_command(int argc, char **argv, int *words)
{
	char name[64];

	for (*words = argc < 2 ? argc : 2; *words > 0; --*words) {
		snprintf(name, sizeof(name), *words == 2 ? "%s %s" : "%s", argv[0], *words == 2 ? argv[1] : "");
		for (size_t i = 0; i < wt_command_count; i++)
			if (strcmp(wt_commands[i]->name, name) == 0)
				return wt_commands[i];
	}
	return NULL;
}

static int unknown_command(int argc, char **argv)
{
	char hint[80] = "";
	const char *nearest;

	if (!is_object(argv[0])) {
		nearest = wt_nearest_word(argv[0], next_object, NULL);
		return wt_fail(WT_EXIT_USAGE, "no command '%s'%s%s%s; 'wavetank help' lists them", argv[0],
			       nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	}
	if (argc < 2)
		return wt_fail(WT_EXIT_USAGE, "'%s' needs a second word; 'wavetank help %s' lists them", argv[0], argv[0]);
	nearest = wt_nearest_word(argv[1], next_verb, argv[0]);
	if (nearest)
		snprintf(hint, sizeof(hint), "; did you mean '%s %s'?", argv[0], nearest);
	return wt_fail(WT_EXIT_USAGE, "no command '%s %s'%s; 'wavetank help %s' lists them", argv[0], argv[1], hint, argv[0]);
}

/* ---- help --------------------------------------------------------------------------------------------- */

static const struct {
	const char *object, *text;
} objects[] = {
	{"lab", "hosts and emulated paths in namespaces of their own"},
	{"kernel", "the kernel's TCP at either end of a lab: the yardstick"},
	{"emu", "a path between interfaces, in real time"},
	{"paper", "the published tables: re-created, compared, judged"},
	{"sweep", "any parameter as an axis, repeats, shards for a cluster"},
	{"report", "results as one HTML page with figures"},
	{"trace", "an engine's journal as figures, qlog, xplot, CSV"},
	{"script", "packets in, packets expected, in virtual time"},
	{"cc", "the congestion modules and their parameters"},
	{"wireshark", "TCP-Real, drops and labs shown by Wireshark"},
	{"mobility", "patterns of movement: made, converted, described"},
};

/* Does the command belong to this object? Gives its verb, or NULL. */
static const char *verb_of(const struct wt_command *command, const char *object)
{
	size_t len = strlen(object);

	return strncmp(command->name, object, len) == 0 && command->name[len] == ' ' ? command->name + len + 1 : NULL;
}

static void print_object(const char *object, const char *text)
{
	char left[64];
	int len = snprintf(left, sizeof(left), "%s ", object);
	bool more = false;

	for (size_t i = 0; i < wt_command_count; i++) {
		const char *verb = verb_of(wt_commands[i], object);

		if (verb && len < (int)sizeof(left))
			len += snprintf(left + len, sizeof(left) - (size_t)len, "%s%s", more ? "|" : "", verb);
		more |= verb != NULL;
	}
	printf("  %-42s %s\n", left, text);
}

/* The column in which the text of a command begins, behind the longest name of its group. */
static size_t text_column(const char *object)
{
	size_t most = 0;

	for (size_t i = 0; i < wt_command_count; i++)
		if (verb_of(wt_commands[i], object) && strlen(wt_commands[i]->name) > most)
			most = strlen(wt_commands[i]->name);
	return most + 4;
}

/* All commands, one line each, those of one object together; or those of one object. */
static void print_overview(const char *object)
{
	size_t column = object ? text_column(object) : 0;

	if (object) {
		for (size_t i = 0; i < wt_command_count; i++)
			if (verb_of(wt_commands[i], object)) {
				printf("  %-*s", (int)column - 2, wt_commands[i]->name);
				wt_wrap(stdout, wt_commands[i]->text, (unsigned)column, column);
			}
		return;
	}
	puts("wavetank: a laboratory for TCP in userspace; usage: wavetank COMMAND [OPTIONS] [WORDS]");
	for (size_t i = 0; i < wt_command_count; i++)
		if (!strchr(wt_commands[i]->name, ' '))
			printf("  %-42s %s\n", wt_commands[i]->name, wt_commands[i]->text);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		print_object(objects[i].object, objects[i].text);
	puts("wavetank COMMAND --help has options and examples. Quantities need a unit: 10Mbit 64KB 5MiB 15ms 20%.\n"
	     "Exit codes: 0 fine, 1 expectation failed, 2 usage, 3 environment, 4 peer, 5 some runs, 124 time-out.");
}

#define TEXT 31 /* the column in which what an option does begins */

static void print_option(char letter, const char *name, const char *argument, const char *text)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ', letter ? ", " : "  ", name,
		 argument ? " " : "", argument ? argument : "");
	if (strlen(left) > TEXT - 4) /* two blanks tell where the text begins */
		printf("  %s\n%*s", left, TEXT, "");
	else
		printf("  %-*s", TEXT - 2, left);
	wt_wrap(stdout, text, TEXT, TEXT);
}

/* Lines that begin with a space are commands to copy, and stay; others are prose, which is filled up to the width of a line. */
static void print_notes(const char *notes)
{
	char prose[4000] = "";

	for (const char *line = notes; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		size_t len = strcspn(line, "\n"), used = strlen(prose);
		bool copied = *line == ' ' || !len;

		if (!copied)
			snprintf(prose + used, sizeof(prose) - used, "%s%.*s", used ? " " : "", (int)len, line);
		if (*prose && (copied || !line[len] || !line[len + 1])) {
			wt_wrap(stdout, prose, 0, 0);
			*prose = '\0';
		}
		if (copied)
			printf("%.*s\n", (int)len, line);
	}
}

void wt_command_help_print(const struct wt_command *command)
{
	printf("usage: wavetank %s%s%s%s\n\n%s\n\n", command->name, command->option_count ? " [OPTIONS]" : "",
	       command->arguments && *command->arguments ? " " : "", command->arguments ? command->arguments : "",
	       command->text);
	for (size_t i = 0; i < command->option_count; i++)
		print_option(command->options[i].letter, command->options[i].name, command->options[i].argument,
			     command->options[i].text);
	print_option('h', "help", NULL, "print this and exit");
	print_option(0, "quiet", NULL, "no messages for people");
	if (command->notes) {
		putchar('\n');
		print_notes(command->notes);
	}
}

static const struct wt_option help_options[] = {
	{0, "commands", NULL, "only the names of all commands, one per line"},
};

static int help_run(int argc, char **argv)
{
	const struct wt_command *command;
	char *words[2];
	struct wt_args args;
	int count = 0, used, option;

	wt_args_init(&args, wt_current_command, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == 0) {
			for (size_t i = 0; i < wt_command_count; i++)
				puts(wt_commands[i]->name);
			return WT_EXIT_OK;
		}
		if (count == 2)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one command at a time", args.value);
		words[count++] = (char *)args.value;
	}
	if (count == 0) {
		print_overview(NULL);
		return WT_EXIT_OK;
	}
	command = find_command(count, words, &used);
	if (command && used == count)
		wt_command_help_print(command);
	else if (count == 1 && is_object(words[0]))
		print_overview(words[0]);
	else if (command)
		return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one command at a time", words[used]);
	else
		return unknown_command(count, words);
	return WT_EXIT_OK;
}

const struct wt_command wt_command_help = {
	.name = "help",
	.arguments = "[COMMAND]",
	.text = "list commands (help lab: of a group), or one's options",
	.options = help_options,
	.option_count = 1,
	.run = help_run,
};

static void print_version(void)
{
	printf("wavetank %s\ncommit   %s\ncompiler %s %s\nbackends virtual tap packet\n", WT_VERSION,
	       *WT_COMMIT ? WT_COMMIT : "unknown",
#ifdef __clang__
	       "clang", __clang_version__
#else
	       "gcc", __VERSION__
#endif
	);
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

void wt_args_init(struct wt_args *args, const struct wt_command *command, int argc, char **argv)
{
	*args = (struct wt_args){.command = command, .argc = argc, .at = 1, .argv = argv};
}

static bool take_argument(struct wt_args *args, const char *shown)
{
	if (args->at < args->argc) {
		args->value = args->argv[args->at++];
		return true;
	}
	wt_fail(WT_EXIT_USAGE, "option %s needs an argument", shown);
	return false;
}

/* A file would be named "-", and its companions "--drops" and the like: nobody wants these. */
static int check_value(const struct wt_args *args, size_t at)
{
	static const char *const names[] = {"FILE", "PATH", "DIR", "FOLDER", "FILE|-"};
	const struct wt_option *option = &args->command->options[at];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && option->argument; i++) {
		if (strcmp(option->argument, names[i]) != 0)
			continue;
		if (!*args->value)
			wt_fail(WT_EXIT_USAGE, "--%s: expected the name of a file, not an empty word", option->name);
		else if (!strcmp(args->value, "-") && !strchr(names[i], '|'))
			wt_fail(WT_EXIT_USAGE, "--%s: '-' (standard input or output) cannot be used here; a file of that name is ./-", option->name);
		else
			continue;
		return WT_ARGS_BAD;
	}
	return (int)at;
}

static int next_letter(struct wt_args *args)
{
	char letter = *args->cluster++, shown[3] = {'-', letter, 0};

	if (!*args->cluster)
		args->cluster = NULL;
	for (size_t i = 0; i < args->command->option_count; i++) {
		if (args->command->options[i].letter != letter)
			continue;
		if (args->command->options[i].argument) {
			if (args->cluster) {
				args->value = args->cluster;
				args->cluster = NULL;
			} else if (!take_argument(args, shown)) {
				return WT_ARGS_BAD;
			}
		}
		return check_value(args, i);
	}
	if (letter == 'h') {
		wt_command_help_print(args->command);
		exit(fflush(stdout) ? WT_EXIT_ENVIRONMENT : WT_EXIT_OK);
	}
	wt_fail(WT_EXIT_USAGE, "no option %s; 'wavetank %s --help' lists them", shown, args->command->name);
	return WT_ARGS_BAD;
}

/* `name` points behind the dashes. */
static int next_long(struct wt_args *args, const char *name)
{
	const struct wt_command *command = args->command;
	size_t len = strcspn(name, "=");
	const char *nearest;
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)(len < 60 ? len : 60), name);
	for (size_t i = 0; i < command->option_count; i++) {
		if (strlen(command->options[i].name) != len || memcmp(command->options[i].name, name, len) != 0)
			continue;
		if (!command->options[i].argument && name[len]) {
			wt_fail(WT_EXIT_USAGE, "option --%s takes no argument", text);
			return WT_ARGS_BAD;
		}
		if (name[len])
			args->value = name + len + 1;
		else if (command->options[i].argument && !take_argument(args, name - 2))
			return WT_ARGS_BAD;
		return check_value(args, i);
	}
	if (strcmp(name, "help") == 0) {
		wt_command_help_print(command);
		exit(fflush(stdout) ? WT_EXIT_ENVIRONMENT : WT_EXIT_OK);
	}
	if (strcmp(name, "quiet") == 0) {
		wt_quiet = true;
		return wt_args_next(args);
	}
	nearest = wt_nearest_word(text, next_option_name, command);
	wt_fail(WT_EXIT_USAGE, "no option --%s%s%s%s; 'wavetank %s --help' lists them", text, nearest ? "; did you mean --" : "",
		nearest ? nearest : "", nearest ? "?" : "", command->name);
	return WT_ARGS_BAD;
}

int wt_args_next(struct wt_args *args)
{
	const char *word;

	args->value = NULL;
	if (args->cluster)
		return next_letter(args);
	if (args->at >= args->argc)
		return WT_ARGS_END;
	word = args->argv[args->at++];
	if (args->words_only || word[0] != '-' || !word[1]) {
		args->value = word;
		return WT_ARGS_WORD;
	}
	if (word[1] != '-') {
		args->cluster = word + 1;
		return next_letter(args);
	}
	if (word[2])
		return next_long(args, word + 2);
	args->words_only = true;
	return wt_args_next(args);
}

int wt_args_each(int argc, char **argv, wt_args_take *take, void *arg)
{
	struct wt_args args;
	char err[800];
	int option, code = 0;

	wt_args_init(&args, wt_current_command, argc, argv);
	while (!code && (option = wt_args_next(&args)) != WT_ARGS_END)
		code = option == WT_ARGS_BAD ? WT_EXIT_USAGE : take(arg, option, args.value, err, sizeof(err));
	if (code >= 0)
		return code;
	return option == WT_ARGS_WORD ? wt_fail(WT_EXIT_USAGE, "%s", err)
				      : wt_fail(WT_EXIT_USAGE, "--%s: %s", wt_current_command->options[option].name, err);
}

struct reading {
	const char **value, **word, *why;
	unsigned words;
};

static int take_value(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct reading *reading = arg;

	if (option >= 0) {
		reading->value[option] = wt_current_command->options[option].argument ? value : "";
	} else if (reading->words) {
		reading->words--;
		*reading->word++ = value;
	} else {
		snprintf(err, err_len, "unexpected argument '%.600s'%s%s", value, reading->why ? ": " : "", reading->why ? reading->why : "");
		return -EINVAL;
	}
	return 0;
}

int wt_args_read(int argc, char **argv, const char **value, const char **word, unsigned words, const char *why)
{
	return wt_args_each(argc, argv, take_value, &(struct reading){value, word, why, words});
}

/* ---- the program -------------------------------------------------------------------------------------- */

int wt_cli_main(int argc, char **argv)
{
	int words, code;

	if (argc < 2) {
		print_overview(NULL);
		return WT_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_overview(NULL);
		code = WT_EXIT_OK;
	} else if (strcmp(argv[1], "--version") == 0) {
		print_version();
		code = WT_EXIT_OK;
	} else if (argv[1][0] == '-') {
		return wt_fail(WT_EXIT_USAGE, "unknown option %s before the command; 'wavetank help' lists the commands", argv[1]);
	} else {
		wt_current_command = find_command(argc - 1, argv + 1, &words);
		if (!wt_current_command && argc == 3 && is_object(argv[1]) &&
		    (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
			print_overview(argv[1]);
			code = WT_EXIT_OK;
		} else if (!wt_current_command) {
			return unknown_command(argc - 1, argv + 1);
		} else {
			code = wt_current_command->run(argc - words, argv + words);
		}
	}
	/* A result that did not reach its reader is not fine (full disk). */
	if ((fflush(stdout) || ferror(stdout)) && (code == WT_EXIT_OK || code == WT_EXIT_SOME_FAILED))
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot write to %s: %s", wt_stdout_name, strerror(errno));
	return code;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: one program, one file per subcommand, one declarative option table each, from which parsing,
 * --help and the tests that compare help with the manual follow.
 */
#ifndef WT_TOOLS_COMMON_CLI_H
#define WT_TOOLS_COMMON_CLI_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes, documented in wavetank(1). */
enum wt_exit {
	WT_EXIT_OK = 0,
	WT_EXIT_FAILED = 1,       /* the test ran; an expectation or comparison failed */
	WT_EXIT_USAGE = 2,        /* wrong words or a bad file */
	WT_EXIT_ENVIRONMENT = 3,  /* no permission, no backend, disk full */
	WT_EXIT_CONNECTION = 4,   /* peer or connection failure */
	WT_EXIT_SOME_FAILED = 5,  /* some runs of a sweep failed */
	WT_EXIT_INTERNAL = 70,
	WT_EXIT_TIMEOUT = 124,    /* 128 + n: ended by signal n, after flushing */
};

struct wt_option {
	char letter;           /* 0: long form only */
	const char *name;      /* long form without dashes */
	const char *argument;  /* NULL: a flag; else its name in help: "SIZE"; of "FILE", "PATH", "DIR" and "FOLDER" an empty value and - are
				* refused, of "FILE|-" only an empty one: there - is standard input or output */
	const char *text;      /* one line */
};

struct wt_command {
	const char *name;      /* "send", or "emu run": object and verb; wt_command_emu_run is its table */
	const char *arguments; /* of the usage line, after the options: "[WORDS]" or "" */
	const char *text;      /* one line */
	const struct wt_option *options;
	size_t option_count;
	int (*run)(int argc, char **argv); /* argv[0] is the command; returns enum wt_exit or 128+signal */
	const char *notes;     /* more lines for --help: examples; may be NULL */
};

/* Every command, in the order of help; tools/commands.def lists them. */
extern const struct wt_command *const wt_commands[];
extern const size_t wt_command_count;

/* Runs the program: finds the command in argv, prints --help and --version, returns the exit code. */
int wt_cli_main(int argc, char **argv);
/* The command being run, NULL before one is known. */
extern const struct wt_command *wt_current_command;
/* Prints the help of one command: usage, options, notes. */
void wt_command_help_print(const struct wt_command *command);

/*
 * A cursor over the arguments of one command. Options and words may be mixed. A command that passes the rest of its line on
 * (lab exec) stops calling wt_args_next() after its last own word; what is left is argv[at] to argv[argc - 1].
 */
struct wt_args {
	const struct wt_command *command;
	int argc, at;
	char **argv;
	const char *value; /* argument of the option just returned, or the word */
	const char *cluster; /* rest of "-abc" */
	bool words_only;     /* after "--" */
};

void wt_args_init(struct wt_args *args, const struct wt_command *command, int argc, char **argv);
/*
 * The next option as its index in the table (value in args->value), or WT_ARGS_WORD for a positional word (in args->value),
 * WT_ARGS_END, or WT_ARGS_BAD after having printed one line (unknown option with the nearest, missing argument): return
 * WT_EXIT_USAGE then. --help and "--" are handled inside (help: prints and exits 0), and so is --quiet.
 */
enum { WT_ARGS_END = -1, WT_ARGS_WORD = -2, WT_ARGS_BAD = -3 };
int wt_args_next(struct wt_args *args);
/*
 * Calls take(arg, option, value) for each option of the line and, with WT_ARGS_WORD, for each word, until one does not return 0. `take`
 * returns an exit code after having printed one line, or a negative number with one sentence in err, which is printed behind the
 * option's name. Returns 0 or the exit code.
 */
typedef int wt_args_take(void *arg, int option, const char *value, char *err, size_t err_len);
int wt_args_each(int argc, char **argv, wt_args_take *take, void *arg);
/*
 * For a command whose options are flags and single arguments: all of its line at once. value[i] (NULL before) becomes the argument of
 * option i of its table, "" of a flag; of one given twice the last counts. word[] becomes the words, at most so many; one more is
 * told, with `why` where that is not NULL. Returns 0, or WT_EXIT_USAGE after having printed one line.
 */
int wt_args_read(int argc, char **argv, const char **value, const char **word, unsigned words, const char *why);

/* Called before each of the two below prints: by who has the terminal (live.h). NULL: nobody. */
extern void (*wt_before_message)(void);
/* One line to stderr, "wavetank send: ...". Returns code, so: return wt_fail(WT_EXIT_USAGE, "..."). */
int wt_fail(enum wt_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Information for people, to stderr; silent under --quiet. */
void wt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern bool wt_quiet;
/* What standard output leads to, for the line about a full disk: "standard output", or the file of --logfile. */
extern const char *wt_stdout_name;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs run as children: their output read, a time limit, an end in any case. Each in a process group of its own, so that ^C on the
 * terminal reaches only us and we end them in order. */
#ifndef WT_TOOLS_COMMON_CHILD_H
#define WT_TOOLS_COMMON_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct wt_child {
	pid_t pid; /* 0: none */
	int out, err; /* read ends, not blocking; -1: not wanted or closed */
};

/* Starts argv (found by path). want_out, want_err: else to /dev/null. 0 or negative errno. */
int wt_child_start(struct wt_child *child, char *const argv[], bool want_out, bool want_err);
/*
 * Appends what comes on `fd` (child->out or child->err) to text until `until` (a substring; NULL: end of file) or `seconds` passed
 * or *stop. Text is terminated; what does not fit is dropped. True if it came.
 */
bool wt_child_read(int fd, char *text, size_t len, const char *until, double seconds, const volatile int *stop);
/* Waits at most `seconds`, then SIGTERM, 5 s later SIGKILL. The exit code as in a shell, or 124 if it had to be ended. */
int wt_child_end(struct wt_child *child, double seconds, const volatile int *stop);

/* The words of one command, put together piece by piece; the texts stay the caller's. */
#define WT_WORDS_MAX 40

struct wt_words {
	unsigned count;
	const char *at[WT_WORDS_MAX]; /* zero-initialise: the rest is NULL, as execv() wants it */
};

/* Adds a word; one too many is left out. */
void wt_words_add(struct wt_words *words, const char *word);
/* Adds an option and its value, unless there is none: NULL or empty. */
void wt_words_option(struct wt_words *words, const char *option, const char *value);
/* wt_child_start() of these words. */
int wt_child_start_words(struct wt_child *child, const struct wt_words *words, bool want_out, bool want_err);

#endif

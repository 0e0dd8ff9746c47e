/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a command writes and reads must not be one: each would destroy the other. */
#ifndef WT_TOOLS_COMMON_FILES_APART_H
#define WT_TOOLS_COMMON_FILES_APART_H

#include <stddef.h>

#include "emu/samples.h"

struct wt_named_file {
	const char *what, *path; /* path NULL: not given */
};

/*
 * Compares what the names lead to, not the names: "a", "./a", a link to a. Only regular files and those that do not exist yet count; a
 * terminal or /dev/null may take everything. 0, or -EINVAL with one line in err. Call it before anything is opened.
 */
int wt_files_apart(const struct wt_named_file *file, unsigned count, char *err, size_t err_len);
/* The same, and none of them is a file that words of a path name. */
int wt_files_apart_from_words(const struct wt_named_file *file, unsigned count, const struct wt_samples_cache *words, char *err,
			      size_t err_len);

#endif

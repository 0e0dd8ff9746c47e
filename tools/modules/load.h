/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion modules from files: "./mine.so:gain=1.25" wherever a module is named. */
#ifndef WT_TOOLS_MODULES_LOAD_H
#define WT_TOOLS_MODULES_LOAD_H

#include <stdio.h>

#include "cc/choose.h"
#include "cc/module.h"
#include "tools/common/sha256.h"

/* A module file that is loaded, for the life of the process. */
struct wt_cc_file {
	char *path; /* as it was named first */
	char sha256[WT_SHA256_TEXT];
	const struct wt_cc_loadable *loadable;
};

/* Is a module named by its file? Then what stands before the colon has a slash, or ends in .so. */
bool wt_cc_is_file(const char *text);
/*
 * Loads the file before the colon: checks its ABI number and the sizes of the structs. 0, or -EINVAL with a sentence in err. Hooks do not run.
 */
int wt_cc_open(const char *text, const struct wt_cc_file **file, char *err, size_t err_len);
/* The file that a table comes from; NULL: it is built in. */
const struct wt_cc_file *wt_cc_file_of(const void *ops);
/* A line for each file that is loaded, for people: "  file ./mine.so SHA-256 ...". */
void wt_cc_files_text(FILE *out);

/*
 * As those of cc/choose.h, of the registry or of a file. A module of a file goes through a short history of events before it is used
 * (tools/modules/check.h), in a process of its own: -EINVAL with the rule that it breaks.
 */
int wt_cc_choose_sender(const char *profile, const char *text, struct wt_sender_choice *choice, char *err, size_t err_len);
int wt_cc_choose_recovery(const char *profile, const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len);
int wt_cc_choose_receiver(const char *profile, const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len);

#endif

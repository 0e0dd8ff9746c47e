/* SPDX-License-Identifier: BSD-2-Clause */
/* --fwd, --rev and --link: the words of a path, each direction's given once. */
#ifndef WT_TOOLS_WORDS_PATH_WORDS_H
#define WT_TOOLS_WORDS_PATH_WORDS_H

#include <stddef.h>

enum { WT_PATH_FWD = 1, WT_PATH_REV = 2, WT_PATH_LINK = WT_PATH_FWD | WT_PATH_REV }; /* what an option gives words to */

struct wt_path_words {
	const char *words[2]; /* fwd, rev; NULL: not given */
};

/* Which of two would win is not left to their order: 0, or -EINVAL with one sentence in err. */
int wt_path_words_take(struct wt_path_words *given, unsigned directions, const char *value, char *err, size_t err_len);

#endif

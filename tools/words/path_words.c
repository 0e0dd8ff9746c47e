/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/words/path_words.h"

#include <errno.h>
#include <stdio.h>

int wt_path_words_take(struct wt_path_words *given, unsigned directions, const char *value, char *err, size_t err_len)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!(directions >> i & 1))
			continue;
		if (given->words[i]) {
			snprintf(err, err_len, "one direction is given words twice; --link gives them to --fwd and --rev");
			return -EINVAL;
		}
		given->words[i] = value;
	}
	return 0;
}

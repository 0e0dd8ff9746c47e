/* SPDX-License-Identifier: BSD-2-Clause */
/* INI texts entry by entry, for the files of tools/data/papers: what every reader of them needs. */
#ifndef WT_TOOLS_WORDS_INI_TEXT_H
#define WT_TOOLS_WORDS_INI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct wt_ini {
	/*
	 * Takes the entry below, or refuses it (wt_ini_refuse). An entry that goes on in the next line is told again, with all of its value
	 * so far: what is taken replaces what was taken before.
	 */
	int (*take)(struct wt_ini *ini);

	char section[80], key[80], value[600];
	bool more;    /* the same entry again */
	int error;    /* the first there was; `why` is about it */
	char why[300];
};

/* Returns -EINVAL. */
int wt_ini_refuse(struct wt_ini *ini, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The value into out; refuses one that is too long. */
int wt_ini_copy(struct wt_ini *ini, char *out, size_t len);
/* "NAME" of a section or key "WORD NAME"; NULL: it is another. */
const char *wt_ini_name(const char *text, const char *word);
/* All entries. 0, or the first error of take, or -EINVAL, with "NAME:LINE: ..." in err. */
int wt_ini_parse(struct wt_ini *ini, const char *text, const char *name, char *err, size_t err_len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INI texts entry by entry, for sweeps, published tables and what belongs to them. A value goes on in the next line if that is
 * indented; a line that begins with ; or # is a comment, and so is what follows " ;". Every fault is told with its line.
 */
#ifndef WT_TOOLS_WORDS_INI_TEXT_H
#define WT_TOOLS_WORDS_INI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct wt_ini {
	int (*take)(struct wt_ini *ini);  /* takes the entry below, which is whole, or refuses it (wt_ini_refuse) */
	int (*begin)(struct wt_ini *ini); /* a section begins, perhaps one without entries; NULL: nobody asks */

	char section[96], key[80], value[8000]; /* section empty: before any */
	unsigned line; /* of the entry, or of the heading */
	int error;     /* the first there was; why and fault_line are about it */
	unsigned fault_line;
	char why[600];

	/* The reader's own. */
	const char *next;
	unsigned read, too_long;
	bool indented, pending;
	char heading[96], told[96]; /* the section as its own line has it; as libinih tells it */
};

/* About the line of the entry, and about another. Return -EINVAL; the first fault is kept. */
int wt_ini_refuse(struct wt_ini *ini, const char *format, ...) __attribute__((format(printf, 2, 3)));
int wt_ini_refuse_at(struct wt_ini *ini, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The value into out; refuses one that is too long. */
int wt_ini_copy(struct wt_ini *ini, char *out, size_t len);
/* "NAME" of a section or key "WORD NAME"; NULL: it is another. */
const char *wt_ini_name(const char *text, const char *word);
/* All entries. 0, or the first error of take or begin, or -EINVAL, with "NAME:LINE: ..." in err. */
int wt_ini_parse(struct wt_ini *ini, const char *text, const char *name, char *err, size_t err_len);
/*
 * The next word of a list: blanks part words, a comma at a word's end is dropped, quotes hold words with blanks together. 1; 0: there is no
 * more; -EINVAL: a quote is not closed; -ENAMETOOLONG.
 */
int wt_ini_word(const char **from, char *out, size_t len);
/* A text file as one string, to be freed. NULL: none, too large or not text; err has "PATH: why", *error a negative errno. */
char *wt_ini_file(const char *path, int *error, char *err, size_t err_len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the words of a path one by one, and says what is wrong with one: its place, the word, what was expected.
 * Strict, because a path misread is an experiment lost: every quantity carries its unit, and a word that means nothing
 * is an error that names the nearest word that means something.
 */
#ifndef WT_EMU_WORDS_READER_H
#define WT_EMU_WORDS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "emu/samples.h"

#define WT_READER_TEXT 4096 /* as long as normal forms (WT_PATH_TEXT) may be, so that each can be read */

struct wt_path;

/* Where files that words name may have been read before; NULL: no such place. The cache is looked at first. */
struct wt_path_files {
	struct wt_samples_cache *cache;
	const struct wt_path *path; /* what its stages hold */
};

struct wt_reader {
	char buffer[2 * WT_READER_TEXT];
	const char *word[WT_READER_TEXT]; /* bars are words, too, and need no blanks between them */
	unsigned place[WT_READER_TEXT];   /* as people count: from 1, bars not counted */
	unsigned line[WT_READER_TEXT];    /* from 1, too */
	unsigned about; /* the word that a complaint is about, from 1; 0: none */
	unsigned count, at;
	const struct wt_path_files *files;
	char *err;
	size_t err_len;
};

enum { WT_NO_OPTION = -1, WT_BAD_OPTION = -2 };
enum wt_quantity { WT_QUANTITY_TIME, WT_QUANTITY_SIZE, WT_QUANTITY_RATE, WT_QUANTITY_SHARE };

/* The words that begin a stage; NULL at the end. Their indices are those of the table in words.c. */
extern const char *const wt_reader_stages[];

/* About the word at index i. Words are shown cut: an error is one line. */
#define WT_ABOUT(reader, i) wt_reader_about(reader, i), (reader)->word[i]
#define WT_WORD "word %u \"%.40s\": "

/* Its place. The complaint says its line, too, if that is not the first. */
unsigned wt_reader_about(struct wt_reader *reader, unsigned i);
/* The error; returns -EINVAL. */
int wt_reader_complain(struct wt_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 0 or -EINVAL. `line` is that of the text's beginning. */
int wt_reader_init(struct wt_reader *reader, const char *text, unsigned line, const struct wt_path_files *files, char *err,
		   size_t err_len);
bool wt_reader_is_bar(const struct wt_reader *reader, unsigned i);
/* Is there another word before the next bar? */
bool wt_reader_more(const struct wt_reader *reader);
/* Takes the next word if it is `word`. */
bool wt_reader_take(struct wt_reader *reader, const char *word);
/* The index of a word in a list that ends with NULL, or -1. */
int wt_reader_find(const char *const *list, const char *word);
/* The word at index i is none of `first` (of the stage it stands in; may be NULL) nor a stage's: the error. */
int wt_reader_unknown(struct wt_reader *reader, unsigned i, const char *const *first);
/* The next word as an index of `options`; WT_NO_OPTION if another stage, a bar or the end comes; WT_BAD_OPTION: err is
 * set. `seen` has a bit per option: none may be given twice. */
int wt_reader_option(struct wt_reader *reader, const char *const *options, unsigned *seen);
/* The value after the word just taken; 0 or -EINVAL. */
int wt_reader_value(struct wt_reader *reader, enum wt_quantity quantity, void *out);
/* The word after the one just taken, whatever it is; NULL: none, and err is set to "`what` must follow". */
const char *wt_reader_word(struct wt_reader *reader, const char *what);
/* What stands in the file that the next word names, held; NULL: err is set. */
/* The same of two kinds of file, of which the second holds pairs. */
struct wt_samples *wt_reader_file_of_two(struct wt_reader *reader, enum wt_samples_kind kind, enum wt_samples_kind pairs);
struct wt_samples *wt_reader_file(struct wt_reader *reader, enum wt_samples_kind kind);

#endif

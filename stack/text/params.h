/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Named, typed, documented parameters of a struct: one table serves parsing ("profile=paper,lmax=24"), help,
 * listing and JSON. Stack settings and congestion modules both use it.
 */
#ifndef WT_STACK_TEXT_PARAMS_H
#define WT_STACK_TEXT_PARAMS_H

#include <stddef.h>
#include <stdint.h>

enum wt_param_type {
	WT_PARAM_TIME,   /* wt_time */
	WT_PARAM_TIMER,  /* wt_time; 0: off, whatever the bounds */
	WT_PARAM_SIZE,   /* uint64_t, bytes */
	WT_PARAM_RATE,   /* uint64_t, bit/s */
	WT_PARAM_COUNT,  /* uint64_t */
	WT_PARAM_NUMBER, /* double */
	WT_PARAM_SHARE,  /* double in [0, 1] */
	WT_PARAM_BOOL,   /* uint64_t 0 or 1 */
	WT_PARAM_WORD,   /* uint64_t: index into `words` */
};

struct wt_param {
	const char *name;
	enum wt_param_type type;
	size_t offset;            /* of the field in the struct */
	const char *text;         /* one line of help, with the source (RFC section, paper) */
	double min, max;          /* inclusive, in the unit of the field (ns, bytes); both 0: unbounded */
	const char *const *words; /* WT_PARAM_WORD: NULL-terminated */
};

/*
 * Sets one field by name. 0, or -EINVAL with one sentence in err: which name or value, and what was expected
 * (an unknown name lists the nearest known one).
 */
int wt_param_set(const struct wt_param *table, size_t count, void *object, const char *name, const char *value,
		 char *err, size_t err_len);
/* Sets "name=value,name=value". Empty or NULL text is fine. Stops at the first error. */
int wt_param_set_list(const struct wt_param *table, size_t count, void *object, const char *list, char *err,
		      size_t err_len);
/* The value of one field as text that wt_param_set reads back. Returns text. */
const char *wt_param_format(const struct wt_param *param, const void *object, char *text, size_t len);
/* The known word nearest to `word`, or NULL: its edit distance is at most 3 and at most half the length of the longer word.
 * `next` yields names until NULL. */
const char *wt_nearest_word(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx);

#endif

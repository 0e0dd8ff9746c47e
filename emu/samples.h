/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers read from a file when the words are read: they are held by counting, and never change. A run reads each file once: what its
 * words and its script name stands in a cache from the beginning, and what else a change names is kept by the stage that uses it.
 */
#ifndef WT_EMU_SAMPLES_H
#define WT_EMU_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_SAMPLES_MAX 134217728u   /* of one file: 1 GiB of memory, taken as the file is read */
#define WT_SAMPLES_BYTES (1u << 30) /* of the file itself */

enum wt_samples_kind {
	WT_SAMPLES_TIMES, /* a time with its unit on each line */
	WT_SAMPLES_TRACE, /* whole milliseconds, not falling, the last above 0 (Mahimahi's format); as nanoseconds */
	WT_SAMPLES_BITS,  /* the characters 0 and 1 */
	WT_SAMPLES_NUMBERS, /* "17" or "100-120", from 1, rising; as pairs: first, last */
	WT_SAMPLES_COPIES, /* "17:2" or "40-45:1-3", rising; four values: packets first and last, copies first and last */
	WT_SAMPLES_DELAYS, /* "10s,40ms": from that time on this delay; the times rise; as pairs: time, delay */
	WT_SAMPLES_SHARES, /* "10s,5%": from that time on this share; as pairs: time, bits of the double */
};

struct wt_samples {
	unsigned holders;
	uint32_t count; /* at least 1 */
	char *name;     /* of the file, as written */
	enum wt_samples_kind kind;
	int64_t *value;
	struct wt_samples *next; /* on the cache */
};

/* Blank lines, and what follows a #, count for nothing. A regular file, so that it has an end and none waits for it. NULL: err says why
 * in one sentence. Held once. */
struct wt_samples *wt_samples_read(const char *name, enum wt_samples_kind kind, char *err, size_t err_len);
/* Does the first value of the file have a comma, as those of DELAYS and SHARES? False, too, where it cannot be read. */
bool wt_samples_in_pairs(const char *name);
/* Of pairs that begin with times: the value in force, which before the first time is the first one's. `every`: 0, or when the times begin anew. */
int64_t wt_samples_at(const struct wt_samples *samples, wt_time now, wt_time every);
double wt_samples_share_at(const struct wt_samples *samples, wt_time now, wt_time every);
wt_time wt_samples_last_time(const struct wt_samples *samples);
bool wt_samples_equal(const struct wt_samples *a, const struct wt_samples *b);
/* Another holder; or one less, the last of which frees. Both accept NULL; hold returns its argument. */
struct wt_samples *wt_samples_hold(struct wt_samples *samples);
void wt_samples_release(struct wt_samples *samples);

struct wt_samples_cache {
	struct wt_samples *first;
	bool open;          /* what is read is put there */
	const char *folder; /* that relative names count from, and are written with; NULL: the one the process is in */
};

/* Not held for the caller; NULL: it is not there. */
struct wt_samples *wt_samples_find(const struct wt_samples_cache *cache, const char *name, enum wt_samples_kind kind);
void wt_samples_put(struct wt_samples_cache *cache, struct wt_samples *samples);
void wt_samples_clear(struct wt_samples_cache *cache);

#endif

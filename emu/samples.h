/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers read from a file when the words are read: they are held by counting, and never change. */
#ifndef WT_EMU_SAMPLES_H
#define WT_EMU_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_SAMPLES_MAX 4000000u /* of one file: 32 MB */

struct wt_samples {
	unsigned holders;
	uint32_t count; /* at least 1 */
	char *name;     /* of the file, as written */
	int64_t *value;
};

enum wt_samples_kind {
	WT_SAMPLES_TIMES, /* a time with its unit on each line */
	WT_SAMPLES_TRACE, /* whole milliseconds, not falling, the last above 0 (Mahimahi's format); as nanoseconds */
	WT_SAMPLES_BITS,  /* the characters 0 and 1 */
};

/* Blank lines, and what follows a #, count for nothing. NULL: err says why in one sentence. Held once. */
struct wt_samples *wt_samples_read(const char *name, enum wt_samples_kind kind, char *err, size_t err_len);
bool wt_samples_equal(const struct wt_samples *a, const struct wt_samples *b);
/* Another holder; or one less, the last of which frees. Both accept NULL; hold returns its argument. */
struct wt_samples *wt_samples_hold(struct wt_samples *samples);
void wt_samples_release(struct wt_samples *samples);

#endif

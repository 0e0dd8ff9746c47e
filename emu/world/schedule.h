/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path over time as a table: words with names of columns in them, and rows of values.
 *
 *   both = rate $rate burst 0B limit 64KB hops $hops outage at 0s for 1000h drop $outage delay $delay
 *   columns = hops delay rate outage
 *   0s = 3 15ms 10Mbit 0%
 */
#ifndef WT_EMU_WORLD_SCHEDULE_H
#define WT_EMU_WORLD_SCHEDULE_H

#include <stddef.h>

#define WT_SCHEDULE_COLUMNS 16

struct wt_schedule {
	unsigned columns;
	char column[WT_SCHEDULE_COLUMNS][16];
};

/* Names of columns, letters and digits; each 0 or -EINVAL with a sentence in err. */
int wt_schedule_columns(struct wt_schedule *schedule, const char *names, char *err, size_t err_len);
/* By direction, or NULL: a column that no words use is a mistake. */
int wt_schedule_check(const struct wt_schedule *schedule, char *const words[2], char *err, size_t err_len);
/* The words with each $NAME replaced by the value of that column in the row: on the heap, or NULL. */
char *wt_schedule_words(const struct wt_schedule *schedule, const char *words, const char *row, char *err, size_t err_len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A view that is drawn again and again on the terminal of standard error: rows of small graphs over time. It stands on the terminal's
 * second screen, so that what was there before comes back, however the program ends; the last picture is printed below it.
 */
#ifndef WT_TOOLS_COMMON_LIVE_H
#define WT_TOOLS_COMMON_LIVE_H

#include <stddef.h>

struct wt_live;

#define WT_LIVE_ROWS 12

/* A value for people, into text, which is returned. */
typedef const char *wt_live_show(double value, char text[24]);

/* title: a line; copied. NULL with a sentence in err: standard error is no terminal, or no memory. One at a time. */
struct wt_live *wt_live_open(const char *title, char *err, size_t err_len);
/* One more row, whose values so far were 0; its number, or -1 where there are WT_LIVE_ROWS. */
int wt_live_add(struct wt_live *live, const char *name, wt_live_show *show);
/* The values of all rows at `seconds`, which grows; NAN: not known. Draws if the last picture is old enough. */
void wt_live_push(struct wt_live *live, double seconds, const double *values);
/* The terminal is as it was; prints the last picture. Accepts NULL. */
void wt_live_close(struct wt_live *live);

#endif

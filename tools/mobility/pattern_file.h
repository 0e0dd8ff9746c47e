/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs of `wavetank mobility` share: words, and patterns in files. */
#ifndef WT_TOOLS_MOBILITY_PATTERN_FILE_H
#define WT_TOOLS_MOBILITY_PATTERN_FILE_H

#include "emu/mobility/pattern.h"

enum wt_movement_form { WT_FORM_SETDEST, WT_FORM_BONNMOTION };

/* 0, or -EINVAL after a sentence that lists the forms. */
int wt_movement_form(const char *word, enum wt_movement_form *form, char *err, size_t err_len);
/* Two words between blanks, such as "1500m 300m", of one unit. 0, or -EINVAL with a sentence. */
int wt_movement_two(const char *text, const char *unit, double to[2], char *err, size_t err_len);
/* The last time at which any station changes its way. */
wt_time wt_movement_length(const struct wt_movement *pattern);
/* To a file, or to standard output (NULL). An exit code, after its sentence. `until`: where the lines of BonnMotion end. */
int wt_movement_write(const struct wt_movement *pattern, const char *path, enum wt_movement_form form, wt_time until);

#endif

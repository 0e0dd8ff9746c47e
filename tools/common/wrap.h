/* SPDX-License-Identifier: BSD-2-Clause */
/* Long sentences on a terminal. */
#ifndef WT_TOOLS_COMMON_WRAP_H
#define WT_TOOLS_COMMON_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints a text that begins in column `at` (from 0) in lines of 100 columns, those that follow indented, and ends the last line. */
void wt_wrap(FILE *out, const char *text, size_t indent, size_t at);

#endif

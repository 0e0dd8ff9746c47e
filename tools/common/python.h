/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the program that are Python: tools/report, tools/bench. */
#ifndef WT_TOOLS_COMMON_PYTHON_H
#define WT_TOOLS_COMMON_PYTHON_H

/*
 * Runs ROOM/SCRIPT with `words` (ends with NULL; the first is a word, too) until it ends; `input` is its standard input, -1: ours. The script
 * is that of $WAVETANK_DATA/ROOM, else of the build or the installation this program belongs to. SIGINT, SIGTERM and SIGHUP go to the script:
 * it begins with them blocked, unblocks them when it has handlers, and takes away what it has begun. It gets SIGTERM if we are killed. Its exit
 * code, 128 + signal, or WT_EXIT_ENVIRONMENT after one line: Python (of `package`) or the script is not there.
 */
int wt_python_run(const char *room, const char *script, const char *package, int input, const char *const *words);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* ^C, SIGTERM, and SIGHUP, which says that the terminal is gone, ask a command to end. */
#ifndef WT_TOOLS_COMMON_ENDING_H
#define WT_TOOLS_COMMON_ENDING_H

#include <signal.h>
#include <stdbool.h>

/* nohup ignores SIGHUP for the command below it: the command then goes on without a terminal. */
bool wt_hangup_ignored(void);

/* The handler gets SIGINT, SIGTERM and, if it is not ignored, SIGHUP. */
void wt_on_ending(void (*handler)(int number));

/* The three signals. */
void wt_ending_signals(sigset_t *set);

#endif

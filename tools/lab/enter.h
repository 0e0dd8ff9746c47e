/* SPDX-License-Identifier: BSD-2-Clause */
/* A process becomes one of a host of a lab. */
#ifndef WT_TOOLS_LAB_ENTER_H
#define WT_TOOLS_LAB_ENTER_H

#include "tools/common/labs.h"

/* WAVETANK_LAB, _HOST, _PORT, _ADDRESS, _HOSTS, _GATEWAY; and the folder of `self`, our program, first in PATH, so that `lab exec demo:a
 * wavetank send` is this same program. */
void wt_lab_set_environment(const struct wt_lab *lab, const struct wt_lab_place *host, const char *self);
/* Joins user, pid, network and mount namespaces of a process; the root and the working folder stay as far as they are there. 0 or negative errno. */
int wt_lab_enter_all(pid_t pid);
/* The network namespace alone, by who has the rest already. 0 or negative errno. */
int wt_lab_enter_network(pid_t pid);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A host of a lab: a process that holds a network namespace and a mount namespace and otherwise sleeps. */
#ifndef WT_TOOLS_LAB_HOST_H
#define WT_TOOLS_LAB_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tools/common/labs.h"

struct wt_lab_host {
	pid_t inner, outer; /* its pid as the keeper numbers it, and as /proc outside does */
	int tap;            /* wt_space_probe_tap() in its namespace */
	int talk;           /* socket to it */
};

/* Forks the index-th of a lab and waits until its namespaces stand. 0 or negative errno. */
int wt_lab_host_start(struct wt_lab_host *host, const struct wt_lab *lab, unsigned index);
/* Has it configure wt0: addresses, neighbours, no IPv6, no offloads unless asked for. 0 or negative errno with a sentence in err. */
int wt_lab_host_configure(struct wt_lab_host *host, bool offload, char *err, size_t err_len);
/* Our pid as the mounted /proc numbers it. */
pid_t wt_lab_outer_pid(void);

#endif

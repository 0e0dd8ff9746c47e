/* SPDX-License-Identifier: BSD-2-Clause */
/* Fresh namespaces for this process, with or without root, and what can be opened inside. */
#ifndef WT_TOOLS_LAB_SPACE_H
#define WT_TOOLS_LAB_SPACE_H

#include <stdbool.h>

/*
 * unshare(flags); where that is not allowed, inside a fresh user namespace in which we are root, as `unshare -r` does.
 * *rootless says which. 0 or negative errno.
 */
int wt_space_unshare(int flags, bool *rootless);
/* Can a TAP device be made in the present network namespace? 0 or negative errno. Leaves nothing. */
int wt_space_probe_tap(void);
/* Can a packet socket be opened? Same. */
int wt_space_probe_packet(void);

#endif

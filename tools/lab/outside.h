/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a shell changes in the namespace around it, so that packets from inside reach what lies beyond: rules that masquerade, and
 * net.ipv4.ip_forward. A record of it stands in LABS/../outside (tools/common/labs.h), locked as long as its shell lives. So a shell that was
 * killed is known by its record, and the next shell or lab command takes back what it did. The last shell of a namespace switches forwarding off.
 */
#ifndef WT_TOOLS_LAB_OUTSIDE_H
#define WT_TOOLS_LAB_OUTSIDE_H

#include <net/if.h>
#include <stdbool.h>

#define WT_OUTSIDE_FIRST 72 /* of 8: the networks of shells are 10.72.N.0 to 10.79.N.0 */

struct wt_outside {
	char interface[IFNAMSIZ]; /* the shell's, to its emulator */
	unsigned network;         /* N */
	bool masquerade;          /* wanted; after opening: there are rules */
	bool forwards;            /* forwarding was off */
	char by;                  /* of enum in outside.c */
	int record;               /* its lock; negative: none */
};

/* Rules and forwarding on. Never fails: `masquerade` says whether there are rules. */
void wt_outside_open(struct wt_outside *outside);
/* All as it was before, unless another shell still needs it. */
void wt_outside_close(struct wt_outside *outside);
/* Takes back what shells that were killed left here. Under the lock of labs. */
void wt_outside_recover(void);

#endif

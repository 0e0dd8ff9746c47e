/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delays that single flows have for themselves, at their sender's host, in front of its link: a round trip of their own on a path they
 * share. A flow is known by the local port of TCP or UDP over IPv4; all else passes at once, and so does what comes from the link.
 */
#ifndef WT_EMU_WORLD_FLOW_DELAY_H
#define WT_EMU_WORLD_FLOW_DELAY_H

#include "stack/base/node.h"

/* A node whose port 0 faces the host, port 1 the link. NULL: no memory. */
struct wt_node *wt_flow_delay_create(const char *name);
/* Before frames pass: those from this port wait so long, in their order. 0 or -ENOMEM. */
int wt_flow_delay_add(struct wt_node *node, uint16_t local_port, wt_time delay);

#endif

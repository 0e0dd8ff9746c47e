/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses which packets a part of a path touches, by an expression of libpcap (pcap-filter(7)):
 *
 *                    1 ──► stages ──► 0
 *     ──► 0 [filter]                    [merge] 2 ──►
 *                    2 ─────────────► 1
 *
 * What the expression does not match goes around, at the same instant. Both kinds keep their order among themselves; a packet
 * that goes around overtakes one that a stage holds, as the words say it should.
 */
#ifndef WT_EMU_DAEMON_FILTER_H
#define WT_EMU_DAEMON_FILTER_H

#include <stddef.h>

#include "stack/base/node.h"

/* 0, or -EINVAL with one sentence in err that quotes the expression; -ENOMEM. */
int wt_filter_create(struct wt_node **filter, const char *name, const char *expression, char *err, size_t err_len);
/* NULL: no memory. */
struct wt_node *wt_merge_create(const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A running digest of every frame and its nanosecond at one point: equal digests, equal runs. SipHash-2-4, chained. It
 * finishes partial checksums in the frames that pass. */
#ifndef WT_STACK_RECORD_DIGEST_H
#define WT_STACK_RECORD_DIGEST_H

#include <stdint.h>

#include "stack/base/node.h"

/* A pass-through node (ports 0, 1); the graph owns it. NULL: no memory. */
struct wt_node *wt_digest_tap(const char *name);
/* Of (time, direction, length, bytes with finished checksum) of all frames so far. */
uint64_t wt_digest_value(const struct wt_node *tap);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consecutive segments of one connection become one big frame as they are written: what a network card would cut again (segmentation
 * offload), the kernel behind the device takes whole. Nobody before the port knows: one segment per MSS is made, captured and counted.
 *
 *   virtio header | headers of the first, corrected | payload of the first | payload of the second | ...
 *
 * Segments go together if the kernel's cutting would make just them: equal headers but for the sequence number, which goes on, the
 * identification, and PSH and FIN of the last, CWR of the first; equal lengths, of which the last may be less.
 */
#ifndef WT_STACK_PORT_MERGE_H
#define WT_STACK_PORT_MERGE_H

#include "stack/port/batch.h"

/* Of `count` frames how many from the first go together: at least 1. */
unsigned wt_merge_run(const struct wt_batch_entry *entry, unsigned count);
/* Writes such a run of two or more to a descriptor that takes virtio headers. 0 or negative errno. */
int wt_merge_write(int fd, const struct wt_batch_entry *entry, unsigned count);

#endif

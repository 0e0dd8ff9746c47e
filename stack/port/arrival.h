/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When frames came into a TAP device. TAP itself does not tell. But on its way into the queue a frame passes two places where we may have it noted:
 *
 *     kernel's TCP -> qdisc -+-> [filter of the TAP] -+-> queue (full: dropped) -> read()
 *                            |                        |
 *       packet socket's ring +                        + a program's, both shared with us: number of the frame, stamp
 *
 * The filter (arrival_filter.c) costs the sender a quarter of what the packet socket (arrival_ring.c) does, but takes the privilege to load
 * programs, and a device that is nobody else's.
 *
 * A frame that is read is looked for among what has been noted, in order. What stands before its match belongs to frames that the TAP
 * has dropped, and is skipped. A frame that nothing matches has no stamp: it overran the ring, or its sender passes no packet
 * sockets (PACKET_QDISC_BYPASS) or neither (XDP). Frames alike byte for byte cannot be told from a dropped one of their kind; therefore what is
 * older than the last time the TAP was found empty is forgotten.
 */
#ifndef WT_STACK_PORT_ARRIVAL_H
#define WT_STACK_PORT_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct wt_arrival;

/* For the device behind the descriptor `tap`, in the caller's network namespace: by a filter if that is wanted and may be, else by a
 * packet socket, which needs CAP_NET_RAW there. NULL with errno. Close accepts NULL. */
struct wt_arrival *wt_arrival_open(int tap, bool filter);
void wt_arrival_close(struct wt_arrival *arrival);
/* "filter" or "ring". */
const char *wt_arrival_source(const struct wt_arrival *arrival);
/* Whose time stamps are: CLOCK_MONOTONIC by a filter, CLOCK_REALTIME by a packet socket. */
clockid_t wt_arrival_clock(const struct wt_arrival *arrival);
/* Notes frames of the device, of which this is the index, from now on. Needs no privilege. 0 or negative errno. */
int wt_arrival_bind(struct wt_arrival *arrival, int tap, int index);
/* When the frame came that was just read from the device, in ns; 0 if that is not known. */
int64_t wt_arrival_of(struct wt_arrival *arrival, const uint8_t *data, uint32_t len);
/* The device has nothing to read at the moment `now` of that clock. */
void wt_arrival_empty(struct wt_arrival *arrival, int64_t now);

#endif

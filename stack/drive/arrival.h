/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When frames came into a TAP device. TAP itself does not tell. But a packet socket on the device hears every frame on its way into it, past the
 * queueing discipline, cut and summed as it will be read, and gets the kernel's stamp (CLOCK_REALTIME) with it:
 *
 *     kernel's TCP -> qdisc -+-> queue of the TAP (full: dropped) -> read()
 *                            |
 *                            +-> ring, shared with us: length, first bytes, stamp
 *
 * A frame that is read is looked for among what the ring has brought, in order. What stands before its match belongs to frames that the TAP
 * has dropped, and is skipped. A frame that nothing matches has no stamp: a ring that was full, or a sender whose frames pass no packet
 * sockets (PACKET_QDISC_BYPASS, XDP). Frames alike byte for byte cannot be told from a dropped one of their kind; therefore what is
 * older than the last time the TAP was found empty is forgotten.
 */
#ifndef WT_STACK_DRIVE_ARRIVAL_H
#define WT_STACK_DRIVE_ARRIVAL_H

#include <stdint.h>

struct wt_arrival;

/* For an interface of the caller's network namespace. Needs CAP_NET_RAW there. NULL with errno. Close accepts NULL. */
struct wt_arrival *wt_arrival_open(void);
/* The same over a ring of `slots` slots of WT_ARRIVAL_SLOT bytes that somebody else fills, and owns. */
struct wt_arrival *wt_arrival_over(void *ring, uint32_t slots);
void wt_arrival_close(struct wt_arrival *arrival);
/* Hears interface `index` from now on. Needs no privilege. 0 or negative errno. */
int wt_arrival_bind(struct wt_arrival *arrival, int index);
/* When the frame came that was just read from the device: CLOCK_REALTIME in ns, 0 if that is not known. */
int64_t wt_arrival_of(struct wt_arrival *arrival, const uint8_t *data, uint32_t len);
/* The device has nothing to read at the moment `now` of CLOCK_REALTIME. */
void wt_arrival_empty(struct wt_arrival *arrival, int64_t now);

#define WT_ARRIVAL_SLOT 128

#endif

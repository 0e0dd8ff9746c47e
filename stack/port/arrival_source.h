/* SPDX-License-Identifier: BSD-2-Clause */
/* What arrival.c has in common with those that note frames for it, and with the tests, who note some themselves. */
#ifndef WT_STACK_PORT_ARRIVAL_SOURCE_H
#define WT_STACK_PORT_ARRIVAL_SOURCE_H

#include "stack/port/arrival.h"

#define WT_ARRIVAL_SEEN 62 /* bytes of a frame that are looked at: up to the time stamp of TCP over IPv4 */
#define WT_ARRIVAL_WORDS 8 /* of 8 bytes, with zeros at the end: they make its number */
#define WT_ARRIVAL_FACTOR 0x9e3779b97f4a7c15u /* odd, so no frame's number hangs on its last bytes alone */
#define WT_ARRIVAL_SHIFT 29
#define WT_ARRIVAL_KEPT 16384 /* a power of two */

struct wt_arrival_source {
	const char *name;
	clockid_t clock;
	/* Hands what has been noted since to wt_arrival_keep(). */
	void (*collect)(struct wt_arrival *arrival);
	int (*bind)(struct wt_arrival *arrival, int tap, int index);
	void (*close)(struct wt_arrival *arrival);
};

struct wt_arrival {
	const struct wt_arrival_source *source;
	int fd;               /* packet socket or program; -1: the memory is somebody else's */
	void *memory;         /* shared with the kernel */
	uint32_t slots;       /* in it, a power of two */
	uint64_t next;        /* to be read */
	uint32_t from, to;    /* what is kept: from <= i < to, at i % WT_ARRIVAL_KEPT */
	uint64_t print[WT_ARRIVAL_KEPT];
	int64_t stamp[WT_ARRIVAL_KEPT];
};

/* The number of a frame of `len` bytes, of which `data` has the first. */
uint64_t wt_arrival_print(const uint8_t *data, uint32_t len);
void wt_arrival_keep(struct wt_arrival *arrival, uint64_t print, int64_t stamp);

/* ---- arrival_ring.c: slots of the packet socket's TPACKET_V2 ---------------------------------------------- */

#define WT_ARRIVAL_RING_SLOT 128

/* NULL with errno. The second: over slots that somebody else fills, and owns. */
struct wt_arrival *wt_arrival_ring_open(void);
struct wt_arrival *wt_arrival_ring_over(void *slots, uint32_t count);

/* ---- arrival_filter.c: what the program writes ------------------------------------------------------------ */

/* Whatever is written while it is read, or half, does not add up. */
struct wt_arrival_slot {
	uint64_t stamp, print;
	uint64_t sum; /* of both and the slot's number */
	uint64_t unused;
};

struct wt_arrival_memory {
	uint64_t next; /* the number of the slot that is written next, at number % slots */
	uint64_t unused[7];
	struct wt_arrival_slot slot[];
};

/* NULL with errno: EBUSY for a device that is persistent, and may have somebody's filter. */
struct wt_arrival *wt_arrival_filter_open(int tap);
/* Over memory that somebody else fills, and owns. Makes it empty. */
struct wt_arrival *wt_arrival_filter_over(struct wt_arrival_memory *memory, uint32_t slots);

struct wt_arrival *wt_arrival_new(const struct wt_arrival_source *source, void *memory, uint32_t slots);

#endif

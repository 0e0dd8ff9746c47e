/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values by an address and a kind, in a hash table: networks by their lengths, our own addresses, broadcast addresses. A question costs the
 * same however many there are; the longest match asks once for each length that some network has, the longest first.
 *
 * Only the configuration adds to it, so the hash needs no secret: nobody from outside makes its chains longer.
 */
#ifndef WT_STACK_NET_LOOKUP_H
#define WT_STACK_NET_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_LOOKUP_NONE UINT32_MAX

/* Kinds below are lengths of prefixes. */
enum { WT_LOOKUP_OWN = 129, WT_LOOKUP_BROADCAST };

struct wt_lookup_place {
	struct wt_addr addr; /* family NONE: free */
	uint8_t kind;
	uint32_t value;
};

/* Zero-initialised it is empty. */
struct wt_lookup {
	struct wt_lookup_place *place; /* open addressing, at most half full */
	uint32_t room, count;
	uint64_t lengths[WT_FAMILIES][3]; /* bit n: some network of this family is n long */
};

/* Of equal ones the first stays. Bits of a network behind its length count for nothing. 0 or -ENOMEM. */
int wt_lookup_add(struct wt_lookup *lookup, const struct wt_addr *addr, uint8_t kind, uint32_t value);
/* WT_LOOKUP_NONE: it is not there. */
uint32_t wt_lookup_exact(const struct wt_lookup *lookup, const struct wt_addr *addr, uint8_t kind);
/* The value of the longest network that the address is in. */
uint32_t wt_lookup_longest(const struct wt_lookup *lookup, const struct wt_addr *addr);
void wt_lookup_finish(struct wt_lookup *lookup);

#endif

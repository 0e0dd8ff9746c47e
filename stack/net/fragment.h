/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv4 reassembly (RFC 791 3.2, RFC 1122 3.3.2), built so that it cannot be used against the host.
 *
 * A slot assembles one datagram in place, in one frame of the host's pool; which bytes are there stands in a
 * bitmap of eight-byte units. So memory is bounded by the number of slots, a fragment costs a copy and a few
 * bitmap words however many came before it (CVE-2018-5391), and a datagram larger than a frame of the pool is
 * not accepted. One source holds at most WT_FRAGMENT_PER_SOURCE slots. The oldest slot makes room for a new one.
 *
 * Fragments that overlap with different bytes: the whole datagram is dropped, fragments still to come included
 * (RFC 5722 and 8200 4.5 demand it for IPv6; the attack is the same for IPv4). A repeated piece with equal
 * bytes is ignored, since networks duplicate.
 */
#ifndef WT_STACK_NET_FRAGMENT_H
#define WT_STACK_NET_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/node.h"
#include "stack/wire/ipv4.h"

#define WT_FRAGMENT_SLOTS 16
#define WT_FRAGMENT_PER_SOURCE 4
#define WT_FRAGMENT_TIMEOUT (30 * WT_S)
#define WT_FRAGMENT_UNITS 8192 /* of eight bytes: the largest datagram */

struct wt_fragment_slot {
	bool used;
	uint8_t ecn;            /* bit i: codepoint i was seen */
	struct wt_frame *frame; /* NULL: the datagram is condemned; what still comes of it is dropped */
	struct wt_ipv4 ip;      /* src, dst, id, protocol name the datagram; the rest is of the first fragment */
	bool has_first;
	uint32_t total;         /* payload bytes, known from the last fragment; 0: not yet */
	uint32_t highest;       /* end of the highest byte seen */
	uint32_t units;         /* received so far */
	wt_time due;
	uint64_t have[WT_FRAGMENT_UNITS / 64];
};

struct wt_fragments {
	struct wt_node *node;
	struct wt_pool *pool;
	wt_time due;
	struct wt_fragment_slot slot[WT_FRAGMENT_SLOTS];
};

void wt_fragments_init(struct wt_fragments *fragments, struct wt_node *node, struct wt_pool *pool);
/* Frees what is being assembled, not counted: for the end of the host. */
void wt_fragments_finish(struct wt_fragments *fragments);
/*
 * Takes a frame whose IP header `ip` (parsed) says it is a fragment. The whole datagram, Ethernet header included
 * and its checksum WT_CSUM_NONE, to be given to IP input again as if it came off the wire; or NULL.
 */
struct wt_frame *wt_fragments_input(struct wt_fragments *fragments, wt_time now, struct wt_frame *frame,
				    const struct wt_ipv4 *ip);
static inline wt_time wt_fragments_deadline(const struct wt_fragments *fragments)
{
	return fragments->due;
}
void wt_fragments_expire(struct wt_fragments *fragments, wt_time now);

#endif

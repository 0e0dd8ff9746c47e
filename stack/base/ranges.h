/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sorted set of disjoint half-open intervals of sequence space, all within 2^31 of each other.
 * The receiver keeps what arrived out of order in one, the sender what was SACKed.
 *
 * The set is a B+-tree whose nodes are chunks: 511 intervals in a leaf, up to 340 children in an inner node. Up to 511 intervals it is one sorted
 * array; beyond, each call costs O(log n) whatever the order in which intervals come and whatever they leave (SegmentSmack,
 * CVE-2018-5390; CVE-2019-5599), plus O(1) for each interval it swallows. The only bound is memory, in bytes of it: `most` chunks for this
 * set, and the cap of the pool. Up to WT_RANGES_FEW intervals lie in the set itself, which then holds no memory; up to 127 in a piece.
 */
#ifndef WT_STACK_BASE_RANGES_H
#define WT_STACK_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/chunk.h"
#include "stack/base/seq.h"

struct wt_range {
	wt_seq start, end; /* [start, end) */
};

#define WT_RANGES_FEW 3

/* Zero-initialised is empty and has room for a few. It stays where it is while it is not empty. */
struct wt_ranges {
	struct wt_chunks *pool;
	void *root;            /* NULL: empty */
	uint16_t height;       /* levels of inner nodes above the leaves */
	bool small;            /* its only node is a piece */
	uint32_t count, bytes; /* intervals, and sequence space in all of them */
	uint32_t nodes, most;  /* chunks held, and the most that this set may hold */
	uint32_t steps;        /* nodes visited and intervals taken out since the beginning, modulo 2^32: the work, for tests to count */
	struct {
		_Alignas(void *) uint32_t count;
		_Alignas(void *) struct wt_range at[WT_RANGES_FEW];
	} few;                 /* the root while there are no more: a leaf, only shorter */
};

/* An empty set of at most `bytes` of memory, no less than four chunks. The pool must outlive it. */
void wt_ranges_init(struct wt_ranges *set, struct wt_chunks *pool, uint64_t bytes);
/* Gives everything back; the set stays usable. Finish accepts a zeroed set. */
void wt_ranges_clear(struct wt_ranges *set);
void wt_ranges_finish(struct wt_ranges *set);

/* Adds [start, end), merging what it touches; the resulting interval in *merged if given. False, and nothing changed: there is no memory for one
 * more interval. */
bool wt_ranges_add(struct wt_ranges *set, wt_seq start, wt_seq end, struct wt_range *merged);
/* Removes everything below `seq`. */
void wt_ranges_trim(struct wt_ranges *set, wt_seq seq);
/* Is [start, end) wholly inside one interval? */
bool wt_ranges_contain(struct wt_ranges *set, wt_seq start, wt_seq end);
/* The interval that adding [start, end) would make. */
struct wt_range wt_ranges_merged(struct wt_ranges *set, wt_seq start, wt_seq end);
/* The first interval that ends after `seq`, or the last one that starts before it. False: there is none. */
bool wt_ranges_after(struct wt_ranges *set, wt_seq seq, struct wt_range *range);
bool wt_ranges_before(struct wt_ranges *set, wt_seq seq, struct wt_range *range);
/* The lowest and the highest interval of a set that is not empty. */
struct wt_range wt_ranges_first(const struct wt_ranges *set);
struct wt_range wt_ranges_last(const struct wt_ranges *set);

#endif

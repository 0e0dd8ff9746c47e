/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Internet checksum (RFC 1071): ones' complement sum of 16-bit big-endian words.
 *
 * A running sum is an ordinary number: the sum of the words by value, not yet folded. So a caller may add a
 * 16-bit field to it directly, and sums of pieces (each of even length) may be added to one another.
 */
#ifndef WT_STACK_BASE_CHECKSUM_H
#define WT_STACK_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds `len` bytes to a running sum; only the last piece may have an odd length. Fast path: 64-bit lanes. */
uint64_t wt_csum_add(uint64_t sum, const uint8_t *data, size_t len);
/* Folds a running sum to the 16 bits that stand in a header (already complemented). */
static inline uint16_t wt_csum_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

#endif

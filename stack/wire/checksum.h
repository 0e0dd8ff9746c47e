/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum (RFC 1071): ones' complement sum of 16-bit words. */
#ifndef WT_STACK_WIRE_CHECKSUM_H
#define WT_STACK_WIRE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "stack/base/addr.h"

/* Adds `len` bytes to a running sum; only the last piece may have an odd length. Fast path: 64-bit lanes. */
uint64_t wt_csum_add(uint64_t sum, const uint8_t *data, size_t len);
/* Folds a running sum to the 16 bits that stand in a header (already complemented). */
uint16_t wt_csum_fold(uint64_t sum);
/* The pseudo-header of TCP over IPv4 (RFC 9293 3.1) or IPv6 (RFC 8200 8.1). */
uint64_t wt_csum_pseudo(const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol, uint32_t len);

#endif

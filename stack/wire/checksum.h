/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum of protocols: the sum itself lives in base, the pseudo-header here. */
#ifndef WT_STACK_WIRE_CHECKSUM_H
#define WT_STACK_WIRE_CHECKSUM_H

#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

/* IPv4 has 16 bits of length, IPv6 32; the sum of the two halves is right for both. */
static inline uint64_t wt_csum_length(uint32_t len)
{
	return (uint64_t)(len >> 16) + (len & 0xffff);
}

/* The pseudo-header of TCP over IPv4 (RFC 9293 3.1) or IPv6 (RFC 8200 8.1), as a running sum. */
static inline uint64_t wt_csum_pseudo(const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol, uint32_t len)
{
	uint64_t sum = protocol + wt_csum_length(len);

	if (src->family == WT_FAMILY_IPV6)
		return wt_csum_add(wt_csum_add(sum, src->bytes, 16), dst->bytes, 16);
	return sum + wt_get16(src->bytes) + wt_get16(src->bytes + 2) + wt_get16(dst->bytes) + wt_get16(dst->bytes + 2);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/checksum.h"

uint64_t wt_csum_pseudo(const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol, uint32_t len)
{
	/* IPv4 has 16 bits of length, IPv6 32; the sum of the two halves is right for both */
	uint64_t sum = (uint64_t)protocol + (len >> 16) + (len & 0xffff);
	size_t bytes = src->family == WT_FAMILY_IPV6 ? 16 : 4;

	sum = wt_csum_add(sum, src->bytes, bytes);
	return wt_csum_add(sum, dst->bytes, bytes);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/checksum.h"

#include "stack/base/bytes.h"

uint64_t wt_csum_pseudo(const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol, uint32_t len)
{
	/* IPv4 has 16 bits of length, IPv6 32; the sum of the two halves is right for both */
	uint64_t sum = (uint64_t)protocol + (len >> 16) + (len & 0xffff);

	if (src->family == WT_FAMILY_IPV6)
		return wt_csum_add(wt_csum_add(sum, src->bytes, 16), dst->bytes, 16);
	return sum + wt_get16(src->bytes) + wt_get16(src->bytes + 2) + wt_get16(dst->bytes) + wt_get16(dst->bytes + 2);
}

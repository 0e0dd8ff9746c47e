/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/ipv6.h"

#include "stack/base/bytes.h"

bool wt_ipv6_parse(const uint8_t *data, uint32_t len, struct wt_ipv6 *ip)
{
	if (len < WT_IPV6_HEADER || data[0] >> 4 != 6)
		return false;
	*ip = (struct wt_ipv6){
		.src = wt_addr_ipv6(data + 8), .dst = wt_addr_ipv6(data + 24), .payload_len = wt_get16(data + 4),
		.next_header = data[6], .hop_limit = data[7], .class = (uint8_t)(wt_get16(data) >> 4),
	};
	return ip->payload_len <= len - WT_IPV6_HEADER;
}

void wt_ipv6_emit(uint8_t data[WT_IPV6_HEADER], const struct wt_ipv6 *ip)
{
	wt_put32(data, 6u << 28 | (uint32_t)ip->class << 20); /* flow label 0 */
	wt_put16(data + 4, ip->payload_len);
	data[6] = ip->next_header;
	data[7] = ip->hop_limit;
	memcpy(data + 8, ip->src.bytes, 16);
	memcpy(data + 24, ip->dst.bytes, 16);
}

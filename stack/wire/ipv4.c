/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/ipv4.h"

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

#define FLAG_DONT_FRAGMENT 0x4000
#define FLAG_MORE_FRAGMENTS 0x2000
#define OFFSET_MASK 0x1fff /* units of eight bytes */

enum wt_ipv4_error wt_ipv4_parse(const uint8_t *data, uint32_t len, bool verify, struct wt_ipv4 *ip)
{
	uint16_t fragment;

	if (len < WT_IPV4_HEADER)
		return WT_IPV4_SHORT;
	if (data[0] >> 4 != 4 || (data[0] & 15) < 5)
		return WT_IPV4_MALFORMED;
	ip->header_len = (uint16_t)((data[0] & 15) * 4);
	if (ip->header_len > len)
		return WT_IPV4_SHORT;
	if (verify && wt_csum_fold(wt_csum_add(0, data, ip->header_len)) != 0)
		return WT_IPV4_BAD_CSUM;
	ip->total_len = wt_get16(data + 2);
	if (ip->total_len < ip->header_len)
		return WT_IPV4_MALFORMED;
	if (ip->total_len > len)
		return WT_IPV4_SHORT;
	ip->tos = data[1];
	ip->id = wt_get16(data + 4);
	fragment = wt_get16(data + 6);
	ip->dont_fragment = fragment & FLAG_DONT_FRAGMENT;
	ip->more_fragments = fragment & FLAG_MORE_FRAGMENTS;
	ip->frag_offset = (uint16_t)((fragment & OFFSET_MASK) * 8);
	ip->ttl = data[8];
	ip->protocol = data[9];
	ip->src = wt_addr_ipv4(data[12], data[13], data[14], data[15]);
	ip->dst = wt_addr_ipv4(data[16], data[17], data[18], data[19]);
	return WT_IPV4_OK;
}

void wt_ipv4_emit(uint8_t data[WT_IPV4_HEADER], const struct wt_ipv4 *ip)
{
	uint64_t sum = 0;
	uint16_t field;

	data[0] = 4 << 4 | 5;
	data[1] = ip->tos;
	wt_put16(data + 2, ip->total_len);
	wt_put16(data + 4, ip->id);
	wt_put16(data + 6, (uint16_t)((ip->dont_fragment ? FLAG_DONT_FRAGMENT : 0) |
				      (ip->more_fragments ? FLAG_MORE_FRAGMENTS : 0) | ip->frag_offset / 8));
	data[8] = ip->ttl;
	data[9] = ip->protocol;
	memcpy(data + 12, ip->src.bytes, 4);
	memcpy(data + 16, ip->dst.bytes, 4);
	wt_put16(data + 10, 0);
	for (unsigned i = 0; i < WT_IPV4_HEADER; i += 4) {
		uint32_t word;

		memcpy(&word, data + i, sizeof(word)); /* in memory order, as RFC 1071 2 (B) lets us: the result is stored so, too */
		sum += word;
	}
	field = wt_csum_fold(sum);
	memcpy(data + 10, &field, sizeof(field));
}

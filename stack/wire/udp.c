/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/udp.h"

#include "stack/base/bytes.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"

static uint16_t checksum(const uint8_t *data, const struct wt_addr *src, const struct wt_addr *dst, uint32_t len)
{
	return wt_csum_fold(wt_csum_add(wt_csum_pseudo(src, dst, WT_IP_UDP, len), data, len));
}

bool wt_udp_parse(const uint8_t *data, uint32_t len, const struct wt_addr *src, const struct wt_addr *dst, bool verify,
		  struct wt_udp_header *udp)
{
	if (len < WT_UDP_HEADER)
		return false;
	*udp = (struct wt_udp_header){wt_get16(data), wt_get16(data + 2), wt_get16(data + 4)};
	if (udp->len < WT_UDP_HEADER || udp->len > len)
		return false;
	if (!wt_get16(data + 6))
		return src->family == WT_FAMILY_IPV4;
	return !verify || checksum(data, src, dst, udp->len) == 0;
}

void wt_udp_emit(uint8_t *data, const struct wt_addr *src, const struct wt_addr *dst, const struct wt_udp_header *udp)
{
	uint16_t sum;

	wt_put16(data, udp->src_port);
	wt_put16(data + 2, udp->dst_port);
	wt_put16(data + 4, udp->len);
	wt_put16(data + 6, 0);
	sum = checksum(data, src, dst, udp->len);
	wt_put16(data + 6, sum ? sum : 0xffff); /* 0 would say that there is none (RFC 768) */
}

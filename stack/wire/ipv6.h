/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv6 header (RFC 8200 section 3), without what may follow it. */
#ifndef WT_STACK_WIRE_IPV6_H
#define WT_STACK_WIRE_IPV6_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_IPV6_HEADER 40
#define WT_IP_ICMPV6 58

struct wt_ipv6 {
	struct wt_addr src, dst;
	uint16_t payload_len;   /* bytes behind the header; never exceeds the data parsed */
	uint8_t next_header, hop_limit, class;
};

/* data starts at the IPv6 header; bytes past payload_len are link padding. False: not IPv6, or fewer bytes than it says. */
bool wt_ipv6_parse(const uint8_t *data, uint32_t len, struct wt_ipv6 *ip);
void wt_ipv6_emit(uint8_t data[WT_IPV6_HEADER], const struct wt_ipv6 *ip);

#endif

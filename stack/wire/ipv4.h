/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv4 header (RFC 791). Options are accepted and skipped; we send none. */
#ifndef WT_STACK_WIRE_IPV4_H
#define WT_STACK_WIRE_IPV4_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_IPV4_HEADER 20
#define WT_IP_ICMP 1
#define WT_IP_TCP 6
#define WT_IP_UDP 17

struct wt_ipv4 {
	struct wt_addr src, dst;
	uint16_t id;
	uint16_t total_len, header_len; /* bytes; total_len never exceeds the data parsed */
	uint16_t frag_offset;           /* bytes */
	bool dont_fragment, more_fragments;
	uint8_t ttl, protocol, tos;     /* low two bits of tos: ECN */
};

enum wt_ipv4_error { WT_IPV4_OK, WT_IPV4_SHORT, WT_IPV4_MALFORMED, WT_IPV4_BAD_CSUM };

/* data starts at the IP header; bytes past total_len are link padding. verify: check the header checksum. */
enum wt_ipv4_error wt_ipv4_parse(const uint8_t *data, uint32_t len, bool verify, struct wt_ipv4 *ip);
/* Writes 20 bytes with a right checksum. header_len is ignored. */
void wt_ipv4_emit(uint8_t data[WT_IPV4_HEADER], const struct wt_ipv4 *ip);

#endif

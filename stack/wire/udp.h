/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP header (RFC 768). Parse and emit are inverse. */
#ifndef WT_STACK_WIRE_UDP_H
#define WT_STACK_WIRE_UDP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_UDP_HEADER 8

struct wt_udp_header {
	uint16_t src_port, dst_port;
	uint16_t len; /* of header and payload; never exceeds the data parsed */
};

/*
 * data: what the IP packet carries, `len` bytes. False if the datagram is shorter than a header or than it says, or if `verify` and its
 * checksum is wrong. A checksum of 0 was not computed: accepted over IPv4 (RFC 1122 4.1.3.4), refused over IPv6 (RFC 8200 8.1).
 */
bool wt_udp_parse(const uint8_t *data, uint32_t len, const struct wt_addr *src, const struct wt_addr *dst, bool verify,
		  struct wt_udp_header *udp);
/* Writes the header in front of udp->len - WT_UDP_HEADER payload bytes already in place, and the checksum over all. */
void wt_udp_emit(uint8_t *data, const struct wt_addr *src, const struct wt_addr *dst, const struct wt_udp_header *udp);

#endif

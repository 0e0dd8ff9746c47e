/* SPDX-License-Identifier: BSD-2-Clause */
/* ICMP (RFC 792): echo, and the errors a TCP host sends and hears. */
#ifndef WT_STACK_WIRE_ICMP_H
#define WT_STACK_WIRE_ICMP_H

#include <stdbool.h>
#include <stdint.h>

#define WT_ICMP_HEADER 8
#define WT_ICMP_ECHO_REPLY 0
#define WT_ICMP_UNREACHABLE 3
#define WT_ICMP_ECHO_REQUEST 8
#define WT_ICMP_TIME_EXCEEDED 11
#define WT_ICMP_NET_UNREACHABLE 0 /* codes of UNREACHABLE: RFC 792, RFC 1122 3.2.2.1 */
#define WT_ICMP_HOST_UNREACHABLE 1
#define WT_ICMP_PROTOCOL_UNREACHABLE 2
#define WT_ICMP_PORT_UNREACHABLE 3
#define WT_ICMP_FRAGMENTATION_NEEDED 4
#define WT_ICMP_NET_UNKNOWN 6
#define WT_ICMP_NET_PROHIBITED 9
#define WT_ICMP_NET_TOS 11

struct wt_icmp {
	uint8_t type, code;
	uint32_t rest; /* identifier and sequence, or unused and next-hop MTU */
};

/* False if short or the checksum over all `len` bytes is wrong. */
bool wt_icmp_parse(const uint8_t *data, uint32_t len, struct wt_icmp *icmp);
/* Writes the header in front of len - WT_ICMP_HEADER body bytes already in place, and the checksum over all. */
void wt_icmp_emit(uint8_t *data, uint32_t len, const struct wt_icmp *icmp);

#endif

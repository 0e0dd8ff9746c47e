/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbour solicitations and advertisements over Ethernet (RFC 4861). */
#ifndef WT_STACK_WIRE_ND_H
#define WT_STACK_WIRE_ND_H

#include "stack/wire/ipv6.h"

#define WT_ND_SOLICITATION 135
#define WT_ND_ADVERTISEMENT 136
#define WT_ND_HOP_LIMIT 255 /* nothing that came from beyond the link has it */
#define WT_ND_LEN 32        /* with one option */

struct wt_nd {
	uint8_t type;
	bool router, solicited, override; /* of an advertisement */
	struct wt_addr target;
	bool has_mac;
	struct wt_mac mac;                /* of a solicitation the source's, of an advertisement the target's */
};

/* The ICMPv6 message of the packet `ip`, at its end. False unless it is one of the two and fulfils every condition of RFC 4861 7.1.1 or
 * 7.1.2, the checksum's among them. */
bool wt_nd_parse(const struct wt_ipv6 *ip, const uint8_t *data, uint32_t len, struct wt_nd *nd);
/* Always with the option; the checksum is that of a message from src to dst. */
void wt_nd_emit(uint8_t data[WT_ND_LEN], const struct wt_addr *src, const struct wt_addr *dst, const struct wt_nd *nd);

/* ff02::1:ffXX:XXXX, where those listen that may have this address (RFC 4291 2.7.1). */
struct wt_addr wt_nd_group(const struct wt_addr *target);
/* Where a group of IPv6 is heard (RFC 2464 section 7). */
struct wt_mac wt_nd_group_mac(const struct wt_addr *group);
/* fe80::/64 with the interface identifier of a hardware address (RFC 2464 section 4). */
struct wt_addr wt_nd_link_local(const struct wt_mac *mac);

#endif

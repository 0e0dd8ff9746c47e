/* SPDX-License-Identifier: BSD-2-Clause */
/* ARP for IPv4 over Ethernet (RFC 826). */
#ifndef WT_STACK_WIRE_ARP_H
#define WT_STACK_WIRE_ARP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_ARP_LEN 28
#define WT_ARP_REQUEST 1
#define WT_ARP_REPLY 2

struct wt_arp {
	uint16_t op;
	struct wt_mac sender_mac, target_mac;
	struct wt_addr sender, target;
};

/* data starts after the Ethernet header. False unless Ethernet/IPv4 ARP of sufficient length. */
bool wt_arp_parse(const uint8_t *data, uint32_t len, struct wt_arp *arp);
void wt_arp_emit(uint8_t data[WT_ARP_LEN], const struct wt_arp *arp);

#endif

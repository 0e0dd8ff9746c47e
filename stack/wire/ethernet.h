/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WT_STACK_WIRE_ETHERNET_H
#define WT_STACK_WIRE_ETHERNET_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"

#define WT_ETH_HEADER 14
#define WT_ETH_IPV4 0x0800
#define WT_ETH_ARP 0x0806
#define WT_ETH_IPV6 0x86dd

struct wt_eth {
	struct wt_mac dst, src;
	uint16_t type;
};

/* False if shorter than a header. */
bool wt_eth_parse(const uint8_t *data, uint32_t len, struct wt_eth *eth);
void wt_eth_emit(uint8_t *data, const struct wt_eth *eth);

#endif

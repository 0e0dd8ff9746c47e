/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/arp.h"

#include "stack/base/bytes.h"
#include "stack/wire/ethernet.h"

#define HARDWARE_ETHERNET 1

bool wt_arp_parse(const uint8_t *data, uint32_t len, struct wt_arp *arp)
{
	if (len < WT_ARP_LEN || wt_get16(data) != HARDWARE_ETHERNET || wt_get16(data + 2) != WT_ETH_IPV4 ||
	    data[4] != 6 || data[5] != 4)
		return false;
	arp->op = wt_get16(data + 6);
	memcpy(arp->sender_mac.bytes, data + 8, 6);
	arp->sender = wt_addr_ipv4(data[14], data[15], data[16], data[17]);
	memcpy(arp->target_mac.bytes, data + 18, 6);
	arp->target = wt_addr_ipv4(data[24], data[25], data[26], data[27]);
	return true;
}

void wt_arp_emit(uint8_t data[WT_ARP_LEN], const struct wt_arp *arp)
{
	wt_put16(data, HARDWARE_ETHERNET);
	wt_put16(data + 2, WT_ETH_IPV4);
	data[4] = 6;
	data[5] = 4;
	wt_put16(data + 6, arp->op);
	memcpy(data + 8, arp->sender_mac.bytes, 6);
	memcpy(data + 14, arp->sender.bytes, 4);
	memcpy(data + 18, arp->target_mac.bytes, 6);
	memcpy(data + 24, arp->target.bytes, 4);
}

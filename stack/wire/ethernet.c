/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/ethernet.h"

#include "stack/base/bytes.h"

bool wt_eth_parse(const uint8_t *data, uint32_t len, struct wt_eth *eth)
{
	if (len < WT_ETH_HEADER)
		return false;
	memcpy(eth->dst.bytes, data, 6);
	memcpy(eth->src.bytes, data + 6, 6);
	eth->type = wt_get16(data + 12);
	return true;
}

void wt_eth_emit(uint8_t *data, const struct wt_eth *eth)
{
	memcpy(data, eth->dst.bytes, 6);
	memcpy(data + 6, eth->src.bytes, 6);
	wt_put16(data + 12, eth->type);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/air/rates.h"

#include <stddef.h>

enum { SYMBOL_US = 4, SERVICE_AND_TAIL = 16 + 6 };

static const struct wt_air_rate rates[] = {
	{1000, false, 0}, {2000, false, 0}, {5500, false, 0}, {11000, false, 0},
	{6000, true, 24}, {9000, true, 36}, {12000, true, 48}, {18000, true, 72},
	{24000, true, 96}, {36000, true, 144}, {48000, true, 192}, {54000, true, 216},
};

const struct wt_air_phy wt_phy_dsss = {
	.slot = 20 * WT_US, .sifs = 10 * WT_US, .plcp = 192 * WT_US, .rx_start = 192 * WT_US, .cw_min = 31, .cw_max = 1023,
};

const struct wt_air_phy wt_phy_ofdm = {
	.slot = 9 * WT_US, .sifs = 16 * WT_US, .plcp = 20 * WT_US, .rx_start = 25 * WT_US, .cw_min = 15, .cw_max = 1023,
};

const struct wt_air_rate *wt_air_rate_of(uint32_t kbps)
{
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i].kbps == kbps)
			return &rates[i];
	return NULL;
}

wt_time wt_air_time(const struct wt_air_phy *phy, const struct wt_air_rate *rate, uint32_t len)
{
	uint64_t bits = 8 * (uint64_t)len;

	if (rate->ofdm)
		return phy->plcp + (wt_time)((bits + SERVICE_AND_TAIL + rate->bits - 1) / rate->bits) * SYMBOL_US * WT_US;
	return phy->plcp + (wt_time)((bits * 1000 + rate->kbps - 1) / rate->kbps) * WT_US;
}

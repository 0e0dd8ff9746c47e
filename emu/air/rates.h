/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a frame is on the air. Two ways to send: DSSS of 1, 2, 5.5 and 11 Mbit/s (IEEE 802.11-2012, clauses 16 and 17) and OFDM of 6 to
 * 54 Mbit/s in 20 MHz (clause 18). Each comes with its own slot, SIFS and contention windows.
 */
#ifndef WT_EMU_AIR_RATES_H
#define WT_EMU_AIR_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

struct wt_air_rate {
	uint32_t kbps;
	bool ofdm;
	uint16_t bits; /* of an OFDM symbol */
};

/* NULL: there is no such rate. */
const struct wt_air_rate *wt_air_rate_of(uint32_t kbps);

/* What all frames of one way have in common. */
struct wt_air_phy {
	wt_time slot, sifs;
	wt_time plcp;      /* before every frame: preamble and header */
	wt_time rx_start;  /* aPHY-RX-START-Delay: from the first bit of a frame until its receiver says that there is one */
	unsigned cw_min, cw_max;
};

extern const struct wt_air_phy wt_phy_dsss, wt_phy_ofdm;
/* `short_preamble`: of DSSS, 96 us in place of 192. */
#define WT_PLCP_SHORT (96 * WT_US)

/* Of a frame of so many bytes behind the PLCP header: TXTIME, whole microseconds of DSSS, whole symbols of OFDM. */
wt_time wt_air_time(const struct wt_air_phy *phy, const struct wt_air_rate *rate, uint32_t len);

static inline wt_time wt_air_difs(const struct wt_air_phy *phy)
{
	return phy->sifs + 2 * phy->slot;
}

#endif

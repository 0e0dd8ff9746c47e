/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of the air as bytes: radiotap (radiotap.org) in front, then IEEE 802.11-2012, 8.3, ad hoc, without FCS. For captures. */
#ifndef WT_STACK_WIRE_IEEE80211_H
#define WT_STACK_WIRE_IEEE80211_H

#include "stack/base/air.h"

#define WT_IEEE80211_MORE 96 /* bytes that a captured frame may be longer than its Ethernet frame */

/* Writes a frame to `to`, which has room for the Ethernet frame and WT_IEEE80211_MORE bytes. Its length. `ethernet`: of data, the bytes
 * of sending->frame. */
uint32_t wt_ieee80211_emit(uint8_t *to, const struct wt_air_sending *sending, const uint8_t *ethernet, uint32_t ethernet_len);

#endif

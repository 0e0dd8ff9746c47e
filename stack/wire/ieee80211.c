/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/ieee80211.h"

#include <string.h>

enum { PRESENT = 1 << 1 | 1 << 2 | 1 << 3 /* flags, rate, channel */, SHORT_HEADER = 14 };
enum { CHANNEL_CCK = 0x0020, CHANNEL_OFDM = 0x0040, CHANNEL_2GHZ = 0x0080 };
enum { ETHERNET = 14, RETRY = 0x08 /* of the second byte */ };

static const uint8_t bss[6] = {0x02, 0x57, 0x54, 'A', 'I', 'R'};
static const uint8_t snap[6] = {0xaa, 0xaa, 0x03, 0, 0, 0};
static const uint8_t kinds[WT_AIR_KINDS] = {[WT_AIR_RTS] = 0xb4, [WT_AIR_CTS] = 0xc4, [WT_AIR_ACK] = 0xd4, [WT_AIR_DATA] = 0x08};

static uint8_t *put_le16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static uint8_t *put(uint8_t *p, const void *bytes, uint32_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

/* Version 0, little-endian; rate in units of 500 kbit/s, channel in MHz. */
static uint8_t *radiotap(uint8_t *p, const struct wt_air_sending *sending)
{
	p = put_le16(p, 0);
	p = put_le16(p, SHORT_HEADER);
	p = put_le16(p, PRESENT);
	p = put_le16(p, 0);
	*p++ = 0;
	*p++ = (uint8_t)(sending->rate_kbps / 500);
	p = put_le16(p, sending->mhz);
	return put_le16(p, (sending->ofdm ? CHANNEL_OFDM : CHANNEL_CCK) | (sending->mhz > 2000 ? CHANNEL_2GHZ : 0));
}

static uint8_t *data(uint8_t *p, const struct wt_air_sending *sending, const uint8_t *ethernet, uint32_t len)
{
	p = put(p, bss, 6);
	p = put_le16(p, (unsigned)sending->sequence << 4);
	p = put(p, snap, 6);
	return len > ETHERNET - 2 ? put(p, ethernet + ETHERNET - 2, len - (ETHERNET - 2)) : p;
}

uint32_t wt_ieee80211_emit(uint8_t *to, const struct wt_air_sending *sending, const uint8_t *ethernet, uint32_t ethernet_len)
{
	uint8_t *p = radiotap(to, sending);

	*p++ = kinds[sending->kind];
	*p++ = sending->retry ? RETRY : 0;
	p = put_le16(p, sending->duration_us);
	p = put(p, sending->to, 6);
	if (sending->kind == WT_AIR_RTS || sending->kind == WT_AIR_DATA)
		p = put(p, sending->by, 6);
	if (sending->kind == WT_AIR_DATA)
		p = data(p, sending, ethernet, ethernet_len);
	return (uint32_t)(p - to);
}

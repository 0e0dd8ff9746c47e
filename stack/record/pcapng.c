/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *     type | total length | body, padded to 4 | options | total length again
 */
#include "stack/record/pcapng.h"

#include <string.h>

enum { BLOCK_INTERFACE = 1, BLOCK_PACKET = 6, BLOCK_SECTION = 0x0a0d0d0a };
enum { OPT_END = 0, OPT_COMMENT = 1, OPT_FLAGS = 2, OPT_IF_NAME = 2, OPT_LOST = 4, OPT_USER_APPL = 4, OPT_PACKET_ID = 5, OPT_TSRESOL = 9 };

static uint8_t *put_le16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static uint8_t *put_le32(uint8_t *p, uint32_t v)
{
	return put_le16(put_le16(p, v & 0xffff), v >> 16);
}

uint32_t wt_pcapng_length(const uint8_t *block)
{
	const uint8_t *p = block + 4;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t *pad(uint8_t *p, uint32_t len)
{
	while (len++ & 3)
		*p++ = 0;
	return p;
}

static uint8_t *put_option(uint8_t *p, unsigned code, const void *value, uint32_t len)
{
	p = put_le16(put_le16(p, code), len);
	memcpy(p, value, len);
	return pad(p + len, len);
}

static uint8_t *put_number(uint8_t *p, unsigned code, uint64_t value)
{
	uint8_t bytes[8];

	put_le32(put_le32(bytes, (uint32_t)value), (uint32_t)(value >> 32));
	return put_option(p, code, bytes, 8);
}

static uint8_t *end(uint8_t *start, uint8_t *p)
{
	uint32_t len;

	p = put_le16(put_le16(p, OPT_END), 0);
	len = (uint32_t)(p + 4 - start);
	put_le32(start + 4, len);
	return put_le32(p, len);
}

uint8_t *wt_pcapng_section(uint8_t *start)
{
	uint8_t *p = put_le32(put_le32(start, BLOCK_SECTION), 0);

	p = put_le32(p, 0x1a2b3c4d); /* byte order */
	p = put_le16(put_le16(p, 1), 0);
	p = put_le32(put_le32(p, UINT32_MAX), UINT32_MAX); /* section length: not stated */
	return end(start, put_option(p, OPT_USER_APPL, "wavetank", 8));
}

uint8_t *wt_pcapng_interface(uint8_t *start, const char *name, unsigned linktype)
{
	uint8_t *p = put_le32(put_le32(start, BLOCK_INTERFACE), 0);

	p = put_le16(put_le16(p, linktype), 0);
	p = put_le32(p, 0); /* frames are not cut */
	p = put_option(p, OPT_IF_NAME, name, (uint32_t)strnlen(name, 64));
	return end(start, put_option(p, OPT_TSRESOL, "\x09", 1)); /* 10^-9 s */
}

/* Up to the bytes of a packet, of which `kept` follow. */
static uint8_t *begin_packet(uint8_t *start, const struct wt_pcapng_facts *facts, uint32_t kept, uint32_t len)
{
	uint8_t *p = put_le32(put_le32(start, BLOCK_PACKET), 0);

	p = put_le32(p, facts->interface);
	p = put_le32(put_le32(p, (uint32_t)(facts->time_ns >> 32)), (uint32_t)facts->time_ns);
	return put_le32(put_le32(p, kept), len);
}

/* What follows them. */
static uint8_t *end_packet(uint8_t *start, uint8_t *p, const struct wt_pcapng_facts *facts, uint32_t kept)
{
	uint8_t way[4];

	p = pad(p + kept, kept);
	if (facts->comment)
		p = put_option(p, OPT_COMMENT, facts->comment, (uint32_t)strnlen(facts->comment, 100));
	if (facts->way) {
		put_le32(way, facts->way);
		p = put_option(p, OPT_FLAGS, way, 4);
	}
	if (facts->lost)
		p = put_number(p, OPT_LOST, facts->lost);
	if (facts->has_id)
		p = put_number(p, OPT_PACKET_ID, facts->id);
	return end(start, p);
}

uint8_t *wt_pcapng_frame(uint8_t *start, const struct wt_pcapng_facts *facts, const struct wt_frame *frame)
{
	uint32_t kept = frame->len < WT_PCAPNG_CUT ? frame->len : WT_PCAPNG_CUT;
	uint8_t *p = begin_packet(start, facts, kept, frame->len);

	wt_frame_read(frame, p, kept);
	return end_packet(start, p, facts, kept);
}

uint8_t *wt_pcapng_bytes(uint8_t *start, const struct wt_pcapng_facts *facts, const uint8_t *bytes, uint32_t len)
{
	uint32_t kept = len < WT_PCAPNG_CUT ? len : WT_PCAPNG_CUT;
	uint8_t *p = begin_packet(start, facts, kept, len);

	memcpy(p, bytes, kept);
	return end_packet(start, p, facts, kept);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/tcp.h"

#include <string.h>

#include "stack/base/bytes.h"

/* IANA "TCP Option Kind Numbers" */
enum kind {
	KIND_END = 0,
	KIND_NOP = 1,
	KIND_MSS = 2,
	KIND_WSCALE = 3,
	KIND_SACK_PERMITTED = 4,
	KIND_SACK = 5,
	KIND_TS = 8,
	KIND_EXPERIMENT_1 = 253,
	KIND_EXPERIMENT_2 = 254,
};

enum { LEN_MSS = 4, LEN_WSCALE = 3, LEN_SACK_PERMITTED = 2, LEN_TS = 10 };

/* ---- parse -------------------------------------------------------------------------------------------- */

static void parse_sack(struct wt_tcp_header *tcp, const uint8_t *option, uint8_t len)
{
	unsigned count = (len - 2u) / 8;

	if (len < 10 || (len - 2) % 8 || count > WT_TCP_SACK_BLOCKS)
		return;
	tcp->sack_count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		tcp->sack[i].start = wt_get32(option + 2 + 8 * i);
		tcp->sack[i].end = wt_get32(option + 6 + 8 * i);
	}
}

/* One option of `len` bytes, kind and length included, all inside the header. */
static void parse_option(struct wt_tcp_header *tcp, const uint8_t *option, uint8_t len)
{
	bool syn = tcp->flags & WT_SYN;

	switch (option[0]) {
	case KIND_MSS:
		if (len == LEN_MSS && syn) {
			tcp->has_mss = true;
			tcp->mss = wt_get16(option + 2);
		}
		break;
	case KIND_WSCALE:
		if (len == LEN_WSCALE && syn) {
			tcp->has_wscale = true;
			tcp->wscale = option[2];
		}
		break;
	case KIND_SACK_PERMITTED:
		if (len == LEN_SACK_PERMITTED && syn)
			tcp->has_sack_permitted = true;
		break;
	case KIND_SACK:
		parse_sack(tcp, option, len);
		break;
	case KIND_TS:
		if (len == LEN_TS) {
			tcp->has_ts = true;
			tcp->tsval = wt_get32(option + 2);
			tcp->tsecr = wt_get32(option + 6);
		}
		break;
	case KIND_EXPERIMENT_1:
	case KIND_EXPERIMENT_2:
		if (tcp->experiment_count < WT_TCP_EXPERIMENTS)
			tcp->experiment[tcp->experiment_count++] =
				(struct wt_tcp_experiment){option[0], len, option + 2};
		break;
	default: /* RFC 9293 3.1 MUST-6: skipped */
		break;
	}
}

bool wt_tcp_parse(const uint8_t *data, uint32_t len, struct wt_tcp_header *tcp)
{
	uint32_t at = WT_TCP_HEADER, header_len;

	if (len < WT_TCP_HEADER)
		return false;
	header_len = (uint32_t)(data[12] >> 4) * 4;
	if (header_len < WT_TCP_HEADER || header_len > len)
		return false;
	/* only the counts and flags of options need a start value; the rest follows from them */
	tcp->has_mss = tcp->has_wscale = tcp->has_sack_permitted = tcp->has_ts = false;
	tcp->sack_count = tcp->experiment_count = 0;
	tcp->src_port = wt_get16(data);
	tcp->dst_port = wt_get16(data + 2);
	tcp->seq = wt_get32(data + 4);
	tcp->ack = wt_get32(data + 8);
	tcp->flags = data[13];
	tcp->header_len = (uint8_t)header_len;
	tcp->window = wt_get16(data + 14);
	tcp->urgent = wt_get16(data + 18);
	while (at < header_len && data[at] != KIND_END) {
		if (data[at] == KIND_NOP) {
			at++;
			continue;
		}
		/* RFC 9293 3.1 MUST-7: a length that cannot be is an error, never a loop */
		if (at + 1 >= header_len || data[at + 1] < 2 || data[at + 1] > header_len - at)
			return false;
		parse_option(tcp, data + at, data[at + 1]);
		at += data[at + 1];
	}
	return true;
}

/* ---- emit --------------------------------------------------------------------------------------------- */

static uint32_t pad4(uint32_t len)
{
	return (len + 3) & ~3u;
}

static uint32_t sack_len(unsigned blocks)
{
	return blocks ? 4 + 8 * blocks : 0;
}

/* The options whose room is not negotiable: at most 24 bytes. */
static uint32_t fixed_len(const struct wt_tcp_header *tcp)
{
	bool syn = tcp->flags & WT_SYN;
	uint32_t len = 0;

	if (syn && tcp->has_mss)
		len += LEN_MSS;
	if (tcp->has_ts)
		len += 2 + LEN_TS;
	else if (syn && tcp->has_sack_permitted)
		len += 2 + LEN_SACK_PERMITTED;
	if (syn && tcp->has_wscale)
		len += 1 + LEN_WSCALE;
	return len;
}

static uint32_t experiments_len(const struct wt_tcp_header *tcp)
{
	uint32_t len = 0;

	for (unsigned i = 0; i < tcp->experiment_count; i++)
		len += pad4(tcp->experiment[i].len);
	return len;
}

uint32_t wt_tcp_emit_len_with_options(struct wt_tcp_header *tcp)
{
	uint32_t room = WT_TCP_OPTIONS_ROOM - fixed_len(tcp);

	/* what can never fit goes first, so that it does not push out SACK blocks in vain */
	while (experiments_len(tcp) > room)
		tcp->experiment_count--;
	room -= experiments_len(tcp);
	while (sack_len(tcp->sack_count) > room)
		tcp->sack_count--;
	return WT_TCP_HEADER + WT_TCP_OPTIONS_ROOM - room + sack_len(tcp->sack_count);
}

static uint8_t *emit_nops(uint8_t *p, unsigned count)
{
	memset(p, KIND_NOP, count);
	return p + count;
}

static uint8_t *emit_ts(uint8_t *p, const struct wt_tcp_header *tcp)
{
	/* the two bytes of padding carry SACK-permitted on a SYN that has both */
	if ((tcp->flags & WT_SYN) && tcp->has_sack_permitted) {
		*p++ = KIND_SACK_PERMITTED;
		*p++ = LEN_SACK_PERMITTED;
	} else {
		p = emit_nops(p, 2);
	}
	p[0] = KIND_TS;
	p[1] = LEN_TS;
	wt_put32(p + 2, tcp->tsval);
	wt_put32(p + 6, tcp->tsecr);
	return p + LEN_TS;
}

static uint8_t *emit_syn(uint8_t *p, const struct wt_tcp_header *tcp)
{
	if (tcp->has_mss) {
		p[0] = KIND_MSS;
		p[1] = LEN_MSS;
		wt_put16(p + 2, tcp->mss);
		p += LEN_MSS;
	}
	if (tcp->has_ts) {
		p = emit_ts(p, tcp);
	} else if (tcp->has_sack_permitted) {
		p = emit_nops(p, 2);
		*p++ = KIND_SACK_PERMITTED;
		*p++ = LEN_SACK_PERMITTED;
	}
	if (tcp->has_wscale) {
		p = emit_nops(p, 1);
		*p++ = KIND_WSCALE;
		*p++ = LEN_WSCALE;
		*p++ = tcp->wscale;
	}
	return p;
}

static uint8_t *emit_sack(uint8_t *p, const struct wt_tcp_header *tcp)
{
	if (!tcp->sack_count)
		return p;
	p = emit_nops(p, 2);
	*p++ = KIND_SACK;
	*p++ = (uint8_t)(2 + 8 * tcp->sack_count);
	for (unsigned i = 0; i < tcp->sack_count; i++, p += 8) {
		wt_put32(p, tcp->sack[i].start);
		wt_put32(p + 4, tcp->sack[i].end);
	}
	return p;
}

uint8_t *wt_tcp_emit_options(uint8_t *p, const struct wt_tcp_header *tcp)
{
	if (tcp->flags & WT_SYN)
		p = emit_syn(p, tcp);
	else if (tcp->has_ts)
		p = emit_ts(p, tcp);
	p = emit_sack(p, tcp);
	for (unsigned i = 0; i < tcp->experiment_count; i++) {
		const struct wt_tcp_experiment *option = &tcp->experiment[i];

		p = emit_nops(p, pad4(option->len) - option->len);
		p[0] = option->kind;
		p[1] = option->len;
		memcpy(p + 2, option->data, option->len - 2u);
		p += option->len;
	}
	return p;
}

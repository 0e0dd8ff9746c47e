/* SPDX-License-Identifier: BSD-2-Clause */
/* Its own reader of options, so that the engine's writer is not checked against its twin. */
#include <stdio.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/ecn.h"
#include "stack/wire/checksum.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"
#include "tools/script/language/packet.h"

/* An option this language has a word for; false leaves it raw. */
static bool read_known(const uint8_t *at, uint8_t len, const struct wt_script_flow *flow,
		       struct wt_script_tcp_option *option)
{
	switch (at[0]) {
	case 2:
		option->kind = WT_SO_MSS;
		option->value = len == 4 ? wt_get16(at + 2) : 0;
		return len == 4;
	case 3:
		option->kind = WT_SO_WSCALE;
		option->value = at[2];
		return len == 3;
	case 4:
		option->kind = WT_SO_SACK_PERMITTED;
		return len == 2;
	case 5:
		option->kind = WT_SO_SACK;
		option->len = (uint8_t)((len - 2) / 8);
		if (len % 8 != 2 || !option->len || option->len > WT_SCRIPT_SACK_BLOCKS)
			return false;
		for (unsigned i = 0; i < option->len; i++) {
			option->sack[i].start = wt_get32(at + 2 + 8 * i) - flow->remote_isn;
			option->sack[i].end = wt_get32(at + 6 + 8 * i) - flow->remote_isn;
		}
		return true;
	case 8:
		if (len != 10)
			return false;
		option->kind = WT_SO_TIMESTAMP;
		option->value = wt_get32(at + 2) - (flow->has_ts ? flow->ts_base : 0);
		option->tsecr = wt_get32(at + 6);
		return true;
	case 253:
	case 254:
		option->kind = WT_SO_EXPERIMENT;
		option->number = at[0];
		option->len = (uint8_t)(len - 2);
		memcpy(option->bytes, at + 2, option->len);
		return true;
	default:
		return false;
	}
}

static bool read_options(const uint8_t *at, uint32_t len, const struct wt_script_flow *flow,
			 struct wt_script_packet *packet)
{
	while (len) {
		struct wt_script_tcp_option *option = &packet->options[packet->option_count++];
		uint8_t size;

		memset(option, 0, sizeof(*option));
		if (at[0] <= 1) {
			option->kind = at[0] ? WT_SO_NOP : WT_SO_EOL;
			at++;
			len--;
			continue;
		}
		size = len > 1 ? at[1] : 0;
		if (size < 2 || size > len)
			return false;
		if (!read_known(at, size, flow, option)) {
			memset(option, 0, sizeof(*option));
			option->kind = WT_SO_RAW;
			option->len = size;
			memcpy(option->bytes, at, size);
		}
		at += size;
		len -= size;
	}
	return true;
}

static bool read_tcp(const uint8_t *tcp, uint32_t len, const struct wt_ipv4 *ip, const struct wt_script_flow *flow,
		     struct wt_script_packet *packet, char *error, size_t error_len)
{
	uint32_t header = len < WT_TCP_HEADER ? 0 : (tcp[12] >> 4) * 4u, first;

	packet->kind = WT_SP_TCP;
	packet->ecn = ip->tos & WT_ECN_MASK;
	if (header < WT_TCP_HEADER || header > len)
		return snprintf(error, error_len, "a TCP header that does not fit its packet") < 0;
	if (wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip->src, &ip->dst, WT_IP_TCP, len), tcp, len)) != 0)
		return snprintf(error, error_len, "a wrong TCP checksum") < 0;
	packet->from.port = wt_get16(tcp);
	packet->to.port = wt_get16(tcp + 2);
	packet->start = wt_get32(tcp + 4) - (flow->has_iss ? flow->iss : 0);
	packet->flags = tcp[13];
	packet->has_ack = packet->flags & WT_ACK;
	packet->ack = packet->has_ack ? wt_get32(tcp + 8) - flow->remote_isn : 0;
	packet->has_window = true;
	packet->window = wt_get16(tcp + 14);
	packet->urgent = wt_get16(tcp + 18);
	packet->has_urgent = packet->flags & WT_URG;
	packet->len = len - header;
	if (!read_options(tcp + WT_TCP_HEADER, header - WT_TCP_HEADER, flow, packet))
		return snprintf(error, error_len, "TCP options that run past their header") < 0;
	first = packet->start - (packet->flags & WT_SYN ? 0 : 1);
	for (uint32_t i = 0; i < packet->len; i++)
		if (tcp[header + i] != wt_script_stream_byte(first + i))
			return snprintf(error, error_len, "payload byte %u is 0x%02x, but 0x%02x was written there", i,
					tcp[header + i], wt_script_stream_byte(first + i)) < 0;
	return true;
}

static bool read_icmp(const uint8_t *data, uint32_t len, const struct wt_script_flow *flow,
		      struct wt_script_packet *packet, char *error, size_t error_len)
{
	struct wt_icmp icmp;

	packet->kind = WT_SP_ICMP;
	if (!wt_icmp_parse(data, len, &icmp))
		return snprintf(error, error_len, "a broken ICMP message") < 0;
	packet->icmp_type = icmp.type;
	packet->icmp_code = icmp.code;
	packet->icmp_rest = icmp.rest;
	packet->icmp_len = len - WT_ICMP_HEADER;
	if (icmp.type == WT_ICMP_ECHO_REPLY)
		for (uint32_t i = 0; i < packet->icmp_len; i++)
			if (data[WT_ICMP_HEADER + i] != wt_script_stream_byte(i))
				return snprintf(error, error_len, "an echo that differs at byte %u", i) < 0;
	return true;
}

bool wt_script_packet_read(const uint8_t *data, uint32_t len, const struct wt_script_flow *flow,
			   struct wt_script_tcp_option *options, struct wt_script_packet *packet, char *error,
			   size_t error_len)
{
	struct wt_ipv4 ip;

	memset(packet, 0, sizeof(*packet));
	packet->options = options;
	if (wt_ipv4_parse(data, len, true, &ip) != WT_IPV4_OK)
		return snprintf(error, error_len, "a broken IP header") < 0;
	packet->from.addr = ip.src;
	packet->to.addr = ip.dst;
	data += ip.header_len;
	len = ip.total_len - ip.header_len;
	if (ip.protocol == WT_IP_TCP)
		return read_tcp(data, len, &ip, flow, packet, error, error_len);
	if (ip.protocol == WT_IP_ICMP)
		return read_icmp(data, len, flow, packet, error, error_len);
	return snprintf(error, error_len, "a packet of IP protocol %u", ip.protocol) < 0;
}

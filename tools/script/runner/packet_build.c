/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/wire/checksum.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"
#include "tools/script/language/packet.h"

uint8_t wt_script_stream_byte(uint32_t offset)
{
	return (uint8_t)(offset % 251); /* a prime: a segment put in the wrong place shows */
}

static uint32_t put_option_bytes(uint8_t *out, const struct wt_script_tcp_option *option)
{
	if (option->kind == WT_SO_RAW) {
		memcpy(out, option->bytes, option->len);
		return option->len;
	}
	out[0] = option->number;
	out[1] = (uint8_t)(option->len + 2);
	memcpy(out + 2, option->bytes, option->len);
	return option->len + 2u;
}

static uint32_t put_sack(uint8_t *out, const struct wt_script_tcp_option *option, const struct wt_script_flow *flow)
{
	uint32_t base = flow->has_iss ? flow->iss : 0; /* an inbound SACK speaks of our sequence numbers */

	out[0] = 5;
	out[1] = (uint8_t)(2 + 8 * option->len);
	for (unsigned i = 0; i < option->len; i++) {
		wt_put32(out + 2 + 8 * i, option->sack[i].start + base);
		wt_put32(out + 6 + 8 * i, option->sack[i].end + base);
	}
	return 2u + 8u * option->len;
}

/* One option of an inbound segment; at most 40 bytes. */
static uint32_t put_option(uint8_t *out, const struct wt_script_packet *packet,
			   const struct wt_script_tcp_option *option, const struct wt_script_flow *flow)
{
	switch (option->kind) {
	case WT_SO_EOL:
		out[0] = 0;
		return 1;
	case WT_SO_NOP:
		out[0] = 1;
		return 1;
	case WT_SO_MSS:
		out[0] = 2;
		out[1] = 4;
		wt_put16(out + 2, (uint16_t)option->value);
		return 4;
	case WT_SO_WSCALE:
		out[0] = 3;
		out[1] = 3;
		out[2] = (uint8_t)option->value;
		return 3;
	case WT_SO_SACK_PERMITTED:
		out[0] = 4;
		out[1] = 2;
		return 2;
	case WT_SO_SACK:
		return put_sack(out, option, flow);
	case WT_SO_TIMESTAMP:
		out[0] = 8;
		out[1] = 10;
		wt_put32(out + 2, option->value);
		/* a first SYN echoes nothing, so nothing is translated */
		wt_put32(out + 6, option->tsecr + ((packet->flags & WT_ACK) && flow->has_ts ? flow->ts_base : 0));
		return 10;
	case WT_SO_EXPERIMENT:
	case WT_SO_RAW:
		return put_option_bytes(out, option);
	}
	return 0;
}

static uint32_t put_options(uint8_t *out, const struct wt_script_packet *packet, const struct wt_script_flow *flow)
{
	uint32_t len = 0;

	for (unsigned i = 0; i < packet->option_count; i++) {
		uint8_t one[44];
		uint32_t size = put_option(one, packet, &packet->options[i], flow);

		if (len + size > WT_TCP_OPTIONS_ROOM)
			break; /* 40 bytes is all a header can hold; the parser has refused more */
		memcpy(out + len, one, size);
		len += size;
	}
	while (len % 4)
		out[len++] = 0;
	return len;
}

static void put_ip(uint8_t *data, const struct wt_endpoint *src, const struct wt_endpoint *dst, uint8_t protocol,
		   uint8_t ecn, uint32_t len)
{
	const struct wt_ipv4 ip = {
		.src = src->addr,
		.dst = dst->addr,
		.total_len = (uint16_t)len,
		.dont_fragment = true,
		.ttl = 64,
		.protocol = protocol,
		.tos = ecn,
	};

	wt_ipv4_emit(data, &ip);
}

/* The script's word about an address wins over the flow's. */
static struct wt_endpoint pick(bool has, const struct wt_endpoint *said, const struct wt_endpoint *usual)
{
	struct wt_endpoint endpoint = *usual;

	if (has && said->addr.family != WT_FAMILY_NONE)
		endpoint.addr = said->addr;
	if (has && said->port)
		endpoint.port = said->port;
	return endpoint;
}

static void put_payload(uint8_t *out, const struct wt_script_packet *packet, const struct wt_script_flow *flow)
{
	/* stream byte 0 has the number after the SYN's */
	uint32_t first = packet->start - flow->irs - (packet->flags & WT_SYN ? 0 : 1);

	for (uint32_t i = 0; i < packet->len; i++)
		out[i] = packet->damage.has_fill ? packet->damage.fill : wt_script_stream_byte(first + i);
}

static uint32_t build_tcp(const struct wt_script_packet *packet, const struct wt_script_flow *flow, uint8_t *data)
{
	struct wt_endpoint src = pick(packet->has_from, &packet->from, &flow->remote);
	struct wt_endpoint dst = pick(packet->has_to, &packet->to, &flow->local);
	const struct wt_script_damage *damage = &packet->damage;
	uint8_t *tcp = data + WT_IPV4_HEADER;
	uint32_t header, len, i;
	uint16_t sum;

	memset(tcp, 0, WT_TCP_HEADER);
	header = WT_TCP_HEADER + put_options(tcp + WT_TCP_HEADER, packet, flow);
	if (packet->len > WT_SCRIPT_SEGMENT - header)
		return 0;
	len = header + packet->len;
	wt_put16(tcp, src.port);
	wt_put16(tcp + 2, dst.port);
	wt_put32(tcp + 4, packet->start + flow->remote_isn);
	if (packet->has_ack)
		wt_put32(tcp + 8, packet->ack + (flow->has_iss ? flow->iss : 0));
	tcp[12] = (uint8_t)((damage->has_doff ? damage->doff : header / 4) << 4);
	tcp[13] = packet->flags;
	wt_put16(tcp + 14, packet->window);
	wt_put16(tcp + 18, packet->urgent);
	put_payload(tcp + header, packet, flow);
	sum = wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src.addr, &dst.addr, WT_IP_TCP, len), tcp, len));
	wt_put16(tcp + 16, damage->zero_checksum ? 0 : (uint16_t)(sum ^ (damage->bad_checksum ? 0x0100 : 0)));
	len += WT_IPV4_HEADER;
	put_ip(data, &src, &dst, WT_IP_TCP, packet->ecn, damage->has_ip_length ? damage->ip_length : len);
	if (damage->bad_ip_checksum)
		data[10] ^= 1;
	for (i = 0; i < damage->pad; i++)
		data[len + i] = 0xa5;
	return len + damage->pad;
}

static uint32_t build_icmp(const struct wt_script_packet *packet, const struct wt_script_flow *flow, uint8_t *data)
{
	struct wt_endpoint src = pick(packet->has_from, &packet->from, &flow->remote);
	struct wt_endpoint dst = pick(packet->has_to, &packet->to, &flow->local);
	const struct wt_icmp icmp = {.type = packet->icmp_type, .code = packet->icmp_code, .rest = packet->icmp_rest};
	uint8_t *body = data + WT_IPV4_HEADER + WT_ICMP_HEADER;
	uint32_t len = packet->icmp_len;

	for (uint32_t i = 0; i < len; i++)
		body[i] = wt_script_stream_byte(i);
	if (packet->has_quote) {
		/* RFC 792: the header and the first eight bytes of the datagram that met the error, which was ours */
		put_ip(body, &flow->local, &flow->remote, WT_IP_TCP, 0, WT_IPV4_HEADER + WT_TCP_HEADER + packet->quote_len);
		wt_put16(body + 20, flow->local.port);
		wt_put16(body + 22, flow->remote.port);
		wt_put32(body + 24, packet->quote_start + (flow->has_iss ? flow->iss : 0));
		len = WT_IPV4_HEADER + 8;
	}
	len += WT_ICMP_HEADER;
	wt_icmp_emit(data + WT_IPV4_HEADER, len, &icmp);
	put_ip(data, &src, &dst, WT_IP_ICMP, 0, WT_IPV4_HEADER + len);
	return WT_IPV4_HEADER + len;
}

uint32_t wt_script_packet_build(const struct wt_script_packet *packet, const struct wt_script_flow *flow,
				uint8_t data[WT_SCRIPT_FRAME])
{
	switch (packet->kind) {
	case WT_SP_TCP:
		return build_tcp(packet, flow, data);
	case WT_SP_ICMP:
		return build_icmp(packet, flow, data);
	case WT_SP_RAW:
		memcpy(data, packet->bytes, packet->byte_count);
		return packet->byte_count;
	}
	return 0;
}

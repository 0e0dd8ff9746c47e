/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/icmp.h"

#include <errno.h>

#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/wire/icmp.h"

#define QUOTE_LIMIT (576 - WT_IPV4_HEADER - WT_ICMP_HEADER)
#define QUOTED 8 /* RFC 792: ports, and of TCP the sequence number, which is all we need */

/* ---- what we send ------------------------------------------------------------------------------------- */

/* Copies `len` bytes behind an ICMP header and sends both, from the address that a packet came to, to where it came from. */
static void send(struct wt_ip *ip, wt_time now, const struct wt_ipv4 *about, const struct wt_icmp *icmp, const uint8_t *body, uint32_t len)
{
	struct wt_frame *frame = wt_books_make(ip->config.node, ip->config.pool, now);

	if (!frame)
		return;
	if (WT_IP_PAYLOAD + WT_ICMP_HEADER + len > frame->room) {
		wt_node_drop(ip->config.node, now, frame, WT_DROP_POOL);
		return;
	}
	memcpy(frame->data + WT_IP_PAYLOAD + WT_ICMP_HEADER, body, len);
	wt_icmp_emit(frame->data + WT_IP_PAYLOAD, WT_ICMP_HEADER + len, icmp);
	frame->len = WT_IP_PAYLOAD + WT_ICMP_HEADER + len;
	frame->csum = WT_CSUM_VALID;
	wt_ip_send(ip, now, frame, &about->dst, &about->src, WT_IP_ICMP, 0);
}

/* RFC 1812 4.3.2.8: a token bucket, by logical time. */
static bool may_send_error(struct wt_ip *ip, wt_time now)
{
	wt_time refill = (now - ip->icmp_filled) / WT_ICMP_INTERVAL;

	if (refill > 0) {
		ip->icmp_filled += refill * WT_ICMP_INTERVAL;
		ip->icmp_tokens = refill < WT_ICMP_BURST - (wt_time)ip->icmp_tokens ?
					  ip->icmp_tokens + (uint32_t)refill : WT_ICMP_BURST;
	}
	if (!ip->icmp_tokens)
		return false;
	ip->icmp_tokens--;
	return true;
}

void wt_icmp_refuse(struct wt_ip *ip, wt_time now, const struct wt_ip_packet *packet, uint8_t code, enum wt_drop cause)
{
	struct wt_icmp icmp = {.type = WT_ICMP_UNREACHABLE, .code = code};
	uint32_t len = packet->ip.total_len < QUOTE_LIMIT ? packet->ip.total_len : QUOTE_LIMIT;

	if (may_send_error(ip, now))
		send(ip, now, &packet->ip, &icmp, packet->frame->data + WT_ETH_HEADER, len);
	wt_node_drop(ip->config.node, now, packet->frame, cause);
}

/* ---- what we hear ------------------------------------------------------------------------------------- */

static void echo(struct wt_ip *ip, wt_time now, const struct wt_ip_packet *packet, const struct wt_icmp *request)
{
	struct wt_icmp reply = {.type = WT_ICMP_ECHO_REPLY, .rest = request->rest};

	if (WT_IPV4_HEADER + packet->len > ip->config.mtu)
		return;
	send(ip, now, &packet->ip, &reply, packet->payload + WT_ICMP_HEADER, packet->len - WT_ICMP_HEADER);
}

/* The quoted packet is cut short, so it does not pass for a packet: only what we need of it is checked. */
static bool parse_quote(const struct wt_ip *ip, const uint8_t *quote, uint32_t len, struct wt_icmp_error *error)
{
	uint32_t header_len;

	if (len < WT_IPV4_HEADER || quote[0] >> 4 != 4)
		return false;
	header_len = (quote[0] & 15u) * 4;
	if (header_len < WT_IPV4_HEADER || len < header_len + QUOTED || (quote[9] != WT_IP_TCP && quote[9] != WT_IP_UDP))
		return false;
	if (wt_get16(quote + 2) < header_len + QUOTED || (wt_get16(quote + 6) & 0x1fff) != 0)
		return false; /* too short for ports, or not the first fragment */
	error->protocol = quote[9];
	error->tuple.local.addr = wt_addr_ipv4(quote[12], quote[13], quote[14], quote[15]);
	error->tuple.remote.addr = wt_addr_ipv4(quote[16], quote[17], quote[18], quote[19]);
	error->tuple.local.port = wt_get16(quote + header_len);
	error->tuple.remote.port = wt_get16(quote + header_len + 2);
	error->seq = wt_get32(quote + header_len + 4);
	error->quoted_len = wt_get16(quote + 2);
	return wt_ip_is_ours(ip, &error->tuple.local.addr);
}

bool wt_icmp_input(struct wt_ip *ip, wt_time now, const struct wt_ip_packet *packet, struct wt_icmp_error *error)
{
	struct wt_icmp icmp;
	bool ours = false;

	if (!wt_icmp_parse(packet->payload, packet->len, &icmp)) {
		wt_node_drop(ip->config.node, now, packet->frame, WT_DROP_ICMP);
		return false;
	}
	switch (icmp.type) {
	case WT_ICMP_ECHO_REQUEST:
		echo(ip, now, packet, &icmp);
		break;
	case WT_ICMP_UNREACHABLE:
	case WT_ICMP_TIME_EXCEEDED:
		*error = (struct wt_icmp_error){.type = icmp.type, .code = icmp.code, .from = packet->ip.src};
		if (icmp.type == WT_ICMP_UNREACHABLE && icmp.code == WT_ICMP_FRAGMENTATION_NEEDED)
			error->mtu = (uint16_t)icmp.rest;
		ours = parse_quote(ip, packet->payload + WT_ICMP_HEADER, packet->len - WT_ICMP_HEADER, error);
		break;
	default: /* RFC 1122 3.2.2: unknown types are silently discarded; RFC 6633: source quench is one of them */
		break;
	}
	wt_books_take(ip->config.node, packet->frame);
	return ours;
}

int wt_icmp_errno(const struct wt_icmp_error *error)
{
	if (error->type == WT_ICMP_TIME_EXCEEDED)
		return -EHOSTUNREACH;
	switch (error->code) {
	case WT_ICMP_FRAGMENTATION_NEEDED:
		return -EMSGSIZE;
	case WT_ICMP_PROTOCOL_UNREACHABLE:
	case WT_ICMP_PORT_UNREACHABLE:
		return -ECONNREFUSED;
	case WT_ICMP_NET_UNREACHABLE:
	case WT_ICMP_NET_UNKNOWN:
	case WT_ICMP_NET_PROHIBITED:
	case WT_ICMP_NET_TOS:
		return -ENETUNREACH;
	default:
		return -EHOSTUNREACH;
	}
}

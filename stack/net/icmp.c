/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/icmp.h"

#include <errno.h>

#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/wire/icmp.h"

#define QUOTED 8 /* RFC 792: ports, and of TCP the sequence number, which is all we need */

/* ---- what we send ------------------------------------------------------------------------------------- */

void wt_icmp_refuse(struct wt_net *net, wt_time now, const struct wt_ip_packet *packet, enum wt_refusal_kind kind, enum wt_drop cause)
{
	const struct wt_refusal refusal = {.kind = kind, .quote = net->config.quote}; /* from the address it was for */
	const struct wt_route *back = wt_net_route(net, &packet->ip.src);
	struct wt_frame *answer = back ? wt_refuse(net->config.node, &net->limit, now, packet->frame, &refusal) : NULL;

	wt_node_drop(net->config.node, now, packet->frame, cause);
	if (!answer)
		return;
	answer->from_path = net->config.forwards; /* what a host sent is never such */
	wt_net_forward(net, now, answer, back, &packet->ip.src);
}

/* ---- what we hear ------------------------------------------------------------------------------------- */

/* In its own frame; with the type of service it came with (RFC 1349 5.1). One that is longer than the MTU came in fragments. */
static bool echo(struct wt_net *net, wt_time now, const struct wt_ip_packet *packet, const struct wt_icmp *request)
{
	const struct wt_icmp reply = {.type = WT_ICMP_ECHO_REPLY, .rest = request->rest};
	struct wt_frame *frame = packet->frame;

	if (WT_IPV4_HEADER + packet->len > net->interface[packet->interface].mtu || !wt_net_route(net, &packet->ip.src))
		return false;
	memmove(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, packet->payload, packet->len);
	wt_icmp_emit(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, packet->len, &reply);
	frame->len = WT_IP_PAYLOAD + packet->len;
	frame->csum = WT_CSUM_VALID;
	frame->time = now;
	wt_net_send(net, now, frame, &packet->ip.dst, &packet->ip.src, WT_IP_ICMP, packet->ip.tos);
	return true;
}

/* The quoted packet is cut short, so it does not pass for a packet: only what we need of it is checked. */
static bool parse_quote(const struct wt_net *net, const uint8_t *quote, uint32_t len, struct wt_icmp_error *error)
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
	return wt_net_is_ours(net, &error->tuple.local.addr);
}

bool wt_icmp_of_own(const struct wt_net *net, const struct wt_frame *frame, struct wt_icmp_error *error)
{
	*error = (struct wt_icmp_error){.type = WT_ICMP_UNREACHABLE, .code = WT_ICMP_HOST_UNREACHABLE};
	return wt_get16(wt_frame_head(frame) + WT_ETH_HEADER - 2) == WT_ETH_IPV4 &&
	       parse_quote(net, wt_frame_head(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, error);
}

bool wt_icmp_input(struct wt_net *net, wt_time now, const struct wt_ip_packet *packet, struct wt_icmp_error *error)
{
	struct wt_icmp icmp;
	bool ours = false;

	if (!wt_icmp_parse(packet->payload, packet->len, &icmp)) {
		wt_node_drop(net->config.node, now, packet->frame, WT_DROP_ICMP);
		return false;
	}
	switch (icmp.type) {
	case WT_ICMP_ECHO_REQUEST:
		if (echo(net, now, packet, &icmp))
			return false;
		break;
	case WT_ICMP_UNREACHABLE:
	case WT_ICMP_TIME_EXCEEDED:
		*error = (struct wt_icmp_error){.type = icmp.type, .code = icmp.code, .from = packet->ip.src};
		if (icmp.type == WT_ICMP_UNREACHABLE && icmp.code == WT_ICMP_FRAGMENTATION_NEEDED)
			error->mtu = (uint16_t)icmp.rest;
		ours = parse_quote(net, packet->payload + WT_ICMP_HEADER, packet->len - WT_ICMP_HEADER, error);
		break;
	default: /* RFC 1122 3.2.2: unknown types are silently discarded; RFC 6633: source quench is one of them */
		break;
	}
	wt_books_take(net->config.node, packet->frame);
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

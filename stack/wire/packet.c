/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/packet.h"

#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

enum {
	TAG_CUSTOMER = 0x8100, TAG_SERVICE = 0x88a8, TAG = 4, TAGS = 2,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	PROTOCOL_ICMPV6 = 58,
	HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, OPTIONS = 60,
	ROUTER_SOLICITATION = 133, REDIRECT = 137,
	LINK_SCOPE = 2, /* of a group, RFC 4291 2.7 */
};

unsigned wt_packet_version(const struct wt_frame *frame)
{
	unsigned type;

	if (frame->len < WT_ETHERNET + IPV4_HEADER)
		return 0;
	type = wt_get16(wt_frame_head(frame) + 12);
	if (type == WT_TYPE_IPV4)
		return 4;
	return type == WT_TYPE_IPV6 && frame->len >= WT_ETHERNET + IPV6_HEADER ? 6 : 0;
}

enum wt_ecn wt_packet_ecn(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + WT_ETHERNET;

	switch (wt_packet_version(frame)) {
	case 4:
		return (enum wt_ecn)(ip[1] & 3);
	case 6:
		return (enum wt_ecn)(ip[1] >> 4 & 3);
	default:
		return WT_ECN_NOT_ECT;
	}
}

bool wt_packet_mark(struct wt_frame *frame)
{
	uint8_t *ip = wt_frame_own_head(frame) + WT_ETHERNET;
	unsigned version = wt_packet_version(frame);
	uint32_t sum;

	if (wt_packet_ecn(frame) == WT_ECN_NOT_ECT)
		return false;
	if (version == 6) {
		ip[1] |= WT_ECN_CE << 4;
		return true;
	}
	/* HC' = ~(~HC + ~m + m'), RFC 1624 equation 3 */
	sum = (uint16_t)~wt_get16(ip + 10) + (uint32_t)(uint16_t)~wt_get16(ip);
	ip[1] |= WT_ECN_CE;
	sum += wt_get16(ip);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	wt_put16(ip + 10, (uint16_t)~sum);
	return true;
}

struct wt_packet_place wt_packet_place_tagged(const struct wt_frame *frame)
{
	struct wt_packet_place place = {WT_ETHERNET, 0};

	for (unsigned tags = 0; frame->len >= place.at; tags++) {
		place.type = wt_get16(wt_frame_head(frame) + place.at - 2);
		if ((place.type != TAG_CUSTOMER && place.type != TAG_SERVICE) || tags == TAGS)
			return place;
		place.at += TAG;
	}
	return (struct wt_packet_place){frame->len, 0};
}

unsigned wt_packet_tuple(const struct wt_frame *frame, uint8_t tuple[WT_PACKET_TUPLE])
{
	struct wt_packet_place place = wt_packet_place(frame);
	const uint8_t *ip = wt_frame_head(frame) + place.at;
	unsigned header = IPV6_HEADER, len;

	memset(tuple, 0, WT_PACKET_TUPLE);
	if (place.type == WT_TYPE_IPV4 && frame->len >= place.at + IPV4_HEADER) {
		tuple[4] = ip[9];
		memcpy(tuple + 5, ip + 12, 8);
		header = (wt_get16(ip + 6) & 0x3fff) ? 0 : (ip[0] & 15u) * 4;
		len = 5 + 8;
	} else if (place.type == WT_TYPE_IPV6 && frame->len >= place.at + IPV6_HEADER) {
		tuple[4] = ip[6];
		memcpy(tuple + 5, ip + 8, 32);
		len = 5 + 32;
	} else {
		wt_put16(tuple, place.type);
		return 2;
	}
	if (header >= IPV4_HEADER && (tuple[4] == PROTOCOL_TCP || tuple[4] == PROTOCOL_UDP) && frame->len >= place.at + header + 4)
		memcpy(tuple, ip + header, 4);
	return len;
}

uint64_t wt_packet_flow(const struct wt_key *key, const struct wt_frame *frame)
{
	uint8_t tuple[WT_PACKET_TUPLE];

	return wt_siphash(key, tuple, wt_packet_tuple(frame, tuple));
}

void wt_packet_ipv4_checksum(uint8_t *ip)
{
	wt_put16(ip + 10, 0);
	wt_put16(ip + 10, wt_csum_fold(wt_csum_add(0, ip, (ip[0] & 15u) * 4)));
}

bool wt_packet_ipv4_checksum_holds(const uint8_t *ip)
{
	return wt_csum_fold(wt_csum_add(0, ip, (ip[0] & 15u) * 4)) == 0;
}

void wt_packet_ipv4_checksum_lowered(uint8_t *ip, uint16_t by)
{
	/* HC' = ~(~HC + ~m + m'), and m' - m is -by: in ones' complement ~by */
	uint32_t sum = (uint16_t)~wt_get16(ip + 10) + (uint32_t)(uint16_t)~by;

	wt_put16(ip + 10, (uint16_t)~((sum & 0xffff) + (sum >> 16)));
}

bool wt_ipv6_is_extension(uint8_t header)
{
	return header == HOP_BY_HOP || header == ROUTING || header == FRAGMENT || header == AUTHENTICATION || header == OPTIONS;
}

bool wt_ipv6_is_discovery(uint8_t type)
{
	return type >= ROUTER_SOLICITATION && type <= REDIRECT;
}

bool wt_ipv6_upper(const uint8_t *ip, uint32_t len, struct wt_ipv6_upper *upper)
{
	enum { HEADERS = 8 };

	if (len < IPV6_HEADER || ip[0] >> 4 != 6 || IPV6_HEADER + (uint32_t)wt_get16(ip + 4) > len)
		return false;
	*upper = (struct wt_ipv6_upper){.protocol = ip[6], .at = IPV6_HEADER, .end = IPV6_HEADER + wt_get16(ip + 4)};
	for (unsigned i = 0; wt_ipv6_is_extension(upper->protocol) && !upper->later; i++) {
		const uint8_t *header = ip + upper->at;
		uint32_t size;

		if (i == HEADERS || upper->end - upper->at < 8)
			return false;
		/* in units of 8 bytes behind the first, AH's of 4 behind the second (RFC 4302 2.2) */
		size = upper->protocol == FRAGMENT ? 8 : upper->protocol == AUTHENTICATION ? (header[1] + 2u) * 4 : (header[1] + 1u) * 8;
		if (upper->end - upper->at < size)
			return false;
		if (upper->protocol == FRAGMENT) {
			upper->fragment = true;
			upper->later = wt_get16(header + 2) & 0xfff8;
		}
		upper->protocol = header[0];
		upper->at += size;
	}
	return true;
}

void wt_ipv6_icmp_checksum(uint8_t *ip, uint32_t at, uint32_t len)
{
	wt_put16(ip + at + 2, 0);
	wt_put16(ip + at + 2, wt_ipv6_icmp_sum(ip, at, len));
}

uint16_t wt_ipv6_icmp_sum(const uint8_t *ip, uint32_t at, uint32_t len)
{
	uint64_t sum = wt_csum_add((uint64_t)len + PROTOCOL_ICMPV6, ip + 8, 32); /* addresses, length, protocol: RFC 8200 8.1 */

	return wt_csum_fold(wt_csum_add(sum, ip + at, len));
}

static bool ipv4_of_link(const uint8_t *ip)
{
	enum { LINK_LOCAL = 0xa9fe, LINK_GROUPS = 0xe00000 };

	return wt_get16(ip + 12) == LINK_LOCAL || wt_get16(ip + 16) == LINK_LOCAL || wt_get32(ip + 16) >> 8 == LINK_GROUPS ||
	       wt_get32(ip + 16) == UINT32_MAX;
}

bool wt_packet_of_link(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + WT_ETHERNET;
	unsigned version = wt_packet_version(frame);
	struct wt_ipv6_upper upper;

	if (version != 6)
		return version == 4 && ipv4_of_link(ip);
	if (wt_ipv6_is_link_local(ip + 8) || wt_ipv6_is_link_local(ip + 24) || (ip[24] == 0xff && (ip[25] & 15) <= LINK_SCOPE))
		return true;
	return ip[7] == 255 && wt_ipv6_upper(ip, frame->len - WT_ETHERNET, &upper) && upper.protocol == PROTOCOL_ICMPV6 &&
	       !upper.fragment && upper.at < upper.end && wt_ipv6_is_discovery(ip[upper.at]);
}

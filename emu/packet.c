/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/packet.h"

#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	PROTOCOL_ICMP = 1,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	ICMP_UNREACHABLE = 3, ICMP_TIME_EXCEEDED = 11,
	ICMP_HEADER = 8,
	QUOTED = 8, /* bytes of the payload */
};

unsigned wt_packet_version(const struct wt_frame *frame)
{
	unsigned type;

	if (frame->len < WT_ETHERNET + IPV4_HEADER)
		return 0;
	type = wt_get16(frame->data + 12);
	if (type == TYPE_IPV4)
		return 4;
	return type == TYPE_IPV6 && frame->len >= WT_ETHERNET + IPV6_HEADER ? 6 : 0;
}

enum wt_ecn wt_packet_ecn(const struct wt_frame *frame)
{
	const uint8_t *ip = frame->data + WT_ETHERNET;

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
	uint8_t *ip = frame->data + WT_ETHERNET;
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

uint64_t wt_packet_flow(const struct wt_key *key, const struct wt_frame *frame)
{
	const uint8_t *ip = frame->data + WT_ETHERNET;
	uint8_t tuple[5 + 32] = {0}; /* ports, protocol, addresses: as long as the version has them, so no two versions are alike */
	unsigned header, len;

	switch (wt_packet_version(frame)) {
	case 4:
		tuple[4] = ip[9];
		memcpy(tuple + 5, ip + 12, 8);
		header = (wt_get16(ip + 6) & 0x3fff) ? 0 : (ip[0] & 15u) * 4;
		len = 5 + 8;
		break;
	case 6:
		tuple[4] = ip[6];
		memcpy(tuple + 5, ip + 8, 32);
		header = IPV6_HEADER;
		len = 5 + 32;
		break;
	default:
		return wt_siphash(key, frame->data + 12, frame->len >= WT_ETHERNET ? 2 : 0);
	}
	if (header >= IPV4_HEADER && (tuple[4] == PROTOCOL_TCP || tuple[4] == PROTOCOL_UDP) &&
	    frame->len >= WT_ETHERNET + header + 4)
		memcpy(tuple, ip + header, 4);
	return wt_siphash(key, tuple, len);
}

void wt_packet_ipv4_checksum(uint8_t *ip)
{
	wt_put16(ip + 10, 0);
	wt_put16(ip + 10, wt_csum_fold(wt_csum_add(0, ip, (ip[0] & 15u) * 4)));
}

void wt_packet_ipv4_checksum_lowered(uint8_t *ip, uint16_t by)
{
	/* HC' = ~(~HC + ~m + m'), and m' - m is -by: in ones' complement ~by */
	uint32_t sum = (uint16_t)~wt_get16(ip + 10) + (uint32_t)(uint16_t)~by;

	wt_put16(ip + 10, (uint16_t)~((sum & 0xffff) + (sum >> 16)));
}

/* Is an error about this packet allowed? */
static bool may_answer(const struct wt_frame *frame, unsigned header)
{
	const uint8_t *ip = frame->data + WT_ETHERNET;

	if (header < IPV4_HEADER || frame->len < WT_ETHERNET + header + QUOTED)
		return false;
	if (frame->data[0] & 1 || (wt_get16(ip + 6) & 0x1fff))
		return false; /* to many at the link; not the first fragment */
	if (ip[16] >= 224 || ip[12] >= 224 || !wt_get32(ip + 12))
		return false; /* to a group, or from nobody who can be answered */
	return ip[9] != PROTOCOL_ICMP || ip[header] == 0 || ip[header] == 8;
}

static struct wt_frame *answer_to(const struct wt_frame *frame, uint8_t type, uint8_t code, uint16_t mtu)
{
	const uint8_t *ip = frame->data + WT_ETHERNET;
	unsigned header = wt_packet_version(frame) == 4 ? (ip[0] & 15u) * 4 : 0;
	unsigned quoted = header + QUOTED, len = WT_ETHERNET + IPV4_HEADER + ICMP_HEADER + quoted;
	struct wt_frame *answer;
	uint8_t *to;

	if (!may_answer(frame, header))
		return NULL;
	answer = wt_frame_new(frame->pool);
	if (!answer || answer->room < len) {
		wt_frame_free(answer);
		return NULL;
	}
	memcpy(answer->data, frame->data + 6, 6);
	memcpy(answer->data + 6, frame->data, 6);
	wt_put16(answer->data + 12, TYPE_IPV4);
	to = answer->data + WT_ETHERNET;
	memset(to, 0, IPV4_HEADER + ICMP_HEADER);
	to[0] = 0x45;
	to[1] = 0xc0; /* internetwork control, RFC 1812 4.3.2.5 */
	wt_put16(to + 2, (uint16_t)(len - WT_ETHERNET));
	to[8] = 64;
	to[9] = PROTOCOL_ICMP;
	memcpy(to + 12, ip + 16, 4);
	memcpy(to + 16, ip + 12, 4);
	wt_packet_ipv4_checksum(to);
	to += IPV4_HEADER;
	to[0] = type;
	to[1] = code;
	wt_put16(to + 6, mtu);
	memcpy(to + ICMP_HEADER, ip, quoted);
	wt_put16(to + 2, wt_csum_fold(wt_csum_add(0, to, ICMP_HEADER + quoted)));
	answer->len = len;
	return answer;
}

struct wt_frame *wt_packet_unreachable(const struct wt_frame *frame, uint8_t code, uint16_t mtu)
{
	return answer_to(frame, ICMP_UNREACHABLE, code, mtu);
}

struct wt_frame *wt_packet_time_exceeded(const struct wt_frame *frame)
{
	return answer_to(frame, ICMP_TIME_EXCEEDED, 0, 0);
}

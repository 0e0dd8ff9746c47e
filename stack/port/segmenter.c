/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a network card does with a 64 KB frame (segmentation offload): the headers are repeated over each piece of payload; lengths,
 * IPv4 identification and header checksum follow. Of TCP the sequence number follows too; CWR belongs to the first packet
 * (RFC 3168 6.1.2), FIN and PSH to the last. The transport's checksum stays partial: the pseudo-header's sum stands in the field.
 */
#include "stack/port/segmenter.h"

#include <errno.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

enum { ETH_VLAN = 0x8100, VLAN_TAG = 4, IPV6_HEADER = 40, UDP_HEADER = 8, TCP_FLAGS = 13, TCP_CSUM = 16, UDP_CSUM = 6 };

unsigned wt_big_version(const uint8_t *data, uint32_t *network)
{
	bool tagged = wt_get16(data + 12) == ETH_VLAN;
	uint16_t type = wt_get16(data + (tagged ? 16 : 12));

	*network = WT_ETH_HEADER + (tagged ? VLAN_TAG : 0);
	return type == WT_ETH_IPV4 ? 4 : type == WT_ETH_IPV6 ? 6 : 0;
}

/* The network header: its length, and whether it says what the frame is. */
static bool find_transport(const struct wt_big_frame *big, struct wt_big_layout *layout)
{
	const uint8_t *ip = big->head + layout->network;
	uint32_t len = big->head_len + big->rest_len - layout->network;

	if (layout->ipv6) {
		layout->transport = layout->network + IPV6_HEADER;
		return big->head_len >= layout->transport && ip[0] >> 4 == 6 && ip[6] == big->protocol && wt_get16(ip + 4) + (uint32_t)IPV6_HEADER == len;
	}
	if (big->head_len < layout->network + WT_IPV4_HEADER)
		return false;
	layout->transport = layout->network + (ip[0] & 15) * 4u;
	return ip[0] >> 4 == 4 && (ip[0] & 15) >= 5 && ip[9] == big->protocol && !(wt_get16(ip + 6) & 0x3fff) && wt_get16(ip + 2) == len;
}

bool wt_big_layout(const struct wt_big_frame *big, struct wt_big_layout *layout)
{
	uint32_t least = big->protocol == WT_IP_UDP ? UDP_HEADER : WT_TCP_HEADER, header = least;
	unsigned version;

	if (big->head_len < WT_ETH_HEADER + VLAN_TAG + WT_IPV4_HEADER || !big->segment)
		return false;
	version = wt_big_version(big->head, &layout->network);
	layout->ipv6 = version == 6;
	if (!version || !find_transport(big, layout) || layout->transport + least > big->head_len)
		return false;
	layout->csum = big->protocol == WT_IP_UDP ? UDP_CSUM : TCP_CSUM;
	if (big->protocol == WT_IP_TCP)
		header = (big->head[layout->transport + 12] >> 4) * 4u;
	layout->payload = layout->transport + header;
	return header >= least && layout->payload <= big->head_len && layout->payload < big->head_len + big->rest_len;
}

static struct wt_addr address(const uint8_t *bytes, bool ipv6)
{
	struct wt_addr addr = {.family = ipv6 ? WT_FAMILY_IPV6 : WT_FAMILY_IPV4};

	memcpy(addr.bytes, bytes, ipv6 ? 16 : 4);
	return addr;
}

static uint64_t mend_ip(const struct wt_big_frame *big, const struct wt_big_layout *layout, struct wt_frame *frame, uint32_t number)
{
	uint8_t *ip = wt_frame_own_bytes(frame) + layout->network;
	uint32_t len = frame->len - layout->transport, header_len = layout->transport - layout->network;
	const uint8_t *from = ip + (layout->ipv6 ? 8 : 12);
	struct wt_addr src = address(from, layout->ipv6), dst = address(from + (layout->ipv6 ? 16 : 4), layout->ipv6);

	if (layout->ipv6) {
		wt_put16(ip + 4, (uint16_t)len);
	} else {
		wt_put16(ip + 2, (uint16_t)(header_len + len));
		wt_put16(ip + 4, (uint16_t)(wt_get16(ip + 4) + number));
		wt_put16(ip + 10, 0);
		wt_put16(ip + 10, wt_csum_fold(wt_csum_add(0, ip, header_len)));
	}
	return wt_csum_pseudo(&src, &dst, big->protocol, len);
}

static void mend_tcp(uint8_t *tcp, uint32_t passed, bool last)
{
	wt_put32(tcp + 4, wt_get32(tcp + 4) + passed);
	if (passed)
		tcp[TCP_FLAGS] &= (uint8_t)~WT_CWR;
	if (!last)
		tcp[TCP_FLAGS] &= (uint8_t)~(WT_FIN | WT_PSH);
}

/* Copies `len` bytes from offset `at` of the two pieces. */
static void copy_bytes(const struct wt_big_frame *big, uint32_t at, uint8_t *to, uint32_t len)
{
	uint32_t first = at >= big->head_len ? 0 : big->head_len - at < len ? big->head_len - at : len;

	memcpy(to, big->head + at, first);
	if (first < len)
		memcpy(to + first, big->rest + (at + first - big->head_len), len - first);
}

static void make(const struct wt_big_frame *big, const struct wt_big_layout *layout, uint32_t number, struct wt_frame *frame)
{
	uint32_t total = big->head_len + big->rest_len;
	uint32_t at = layout->payload + number * big->segment;
	uint32_t len = total - at < big->segment ? total - at : big->segment;
	uint8_t *transport = wt_frame_own_bytes(frame) + layout->transport;
	uint64_t pseudo;

	memcpy(wt_frame_own_bytes(frame), big->head, layout->payload);
	copy_bytes(big, at, wt_frame_own_bytes(frame) + layout->payload, len);
	frame->len = layout->payload + len;
	pseudo = mend_ip(big, layout, frame, number);
	if (big->protocol == WT_IP_TCP)
		mend_tcp(transport, number * big->segment, at + len == total);
	else
		wt_put16(transport + 4, (uint16_t)(UDP_HEADER + len));
	wt_put16(transport + layout->csum, (uint16_t)~wt_csum_fold(pseudo));
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = (uint16_t)layout->transport;
	frame->csum_offset = layout->csum;
}

int wt_segment_frame(const struct wt_big_frame *big, struct wt_pool *pool, struct wt_frame_queue *into)
{
	struct wt_big_layout layout;
	uint32_t count;
	int lost = 0;

	if (!wt_big_layout(big, &layout))
		return -EINVAL;
	count = (big->head_len + big->rest_len - layout.payload + big->segment - 1) / big->segment;
	for (uint32_t i = 0; i < count; i++) {
		struct wt_frame *frame = wt_frame_new(pool);

		if (!frame) {
			lost++;
			continue;
		}
		if (layout.payload + big->segment > frame->room) {
			wt_frame_free(frame);
			return -EINVAL;
		}
		make(big, &layout, i, frame);
		wt_frame_queue_push(into, frame);
	}
	return lost;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a network card does with a 64 KB frame (TCP segmentation offload): the headers are repeated over each piece of
 * payload; lengths, IPv4 identification and header checksum, and the sequence number follow; CWR belongs to the first
 * packet (RFC 3168 6.1.2), FIN and PSH to the last. The TCP checksum stays partial: the pseudo-header's sum stands in
 * the field.
 */
#include "stack/drive/cut.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

#define IPV6_HEADER 40
#define TCP_FLAGS 13
#define TCP_CSUM 16

struct layout {
	bool ipv6;
	uint32_t tcp;     /* offset of the TCP header */
	uint32_t payload; /* offset of the payload */
};

static bool find_headers(const struct wt_big_frame *big, struct layout *layout)
{
	const uint8_t *ip = big->head + WT_ETH_HEADER;
	uint32_t tcp_len;

	if (big->head_len < WT_ETH_HEADER + IPV6_HEADER + WT_TCP_HEADER)
		return false;
	layout->ipv6 = wt_get16(big->head + 12) == WT_ETH_IPV6;
	if (layout->ipv6) {
		if (ip[6] != WT_IP_TCP)
			return false;
		layout->tcp = WT_ETH_HEADER + IPV6_HEADER;
	} else {
		bool fragment = wt_get16(ip + 6) & 0x3fff;

		if (wt_get16(big->head + 12) != WT_ETH_IPV4 || ip[9] != WT_IP_TCP || fragment || (ip[0] & 15) < 5)
			return false;
		layout->tcp = WT_ETH_HEADER + (ip[0] & 15) * 4;
	}
	if (layout->tcp + WT_TCP_HEADER > big->head_len)
		return false;
	tcp_len = (big->head[layout->tcp + 12] >> 4) * 4;
	layout->payload = layout->tcp + tcp_len;
	return tcp_len >= WT_TCP_HEADER && layout->payload <= big->head_len;
}

static struct wt_addr address(const uint8_t *bytes, bool ipv6)
{
	struct wt_addr addr = {.family = ipv6 ? WT_FAMILY_IPV6 : WT_FAMILY_IPV4};

	memcpy(addr.bytes, bytes, ipv6 ? 16 : 4);
	return addr;
}

static void mend_ip(const struct layout *layout, struct wt_frame *frame, uint32_t number, uint64_t *pseudo)
{
	uint8_t *ip = frame->data + WT_ETH_HEADER;
	uint32_t tcp_len = frame->len - layout->tcp, header_len = layout->tcp - WT_ETH_HEADER;
	const uint8_t *from = ip + (layout->ipv6 ? 8 : 12);
	struct wt_addr src = address(from, layout->ipv6), dst = address(from + (layout->ipv6 ? 16 : 4), layout->ipv6);

	*pseudo = wt_csum_pseudo(&src, &dst, WT_IP_TCP, tcp_len);
	if (layout->ipv6) {
		wt_put16(ip + 4, (uint16_t)tcp_len);
		return;
	}
	wt_put16(ip + 2, (uint16_t)(header_len + tcp_len));
	wt_put16(ip + 4, (uint16_t)(wt_get16(ip + 4) + number));
	wt_put16(ip + 10, 0);
	wt_put16(ip + 10, wt_csum_fold(wt_csum_add(0, ip, header_len)));
}

/* Copies `len` bytes from offset `at` of the two pieces. */
static void copy_bytes(const struct wt_big_frame *big, uint32_t at, uint8_t *to, uint32_t len)
{
	uint32_t first = at >= big->head_len ? 0 : big->head_len - at < len ? big->head_len - at : len;

	memcpy(to, big->head + at, first);
	if (first < len)
		memcpy(to + first, big->rest + (at + first - big->head_len), len - first);
}

static void make(const struct wt_big_frame *big, const struct layout *layout, uint32_t number, struct wt_frame *frame)
{
	uint32_t total = big->head_len + big->rest_len;
	uint32_t at = layout->payload + number * big->segment;
	uint32_t len = total - at < big->segment ? total - at : big->segment;
	uint8_t *tcp = frame->data + layout->tcp;
	uint64_t pseudo;

	memcpy(frame->data, big->head, layout->payload);
	copy_bytes(big, at, frame->data + layout->payload, len);
	frame->len = layout->payload + len;
	mend_ip(layout, frame, number, &pseudo);
	wt_put32(tcp + 4, wt_get32(tcp + 4) + number * big->segment);
	if (number > 0)
		tcp[TCP_FLAGS] &= (uint8_t)~WT_CWR;
	if (at + len < total)
		tcp[TCP_FLAGS] &= (uint8_t)~(WT_FIN | WT_PSH);
	wt_put16(tcp + TCP_CSUM, (uint16_t)~wt_csum_fold(pseudo));
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = (uint16_t)layout->tcp;
	frame->csum_offset = TCP_CSUM;
}

int wt_cut(const struct wt_big_frame *big, struct wt_pool *pool, struct wt_frame_queue *into)
{
	struct layout layout;
	uint32_t count;
	int lost = 0;

	if (!big->segment || !find_headers(big, &layout))
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/port/merge.h"

#include <errno.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

enum {
	IP = WT_ETH_HEADER, TCP = IP + WT_IPV4_HEADER, HEAD = TCP + WT_TCP_HEADER + WT_TCP_OPTIONS_ROOM, /* no IP options: we send none */
	IP_LEN = IP + 2, IP_ID = IP + 4, IP_FRAGMENT = IP + 6, IP_CSUM = IP + 10, SEQ = TCP + 4, ACK = TCP + 8, OFFSET = TCP + 12, FLAGS = TCP + 13,
	WINDOW = TCP + 14, CSUM = TCP + 16, URGENT = TCP + 18, OPTIONS = TCP + WT_TCP_HEADER, LONGEST = 65535, VERSION_AND_LENGTH = 0x45,
};

/* Where its payload begins. */
static uint32_t head_len(const uint8_t *head)
{
	return TCP + (head[OFFSET] >> 4) * 4u;
}

/* A segment of TCP over IPv4 with payload, of nothing but data, whose checksum is still to be made. */
static bool is_data(const struct wt_frame *frame)
{
	const uint8_t *head = wt_frame_head(frame);
	unsigned other = WT_SYN | WT_RST | WT_URG;

	return frame->csum == WT_CSUM_PARTIAL && frame->csum_start == TCP && frame->csum_offset == CSUM - TCP && !frame->gso_size &&
	       frame->len > HEAD && wt_get16(head + 12) == WT_ETH_IPV4 && head[IP] == VERSION_AND_LENGTH && head[IP + 9] == WT_IP_TCP &&
	       wt_get16(head + IP_LEN) + (uint32_t)IP == frame->len && !(wt_get16(head + IP_FRAGMENT) & 0x3fff) && !(head[FLAGS] & other);
}

static bool same(const uint8_t *a, const uint8_t *b, uint32_t from, uint32_t to)
{
	return !memcmp(a + from, b + from, to - from);
}

/* Of a frame that is data: may it stand behind the first, `passed` bytes of payload later? */
static bool follows(const struct wt_frame *first, const struct wt_frame *next, uint32_t passed)
{
	const uint8_t *a = wt_frame_head(first), *b = wt_frame_head(next);
	uint8_t last = WT_PSH | WT_FIN;

	return is_data(next) && next->len <= first->len && wt_get32(b + SEQ) == (uint32_t)(wt_get32(a + SEQ) + passed) && same(a, b, 0, IP_LEN) &&
	       same(a, b, IP_FRAGMENT, IP_CSUM) && same(a, b, IP_CSUM + 2, SEQ) && same(a, b, ACK, FLAGS) && same(a, b, WINDOW, CSUM) &&
	       same(a, b, URGENT, head_len(a)) && (a[FLAGS] & ~WT_CWR) == (b[FLAGS] & ~last);
}

unsigned wt_merge_run(const struct wt_batch_entry *entry, unsigned count)
{
	const struct wt_frame *first = entry[0].frame;
	uint32_t payload, passed;
	unsigned run = 1;

	if (count < 2 || !is_data(first) || wt_frame_head(first)[FLAGS] & (WT_PSH | WT_FIN))
		return 1;
	payload = passed = first->len - head_len(wt_frame_head(first));
	while (run < count && follows(first, entry[run].frame, passed) && entry[run].frame->len - IP + passed <= LONGEST) {
		const struct wt_frame *last = entry[run++].frame;

		passed += payload;
		if (last->len < first->len || wt_frame_head(last)[FLAGS] & (WT_PSH | WT_FIN))
			break;
	}
	return run;
}

/* The headers of the first, for all. */
static void make_head(uint8_t *head, uint32_t len, uint8_t flags)
{
	struct wt_addr src = wt_addr_ipv4(head[IP + 12], head[IP + 13], head[IP + 14], head[IP + 15]);
	struct wt_addr dst = wt_addr_ipv4(head[IP + 16], head[IP + 17], head[IP + 18], head[IP + 19]);

	wt_put16(head + IP_LEN, (uint16_t)(len - IP));
	wt_put16(head + IP_CSUM, 0);
	wt_put16(head + IP_CSUM, wt_csum_fold(wt_csum_add(0, head + IP, WT_IPV4_HEADER)));
	head[FLAGS] |= flags;
	wt_put16(head + CSUM, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&src, &dst, WT_IP_TCP, len - TCP)));
}

int wt_merge_write(int fd, const struct wt_batch_entry *entry, unsigned count)
{
	const struct wt_frame *first = entry[0].frame;
	uint32_t headers = head_len(wt_frame_head(first)), len = headers;
	struct virtio_net_hdr header = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = TCP, .csum_offset = CSUM - TCP, .hdr_len = (uint16_t)headers,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4, .gso_size = (uint16_t)(first->len - headers),
	};
	struct iovec parts[2 + WT_BATCH_FRAMES];
	uint8_t head[HEAD];
	ssize_t n;

	memcpy(head, wt_frame_head(first), headers);
	parts[0] = (struct iovec){&header, sizeof(header)};
	parts[1] = (struct iovec){head, headers};
	for (unsigned i = 0; i < count; i++) {
		const struct wt_frame *frame = entry[i].frame;

		parts[2 + i] = (struct iovec){(void *)(wt_frame_look(frame) + headers), frame->len - headers};
		len += frame->len - headers;
	}
	make_head(head, len, wt_frame_head(entry[count - 1].frame)[FLAGS] & (WT_PSH | WT_FIN));
	if (head[FLAGS] & WT_CWR)
		header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
	do
		n = writev(fd, parts, (int)(2 + count));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

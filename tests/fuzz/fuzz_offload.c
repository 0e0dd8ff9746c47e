/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is a virtio header (10 bytes), two bytes whose value says how much payload (of a pattern) follows the frame's own
 * bytes, and the frame. It is read by a port three times: without memory for big frames, with it and cutting, and passing whole.
 * However wrong the headers are: the books balance, no frame is lost or held, what is cut carries the payload in order with
 * checksums that hold, and what is written in front of a frame points inside it.
 */
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/port/segmenter.h"
#include "stack/port/offload.h"
#include "stack/wire/checksum.h"
#include "tests/fuzz/fuzz.h"

enum { FRAMES = 128, ROOM = 2048, PREFIX = 12 };

static uint8_t frame_bytes[WT_PORT_BIG];
static struct wt_pool *pool, *big_pool;

static void check_written(struct wt_frame *frame)
{
	struct virtio_net_hdr header;

	wt_offload_header(frame, &header);
	if (header.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
		CLAIM((uint32_t)header.csum_start + header.csum_offset + 2 <= frame->len);
	if (header.gso_type)
		CLAIM(header.gso_size && header.hdr_len < frame->len && header.csum_start >= 34);
	wt_frame_finish_csum(frame);
}

/* One packet of a big frame: its checksum holds, and its payload is the next part of the big frame's. */
static uint32_t check_packet(struct wt_frame *frame, uint32_t len, uint32_t done)
{
	struct wt_big_frame packet = {.head = wt_frame_own_bytes(frame), .head_len = frame->len, .segment = 1,
				      .protocol = frame->csum_offset == 16 ? 6 : 17};
	struct wt_addr src = {.family = WT_FAMILY_IPV4}, dst = src;
	struct wt_big_layout layout;
	uint32_t part;

	CLAIM(wt_big_layout(&packet, &layout));
	if (layout.ipv6)
		src.family = dst.family = WT_FAMILY_IPV6;
	memcpy(src.bytes, wt_frame_own_bytes(frame) + layout.network + (layout.ipv6 ? 8 : 12), layout.ipv6 ? 16 : 4);
	memcpy(dst.bytes, wt_frame_own_bytes(frame) + layout.network + (layout.ipv6 ? 24 : 16), layout.ipv6 ? 16 : 4);
	check_written(frame);
	part = frame->len - layout.transport;
	CLAIM(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, packet.protocol, part), wt_frame_own_bytes(frame) + layout.transport, part)) == 0);
	part = frame->len - layout.payload;
	CLAIM(layout.payload + done + part <= len);
	CLAIM(!memcmp(wt_frame_own_bytes(frame) + layout.payload, frame_bytes + layout.payload + done, part));
	return done + part;
}

static void read_it(struct wt_port *port, struct virtio_net_hdr header, uint32_t len)
{
	struct wt_frame *fresh = wt_frame_new(pool), *frame;
	struct iovec parts[WT_OFFLOAD_PARTS];
	uint32_t first = len < ROOM ? len : ROOM, done = 0, lost;

	CLAIM(fresh);
	wt_offload_parts(port, &header, fresh, parts);
	CLAIM(parts[1].iov_len == ROOM && parts[2].iov_len >= len - first);
	memcpy(parts[1].iov_base, frame_bytes, first);
	memcpy(parts[2].iov_base, frame_bytes + first, len - first);
	frame = wt_offload_arrived(port, &header, fresh, len);
	CLAIM(wt_audit_holds(&port->node.audit));
	lost = (uint32_t)wt_audit_dropped(&port->node.audit) + (uint32_t)port->oversize;
	CLAIM((frame != NULL) + port->cut.frames + lost > 0);
	if (frame) {
		CLAIM(frame->len == len && !memcmp(wt_frame_own_bytes(frame), frame_bytes, len));
		check_written(frame);
		wt_frame_free(frame);
	}
	while ((frame = wt_frame_queue_pop(&port->cut))) {
		if (!lost)
			done = check_packet(frame, len, done);
		wt_frame_free(frame);
	}
	wt_offload_finish(port);
	CLAIM(wt_pool_free_count(pool) == FRAMES && wt_pool_free_count(big_pool) == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct virtio_net_hdr header;
	uint32_t len, more;

	if (size < PREFIX || size > ROOM)
		return 0;
	if (!pool) {
		pool = wt_pool_create(FRAMES, ROOM);
		big_pool = wt_pool_create(2, WT_PORT_BIG);
	}
	if (!pool || !big_pool)
		exit(2);
	memcpy(&header, data, sizeof(header));
	more = wt_get16(data + sizeof(header));
	len = (uint32_t)size - PREFIX;
	memcpy(frame_bytes, data + PREFIX, len);
	if (len + more >= WT_PORT_BIG)
		more = WT_PORT_BIG - 1 - len;
	for (uint32_t i = 0; i < more; i++)
		frame_bytes[len + i] = (uint8_t)(i * 7 + i / 256);
	for (unsigned mode = 0; mode < 3; mode++) {
		struct wt_port port = {.pool = pool, .big_pool = mode ? big_pool : NULL, .whole = mode == 2};

		if (wt_offload_init(&port, WT_PORT_BIG))
			exit(2);
		read_it(&port, header, len + more);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/port/offload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "stack/port/segmenter.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* Linux 6.2 */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum { TCP_CSUM = 16, TCP_FLAGS = 13, UDP_HEADER = 8 };

int wt_offload_init(struct wt_port *port, uint32_t scratch)
{
	port->scratch = malloc(scratch);
	port->scratch_len = scratch;
	if (port->big_pool)
		port->spare = wt_frame_new(port->big_pool);
	return port->scratch ? 0 : -ENOMEM;
}

void wt_offload_finish(struct wt_port *port)
{
	wt_frame_free(port->spare);
	free(port->scratch);
	port->spare = NULL;
	port->scratch = NULL;
}

/* The rest of a big frame goes into the spare one where there is one, which may have to be handed out. */
static uint8_t *rest_of(const struct wt_port *port, const struct wt_frame *fresh)
{
	return port->spare ? wt_frame_own_bytes(port->spare) + fresh->room : port->scratch;
}

void wt_offload_parts(struct wt_port *port, struct virtio_net_hdr *header, struct wt_frame *fresh, struct iovec parts[WT_OFFLOAD_PARTS])
{
	if (!port->spare && port->big_pool)
		port->spare = wt_frame_new(port->big_pool);
	parts[0] = (struct iovec){header, sizeof(*header)};
	parts[1] = (struct iovec){wt_frame_own_bytes(fresh), fresh->room};
	parts[2] = (struct iovec){rest_of(port, fresh), port->spare ? port->spare->room - fresh->room : port->scratch_len};
}

/* ---- what was read ------------------------------------------------------------------------------------- */

static void note_csum(struct wt_frame *frame, const struct virtio_net_hdr *header)
{
	if (header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) {
		frame->csum = WT_CSUM_PARTIAL;
		frame->csum_start = header->csum_start;
		frame->csum_offset = header->csum_offset;
	} else if (header->flags & VIRTIO_NET_HDR_F_DATA_VALID) {
		frame->csum = WT_CSUM_VALID;
	}
}

static struct wt_frame *lose(struct wt_port *port, struct wt_frame *fresh, enum wt_drop cause)
{
	port->node.audit.in++;
	port->node.audit.dropped[cause]++;
	wt_frame_free(fresh);
	return NULL;
}

/* In the frame of the pool if it fits, else in the spare one, under the number that was drawn for it. */
static struct wt_frame *take_whole(struct wt_port *port, const struct wt_big_frame *big, struct wt_frame *fresh)
{
	struct wt_frame *whole = fresh;

	if (big->rest_len) {
		whole = port->spare;
		if (!whole)
			return lose(port, fresh, WT_DROP_POOL);
		port->spare = NULL;
		memcpy(wt_frame_own_bytes(whole), wt_frame_look(fresh), big->head_len);
		whole->id = fresh->id;
		wt_frame_free(fresh);
	}
	whole->len = big->head_len + big->rest_len;
	whole->gso_size = big->segment;
	whole->csum = WT_CSUM_PARTIAL;
	return whole;
}

/* Is it what the header says? */
static bool understand(struct wt_big_frame *big, unsigned kind, struct wt_big_layout *layout)
{
	big->protocol = kind == VIRTIO_NET_HDR_GSO_UDP_L4 ? WT_IP_UDP : WT_IP_TCP;
	if (!wt_big_layout(big, layout))
		return false;
	return kind == VIRTIO_NET_HDR_GSO_UDP_L4 || kind == (layout->ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4);
}

static struct wt_frame *take_big(struct wt_port *port, const struct virtio_net_hdr *header, struct wt_frame *fresh, uint32_t len)
{
	unsigned kind = header->gso_type & ~(unsigned)VIRTIO_NET_HDR_GSO_ECN;
	struct wt_big_frame big = {.head = wt_frame_look(fresh), .rest = rest_of(port, fresh), .segment = header->gso_size};
	struct wt_big_layout layout;
	struct wt_frame *whole;
	int lost;

	big.head_len = len < fresh->room ? len : fresh->room;
	big.rest_len = len - big.head_len;
	if (!understand(&big, kind, &layout))
		return lose(port, fresh, WT_DROP_MALFORMED);
	if (port->whole || (port->whole_tcp && big.protocol == WT_IP_TCP)) {
		port->big_frames++;
		whole = take_whole(port, &big, fresh);
		if (whole) {
			whole->csum_start = (uint16_t)layout.transport;
			whole->csum_offset = layout.csum;
		}
		return whole;
	}
	lost = wt_segment_frame(&big, port->pool, &port->cut);
	wt_frame_free(fresh);
	if (lost < 0) { /* packets longer than a frame of the pool */
		port->oversize++;
		return NULL;
	}
	port->big_frames++;
	port->node.audit.in += (unsigned)lost;
	port->node.audit.dropped[WT_DROP_POOL] += (unsigned)lost;
	return NULL;
}

struct wt_frame *wt_offload_arrived(struct wt_port *port, const struct virtio_net_hdr *header, struct wt_frame *fresh, uint32_t len)
{
	if (header->gso_type != VIRTIO_NET_HDR_GSO_NONE)
		return take_big(port, header, fresh, len);
	if (len > fresh->room) {
		port->oversize++;
		wt_frame_free(fresh);
		return NULL;
	}
	fresh->len = len;
	note_csum(fresh, header);
	return fresh;
}

int wt_offload_read(struct wt_port *port, struct wt_frame **frame, wt_offload_receive receive, int (*lose_one)(struct wt_port *))
{
	struct virtio_net_hdr header;
	struct iovec parts[WT_OFFLOAD_PARTS];
	struct wt_frame *fresh;
	ssize_t len = -1;
	int status;

	*frame = wt_frame_queue_pop(&port->cut);
	if (*frame)
		return 1;
	fresh = wt_frame_new(port->pool);
	if (!fresh)
		return lose_one(port);
	wt_offload_parts(port, &header, fresh, parts);
	status = receive(port, parts, fresh, &len);
	if (len < 0) {
		wt_frame_free(fresh);
		return status;
	}
	*frame = wt_offload_arrived(port, &header, fresh, (uint32_t)len);
	if (!*frame)
		*frame = wt_frame_queue_pop(&port->cut);
	return 1;
}

/* ---- what is written ----------------------------------------------------------------------------------- */

void wt_offload_header(const struct wt_frame *frame, struct virtio_net_hdr *header)
{
	const uint8_t *transport = wt_frame_head(frame) + frame->csum_start;
	uint32_t end = (uint32_t)frame->csum_start + frame->csum_offset + 2;
	bool tcp = frame->csum_offset == TCP_CSUM;
	uint32_t network;

	*header = (struct virtio_net_hdr){.gso_type = VIRTIO_NET_HDR_GSO_NONE};
	if (frame->csum != WT_CSUM_PARTIAL || end > frame->len)
		return;
	header->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	header->csum_start = frame->csum_start;
	header->csum_offset = frame->csum_offset;
	if (!frame->gso_size) /* else its headers were understood when it was read */
		return;
	header->gso_size = frame->gso_size;
	header->hdr_len = (uint16_t)(frame->csum_start + (tcp ? (unsigned)(transport[12] >> 4) * 4 : UDP_HEADER));
	if (!tcp)
		header->gso_type = VIRTIO_NET_HDR_GSO_UDP_L4;
	else if (wt_big_version(wt_frame_head(frame), &network) == 6)
		header->gso_type = VIRTIO_NET_HDR_GSO_TCPV6;
	else
		header->gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
	if (tcp && transport[TCP_FLAGS] & WT_CWR)
		header->gso_type |= VIRTIO_NET_HDR_GSO_ECN;
}

int wt_offload_write(struct wt_port *port, const struct wt_frame *frame)
{
	struct virtio_net_hdr header;
	struct iovec parts[2] = {{&header, sizeof(header)}, {(void *)wt_frame_look(frame), frame->len}};
	ssize_t n;

	wt_offload_header(frame, &header);
	do
		n = writev(port->fd, parts, 2);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames with a virtio header in front, as TAP devices (IFF_VNET_HDR) and packet sockets (PACKET_VNET_HDR) give and take them: the
 * header says that a checksum is left to be computed, or that the frame stands for many packets (gso_size).
 *
 *     read   header | bytes that fit a frame of the pool | the rest
 *                                                           in port->spare, a frame of port->big_pool, behind room for the first
 *
 * An ordinary frame lies where it belongs. Of a big one that may pass whole the first bytes are copied in front of the rest; one
 * that may not is cut (segmenter.h). Headers come from the kernel, but bytes behind them from anyone who may open a packet socket: one
 * that contradicts its frame is refused (WT_DROP_MALFORMED); one of packets longer than a frame of the pool is lost as such a packet alone is (port->oversize).
 */
#ifndef WT_STACK_PORT_OFFLOAD_H
#define WT_STACK_PORT_OFFLOAD_H

#include <linux/virtio_net.h>
#include <sys/uio.h>

#include "stack/port/port.h"

#define WT_OFFLOAD_PARTS 3

/* Memory for big frames: `scratch` bytes beside the frames of port->big_pool, if there is one. 0 or -ENOMEM. */
int wt_offload_init(struct wt_port *port, uint32_t scratch);
/* Where the next frame is to be read to: the header, `fresh`, and the place of the rest. */
void wt_offload_parts(struct wt_port *port, struct virtio_net_hdr *header, struct wt_frame *fresh, struct iovec parts[WT_OFFLOAD_PARTS]);
/* What was read there: `len` bytes besides the header. The frame to hand out, or NULL: it was cut, and its packets are in port->cut, or
 * it was lost and counted. Takes `fresh`. */
struct wt_frame *wt_offload_arrived(struct wt_port *port, const struct virtio_net_hdr *header, struct wt_frame *fresh, uint32_t len);
/*
 * Reads a port's next frame. `receive` reads into the parts and leaves in *len how many bytes are behind the header; it leaves *len alone if there is
 * no frame, or one too long, which it counts. `lose_one` reads a frame and loses it: none of the pool is free. Both answer as wt_port_ops.read().
 */
typedef int (*wt_offload_receive)(struct wt_port *port, struct iovec parts[WT_OFFLOAD_PARTS], const struct wt_frame *fresh, ssize_t *len);
int wt_offload_read(struct wt_port *port, struct wt_frame **frame, wt_offload_receive receive, int (*lose_one)(struct wt_port *));
/* The header to write in front of a frame. */
void wt_offload_header(const struct wt_frame *frame, struct virtio_net_hdr *header);
/* Writes the frame behind its header to the descriptor of the port. 0 or negative errno. */
int wt_offload_write(struct wt_port *port, const struct wt_frame *frame);
/* Frees. */
void wt_offload_finish(struct wt_port *port);

#endif

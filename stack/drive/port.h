/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port: a node at the edge, whose other side is a descriptor. Port 0 faces the graph: input() writes to the kernel,
 * output() never has anything by itself; the loop drains the descriptor and calls wt_graph_input() on the peer.
 * Frames of the kernel's TCP come with complete checksums or marked WT_CSUM_PARTIAL, never silently unfinished.
 */
#ifndef WT_STACK_DRIVE_PORT_H
#define WT_STACK_DRIVE_PORT_H

#include <stddef.h>
#include <stdint.h>

#include "stack/base/addr.h"
#include "stack/base/node.h"

struct wt_port {
	struct wt_node node; /* first; its other side is reached as output of port 0 */
	int fd;
	/* Reads one frame into a fresh frame of the pool. 1: *frame set; 0: nothing more now; negative errno: the device is gone. */
	int (*read)(struct wt_port *port, struct wt_frame **frame);
	struct wt_mac mac; /* of the interface */
	uint32_t mtu;
	uint64_t kernel_drops; /* refreshed by wt_port_refresh(): TAP tx_dropped or packet socket drops */
	char interface[16];
};

/* TAP device `name` (made if absent) in the network namespace of the caller, brought up. Negative errno: see err. */
struct wt_port *wt_tap_open(const char *name, struct wt_pool *pool, char *err, size_t err_len);
/* AF_PACKET socket on an existing interface; sees frames to any address. Offloads of a veth must be off (wt_offloads_off)
 * or are dealt with by PACKET_VNET_HDR: say which in the head of packet.c. */
struct wt_port *wt_packet_open(const char *interface, struct wt_pool *pool, char *err, size_t err_len);
void wt_port_refresh(struct wt_port *port);
/* Closes the descriptor and frees. Also the node's destroy verb. Accepts NULL. */
void wt_port_close(struct wt_port *port);
/* Switches tx, tso, gso, gro off on an interface (SIOCETHTOOL). 0 or negative errno. */
int wt_offloads_off(const char *interface);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port: a node at the edge, whose other side is a descriptor of the kernel.
 *
 *     graph  <-- port 0 [ wt_port ] port 1 -->  kernel
 *
 * input() on port 0 writes to the kernel: the frame is `taken`. What the kernel sends is read by the loop (rloop.h) with
 * port->read() and given to the port itself, wt_graph_input(graph, &port->node, 1, now, frame); output() then hands it out of
 * port 0 to whatever is joined there. So a port is joined, tapped and audited like any other node: join port 0 only.
 *
 * Frames of the kernel's TCP come with complete checksums or marked WT_CSUM_PARTIAL, never silently unfinished; frames for
 * the kernel get their checksums finished. Each kind says in the head of its file how: tap.c, packet.c.
 *
 * A port opened with a pool for big frames has offloads: the kernel leaves checksums to it and gives it TCP's 64 KB frames, which it
 * cuts into packets (segmenter.h), or, while `whole` is set, hands out as they are; and it takes both (offload.h). A big frame for a port
 * without offloads is dropped (WT_DROP_OFFLOAD).
 *
 * Under a loop a port may gather what leaves it and write it in one system call (batch.h); the loop asks for that when its graph has
 * come to rest. With offloads it may merge segments then.
 *
 * The kernel can be asked when each frame came (wt_port_hear()): a packet socket says it beside the frame, for a TAP another
 * socket does (arrival.h).
 *
 * A kernel that cannot take a frame right now (EAGAIN) gets it later, in order, up to WT_PORT_WAITING frames; then frames are
 * dropped (WT_DROP_WIRE), as they are on any other error.
 */
#ifndef WT_STACK_PORT_PORT_H
#define WT_STACK_PORT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "stack/text/addr.h"
#include "stack/base/node.h"
#include "stack/base/histogram.h"

#define WT_PORT_WAITING 1024
#define WT_PORT_BIG (66u * 1024) /* the longest IP packet, its Ethernet header, and a byte to spare */

struct wt_arrival;
struct wt_batch;
struct wt_port;

struct wt_port_ops {
	/* Reads one frame into a fresh frame of the pool. 1: *frame set, or NULL if it was lost for want of a free frame or for its
	 * length (counted); 0: nothing more now; negative errno: the device is gone. */
	int (*read)(struct wt_port *port, struct wt_frame **frame);
	/* Writes one frame, whose checksum is finished. 0 or negative errno; -EAGAIN: when the descriptor is writable again. */
	int (*write)(struct wt_port *port, const struct wt_frame *frame);
	/* Brings kernel_drops up to date. 0, or a negative errno if the interface is found to be gone. */
	int (*refresh)(struct wt_port *port);
	/* Attaches a port whose device was gone to one of the same name, with the descriptors there are. 0 or negative errno. */
	int (*reopen)(struct wt_port *port);
	/* Asks the kernel when each frame came; before, while there is the privilege, makes ready for that. 0 or negative errno. */
	int (*stamp)(struct wt_port *port, bool now);
	bool socket; /* its descriptor is one, and each frame has a virtio header in front */
};

/* Told of each frame that passes the port, as it comes from the kernel or is about to be written; does not take it. */
struct wt_port_watch {
	void (*frame)(struct wt_port_watch *watch, const struct wt_port *port, bool from_kernel, wt_time now, const struct wt_frame *frame);
};

struct wt_port {
	struct wt_node node; /* first; port 0: the graph, port 1: the kernel */
	const struct wt_port_ops *ops;
	struct wt_pool *pool;
	int fd;
	int control;         /* a socket of the interface's network namespace, for questions about it */
	int index;           /* of the interface */
	struct wt_mac mac;   /* of the interface: what its kernel end answers to */
	uint32_t mtu;
	uint32_t restore;    /* offloads to switch on again at the end (packet.c) */
	int queue_was;       /* TAP: frames its queue held before; a persistent one gets that back from who still may. 0: unknown */
	int offloads;        /* packet socket: 0 if the interface's offloads are off, else the negative errno of the attempt */
	uint64_t kernel_drops; /* since it was opened, refreshed by wt_port_refresh(): TAP tx_dropped or packet socket drops */
	uint64_t kernel_base;  /* TAP: that less tx_dropped, which is older than us, or as young as a device that came back */
	uint64_t oversize;   /* frames lost because they, or the packets they stood for, were longer than a frame of the pool */
	int last_error;      /* of the last refused write, 0: none so far */
	struct wt_pool *big_pool;      /* of big frames, with offloads; NULL: without */
	bool whole;                    /* hand them out whole; */
	bool whole_tcp;                /* or only those of TCP, for an engine */
	uint64_t big_frames;           /* read: passed whole, or cut */
	struct wt_frame *spare;        /* offload.h: where the rest of a frame is read to, or in want of it `scratch` */
	uint8_t *scratch;
	uint32_t scratch_len;
	bool merges;                   /* consecutive segments of a gathered batch leave as one big frame (merge.h) */
	struct wt_batch *batch;        /* frames for the kernel, gathered; NULL: written one by one */
	bool stamps;                   /* the kernel can be asked when frames came */
	bool stamp_filter;             /* a TAP's filter may be used for it */
	const char *stamp_source;      /* who says it: filter, ring (arrival.h), socket */
	bool hears;                    /* it is */
	bool says_more;                /* under a loop its frames say whether another one follows (frame->more) */
	int stamps_refused;            /* asked for, and not got: negative errno */
	clockid_t stamp_clock;         /* by which: CLOCK_REALTIME, or CLOCK_MONOTONIC */
	int64_t stamp;                 /* of the frame read last, in ns; 0: none */
	uint64_t stamped, unstamped;   /* frames dated by their stamps, and by the reading, under a loop (rloop.h) */
	struct wt_arrival *arrival;    /* a TAP's stamps */
	struct wt_frame_queue cut;     /* packets of a big frame: read() hands them out before it asks the kernel again */
	struct wt_frame_queue arrived; /* from the kernel, to leave by port 0 */
	struct wt_frame_queue waiting; /* for the kernel, refused with EAGAIN */
	void (*gone)(struct wt_port *port, int error); /* optional: the loop stopped watching, the device is gone */
	struct wt_port_watch *watch; /* NULL: nobody watches */
	void *user;          /* for gone() */
	wt_time (*clock)(const void *arg); /* the loop's, while it watches the port: how late each frame is written */
	const void *clock_arg;
	struct wt_histogram late;      /* from the logical time a frame came to the port to its first write, or the end of its batch */
	char interface[16];
};

/* TAP device `name` (made if absent) in the network namespace of the caller, brought up, queue of 2000 frames. It goes when the port
 * is closed, unless it is a persistent one, which then has its old queue again. NULL: errno, and one sentence in err. The node is named after the interface. */
struct wt_port *wt_tap_open(const char *name, struct wt_pool *pool, char *err, size_t err_len);
/* The same with offloads, where `big` is a pool of frames of WT_PORT_BIG bytes; NULL: without. */
struct wt_port *wt_tap_open_big(const char *name, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len);
/* AF_PACKET socket on an existing interface, which it brings up; sees frames to any address. Switches the interface's
 * offloads off where it may (port->offloads says) and on again at the end. NULL: errno, and one sentence in err. */
struct wt_port *wt_packet_open(const char *interface, struct wt_pool *pool, char *err, size_t err_len);
/* The same with offloads, and those of the interface stay on but for the merging of received frames. */
struct wt_port *wt_packet_open_big(const char *interface, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len);
/* Brings port->kernel_drops up to date. 0, or a negative errno: its interface is gone, which a packet port may not have noticed. */
int wt_port_refresh(struct wt_port *port);
/* What the kernel has dropped so far does not count. */
void wt_port_count_from_now(struct wt_port *port);
/* After the device was gone, and the loop told to forget the port: 0 if it is back (a TAP is made anew), else negative errno. It
 * stays in the network namespace it was opened in, and needs CAP_NET_ADMIN there. What waited for the old device is dropped. */
int wt_port_reopen(struct wt_port *port);
/* Makes ready to ask the kernel for a stamp of each frame it gives us, on which the loop then dates it; if that is refused, frames are dated when
 * they are read, and port->stamps_refused says why. Called in the network namespace of the interface. Filter: by a TAP's filter, where
 * that may be used, which costs the sender least. */
void wt_port_stamp(struct wt_port *port, bool filter);
/* Asks for them from now on, if it was made ready. They cost the sender something: where nothing hangs on them nobody should. */
void wt_port_hear(struct wt_port *port);
/* Gathers frames from now on, where the kernel has what it takes. */
void wt_port_gather(struct wt_port *port);
/* Writes what is gathered. */
void wt_port_write(struct wt_port *port, wt_time now);
/* How many frames it holds for the kernel. */
uint64_t wt_port_holds(const struct wt_port *port);
/* Writes what waits, as far as the kernel takes it. The loop calls it when the descriptor is writable. */
void wt_port_flush(struct wt_port *port, wt_time now);
/* Closes the descriptor and frees. Also the node's destroy verb: a port in a graph is closed by the graph. Accepts NULL. */
void wt_port_close(struct wt_port *port);
/*
 * Switches tx checksums, tso, gso, gro and scatter-gather off on an interface of the caller's namespace (SIOCETHTOOL).
 * 0 or negative errno. On a veth pair it is done at the KERNEL's end, the one whose TCP talks to us: it is the sender's
 * device that decides whether unfinished checksums and 64 KB frames go onto the pair. A packet port understands both (packet.c);
 * an emulated path wants packets.
 */
int wt_offloads_off(const char *interface);

#endif

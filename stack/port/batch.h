/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several frames written in one system call: to a TAP by io_uring, to a packet socket by sendmmsg(). Written in order; a frame that cannot
 * be written at once is refused as write() would refuse it. The kernel keeps no hold of the device between two calls: registered files
 * would be faster by some per cent, and would keep a TAP of a killed process alive for seconds.
 */
#ifndef WT_STACK_PORT_BATCH_H
#define WT_STACK_PORT_BATCH_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "stack/base/frame.h"

#define WT_BATCH_FRAMES 64

struct wt_batch_entry {
	struct wt_frame *frame;
	int error;                    /* after writing: 0 or negative errno */
	struct virtio_net_hdr header; /* in front of it, if the batch has headers */
	struct iovec parts[2];
};

struct wt_batch {
	unsigned count;
	bool headers;
	struct wt_batch_entry entry[WT_BATCH_FRAMES];
	struct wt_ring *ring; /* NULL: it is for a socket */
};

/* NULL: out of memory or, unless it is for a socket, this kernel has no io_uring, or does not let us use it. Close frees the frames it
 * holds; accepts NULL. */
struct wt_batch *wt_batch_open(bool headers, bool socket);
void wt_batch_close(struct wt_batch *batch);
void wt_batch_add(struct wt_batch *batch, struct wt_frame *frame);
/* Writes `count` entries from the given one on to fd and fills in their errors. False: the kernel did not do it, and those with -EINPROGRESS
 * are unwritten. */
bool wt_batch_write(struct wt_batch *batch, unsigned from, unsigned count, int fd);

#endif

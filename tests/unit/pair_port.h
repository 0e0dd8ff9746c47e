/* SPDX-License-Identifier: BSD-2-Clause */
/* A port whose kernel is a socket pair: what is sent into its other end is read by the port. */
#ifndef WT_TESTS_UNIT_PAIR_PORT_H
#define WT_TESTS_UNIT_PAIR_PORT_H

#include <errno.h>
#include <sys/socket.h>

#include "stack/port/interface.h"

static inline int pair_read(struct wt_port *port, struct wt_frame **frame)
{
	struct wt_frame *fresh = wt_frame_new(port->pool);
	ssize_t n = recv(port->fd, wt_frame_own_bytes(fresh), fresh->room, MSG_DONTWAIT);

	*frame = NULL;
	if (n <= 0) {
		wt_frame_free(fresh);
		return n == 0 ? -ENODEV : errno == EAGAIN ? 0 : -errno;
	}
	fresh->len = (uint32_t)n;
	*frame = fresh;
	return 1;
}

static inline int pair_write(struct wt_port *port, const struct wt_frame *frame)
{
	return send(port->fd, wt_frame_look(frame), frame->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static inline int pair_refresh(struct wt_port *port)
{
	return 0;
}

/* The caller closes *end. NULL: errno. */
static inline struct wt_port *pair_port_new(struct wt_pool *pool, int *end)
{
	static const struct wt_port_ops ops = {pair_read, pair_write, pair_refresh};
	struct wt_port *port;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return NULL;
	port = wt_port_new("pair", &ops, pool);
	port->fd = fds[0];
	*end = fds[1];
	return port;
}

#endif

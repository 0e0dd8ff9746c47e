/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that the tests of ports send and wait for. */
#ifndef WT_TESTS_UNIT_PORT_TEST_FRAMES_H
#define WT_TESTS_UNIT_PORT_TEST_FRAMES_H

#include <poll.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/port/port.h"

#define TEST_TYPE 0x88b5 /* IEEE 802 local experimental Ethertype */

static struct wt_pool *pool;

/* The next frame of that Ethertype (and that IP protocol, if not 0) the port reads within a second, or NULL. */
static struct wt_frame *next_frame(struct wt_port *port, unsigned type, unsigned protocol)
{
	struct pollfd fd = {.fd = port->fd, .events = POLLIN};
	struct wt_frame *frame;

	for (unsigned i = 0; i < 100; i++) {
		while (port->ops->read(port, &frame) > 0) {
			if (frame && wt_get16(wt_frame_own_bytes(frame) + 12) == type && (!protocol || wt_frame_own_bytes(frame)[23] == protocol))
				return frame;
			wt_frame_free(frame);
		}
		poll(&fd, 1, 10);
	}
	return NULL;
}

static struct wt_frame *test_frame(uint32_t len, uint8_t fill)
{
	struct wt_frame *frame = wt_frame_new(pool);

	memset(wt_frame_own_bytes(frame), fill, len);
	memset(wt_frame_own_bytes(frame), 0x02, 12); /* to a station that does not exist */
	wt_put16(wt_frame_own_bytes(frame) + 12, TEST_TYPE);
	frame->len = len;
	return frame;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAP: plain Ethernet frames, one read or write each. No offload is announced (no IFF_VNET_HDR, no TUNSETOFFLOAD), so the kernel
 * cuts what its TCP sends to the MTU and finishes every checksum before a frame can be read here; what is read is as good as
 * bytes off a wire (WT_CSUM_NONE: the reader verifies). Opened for big frames it announces what it can, and each frame has a virtio
 * header in front (offload.h).
 *
 * What is read says nothing of when it came; a ring beside it does (arrival.h).
 *
 * A write never waits: the kernel takes the frame into its receive path at once or refuses it. What it sends while nobody
 * reads fills its queue (txqueuelen, raised to 2000 from 1000) and then counts in the interface's tx_dropped.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "stack/port/arrival.h"
#include "stack/port/interface.h"
#include "stack/port/offload.h"
#include "stack/port/port.h"

#define QUEUE_FRAMES 2000
#define OFFLOADS (TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN)
#define UDP_OFFLOADS 0x60 /* TUN_F_USO4, TUN_F_USO6 */

static int read_error(struct wt_port *port)
{
	struct timespec now;

	if (errno == EINTR)
		return 0;
	if (errno != EAGAIN)
		return -errno;
	if (port->hears) {
		clock_gettime(port->stamp_clock, &now);
		wt_arrival_empty(port->arrival, now.tv_sec * WT_S + now.tv_nsec);
	}
	return 0;
}

/* No frame is free: the kernel's is read and lost, or its descriptor would stay readable and the loop would spin. */
static int lose_one(struct wt_port *port)
{
	char bytes[64];

	port->stamp = 0;
	if (read(port->fd, bytes, sizeof(bytes)) < 0)
		return read_error(port);
	port->node.audit.in++;
	port->node.audit.dropped[WT_DROP_POOL]++;
	return 1;
}

/* Of `len` bytes that were read, of which `fresh` has the first. */
static void note_stamp(struct wt_port *port, const struct wt_frame *fresh, uint32_t len)
{
	port->stamp = port->hears ? wt_arrival_of(port->arrival, wt_frame_look(fresh), len) : 0;
}

static int tap_read(struct wt_port *port, struct wt_frame **frame)
{
	struct wt_frame *fresh = wt_frame_new(port->pool);
	ssize_t n;

	*frame = NULL;
	if (!fresh)
		return lose_one(port);
	n = read(port->fd, wt_frame_own_bytes(fresh), fresh->room);
	if (n < 0) {
		wt_frame_free(fresh);
		return read_error(port);
	}
	note_stamp(port, fresh, (uint32_t)n);
	if ((uint32_t)n == fresh->room) { /* perhaps cut: the MTU was raised after the start */
		port->oversize++;
		wt_frame_free(fresh);
		return 1;
	}
	fresh->len = (uint32_t)n;
	*frame = fresh;
	return 1;
}

static int receive_big(struct wt_port *port, struct iovec parts[WT_OFFLOAD_PARTS], const struct wt_frame *fresh, ssize_t *len)
{
	ssize_t n = readv(port->fd, parts, WT_OFFLOAD_PARTS), header = (ssize_t)parts[0].iov_len;

	if (n < header)
		return n >= 0 ? 1 : read_error(port);
	note_stamp(port, fresh, (uint32_t)(n - header));
	if ((size_t)n == parts[0].iov_len + parts[1].iov_len + parts[2].iov_len) /* perhaps cut off */
		port->oversize++;
	else
		*len = n - header;
	return 1;
}

static int tap_read_big(struct wt_port *port, struct wt_frame **frame)
{
	return wt_offload_read(port, frame, receive_big, lose_one);
}

static int tap_write(struct wt_port *port, const struct wt_frame *frame)
{
	ssize_t n;

	do
		n = write(port->fd, wt_frame_look(frame), frame->len);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* That its device is gone is what reading says. */
static int tap_refresh(struct wt_port *port)
{
	int64_t dropped = wt_interface_tx_dropped(port);

	if (dropped >= 0)
		port->kernel_drops = port->kernel_base + (uint64_t)dropped;
	return 0;
}

static void count_on(struct wt_port *port)
{
	int64_t dropped = wt_interface_tx_dropped(port);

	port->kernel_base = port->kernel_drops - (dropped > 0 ? (uint64_t)dropped : 0);
}

static void explain_open(int error, char *err, size_t err_len)
{
	if (error == ENOENT || error == ENODEV || error == ENXIO)
		snprintf(err, err_len, "/dev/net/tun is missing: the kernel has no TUN/TAP driver (modprobe tun)");
	else if (error == EACCES || error == EPERM)
		snprintf(err, err_len, "/dev/net/tun may not be opened by this user (chmod 0666 /dev/net/tun, or run as root)");
	else
		snprintf(err, err_len, "/dev/net/tun: %s", strerror(error));
}

static void explain_permission(const char *name, bool attached, char *err, size_t err_len)
{
	if (attached)
		snprintf(err, err_len, "TAP device %s is down, and this user may not set it up (ip link set %s up, or CAP_NET_ADMIN)", name, name);
	else if (if_nametoindex(name))
		snprintf(err, err_len, "TAP device %s is not this user's (ip tuntap add %s mode tap user NAME, or CAP_NET_ADMIN)", name, name);
	else
		snprintf(err, err_len, "TAP device %s: not permitted in this network namespace (needs CAP_NET_ADMIN)", name);
}

static void explain_attach(const char *name, bool attached, int error, char *err, size_t err_len)
{
	if (error == EBUSY)
		snprintf(err, err_len, "TAP device %s is in use by another process", name);
	else if (error == EPERM)
		explain_permission(name, attached, err, err_len);
	else if (error == EINVAL)
		snprintf(err, err_len, "%s is not a name for a TAP device, or exists as an interface of another kind", name);
	else
		snprintf(err, err_len, "TAP device %s: %s", name, strerror(error));
}

static int attach(struct wt_port *port)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	memcpy(request.ifr_name, port->interface, sizeof(port->interface));
	request.ifr_flags = IFF_TAP | IFF_NO_PI;
	if (port->big_pool)
		request.ifr_flags |= IFF_VNET_HDR;
	if (ioctl(port->fd, TUNSETIFF, &request))
		return -errno;
	/* A device that stays keeps what an earlier run announced; without the header in front its kernel must send no big frame. */
	if (!port->big_pool)
		ioctl(port->fd, TUNSETOFFLOAD, 0);
	/* UDP segmentation is younger (Linux 6.2) than the rest */
	else if (ioctl(port->fd, TUNSETOFFLOAD, OFFLOADS | UDP_OFFLOADS) && ioctl(port->fd, TUNSETOFFLOAD, OFFLOADS))
		return -errno;
	return wt_interface_attach(port);
}

/*
 * The descriptor keeps its network namespace, and a device that was deleted has let go of it. The new one takes over the
 * address of the old: hosts behind the other ports have it in their tables.
 */
static int tap_reopen(struct wt_port *port)
{
	struct wt_mac mac = port->mac;
	struct ifreq request = {.ifr_hwaddr.sa_family = ARPHRD_ETHER};
	int error = attach(port);

	if (!error) {
		memcpy(request.ifr_hwaddr.sa_data, mac.bytes, sizeof(mac.bytes));
		if (!ioctl(port->fd, SIOCSIFHWADDR, &request))
			port->mac = mac;
		wt_interface_queue(port, QUEUE_FRAMES);
		count_on(port);
		if (port->hears)
			port->stamps_refused = wt_arrival_bind(port->arrival, port->fd, port->index);
	}
	return error;
}

static int tap_stamp(struct wt_port *port, bool now)
{
	if (now)
		return wt_arrival_bind(port->arrival, port->fd, port->index);
	port->arrival = wt_arrival_open(port->fd, port->stamp_filter);
	if (!port->arrival)
		return -errno;
	port->stamp_clock = wt_arrival_clock(port->arrival);
	port->stamp_source = wt_arrival_source(port->arrival);
	return 0;
}

struct wt_port *wt_tap_open(const char *name, struct wt_pool *pool, char *err, size_t err_len)
{
	return wt_tap_open_big(name, pool, NULL, err, err_len);
}

struct wt_port *wt_tap_open_big(const char *name, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len)
{
	static const struct wt_port_ops plain_ops = {tap_read, tap_write, tap_refresh, tap_reopen, tap_stamp};
	static const struct wt_port_ops big_ops = {tap_read_big, wt_offload_write, tap_refresh, tap_reopen, tap_stamp};
	struct wt_port *port = wt_port_new(name, big ? &big_ops : &plain_ops, pool);
	int error;

	if (!port) {
		error = errno;
		explain_attach(name, false, error, err, err_len);
		errno = error;
		return NULL;
	}
	port->big_pool = big;
	port->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (port->fd < 0) {
		error = errno;
		explain_open(error, err, err_len);
		goto fail;
	}
	error = -attach(port);
	if (error) {
		explain_attach(name, port->index, error, err, err_len);
		goto fail;
	}
	error = -wt_interface_check_room(port, err, err_len);
	if (!error && big) {
		error = -wt_offload_init(port, WT_PORT_BIG);
		snprintf(err, err_len, "out of memory");
	}
	if (error)
		goto fail;
	count_on(port);
	port->queue_was = wt_interface_queue_now(port);
	wt_interface_queue(port, QUEUE_FRAMES); /* without it there are more tx_dropped, which are counted */
	return port;
fail:
	wt_port_close(port);
	errno = error;
	return NULL;
}

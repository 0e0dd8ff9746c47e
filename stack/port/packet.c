/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet socket on an existing interface, usually one end of a veth pair. It hears what arrives from the wire (not what this
 * machine sends by the same interface) to any address, and writes past the queueing discipline.
 *
 * Offloads. The kernel at the other end of a veth pair leaves checksums unfinished and sends frames of up to 64 KB, since
 * no wire ever sees them. PACKET_VNET_HDR puts a header in front of every frame that says so, and needs nothing from the
 * other end: an unfinished checksum arrives marked (WT_CSUM_PARTIAL) and is finished by whoever writes the bytes out; a big
 * frame of TCP or of UDP segmentation is cut into the packets it stands for (segmenter.c), each with its own headers, unless the port
 * was opened to pass it whole. Jumbo frames are lost and counted in port->oversize. Our own end is told not to merge received
 * frames (gro off).
 *
 * So a kernel's TCP is heard right with any setting of its offloads. But what passes the pair is then not packet by packet in
 * time: where that matters (an emulated path), wt_offloads_off() belongs to the kernel's end, and the lab does it.
 *
 * Writing. The kernel charges frames to the socket until the other end has taken them; a full send buffer is EAGAIN, and
 * the frame waits (port.c) until the descriptor is writable: a burst meets a queue, as on a real interface, not a gap.
 * ENOBUFS is the device's refusal of this very frame: it is lost.
 *
 * Stamps. SO_TIMESTAMPNS has the kernel note when the other end sent a frame, and say it beside the frame.
 *
 * VLANs. The kernel takes the tag off before a packet socket reads a frame, and says which beside it: it is put back.
 */
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/port/interface.h"
#include "stack/port/offload.h"
#include "stack/port/port.h"
#include "stack/wire/ethernet.h"

#define BIG_FRAME (256 * 1024) /* TCP makes up to 64 KB, more only where gso_max_size was raised (BIG TCP) */
#define SOCKET_BUFFER (32 << 20)

/* After an error on reading: is the interface still there? (Down is not gone.) */
static int still_there(struct wt_port *port)
{
	struct ifreq request = {.ifr_ifindex = port->index};

	return ioctl(port->control, SIOCGIFNAME, &request) ? -errno : 0;
}

static int read_error(struct wt_port *port)
{
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return errno == ENETDOWN ? still_there(port) : -errno;
}

/* See tap.c: without a free frame the kernel's frame is read and lost. */
static int lose_one(struct wt_port *port)
{
	char bytes[64];

	port->stamp = 0;
	if (recv(port->fd, bytes, sizeof(bytes), MSG_DONTWAIT) < 0)
		return read_error(port);
	port->node.audit.in++;
	port->node.audit.dropped[WT_DROP_POOL]++;
	return 1;
}

/* What the kernel says beside a frame. */
union beside {
	struct cmsghdr header; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata)) + CMSG_SPACE(sizeof(struct timespec))];
};

/* Is there a tag? And the stamp goes to the port. */
static bool look_beside(struct wt_port *port, struct msghdr *message, struct tpacket_auxdata *aux)
{
	struct timespec stamp = {0};

	aux->tp_status = 0;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		if (at->cmsg_level == SOL_PACKET && at->cmsg_type == PACKET_AUXDATA)
			memcpy(aux, CMSG_DATA(at), sizeof(*aux));
		else if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&stamp, CMSG_DATA(at), sizeof(stamp));
	}
	port->stamp = stamp.tv_sec * WT_S + stamp.tv_nsec;
	return aux->tp_status & TP_STATUS_VLAN_VALID;
}

/* Behind the addresses of a frame of `len` bytes in two pieces, of which the last bytes of the first go over to the second. */
static void put_tag_back(struct virtio_net_hdr *header, const struct iovec *first, const struct iovec *rest, size_t len,
			 const struct tpacket_auxdata *aux)
{
	enum { AT = 12, TAG = 4 };
	uint8_t *data = first->iov_base, *behind = rest->iov_base;
	size_t room = first->iov_len, whole = len < room ? len : room, kept = len + TAG > room ? room - TAG : len;

	memmove(behind + TAG, behind, len - whole);
	memcpy(behind, data + kept, whole - kept);
	memmove(data + AT + TAG, data + AT, kept - AT);
	wt_put16(data + AT, aux->tp_status & TP_STATUS_VLAN_TPID_VALID ? aux->tp_vlan_tpid : ETH_P_8021Q);
	wt_put16(data + AT + 2, aux->tp_vlan_tci);
	if (header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
		header->csum_start = (uint16_t)(header->csum_start + TAG);
}

static int receive(struct wt_port *port, struct iovec parts[WT_OFFLOAD_PARTS], const struct wt_frame *fresh, ssize_t *len)
{
	union beside beside;
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = WT_OFFLOAD_PARTS, .msg_control = &beside, .msg_controllen = sizeof(beside)};
	ssize_t n = recvmsg(port->fd, &message, MSG_DONTWAIT) - (ssize_t)parts[0].iov_len;
	struct tpacket_auxdata aux;
	bool tagged;

	if (n < 0)
		return n + (ssize_t)parts[0].iov_len < 0 ? read_error(port) : 1;
	tagged = look_beside(port, &message, &aux);
	if (message.msg_flags & MSG_TRUNC || (size_t)n + 4 > parts[1].iov_len + parts[2].iov_len) {
		port->oversize++;
		return 1;
	}
	if (tagged && n >= WT_ETH_HEADER) {
		put_tag_back(parts[0].iov_base, &parts[1], &parts[2], (size_t)n, &aux);
		n += 4;
	}
	*len = n;
	return 1;
}

static int packet_read(struct wt_port *port, struct wt_frame **frame)
{
	return wt_offload_read(port, frame, receive, lose_one);
}

/* A socket hears once that its interface goes down, and no more when the interface is then deleted: that has to be asked for. */
static int packet_refresh(struct wt_port *port)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	/* The kernel starts from zero again after each reading. */
	if (!getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		port->kernel_drops += stats.tp_drops;
	return still_there(port);
}

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno : 0;
}

static int attach(struct wt_port *port)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	int error = wt_interface_attach(port);

	if (error)
		return error;
	if ((error = set(port->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)) ||
	    (error = set(port->fd, SOL_PACKET, PACKET_VNET_HDR, 1)) || (error = set(port->fd, SOL_PACKET, PACKET_AUXDATA, 1)))
		return error;
	set(port->fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1); /* a matter of speed only */
	if (set(port->fd, SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_BUFFER))
		set(port->fd, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER); /* up to net.core.rmem_max */
	if (set(port->fd, SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_BUFFER / 8))
		set(port->fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER / 8);
	address.sll_ifindex = promiscuous.mr_ifindex = port->index;
	if (bind(port->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(port->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous)))
		return -errno;
	port->offloads = wt_interface_offloads_off(port->control, port->interface, port->big_pool != NULL, &port->restore);
	port->restore = wt_interface_note(port, port->restore);
	return 0;
}

/* The socket was let go by its interface, and is bound to the new one of that name. */
static int packet_reopen(struct wt_port *port)
{
	return attach(port);
}

static int packet_stamp(struct wt_port *port, bool now)
{
	port->stamp_source = "socket";
	return now ? set(port->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) : 0;
}

static const struct wt_port_ops ops = {packet_read, wt_offload_write, packet_refresh, packet_reopen, packet_stamp, .socket = true};

static void explain(const char *interface, int error, char *err, size_t err_len)
{
	if (error == ENODEV || error == EINVAL)
		snprintf(err, err_len, "there is no interface %s in this network namespace", interface);
	else if (error == EPERM || error == EACCES)
		snprintf(err, err_len, "packet socket on %s: not permitted in this network namespace (needs CAP_NET_RAW and, to bring "
			 "it up, CAP_NET_ADMIN)", interface);
	else
		snprintf(err, err_len, "packet socket on %s: %s", interface, strerror(error));
}

struct wt_port *wt_packet_open(const char *interface, struct wt_pool *pool, char *err, size_t err_len)
{
	return wt_packet_open_big(interface, pool, NULL, err, err_len);
}

struct wt_port *wt_packet_open_big(const char *interface, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len)
{
	struct wt_port *port = wt_port_new(interface, &ops, pool);
	int error = errno;

	if (!port)
		goto fail;
	port->big_pool = big;
	/* Protocol 0: nothing is heard before bind() has named the interface. */
	port->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	error = port->fd < 0 ? errno : -attach(port);
	if (!error)
		error = -wt_offload_init(port, BIG_FRAME);
	if (error)
		goto fail;
	error = -wt_interface_check_room(port, err, err_len);
	if (!error)
		return port;
	wt_port_close(port);
	errno = error;
	return NULL;
fail:
	explain(interface, error, err, err_len);
	wt_port_close(port);
	errno = error;
	return NULL;
}

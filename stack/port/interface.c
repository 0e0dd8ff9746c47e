/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/port/interface.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADERS 18 /* Ethernet and one VLAN tag, on top of the MTU */

static struct ifreq request_for(const char *interface)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	memcpy(request.ifr_name, interface, strnlen(interface, IFNAMSIZ - 1));
	return request;
}

static int ask(int control, unsigned long what, struct ifreq *request)
{
	return ioctl(control, what, request) ? -errno : 0;
}

int wt_interface_attach(struct wt_port *port)
{
	struct ifreq request = request_for(port->interface);
	int error;

	/* A route socket answers the interface requests too, and stays in this namespace wherever the process goes. */
	if (port->control < 0) /* a port that comes back has one, and may no longer stand in this namespace */
		port->control = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (port->control < 0)
		return -errno;
	if ((error = ask(port->control, SIOCGIFINDEX, &request)))
		return error;
	port->index = request.ifr_ifindex;
	if ((error = ask(port->control, SIOCGIFHWADDR, &request)))
		return error;
	memcpy(port->mac.bytes, request.ifr_hwaddr.sa_data, sizeof(port->mac.bytes));
	if ((error = ask(port->control, SIOCGIFMTU, &request)))
		return error;
	port->mtu = (uint32_t)request.ifr_mtu;
	if ((error = ask(port->control, SIOCGIFFLAGS, &request)))
		return error;
	if (request.ifr_flags & IFF_UP)
		return 0;
	request.ifr_flags |= IFF_UP;
	return ask(port->control, SIOCSIFFLAGS, &request);
}

int wt_interface_check_room(const struct wt_port *port, char *err, size_t err_len)
{
	struct wt_frame *probe = wt_frame_new(port->pool);
	uint32_t room = probe ? probe->room : 0;

	wt_frame_free(probe);
	if (room > port->mtu + HEADERS)
		return 0;
	snprintf(err, err_len, "frames of %u bytes are too small for %s, whose MTU is %u", room, port->interface, port->mtu);
	return -EMSGSIZE;
}

int wt_interface_queue(const struct wt_port *port, int frames)
{
	struct ifreq request = request_for(port->interface);

	request.ifr_qlen = frames;
	return ask(port->control, SIOCSIFTXQLEN, &request);
}

static int64_t find_tx_dropped(const struct nlmsghdr *header)
{
	const struct ifinfomsg *info = NLMSG_DATA(header);
	const struct rtattr *attr = IFLA_RTA(info);
	int left = (int)IFLA_PAYLOAD(header);
	struct rtnl_link_stats64 stats;

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if (attr->rta_type != IFLA_STATS64)
			continue;
		memset(&stats, 0, sizeof(stats));
		memcpy(&stats, RTA_DATA(attr), RTA_PAYLOAD(attr) < sizeof(stats) ? RTA_PAYLOAD(attr) : sizeof(stats));
		return (int64_t)stats.tx_dropped;
	}
	return -ENODATA;
}

int64_t wt_interface_tx_dropped(const struct wt_port *port)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {
		.header = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
		.info = {.ifi_family = AF_UNSPEC, .ifi_index = port->index},
	};
	union {
		struct nlmsghdr header;
		char bytes[16384];
	} answer;
	ssize_t n;

	if (send(port->control, &request, sizeof(request), 0) < 0)
		return -errno;
	/* The kernel answers within send(): the answer, or an error, is there. */
	n = recv(port->control, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n < 0)
		return -errno;
	if (!NLMSG_OK(&answer.header, n) || answer.header.nlmsg_type != RTM_NEWLINK)
		return -ENODEV;
	return find_tx_dropped(&answer.header);
}

/* In the order of switching off: segmentation needs checksums and scatter-gather, and would go with them unseen. */
static const struct {
	uint32_t get, set;
} offloads[] = {
	{ETHTOOL_GTSO, ETHTOOL_STSO}, {ETHTOOL_GGSO, ETHTOOL_SGSO},       {ETHTOOL_GGRO, ETHTOOL_SGRO},
	{ETHTOOL_GSG, ETHTOOL_SSG},   {ETHTOOL_GTXCSUM, ETHTOOL_STXCSUM},
};

#define OFFLOADS (sizeof(offloads) / sizeof(offloads[0]))

static int ethtool(int control, const char *interface, uint32_t command, uint32_t *value)
{
	struct ethtool_value argument = {.cmd = command, .data = *value};
	struct ifreq request = request_for(interface);
	int error;

	request.ifr_data = (void *)&argument;
	error = ask(control, SIOCETHTOOL, &request);
	*value = argument.data;
	return error;
}

int wt_interface_offloads_off(int control, const char *interface, bool only_merging, uint32_t *were_on)
{
	int error = 0;

	*were_on = 0;
	for (unsigned i = 0; i < OFFLOADS; i++) {
		uint32_t value = 0;
		int failure;

		if (only_merging && offloads[i].set != ETHTOOL_SGRO)
			continue;
		failure = ethtool(control, interface, offloads[i].get, &value);
		if (failure == -EOPNOTSUPP)
			continue; /* what it cannot do is off */
		if (!failure && value) {
			value = 0;
			failure = ethtool(control, interface, offloads[i].set, &value);
			if (!failure)
				*were_on |= 1u << i;
		}
		if (failure && !error)
			error = failure;
	}
	return error;
}

void wt_interface_restore(int control, const char *interface, uint32_t were_on)
{
	for (unsigned i = OFFLOADS; i-- > 0;) {
		uint32_t value = 1;

		if (were_on & 1u << i)
			ethtool(control, interface, offloads[i].set, &value);
	}
}

int wt_offloads_off(const char *interface)
{
	int control = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	uint32_t were_on;
	int error;

	if (control < 0)
		return -errno;
	error = wt_interface_offloads_off(control, interface, false, &were_on);
	close(control);
	return error;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/port/interface.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stddef.h>
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
	snprintf(err, err_len, "frames of %u bytes are too small for %s, whose MTU is %u: jumbo frames are not carried, set it to %u or less", room,
		 port->interface, port->mtu, room - HEADERS - 1);
	return -EMSGSIZE;
}

int wt_interface_queue(const struct wt_port *port, int frames)
{
	struct ifreq request = request_for(port->interface);

	request.ifr_qlen = frames;
	return ask(port->control, SIOCSIFTXQLEN, &request);
}

int wt_interface_queue_now(const struct wt_port *port)
{
	struct ifreq request = request_for(port->interface);
	int error = ask(port->control, SIOCGIFTXQLEN, &request);

	return error ? error : request.ifr_qlen;
}

/* An attribute of a link, or NULL. */
static const struct rtattr *find_attribute(const struct nlmsghdr *header, unsigned short type)
{
	const struct ifinfomsg *info = NLMSG_DATA(header);
	const struct rtattr *attr = IFLA_RTA(info);
	int left = (int)IFLA_PAYLOAD(header);

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left))
		if (attr->rta_type == type)
			return attr;
	return NULL;
}

union link_answer {
	struct nlmsghdr header;
	char bytes[16384];
};

/* The kernel answers within send(): the answer, or an error, is there. 0 or negative errno. */
static int ask_netlink(const struct wt_port *port, const void *request, size_t len, union link_answer *answer)
{
	ssize_t n;

	if (send(port->control, request, len, 0) < 0)
		return -errno;
	n = recv(port->control, answer, sizeof(*answer), MSG_DONTWAIT);
	if (n < 0)
		return -errno;
	return NLMSG_OK(&answer->header, n) ? 0 : -ENODEV;
}

static int ask_link(const struct wt_port *port, union link_answer *answer)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {
		.header = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
		.info = {.ifi_family = AF_UNSPEC, .ifi_index = port->index},
	};
	int error = ask_netlink(port, &request, sizeof(request), answer);

	return error ? error : answer->header.nlmsg_type == RTM_NEWLINK ? 0 : -ENODEV;
}

int64_t wt_interface_tx_dropped(const struct wt_port *port)
{
	union link_answer answer;
	struct rtnl_link_stats64 stats = {0};
	const struct rtattr *attr;
	int error = ask_link(port, &answer);

	if (error)
		return error;
	attr = find_attribute(&answer.header, IFLA_STATS64);
	if (!attr)
		return 0;
	memcpy(&stats, RTA_DATA(attr), RTA_PAYLOAD(attr) < sizeof(stats) ? RTA_PAYLOAD(attr) : sizeof(stats));
	return (int64_t)stats.tx_dropped;
}

/* ---- the note on the interface ------------------------------------------------------------------------- */

#define NOTE "wavetank will restore offloads 0x" /* and the mask */

static void set_alias(const struct wt_port *port, const char *text)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
		struct rtattr attr;
		char text[64];
	} request = {
		.header = {.nlmsg_type = RTM_SETLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
		.info = {.ifi_family = AF_UNSPEC, .ifi_index = port->index},
		.attr = {.rta_type = IFLA_IFALIAS, .rta_len = (unsigned short)RTA_LENGTH(strlen(text))},
	};
	union link_answer answer;

	request.header.nlmsg_len = (uint32_t)(((const char *)&request.attr - (const char *)&request) + RTA_ALIGN(request.attr.rta_len));
	memcpy(request.text, text, strlen(text));
	ask_netlink(port, &request, request.header.nlmsg_len, &answer); /* where it is refused, there is no note */
}

/* The interface's alias is ours to write: there is none, or one that a run has left; then its mask, too. */
static bool read_note(const struct wt_port *port, uint32_t *mask)
{
	union link_answer answer;
	const struct rtattr *attr = ask_link(port, &answer) ? NULL : find_attribute(&answer.header, IFLA_IFALIAS);
	char text[64] = "";

	*mask = 0;
	if (!attr)
		return true;
	memcpy(text, RTA_DATA(attr), RTA_PAYLOAD(attr) < sizeof(text) ? RTA_PAYLOAD(attr) : sizeof(text) - 1);
	return sscanf(text, NOTE "%" SCNx32, mask) == 1;
}

uint32_t wt_interface_note(const struct wt_port *port, uint32_t were_on)
{
	uint32_t left = 0;
	char text[64];

	if (!read_note(port, &left) || !(were_on | left))
		return were_on | left;
	snprintf(text, sizeof(text), NOTE "%" PRIx32, were_on | left);
	set_alias(port, text);
	return were_on | left;
}

void wt_interface_note_done(const struct wt_port *port)
{
	uint32_t mask;

	if (read_note(port, &mask) && mask)
		set_alias(port, "");
}

/* ---- offloads ------------------------------------------------------------------------------------------- */

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

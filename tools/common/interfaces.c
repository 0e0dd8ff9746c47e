/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/interfaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- rtnetlink ---------------------------------------------------------------------------------------- */

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	char attributes[512];
};

static struct rtattr *attribute(struct request *request, unsigned short type, const void *data, size_t len)
{
	struct rtattr *at = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));

	at->rta_type = type;
	at->rta_len = (unsigned short)RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(at), data, len);
	request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + (unsigned)RTA_ALIGN(at->rta_len);
	return at;
}

static void attribute_end(struct request *request, struct rtattr *at)
{
	at->rta_len = (unsigned short)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len) - (char *)at);
}

/* Sends the request and waits for the acknowledgement the kernel owes it. */
static int exchange(struct request *request)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} answer;
	const struct nlmsgerr *error = NLMSG_DATA(&answer.head);
	ssize_t got;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), result;

	if (fd < 0)
		return -errno;
	if (sendto(fd, request, request->head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
	    (got = recv(fd, &answer, sizeof(answer), 0)) < 0)
		result = -errno;
	else if ((size_t)got < NLMSG_LENGTH(sizeof(*error)) || answer.head.nlmsg_type != NLMSG_ERROR)
		result = -EPROTO;
	else
		result = error->error;
	close(fd);
	return result;
}

int wt_net_veth(const char *name, const char *peer, pid_t pid)
{
	struct request request = {
		.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_NEWLINK,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
		.link = {.ifi_family = AF_UNSPEC},
	};
	struct rtattr *info, *data, *other;
	uint32_t peer_pid = (uint32_t)pid;

	attribute(&request, IFLA_IFNAME, name, strlen(name) + 1);
	info = attribute(&request, IFLA_LINKINFO, NULL, 0);
	attribute(&request, IFLA_INFO_KIND, "veth", 5);
	data = attribute(&request, IFLA_INFO_DATA, NULL, 0);
	other = attribute(&request, VETH_INFO_PEER, &request.link, sizeof(request.link));
	attribute(&request, IFLA_IFNAME, peer, strlen(peer) + 1);
	attribute(&request, IFLA_NET_NS_PID, &peer_pid, sizeof(peer_pid));
	attribute_end(&request, other);
	attribute_end(&request, data);
	attribute_end(&request, info);
	return exchange(&request);
}

/* By rtnetlink, because the ioctl asks for a capability outside our user namespace. */
int wt_net_queue_length(const char *interface, unsigned packets)
{
	struct request request = {
		.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_NEWLINK,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
		.link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(interface)},
	};
	uint32_t length = packets;

	if (!request.link.ifi_index)
		return -errno;
	attribute(&request, IFLA_TXQLEN, &length, sizeof(length));
	return exchange(&request);
}

/* ---- ioctl -------------------------------------------------------------------------------------------- */

static int control(unsigned long what, void *argument)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result;

	if (fd < 0)
		return -errno;
	result = ioctl(fd, what, argument) < 0 ? -errno : 0;
	close(fd);
	return result;
}

static struct ifreq named(const char *interface)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return request;
}

static void put_ipv4(struct sockaddr *to, uint32_t address)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

	memcpy(to, &in, sizeof(in));
}

static uint32_t get_ipv4(const struct wt_addr *addr)
{
	return (uint32_t)addr->bytes[0] << 24 | (uint32_t)addr->bytes[1] << 16 | (uint32_t)addr->bytes[2] << 8 | addr->bytes[3];
}

int wt_net_up(const char *interface)
{
	struct ifreq request = named(interface);
	int result = control(SIOCGIFFLAGS, &request);

	request.ifr_flags |= IFF_UP;
	return result < 0 ? result : control(SIOCSIFFLAGS, &request);
}

void wt_net_wait_running(const char *interface)
{
	struct timespec step = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < 1000; i++) {
		struct ifreq request = named(interface);

		if (control(SIOCGIFFLAGS, &request) < 0 || request.ifr_flags & IFF_RUNNING)
			return;
		nanosleep(&step, NULL);
	}
}

int wt_net_mac(const char *interface, const struct wt_mac *mac)
{
	struct ifreq request = named(interface);

	request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(request.ifr_hwaddr.sa_data, mac->bytes, 6);
	return control(SIOCSIFHWADDR, &request);
}

int wt_net_address(const char *interface, const struct wt_addr *addr, unsigned prefix_len)
{
	struct ifreq request = named(interface);
	int result;

	put_ipv4(&request.ifr_addr, get_ipv4(addr));
	result = control(SIOCSIFADDR, &request);
	put_ipv4(&request.ifr_netmask, prefix_len ? ~0u << (32 - prefix_len) : 0);
	return result < 0 ? result : control(SIOCSIFNETMASK, &request);
}

int wt_net_gateway(const char *interface, const struct wt_addr *gateway)
{
	static const struct wt_addr everywhere = {.family = WT_FAMILY_IPV4};

	return wt_net_route_to(interface, &everywhere, 0, gateway);
}

int wt_net_route_to(const char *interface, const struct wt_addr *network, unsigned prefix_len, const struct wt_addr *gateway)
{
	char device[IFNAMSIZ];
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY, .rt_dev = device};

	snprintf(device, sizeof(device), "%s", interface);
	put_ipv4(&route.rt_dst, get_ipv4(network));
	put_ipv4(&route.rt_genmask, prefix_len ? UINT32_MAX << (32 - prefix_len) : 0);
	put_ipv4(&route.rt_gateway, get_ipv4(gateway));
	return control(SIOCADDRT, &route);
}

int wt_net_neighbour(const char *interface, const struct wt_addr *addr, const struct wt_mac *mac)
{
	struct arpreq request;

	memset(&request, 0, sizeof(request));
	put_ipv4(&request.arp_pa, get_ipv4(addr));
	request.arp_ha.sa_family = ARPHRD_ETHER;
	memcpy(request.arp_ha.sa_data, mac->bytes, 6);
	request.arp_flags = ATF_COM | ATF_PERM;
	snprintf(request.arp_dev, sizeof(request.arp_dev), "%s", interface);
	return control(SIOCSARP, &request);
}

int wt_net_sysctl(const char *name, const char *value)
{
	char path[128];
	int fd, result = 0;

	snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		result = -errno;
	close(fd);
	return result;
}

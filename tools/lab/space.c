/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/space.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		result = -errno;
	close(fd);
	return result;
}

int wt_space_unshare(int flags, bool *rootless)
{
	unsigned uid = geteuid(), gid = getegid();
	char map[40];
	int result;

	*rootless = false;
	if (unshare(flags) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	*rootless = true;
	if (unshare(flags | CLONE_NEWUSER) < 0)
		return -errno;
	/* One id is mapped, which needs no helper (user_namespaces(7)); the group map only after setgroups is given up. */
	result = write_file("/proc/self/setgroups", "deny");
	if (result < 0 && result != -ENOENT)
		return result;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	result = write_file("/proc/self/uid_map", map);
	if (result < 0)
		return result;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_file("/proc/self/gid_map", map);
}

int wt_space_probe_tap(void)
{
	struct ifreq request;
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), result;

	if (fd < 0)
		return -errno;
	memset(&request, 0, sizeof(request));
	strcpy(request.ifr_name, "wtprobe%d");
	request.ifr_flags = IFF_TAP | IFF_NO_PI;
	result = ioctl(fd, TUNSETIFF, &request) < 0 ? -errno : 0;
	close(fd);
	return result;
}

int wt_space_probe_packet(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

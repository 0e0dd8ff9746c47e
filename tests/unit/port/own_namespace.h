/* SPDX-License-Identifier: BSD-2-Clause */
/* A network namespace for a test: as root, or as anybody inside a user namespace. It goes with the process. */
#ifndef WT_TESTS_UNIT_OWN_NAMESPACE_H
#define WT_TESTS_UNIT_OWN_NAMESPACE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs a command that must succeed. */
static inline void shell(const char *command)
{
	if (system(command)) {
		fprintf(stderr, "failed: %s\n", command);
		abort();
	}
}

static inline void own_namespace_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Moves this process into a fresh network namespace, with ip and veth pairs at hand. NULL, or the reason why not. */
static inline const char *own_namespace_enter(void)
{
	char map[64];
	unsigned uid = getuid(), gid = getgid();

	if (system("ip -V >/dev/null 2>&1"))
		return "no ip command (iproute2)";
	if (unshare(CLONE_NEWNET)) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			return "neither root nor user namespaces";
		own_namespace_write("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", uid);
		own_namespace_write("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "0 %u 1", gid);
		own_namespace_write("/proc/self/gid_map", map);
	}
	/* No router solicitations among the frames. */
	own_namespace_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	if (system("ip link set lo up && ip link add wtva type veth peer name wtvb && ip link del wtva"))
		return "no veth pairs in a namespace of our own";
	return NULL;
}

#endif

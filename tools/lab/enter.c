/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1: entered; 0: ours already; negative errno. */
static int enter(pid_t pid, const char *type, int flag)
{
	char path[64];
	struct stat ours, theirs;
	int fd, result;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", type);
	if (stat(path, &ours) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, type);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &theirs) < 0)
		result = -errno;
	else if (ours.st_ino == theirs.st_ino)
		result = 0; /* setns() into one's own user namespace is refused */
	else
		result = setns(fd, flag) < 0 ? -errno : 1;
	close(fd);
	return result;
}

/* Then chroot(2), which takes a capability, is not needed. */
static bool is_root(int fd)
{
	struct stat there, root;

	return !fstat(fd, &there) && !stat("/", &root) && there.st_dev == root.st_dev && there.st_ino == root.st_ino;
}

int wt_lab_enter_all(pid_t pid)
{
	static const struct {
		const char *type;
		int flag;
	} spaces[] = {{"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET}, {"mnt", CLONE_NEWNS}};
	char cwd[PATH_MAX], root[64];
	bool known = getcwd(cwd, sizeof(cwd)) != NULL;
	int fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		int result = enter(pid, spaces[i].type, spaces[i].flag);

		if (result < 0) {
			close(fd);
			return result;
		}
	}
	/* The mount namespace took us to its root. The lab's may be another, where lab up was called in a chroot. */
	if (fchdir(fd) < 0 || (!is_root(fd) && chroot(".") < 0)) {
		close(fd);
		return -errno;
	}
	close(fd);
	if (!known || chdir(cwd) < 0)
		return chdir("/") < 0 ? -errno : 0;
	return 0;
}

int wt_lab_enter_network(pid_t pid)
{
	int result = enter(pid, "net", CLONE_NEWNET);

	return result < 0 ? result : 0;
}

void wt_lab_set_environment(const struct wt_lab *lab, const struct wt_lab_place *host, const char *self)
{
	char path[8192], address[WT_ADDR_TEXT + 4], gateway[WT_ADDR_TEXT + 20], hosts[WT_LAB_PATH];
	const char *old = getenv("PATH"), *slash = strrchr(self, '/');
	struct wt_addr addr = wt_lab_engine_addr(&host->addr, 0);
	const uint8_t *mac = host->gateway_mac.bytes;

	wt_addr_format(&addr, address);
	snprintf(address + strlen(address), 4, "/%u", host->prefix_len % 100);
	wt_addr_format(&host->gateway, gateway);
	snprintf(gateway + strlen(gateway), 20, " %02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	wt_lab_path(hosts, lab->name, "hosts");
	setenv("WAVETANK_LAB", lab->name, 1);
	setenv("WAVETANK_HOST", host->name, 1);
	setenv("WAVETANK_PORT", "packet:" WT_LAB_INTERFACE, 1);
	setenv("WAVETANK_ADDRESS", address, 1);
	setenv("WAVETANK_HOSTS", hosts, 1);
	if (host->gateway.family)
		setenv("WAVETANK_GATEWAY", gateway, 1);
	if (slash && snprintf(path, sizeof(path), "%.*s:%s", (int)(slash - self), self, old ? old : "/usr/bin:/bin") < (int)sizeof(path))
		setenv("PATH", path, 1);
}

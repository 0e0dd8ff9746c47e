/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/kernel_names.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

void wt_kernel_release(char text[WT_KERNEL_RELEASE])
{
	struct utsname name;

	snprintf(text, WT_KERNEL_RELEASE, "%s", uname(&name) == 0 ? name.release : "");
}

/* Not by the list of names: it has no modules that are loaded on demand. Another refusal than ENOENT (EPERM) may not hold in a lab. */
bool wt_kernel_has(const char *congestion)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)) == 0 || errno != ENOENT;

	if (fd >= 0)
		close(fd);
	return has;
}

const char *wt_kernel_names(char *text, size_t len)
{
	FILE *file = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "re");
	char name[40];
	size_t at = 0;

	snprintf(text, len, "it does not list them");
	while (file && at < len && fscanf(file, "%39s", name) == 1)
		at += (size_t)snprintf(text + at, len - at, "%s%s", at ? ", " : "", name);
	if (file)
		fclose(file);
	return text;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int wt_confine(bool keep_net_admin)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[2], kept[2] = {{0}};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (syscall(SYS_capget, &header, now))
		return -errno;
	/* CAP_NET_ADMIN is in the first word; one that is not held cannot be kept */
	if (keep_net_admin)
		kept[0].permitted = kept[0].effective = now[0].permitted & 1u << CAP_NET_ADMIN;
	return syscall(SYS_capset, &header, kept) ? -errno : 0;
}

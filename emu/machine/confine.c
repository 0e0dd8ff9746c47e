/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/confine.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int wt_confine(const struct wt_identity *identity, uint32_t keep)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[2], kept[2] = {{0}};
	int error;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	error = identity ? wt_identity_take(identity) : 0;
	if (error)
		return error;
	if (syscall(SYS_capget, &header, now))
		return -errno;
	kept[0].permitted = kept[0].effective = now[0].permitted & keep; /* one that is not held cannot be kept */
	return syscall(SYS_capset, &header, kept) ? -errno : 0;
}

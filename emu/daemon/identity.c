/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/identity.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY 65534 /* of machines that have no name for it */

int wt_identity_given(struct wt_identity *identity, const char *name, char *err, size_t err_len)
{
	const struct passwd *user = getpwnam(name);

	if (!user) {
		snprintf(err, err_len, "there is no user '%.40s'", name);
		return -EINVAL;
	}
	if (geteuid() && user->pw_uid != geteuid()) {
		snprintf(err, err_len, "only root can become '%.40s'", name);
		return -EINVAL;
	}
	*identity = (struct wt_identity){.given = true, .changes = user->pw_uid != geteuid(), .uid = user->pw_uid, .gid = user->pw_gid};
	return 0;
}

/* Are the users of our namespace those of the machine? */
static bool real_users(void)
{
	FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned long inside = 1, outside = 1, count = 0;
	bool real = file && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside && count == UINT_MAX;

	if (file)
		fclose(file);
	return real;
}

/* A user's or group's number; 0, root's, where it is none. */
static unsigned number(const char *text)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;

	return text && *text && !*end && value < UINT_MAX ? (unsigned)value : 0;
}

void wt_identity_choose(struct wt_identity *identity)
{
	uid_t uid = number(getenv("SUDO_UID"));
	gid_t gid = number(getenv("SUDO_GID"));
	const struct passwd *nobody;

	if (identity->given || geteuid() || !real_users())
		return;
	if (!uid || !gid) {
		nobody = getpwnam("nobody");
		uid = nobody ? nobody->pw_uid : NOBODY;
		gid = nobody ? nobody->pw_gid : NOBODY;
	}
	*identity = (struct wt_identity){.changes = true, .uid = uid, .gid = gid};
}

static int become(const struct wt_identity *identity)
{
	int with_parent = 0, error = 0;

	/* whoever changes is not told of the parent's end any more */
	prctl(PR_GET_PDEATHSIG, &with_parent);
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(identity->gid, identity->gid, identity->gid) ||
	    setresuid(identity->uid, identity->uid, identity->uid))
		error = -errno;
	prctl(PR_SET_KEEPCAPS, 0);
	if (with_parent)
		prctl(PR_SET_PDEATHSIG, with_parent);
	return error;
}

int wt_identity_take(const struct wt_identity *identity)
{
	int error = identity->changes ? become(identity) : 0;

	return identity->given ? error : 0;
}

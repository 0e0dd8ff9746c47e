/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/identity.h"

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

/* A user's or group's number. */
static bool number(const char *text, unsigned *value)
{
	char *end = NULL;
	unsigned long n = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : UINT_MAX;

	*value = n < UINT_MAX ? (unsigned)n : 0;
	return n < UINT_MAX && end && !*end;
}

static void take_name(struct wt_identity *identity, const struct passwd *user)
{
	snprintf(identity->name, sizeof(identity->name), "%s", user ? user->pw_name : "");
}

int wt_identity_given(struct wt_identity *identity, const char *name, char *err, size_t err_len)
{
	const struct passwd *user = getpwnam(name);
	unsigned uid;
	gid_t gid;

	if (user)
		uid = user->pw_uid;
	else if (number(name, &uid))
		user = getpwuid(uid);
	else {
		snprintf(err, err_len, "there is no user '%.40s'", name);
		return -EINVAL;
	}
	gid = user ? user->pw_gid : uid;
	if (geteuid() && uid != geteuid()) {
		snprintf(err, err_len, "only root can become '%.40s'", name);
		return -EINVAL;
	}
	*identity = (struct wt_identity){.given = true, .changes = uid != geteuid(), .uid = uid, .gid = gid};
	take_name(identity, user);
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

void wt_identity_choose(struct wt_identity *identity)
{
	const struct passwd *user;
	unsigned uid, gid;

	if (identity->given)
		return;
	if (geteuid() || !real_users()) {
		*identity = (struct wt_identity){.uid = geteuid(), .gid = getegid()};
		take_name(identity, getpwuid(identity->uid));
		return;
	}
	if (number(getenv("SUDO_UID"), &uid) && number(getenv("SUDO_GID"), &gid) && uid && gid)
		user = getpwuid(uid);
	else {
		user = getpwnam("nobody");
		uid = user ? user->pw_uid : NOBODY;
		gid = user ? user->pw_gid : NOBODY;
	}
	*identity = (struct wt_identity){.changes = true, .uid = uid, .gid = gid};
	take_name(identity, user);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who the emulator is once everything is open. The files of the machine are root's, so root without capabilities may still write
 * them: a daemon that root started becomes somebody else.
 */
#ifndef WT_EMU_MACHINE_IDENTITY_H
#define WT_EMU_MACHINE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct wt_identity {
	bool given, changes;
	uid_t uid;
	gid_t gid;
	char name[33]; /* looked up while it may be: empty, there is none */
};

/*
 * That of a user by name, or by number where no user is called so, of a group of that number if nobody has it. 0, or -EINVAL and a
 * sentence: no such user, or we are not root and somebody else.
 */
int wt_identity_given(struct wt_identity *identity, const char *name, char *err, size_t err_len);
/* Of root, where none was given: the user that sudo was called by, or else nobody; everybody else, and root of a user namespace (who is
 * an ordinary user outside), stays. */
void wt_identity_choose(struct wt_identity *identity);
/* Takes it, keeping the capabilities that are permitted; other groups are left. 0 or negative errno; one that was not given may fail. */
int wt_identity_take(const struct wt_identity *identity);

#endif

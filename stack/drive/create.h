/* SPDX-License-Identifier: BSD-2-Clause */
/* Where captures and journals are written to. */
#ifndef WT_STACK_DRIVE_CREATE_H
#define WT_STACK_DRIVE_CREATE_H

/*
 * Opens a file for writing from its start, and makes it if it is not there. In a sticky folder where everybody may write, as /tmp, a file or
 * symbolic link that is another's is refused, whatever fs.protected_symlinks and fs.protected_regular say: root must not write where another points,
 * nor into what another may read. A descriptor, or negative errno.
 */
int wt_create(const char *path);

#endif

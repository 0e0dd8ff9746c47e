/* SPDX-License-Identifier: BSD-2-Clause */
/* Where captures and journals are written to. */
#ifndef WT_STACK_DRIVE_CREATE_H
#define WT_STACK_DRIVE_CREATE_H

/*
 * Opens a file for writing from its start, and makes it if it is not there. In a folder where everybody may write, a symbolic link that is
 * not the caller's is not followed, whatever fs.protected_symlinks says: root must not write where another points. A descriptor, or
 * negative errno.
 */
int wt_create(const char *path);

#endif

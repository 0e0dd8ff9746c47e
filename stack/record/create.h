/* SPDX-License-Identifier: BSD-2-Clause */
/* Where captures, journals and other files that somebody names are written to. */
#ifndef WT_STACK_RECORD_CREATE_H
#define WT_STACK_RECORD_CREATE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens a file for writing from its start, and makes it if it is not there. In a sticky folder where everybody may write, as /tmp, a file or
 * symbolic link that is another's is refused, whatever fs.protected_symlinks and fs.protected_regular say: root must not write where another points,
 * nor into what another may read. A file has one writer: it is locked (flock) until the descriptor is closed, as the kernel does for whoever is
 * killed, and one that another has locked stays as it is. Terminals, pipes and devices take everybody's. A file gets room for its first block
 * at once, so that a full disk is seen here, and a file that was made for nothing is removed again. A descriptor, or negative errno:
 * -EBUSY where another writes it, -ENOSPC or -EDQUOT where there is no room.
 */
int wt_create(const char *path);
/* The same as a stream; NULL with errno. */
FILE *wt_create_stream(const char *path);
/* The same refusals for a file that is kept and read or added to: `flags` of open(2) but O_CREAT, no lock, nothing cut. */
int wt_create_again(const char *path, int flags);
/* Is it a symbolic link that is refused so? For folders. */
bool wt_planted_link(const char *path);

#define WT_CREATE_WHY 120
/* Why wt_create() refused: strerror() of its errno, and for EBUSY who writes it, if that can be seen. Into `why`, which is returned. */
const char *wt_create_why(const char *path, int error, char why[WT_CREATE_WHY]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of tests that lie in no folder, so that a test that is killed leaves none. */
#ifndef WT_TESTS_UNIT_SCRATCH_H
#define WT_TESTS_UNIT_SCRATCH_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define SCRATCH_PATH 48

/* An empty file. Its path, which goes into `path`, leads to it as long as the descriptor is open, in children too. The descriptor, or -1. */
static inline int scratch_file(char path[SCRATCH_PATH])
{
	int fd = memfd_create("scratch", 0);

	snprintf(path, SCRATCH_PATH, "/proc/%d/fd/%d", (int)getpid(), fd);
	return fd;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that grows by whole lines, one write() each: what a full disk or a killed process leaves of it can be gone on with. */
#ifndef WT_TOOLS_COMMON_LINE_FILE_H
#define WT_TOOLS_COMMON_LINE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct wt_line_file {
	int fd;        /* opened with O_APPEND; -1: none */
	uint64_t size; /* of its whole lines */
};

/*
 * Locks it for this process and its children: 0, or -EBUSY if another has it. Waits a little, for workers of a process that was killed
 * hold its lock until they see it. A file system without locks has none to respect.
 */
int wt_line_file_lock(int fd);
/* Cuts off what stands behind the last whole line. 0 or negative errno. */
int wt_line_file_cut(const struct wt_line_file *file);
/* Appends text, which ends in a newline. Negative errno: the file is as it was. */
int wt_line_file_add(struct wt_line_file *file, const char *text, size_t len);

#endif

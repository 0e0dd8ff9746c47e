/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool planted(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat link, where;
	char folder[4096];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if (lstat(path, &link) || stat(folder, &where))
		return true;
	return (where.st_mode & S_IWOTH) && link.st_uid != geteuid() && link.st_uid != where.st_uid;
}

int wt_create(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd = open(path, flags | O_NOFOLLOW, 0666);

	if (fd < 0 && errno == ELOOP) {
		if (planted(path))
			return -EACCES;
		fd = open(path, flags, 0666);
	}
	return fd < 0 ? -errno : fd;
}

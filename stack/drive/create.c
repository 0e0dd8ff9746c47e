/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* fd: of what is there; negative: it is a link. */
static bool planted(const char *path, int fd)
{
	const char *slash = strrchr(path, '/');
	struct stat there, where;
	char folder[4096];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if ((fd < 0 ? lstat(path, &there) : fstat(fd, &there)) || stat(folder, &where))
		return true;
	return (where.st_mode & S_IWOTH) && (where.st_mode & S_ISVTX) && there.st_uid != geteuid() && there.st_uid != where.st_uid;
}

static int give_back(int fd, int error)
{
	close(fd);
	return error;
}

int wt_create(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd = open(path, flags | O_NOFOLLOW, 0666);
	struct stat there;

	if (fd < 0 && errno != ELOOP)
		return -errno;
	if (planted(path, fd))
		return fd < 0 ? -EACCES : give_back(fd, -EACCES);
	if (fd < 0)
		fd = open(path, flags, 0666);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &there) && S_ISREG(there.st_mode) && ftruncate(fd, 0))
		return give_back(fd, -errno);
	return fd;
}

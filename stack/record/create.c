/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BLOCK 4096 /* bytes */

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

bool wt_planted_link(const char *path)
{
	struct stat there;

	return !lstat(path, &there) && S_ISLNK(there.st_mode) && planted(path, -1);
}

int wt_create_again(const char *path, int flags)
{
	int fd;

	flags |= O_CREAT | O_CLOEXEC;
	fd = open(path, flags | O_NOFOLLOW, 0666);
	if (fd < 0 && errno != ELOOP)
		return -errno;
	if (planted(path, fd))
		return fd < 0 ? -EACCES : give_back(fd, -EACCES);
	if (fd < 0)
		fd = open(path, flags, 0666);
	return fd < 0 ? -errno : fd;
}

/* Room for a first block, which is given back: 0, or the negative errno of a full disk. Some file systems cannot say. */
static int has_room(int fd)
{
	int error = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, BLOCK) ? -errno : 0;

	if (!error && ftruncate(fd, 0)) /* frees what lies behind the end */
		return -errno;
	return error == -ENOSPC || error == -EDQUOT ? error : 0;
}

int wt_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), error;
	bool fresh = fd >= 0;
	struct stat there;

	if (!fresh)
		fd = errno == EEXIST ? wt_create_again(path, O_WRONLY) : -errno;
	if (fd < 0)
		return fd;
	if (fstat(fd, &there) || !S_ISREG(there.st_mode))
		return fd;
	/* where a file system has no locks nobody can be seen to write */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return give_back(fd, -EBUSY);
	error = ftruncate(fd, 0) ? -errno : has_room(fd);
	if (error && fresh)
		unlink(path);
	return error ? give_back(fd, error) : fd;
}

FILE *wt_create_stream(const char *path)
{
	int fd = wt_create(path), error;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file)
		return file;
	error = fd < 0 ? -fd : errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return NULL;
}

/* The process that holds a lock of a file, by /proc/locks, which does not show those of other process namespaces; 0: none is seen. */
static int holder(const char *path)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned high, low, pid, found = 0;
	unsigned long long number;
	struct stat there;
	char line[200];

	if (locks && !stat(path, &there))
		while (!found && fgets(line, sizeof(line), locks))
			if (sscanf(line, "%*s FLOCK %*s %*s %u %x:%x:%llu", &pid, &high, &low, &number) == 4 && number == there.st_ino &&
			    high == major(there.st_dev) && low == minor(there.st_dev))
				found = pid;
	if (locks)
		fclose(locks);
	return (int)found;
}

const char *wt_create_why(const char *path, int error, char why[WT_CREATE_WHY])
{
	char name[40] = "";
	FILE *file;
	int pid;

	snprintf(why, WT_CREATE_WHY, "%s", strerror(error));
	if (error != EBUSY)
		return why;
	pid = holder(path);
	snprintf(why, WT_CREATE_WHY, "/proc/%d/comm", pid);
	file = pid ? fopen(why, "re") : NULL;
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	if (pid)
		snprintf(why, WT_CREATE_WHY, "process %d%s%s%s is writing it", pid, *name ? " (" : "", name, *name ? ")" : "");
	else
		snprintf(why, WT_CREATE_WHY, "another process is writing it");
	return why;
}

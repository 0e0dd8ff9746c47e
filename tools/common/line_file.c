/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/line_file.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int wt_line_file_lock(int fd)
{
	static const struct timespec pause = {.tv_nsec = 100000000};

	for (unsigned tries = 0; flock(fd, LOCK_EX | LOCK_NB); tries++) {
		if (errno == EOPNOTSUPP || errno == ENOLCK)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (tries == 50)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int wt_line_file_cut(const struct wt_line_file *file)
{
	return ftruncate(file->fd, (off_t)file->size) ? -errno : 0;
}

int wt_line_file_add(struct wt_line_file *file, const char *text, size_t len)
{
	ssize_t n = write(file->fd, text, len);
	int error = n < 0 ? -errno : n < (ssize_t)len ? -ENOSPC : 0;

	if (!error)
		file->size += len;
	else if (wt_line_file_cut(file)) /* no torn line; if it stays, the next to open cuts it */
		return error;
	return error;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Where control sockets are, for daemon and client. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "emu/daemon/control.h"

static void folder(char *out, size_t len)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	snprintf(out, len, "%s/wavetank", geteuid() && runtime && *runtime ? runtime : "/run");
}

int wt_control_place(const char *path, char *out, size_t len, char *err, size_t err_len)
{
	int n;

	if (strcmp(path, "auto")) {
		n = snprintf(out, len, "%s", path);
	} else {
		char where[200];

		folder(where, sizeof(where));
		if (mkdir(where, 0700) && errno != EEXIST) {
			n = -errno;
			snprintf(err, err_len, "control socket: no folder %s: %s", where, strerror(-n));
			return n;
		}
		n = snprintf(out, len, "%s/emu-%ld.sock", where, (long)getpid());
	}
	snprintf(err, err_len, "control socket: %s", strerror(ENAMETOOLONG));
	return n < (int)len ? 0 : -ENAMETOOLONG;
}

static int try(const char *path)
{
	static const struct timeval patience = {.tv_sec = WT_CONTROL_PATIENCE};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) || /* of connecting, too: where nobody accepts */
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int error = errno == EAGAIN ? -ETIMEDOUT : -errno;

		close(fd);
		return error;
	}
	return fd;
}

/* The only one in the folder that somebody listens at. */
static int find(char *err, size_t err_len)
{
	char where[200], path[500], dead[100] = "";
	int found = -1;
	bool denied;
	DIR *dir;

	folder(where, sizeof(where));
	dir = opendir(where);
	denied = !dir && errno == EACCES;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name);
		int fd;

		if (length < 5 || strcmp(entry->d_name + length - 5, ".sock"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", where, entry->d_name);
		fd = try(path);
		if (fd == -ETIMEDOUT)
			snprintf(dead, sizeof(dead), "; the emulator of %.60s is stopped or hangs", entry->d_name);
		if (fd == -ECONNREFUSED)
			snprintf(dead, sizeof(dead), "; the emulator of %.60s was killed", entry->d_name);
		denied |= fd == -EACCES;
		if (fd < 0)
			continue;
		if (found >= 0) {
			close(fd);
			close(found);
			closedir(dir);
			snprintf(err, err_len, "more than one emulator listens in %s; name one with --control PATH", where);
			return -ENOTUNIQ;
		}
		found = fd;
	}
	if (dir)
		closedir(dir);
	if (found < 0 && denied) {
		snprintf(err, err_len, "%s: %s; the emulator there belongs to another user", where, strerror(EACCES));
		return -EACCES;
	}
	if (found < 0) {
		snprintf(err, err_len, "no emulator listens in %s%s; start one with --control auto, or say where by --control PATH", where, dead);
		return -ENOENT;
	}
	return found;
}

int wt_control_connect(const char *path, char *err, size_t err_len)
{
	struct stat there;
	int fd;

	if (!path)
		return find(err, err_len);
	fd = try(path);
	if (fd == -ECONNREFUSED && !stat(path, &there) && !S_ISSOCK(there.st_mode))
		snprintf(err, err_len, "%s: not a control socket", path);
	else if (fd == -ECONNREFUSED)
		snprintf(err, err_len, "%s: no emulator listens there any more; the one that did was killed, and left no record but its log and capture", path);
	else if (fd == -ETIMEDOUT)
		snprintf(err, err_len, "%s: the emulator has not answered for %d s: it is stopped or hangs", path, WT_CONTROL_PATIENCE);
	else if (fd < 0)
		snprintf(err, err_len, "%s: %s", path, fd == -ENOENT ? "no emulator listens there" : strerror(-fd));
	return fd;
}

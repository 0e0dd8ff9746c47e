/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/steer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 32 /* of 32 processors */

/* All processors there are but one, as the kernel reads and writes sets of them: words of eight hexadecimal digits, the highest first.
 * How many are in it. */
static long others(int but, char *text, size_t len)
{
	long all = sysconf(_SC_NPROCESSORS_CONF), count = 0;
	size_t at = 0;

	for (int word = WORDS - 1; word >= 0; word--) {
		unsigned bits = 0;

		for (int bit = 0; bit < 32; bit++) {
			int processor = 32 * word + bit;

			if (processor >= all || processor == but)
				continue;
			bits |= 1u << bit;
			count++;
		}
		if (32 * word < all)
			at += (size_t)snprintf(text + at, len - at, "%s%08x", at ? "," : "", bits);
	}
	return count;
}

/* /sys shows the devices of the network namespace it was mounted in, so it is mounted anew, where nobody else sees it. */
static int write_inside(const struct wt_where *where, const char *set)
{
	char path[100];
	ssize_t written;
	int fd;

	if (where->space[0]) {
		fd = open(where->space, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || setns(fd, CLONE_NEWNET))
			return errno;
	}
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return errno;
	snprintf(path, sizeof(path), "/sys/class/net/%s/queues/rx-0/rps_cpus", where->interface);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	written = write(fd, set, strlen(set));
	return written == (ssize_t)strlen(set) ? 0 : errno;
}

static int steer_port(const struct wt_where *where, const char *set, char *err, size_t err_len)
{
	int status = 0, error;
	pid_t child = fork(); /* a namespace of mounts cannot be left again */

	if (child == 0)
		_exit(write_inside(where, set));
	error = child < 0 ? errno : 0;
	while (!error && waitpid(child, &status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	if (!error)
		error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	if (error)
		snprintf(err, err_len, "cannot steer what %s receives to other processors: %s", where->interface, strerror(error));
	return -error;
}

uint64_t wt_softnet_dropped(const char *text)
{
	uint64_t sum = 0, dropped;

	for (; text && *text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		if (sscanf(text, "%*x %" SCNx64, &dropped) == 1)
			sum += dropped;
	return sum;
}

static uint64_t dropped(int fd)
{
	char text[WORDS * 32 * 140];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return wt_softnet_dropped(text);
}

int wt_steer(struct wt_steering *steering, const struct wt_plan *plan, char *err, size_t err_len)
{
	char set[WORDS * 9 + 1];
	int error = 0;

	if (!plan->steer)
		return 0;
	if (!others(plan->cpu, set, sizeof(set))) {
		snprintf(err, err_len, "steer: there is no other processor than %d", plan->cpu);
		return -EINVAL;
	}
	for (unsigned i = 0; i < plan->ports && !error; i++)
		if (plan->port[i].where.kind == WT_WHERE_TAP)
			error = steer_port(&plan->port[i].where, set, err, err_len);
	if (error)
		return error;
	steering->fd = open("/proc/net/softnet_stat", O_RDONLY | O_CLOEXEC);
	if (steering->fd < 0) {
		snprintf(err, err_len, "/proc/net/softnet_stat: %s", strerror(errno));
		steering->fd = 0;
		return -errno;
	}
	steering->from = dropped(steering->fd);
	return 0;
}

bool wt_steer_drops(const struct wt_steering *steering)
{
	return steering->fd && dropped(steering->fd) > steering->from;
}

void wt_steer_finish(struct wt_steering *steering)
{
	if (steering->fd)
		close(steering->fd);
	steering->fd = 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/steer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emu/machine/confine.h"
#include "emu/machine/helper.h"

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

/* ---- the helper: a process of its own -------------------------------------------------------------------- */

/*
 * Who writes to rps_cpus needs CAP_NET_ADMIN at that time, and the emulator may have none then, or be killed. So a helper does, and
 * writes back what it found.
 */
struct helper {
	const struct wt_world *world;
	const char *set;
	struct steered {
		int control; /* rps_cpus of a TAP port; -1: none */
		char found[WORDS * 9 + 1];
	} *host;
};

/* What the emulator hears of it. */
struct outcome {
	unsigned port;
	int error;
};

static int write_set(int fd, const char *set)
{
	ssize_t written = write(fd, set, strlen(set));

	return written == (ssize_t)strlen(set) ? 0 : written < 0 ? errno : EIO;
}

/* A sysfs shows the devices of the network namespace it is made in. This one is attached nowhere, and goes when the file is closed: that a
 * service has /sys mounted read-only does not matter, unless it is so for the whole machine.
 * Before 2.36 glibc knows the calls by number only. */
static int open_control(const char *interface)
{
	int context = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC), tree = -1, fd = -1, error;
	char path[100];

	if (context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		tree = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	snprintf(path, sizeof(path), "class/net/%s/queues/rx-0/rps_cpus", interface);
	if (tree >= 0)
		fd = openat(tree, path, O_RDWR | O_CLOEXEC);
	error = errno;
	if (tree >= 0)
		close(tree);
	if (context >= 0)
		close(context);
	errno = error;
	return fd;
}

static int steer_port(struct helper *helper, unsigned i)
{
	const struct wt_interface_ref *where = &helper->world->host[i].where;
	struct steered *steered = &helper->host[i];
	int home, error = -wt_interface_ref_enter(where, &home, NULL, 0);
	ssize_t n;

	if (error)
		return error;
	steered->control = open_control(where->interface);
	error = steered->control < 0 ? errno : 0;
	if (wt_interface_ref_leave(where, home, NULL, 0) || error)
		return error ? error : EPERM;
	n = pread(steered->control, steered->found, sizeof(steered->found) - 1, 0);
	return n <= 0 ? EIO : write_set(steered->control, helper->set);
}

static void steer_ports(struct helper *helper, struct outcome *outcome)
{
	for (unsigned i = 0; i < helper->world->hosts && !outcome->error; i++) {
		outcome->port = i;
		if (helper->world->host[i].where.kind == WT_INTERFACE_REF_TAP)
			outcome->error = steer_port(helper, i);
	}
}

static void help(void *arg, int link)
{
	struct helper *helper = arg;
	struct outcome outcome = {0};

	helper->host = calloc(helper->world->hosts, sizeof(*helper->host));
	for (unsigned i = 0; helper->host && i < helper->world->hosts; i++)
		helper->host[i].control = -1;
	if (!wt_helper_heard(link))
		return;
	outcome.error = helper->host ? 0 : ENOMEM;
	steer_ports(helper, &outcome);
	wt_confine(NULL, WT_KEEP(CAP_NET_ADMIN));
	if (send(link, &outcome, sizeof(outcome), MSG_NOSIGNAL) == sizeof(outcome))
		wt_helper_heard(link);
	for (unsigned i = 0; helper->host && i < helper->world->hosts; i++)
		if (helper->host[i].control >= 0 && helper->host[i].found[0])
			write_set(helper->host[i].control, helper->host[i].found); /* or the device is gone */
}

/* ---- the emulator's side --------------------------------------------------------------------------------- */

int wt_steer_prepare(struct wt_steering *steering, const struct wt_options *options, char *err, size_t err_len)
{
	static struct helper helper;
	char set[WORDS * 9 + 1];
	int link;

	if (!options->steer)
		return 0;
	if (!others(options->cpu, set, sizeof(set))) {
		snprintf(err, err_len, "steer: there is no other processor than %d", options->cpu);
		return -EINVAL;
	}
	helper = (struct helper){.world = options->world, .set = set};
	link = wt_helper_start(help, &helper);
	if (link < 0) {
		snprintf(err, err_len, "steer: no helper process");
		return link;
	}
	steering->helper = link;
	return 0;
}

static int ask_helper(const struct wt_steering *steering, const struct wt_options *options, char *err, size_t err_len)
{
	struct outcome outcome = {.error = EPIPE};

	if (send(steering->helper, "", 1, MSG_NOSIGNAL) == 1 &&
	    recv(steering->helper, &outcome, sizeof(outcome), MSG_WAITALL) != sizeof(outcome))
		outcome.error = EPIPE;
	if (outcome.error)
		snprintf(err, err_len, "cannot steer what %s receives to other processors: %s%s", options->world->host[outcome.port].where.interface,
			 strerror(outcome.error),
			 outcome.error == EROFS ? " (all of /sys is, as in a container; in a named network namespace it would work)" : "");
	return -outcome.error;
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

int wt_steer(struct wt_steering *steering, const struct wt_options *options, char *err, size_t err_len)
{
	int error = options->steer ? ask_helper(steering, options, err, err_len) : 0;

	if (error || !options->steer)
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
	wt_helper_finish(steering->helper); /* whoever saw us end finds what was there before */
	*steering = (struct wt_steering){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/interface_ref.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int set_space(struct wt_interface_ref *where, const char *text, char *err, size_t err_len)
{
	int n;

	if (text[0] == '/')
		n = snprintf(where->space, sizeof(where->space), "%s", text);
	else if (text[0] && text[strspn(text, "0123456789")] == 0)
		n = snprintf(where->space, sizeof(where->space), "/proc/%s/ns/net", text);
	else
		n = snprintf(where->space, sizeof(where->space), "/run/netns/%s", text);
	if (text[0] && n < (int)sizeof(where->space))
		return 0;
	snprintf(err, err_len, "after the @ a network namespace must stand: a process number, a path or a name of ip netns");
	return -EINVAL;
}

int wt_interface_ref_parse(struct wt_interface_ref *where, const char *text, char *err, size_t err_len)
{
	const char *at = strchr(text, '@'), *name = strchr(text, ':');
	size_t len;

	*where = (struct wt_interface_ref){0};
	if (!strncmp(text, "tap:", 4)) {
		where->kind = WT_INTERFACE_REF_TAP;
	} else if (!strncmp(text, "packet:", 7)) {
		where->kind = WT_INTERFACE_REF_PACKET;
	} else {
		snprintf(err, err_len, "'%.60s' is not a port: expected tap:NAME or packet:INTERFACE, and @NAMESPACE if it lives in another",
			 text);
		return -EINVAL;
	}
	name++;
	len = at ? (size_t)(at - name) : strlen(name);
	if (!len || len >= sizeof(where->interface)) {
		snprintf(err, err_len, "'%.60s': the name of an interface has 1 to 15 characters", text);
		return -EINVAL;
	}
	memcpy(where->interface, name, len);
	return at ? set_space(where, at + 1, err, err_len) : 0;
}

static struct wt_port *open_here(const struct wt_interface_ref *where, enum wt_stamps stamps, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len)
{
	struct wt_port *port;

	if (where->kind == WT_INTERFACE_REF_TAP)
		port = wt_tap_open_big(where->interface, pool, big, err, err_len);
	else
		port = wt_packet_open_big(where->interface, pool, big, err, err_len);
	if (port && stamps != WT_STAMPS_READ)
		wt_port_stamp(port, stamps == WT_STAMPS_KERNEL);
	return port;
}

/* Said of the namespace a port is in. */
static int space_error(const char *what, const struct wt_interface_ref *where, int error, const char *hint, char *err, size_t err_len)
{
	snprintf(err, err_len, "%s network namespace %s: %s%s", what, where->space, strerror(error), hint);
	return -error;
}

int wt_interface_ref_enter(const struct wt_interface_ref *where, int *home, char *err, size_t err_len)
{
	int there, error = 0;

	*home = -1;
	if (!where->space[0])
		return 0;
	*home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(where->space, O_RDONLY | O_CLOEXEC);
	if (*home < 0 || there < 0)
		error = space_error(errno == ENOENT ? "there is no" : "cannot open the", where, errno, "", err, err_len);
	else if (setns(there, CLONE_NEWNET))
		error = space_error("cannot enter the", where, errno,
				    errno == EPERM ? " (run as root, or inside the user namespace that owns it)" : "", err, err_len);
	if (error && *home >= 0)
		close(*home);
	if (there >= 0)
		close(there);
	return error;
}

int wt_interface_ref_leave(const struct wt_interface_ref *where, int home, char *err, size_t err_len)
{
	int error = home >= 0 && setns(home, CLONE_NEWNET) ? space_error("cannot come back from the", where, errno, "", err, err_len) : 0;

	if (home >= 0)
		close(home);
	return error;
}

struct wt_port *wt_interface_ref_open(const struct wt_interface_ref *where, enum wt_stamps stamps, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len)
{
	struct wt_port *port = NULL;
	int home, error = wt_interface_ref_enter(where, &home, err, err_len), back;

	if (!error) {
		port = open_here(where, stamps, pool, big, err, err_len);
		error = port ? 0 : -errno;
		back = wt_interface_ref_leave(where, home, err, err_len);
		if (back) {
			wt_port_close(port);
			port = NULL;
			error = back;
		}
	}
	errno = -error;
	return port;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "stack/text/units.h"

void wt_notify_open(struct wt_notify *notify)
{
	const char *path = getenv("NOTIFY_SOCKET"), *period = getenv("WATCHDOG_USEC"), *whom = getenv("WATCHDOG_PID");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;
	uint64_t us;

	*notify = (struct wt_notify){.fd = -1};
	if (!len || len >= sizeof(address.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (*path == '@') /* the abstract name space */
		address.sun_path[0] = 0;
	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd >= 0 && connect(notify->fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)))
		wt_notify_close(notify);
	if (notify->fd >= 0 && period && !wt_parse_count(period, &us, NULL, 0) && (!whom || atol(whom) == (long)getpid()))
		notify->watchdog = (wt_time)(us < 3600000000 ? us : 3600000000) * WT_US / 2;
}

/* False: there is no room now. A manager that is gone is no reason to stop, nor to try again. */
static bool deliver(const struct wt_notify *notify, const char *words)
{
	return send(notify->fd, words, strlen(words), MSG_NOSIGNAL) >= 0 || (errno != EAGAIN && errno != ENOBUFS);
}

static void forget_first(struct wt_notify *notify)
{
	memmove(notify->words[0], notify->words[1], --notify->waiting * sizeof(notify->words[0]));
}

void wt_notify_again(struct wt_notify *notify)
{
	while (notify->waiting && deliver(notify, notify->words[0]))
		forget_first(notify);
}

void wt_notify_say(struct wt_notify *notify, const char *words)
{
	if (notify->fd < 0)
		return;
	wt_notify_again(notify);
	if (!notify->waiting && deliver(notify, words))
		return;
	if (notify->waiting && !strcmp(notify->words[notify->waiting - 1], words)) /* another WATCHDOG=1 says no more */
		return;
	if (notify->waiting == WT_NOTIFY_WAITING) /* what was said last counts */
		forget_first(notify);
	snprintf(notify->words[notify->waiting++], sizeof(notify->words[0]), "%s", words);
}

void wt_notify_reloading(struct wt_notify *notify)
{
	struct timespec now;
	char words[WT_NOTIFY_WORDS];

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(words, sizeof(words), "RELOADING=1\nMONOTONIC_USEC=%" PRId64, (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	wt_notify_say(notify, words);
}

void wt_notify_close(struct wt_notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

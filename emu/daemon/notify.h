/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the service manager how it goes: sd_notify(3)'s protocol, one datagram of words to the socket that NOTIFY_SOCKET names. */
#ifndef WT_EMU_DAEMON_NOTIFY_H
#define WT_EMU_DAEMON_NOTIFY_H

#include "stack/base/time.h"

struct wt_notify {
	int fd; /* connected; -1: nobody asked */
	wt_time watchdog; /* half of WATCHDOG_USEC: how often to say WATCHDOG=1; 0: not */
};

void wt_notify_open(struct wt_notify *notify);
/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=..." */
void wt_notify_say(const struct wt_notify *notify, const char *words);
/* A file is read again from now on: "RELOADING=1" with the time, which Type=notify-reload asks for. Then "READY=1" again. */
void wt_notify_reloading(const struct wt_notify *notify);
void wt_notify_close(struct wt_notify *notify);

#endif

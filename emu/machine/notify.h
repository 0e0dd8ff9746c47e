/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the service manager how it goes: sd_notify(3)'s protocol, one datagram of words to the socket that NOTIFY_SOCKET names. */
#ifndef WT_EMU_MACHINE_NOTIFY_H
#define WT_EMU_MACHINE_NOTIFY_H

#include "stack/base/time.h"

#define WT_NOTIFY_WAITING 8
#define WT_NOTIFY_WORDS 80

struct wt_notify {
	int fd; /* connected; -1: nobody asked */
	wt_time watchdog; /* half of WATCHDOG_USEC: how often to say WATCHDOG=1; 0: not */
	unsigned waiting; /* words the manager had no room for, in their order */
	char words[WT_NOTIFY_WAITING][WT_NOTIFY_WORDS];
};

void wt_notify_open(struct wt_notify *notify);
/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=...". Frames do not wait for the manager: while its queue is full, words are kept. */
void wt_notify_say(struct wt_notify *notify, const char *words);
/* Says what waits, as far as there is room by now. */
void wt_notify_again(struct wt_notify *notify);
/* A file is read again from now on: "RELOADING=1" with the time, which Type=notify-reload asks for. Then "READY=1" again. */
void wt_notify_reloading(struct wt_notify *notify);
void wt_notify_close(struct wt_notify *notify);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* In a lab: what its emulator drops, told while it happens. An end host cannot see that; the emulator's control socket can. */
#ifndef WT_TOOLS_APP_PATH_EVENTS_H
#define WT_TOOLS_APP_PATH_EVENTS_H

#include <ev.h>

struct wt_path_events;

/* Of the lab this process runs in (WAVETANK_LAB). NULL: there is none, or its emulator does not answer. */
struct wt_path_events *wt_path_events_open(struct ev_loop *ev, void (*on_drop)(void *arg, const char *cause), void *arg);
/* Accepts NULL. */
void wt_path_events_close(struct wt_path_events *events);

#endif

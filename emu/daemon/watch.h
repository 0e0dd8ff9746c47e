/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures that begin and end while the emulator runs: a client of the control socket asks for a point (a port by its name, or "drops") and
 * gets pcapng until it leaves. Frames are seen at the ports, so that no node is added and nothing is timed otherwise than without a
 * watcher. A client that reads too slowly misses packets, and the next one that it gets says how many (epb_dropcount); it never
 * holds up the path.
 */
#ifndef WT_EMU_DAEMON_WATCH_H
#define WT_EMU_DAEMON_WATCH_H

#include <ev.h>

#include "emu/world/build.h"

#define WT_WATCH_DROPS "drops"

struct wt_watchers;

/* Of the ports of a network that is open, which outlives them. epoch: ns since 1970 of scenario time 0. NULL: no memory. */
struct wt_watchers *wt_watchers_create(struct ev_loop *ev, const struct wt_network *net, int64_t epoch);
/* Takes a socket, to which it says "ok", a line, and then the capture. 0; or negative errno, a sentence in err, and it stays the caller's. */
int wt_watchers_add(struct wt_watchers *watchers, int fd, const char *point, char *err, size_t err_len);
/* Who sees the drops; passes the news on to `next`. */
struct wt_drop_sink *wt_watchers_drops(struct wt_watchers *watchers, struct wt_drop_sink *next);
/* Sends what is buffered as far as it is taken, closes all sockets and frees. Accepts NULL. */
void wt_watchers_destroy(struct wt_watchers *watchers);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures: pcapng, nanoseconds, one interface block per tapped point. A tap is a pass-through node with ports 0 and 1.
 * Frames are written with finished checksums. Dropped frames are written too, on an interface of their own named
 * "drops", with the comment "dropped: CAUSE at NODE", so Wireshark filters them by frame.comment.
 */
#ifndef WT_STACK_DRIVE_CAPTURE_H
#define WT_STACK_DRIVE_CAPTURE_H

#include <stdint.h>

#include "stack/base/node.h"

struct wt_capture;

/* Creates the file. epoch: ns since 1970 of scenario time 0 (a fixed one in virtual time). NULL with errno. */
struct wt_capture *wt_capture_open(const char *path, int64_t epoch);
/* A tap node writing to interface `name`; the graph owns it. NULL: no memory. */
struct wt_node *wt_capture_tap(struct wt_capture *capture, const char *name);
/* A drop sink that writes dropped frames, and passes the news on to `next` if given. */
struct wt_drop_sink *wt_capture_drops(struct wt_capture *capture, struct wt_drop_sink *next);
/* Flushes and closes. 0, or the first error met while writing (-ENOSPC ...): the file holds whole blocks up to it. */
int wt_capture_close(struct wt_capture *capture);
/* The first write error so far, 0 if none. */
int wt_capture_error(const struct wt_capture *capture);

#endif

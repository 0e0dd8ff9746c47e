/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures: pcapng, nanoseconds, one file per tapped point. A tap is a pass-through node with ports 0 and 1. Frames are
 * written with finished checksums. Dropped frames are written too, to a file of their own, with the comment "dropped: CAUSE
 * at NODE", so Wireshark filters them by frame.comment. A device, pipe or terminal takes all points as interfaces of one stream.
 *
 * Each packet carries its direction (outbound: it entered the tap by port 0) and its frame id (epb_packetid, which
 * Wireshark shows), to join it with the journal. The files name no machine and no time but `epoch`: in virtual time
 * equal runs write equal bytes. A tap changes nothing: frames pass with the checksum state they came with.
 */
#ifndef WT_STACK_RECORD_CAPTURE_H
#define WT_STACK_RECORD_CAPTURE_H

#include <stdint.h>

#include "stack/base/node.h"

struct wt_capture;

#define WT_CAPTURE_EPOCH ((int64_t)978307200 * 1000000000) /* 2001-01-01T00:00:00Z: scenario time 0 of virtual runs */

#define WT_CAPTURE_POINT 40 /* bytes of a point's name, with its end */

/*
 * Creates the files: `path` for the first of `points`, wt_capture_name() for each other point and for "drops". epoch: ns since 1970 of
 * scenario time 0 (WT_CAPTURE_EPOCH in virtual time). NULL with errno and one sentence in err.
 */
struct wt_capture *wt_capture_open(const char *path, int64_t epoch, char (*points)[WT_CAPTURE_POINT], unsigned count, char *err,
				   size_t err_len);
/* The file of a further point: "run.pcapng" and "b" give "run-b.pcapng". To be freed; NULL: no memory. */
char *wt_capture_name(const char *path, const char *point);
/* One more file, of what stations send on the air: radiotap and 802.11. 0, or negative errno and one sentence in err. */
#define WT_CAPTURE_AIR "air-frames"
int wt_capture_open_air(struct wt_capture *capture, const char *path, char *err, size_t err_len);
/* A frame of wt_ieee80211_emit(), as its first bit leaves; `id`: of the Ethernet frame in it, 0: none. After wt_capture_open_air(). */
void wt_capture_air(struct wt_capture *capture, wt_time now, const uint8_t *bytes, uint32_t len, uint64_t id);
/* A tap node that writes to the file of point `name`, a node of that name; the graph owns it. The capture may be closed before the graph
 * is destroyed, if no frame passes in between. NULL: no memory, or no such point. */
struct wt_node *wt_capture_tap(struct wt_capture *capture, const char *name);
/* A drop sink that writes dropped frames, and passes the news on to `next` if given. Owned by the capture: destroy the
 * graph first, or take the sink out of it. One per capture. */
struct wt_drop_sink *wt_capture_drops(struct wt_capture *capture, struct wt_drop_sink *next);
/* Writes what is buffered: for a reader that follows the file. Errors stick. */
void wt_capture_flush(struct wt_capture *capture);
/* Flushes and closes all files. Accepts NULL. 0, or the first error met while writing (-ENOSPC ...): the files hold whole blocks up to it. */
int wt_capture_close(struct wt_capture *capture);
/* The first write error so far, 0 if none. */
int wt_capture_error(const struct wt_capture *capture);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures as pcapng with nanoseconds, for Wireshark: a file per point, and one for dropped frames with the cause as a comment.
 *
 *     const char *const points[] = {"a", "b"};
 *     capture = wt_lib_capture_open(graph, "run.pcapng", points, 2, err, sizeof(err));     run.pcapng, run-b.pcapng, run-drops.pcapng
 *     tap = wt_lib_capture_tap(capture, "a");                                              join it between host and link: ports 0, 1
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_CAPTURE_H
#define WT_STACK_INCLUDE_WAVETANK_CAPTURE_H

#include <wavetank/graph.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_capture;

/* Opens the files; the graph owns the capture, and closes it at its end. In virtual time equal runs write equal bytes. NULL with errno
 * and a sentence in err. One per graph (EBUSY). */
WT_API struct wt_lib_capture *wt_lib_capture_open(struct wt_lib_graph *graph, const char *path, const char *const *points, unsigned count, char *err,
					    size_t err_len);
/* A node that writes all that passes; port 0 faces the host, port 1 the network. Once for each point. NULL with errno ENOENT, ENOMEM. */
WT_API struct wt_lib_node *wt_lib_capture_tap(struct wt_lib_capture *capture, const char *point);
/* Writes what is buffered. 0, or the first error met while writing, which sticks. */
WT_API int wt_lib_capture_flush(struct wt_lib_capture *capture);

WT_LIB_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real time, inside a poll loop of yours: one descriptor and one call.
 *
 *     struct pollfd fds[] = {{.fd = wt_lib_real_fd(real), .events = POLLIN}, ...yours };
 *     while (poll(fds, n, -1) >= 0) {
 *             if (fds[0].revents)
 *                     wt_lib_real_turn(real);
 *             ...
 *     }
 *
 * The descriptor is readable when a device has frames, can take frames again, or something in the graph is due. Calls of hosts,
 * links and graphs from your loop do the rest by themselves: nothing else has to be armed.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_REAL_H
#define WT_STACK_INCLUDE_WAVETANK_REAL_H

#include <wavetank/graph.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_real;

/* Real time for a graph, from 0 at this moment; the graph owns it. NULL with errno: EBUSY (it has one), or what the kernel says. */
WT_API struct wt_lib_real *wt_lib_real_create(struct wt_lib_graph *graph);
/* An epoll descriptor to poll for POLLIN. Do not read it, and do not close it. */
WT_API int wt_lib_real_fd(const struct wt_lib_real *real);
/* Does all that is due and returns without waiting. 0, or the negative errno of a device that has gone away (told once). */
WT_API int wt_lib_real_turn(struct wt_lib_real *real);
/* The time now, by the clock. */
WT_API wt_time wt_lib_real_now(const struct wt_lib_real *real);

/*
 * Devices as nodes; join port 0. A TAP device of that name, made if there is none (CAP_NET_ADMIN, or a device of this user); an
 * AF_PACKET socket on an interface that exists (CAP_NET_RAW). NULL with errno and a sentence in err.
 */
WT_API struct wt_lib_node *wt_lib_tap_open(struct wt_lib_real *real, const char *name, char *err, size_t err_len);
WT_API struct wt_lib_node *wt_lib_packet_open(struct wt_lib_real *real, const char *interface, char *err, size_t err_len);

WT_LIB_END_DECLS

#endif

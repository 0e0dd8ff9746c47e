/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a port is: "tap:wt0", "packet:veth1@lab", "tap:wt0@4711", "tap:wt0@/proc/4711/ns/net".
 *
 * After the @: the network namespace the device lives in, as the number of a process, a path, or a name of `ip netns`.
 */
#ifndef WT_EMU_WORLD_INTERFACE_REF_H
#define WT_EMU_WORLD_INTERFACE_REF_H

#include <stddef.h>

#include "stack/port/port.h"

enum wt_interface_ref_kind { WT_INTERFACE_REF_TAP, WT_INTERFACE_REF_PACKET };
/* Frames are dated by the kernel's stamps, and those of a TAP come from the cheapest source there is, or from a packet socket's ring; or
 * when they are read. */
enum wt_stamps { WT_STAMPS_KERNEL, WT_STAMPS_RING, WT_STAMPS_READ };

struct wt_interface_ref {
	enum wt_interface_ref_kind kind;
	char interface[16];
	char space[256]; /* path of the namespace; empty: ours */
};

/* 0 or -EINVAL with one sentence in err. */
int wt_interface_ref_parse(struct wt_interface_ref *where, const char *text, char *err, size_t err_len);
/* Enters the namespace a port is in, and comes back with what the first left in *home. Each 0, or a negative errno and one sentence. */
int wt_interface_ref_enter(const struct wt_interface_ref *where, int *home, char *err, size_t err_len);
int wt_interface_ref_leave(const struct wt_interface_ref *where, int home, char *err, size_t err_len);
/* Opens the port inside its namespace and comes back; with offloads if there is a pool for big frames, with the kernel's stamps if it
 * gives them and they are wanted. NULL: errno, and one sentence in err. */
struct wt_port *wt_interface_ref_open(const struct wt_interface_ref *where, enum wt_stamps stamps, struct wt_pool *pool, struct wt_pool *big, char *err, size_t err_len);

#endif

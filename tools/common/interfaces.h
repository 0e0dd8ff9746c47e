/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting up interfaces of the network namespace the caller is in: rtnetlink for veth pairs, ioctl for the rest, so that a lab
 * needs no other program. Each returns 0 or negative errno.
 */
#ifndef WT_TOOLS_COMMON_INTERFACES_H
#define WT_TOOLS_COMMON_INTERFACES_H

#include <stddef.h>
#include <sys/types.h>

#include "stack/text/addr.h"

/* A veth pair; the second end is born in the network namespace of process `pid`. */
int wt_net_veth(const char *name, const char *peer, pid_t pid);
int wt_net_up(const char *interface);
int wt_net_mac(const char *interface, const struct wt_mac *mac);
int wt_net_address(const char *interface, const struct wt_addr *addr, unsigned prefix_len);
int wt_net_queue_length(const char *interface, unsigned packets);
/*
 * Waits, at most a second, until the kernel uses the interface. The carrier of a TAP comes with its owner, but the kernel notices a
 * little later, and until then drops what it should send: an ARP answer or a SYN-ACK, which costs a second.
 */
void wt_net_wait_running(const char *interface);
/* The default route. */
int wt_net_gateway(const char *interface, const struct wt_addr *gateway);
/* A network behind a gateway. */
int wt_net_route_to(const char *interface, const struct wt_addr *network, unsigned prefix_len, const struct wt_addr *gateway);
/* A permanent ARP entry. */
int wt_net_neighbour(const char *interface, const struct wt_addr *addr, const struct wt_mac *mac);
/* Writes one line into /proc/sys/net/... */
int wt_net_sysctl(const char *name, const char *value);

#endif

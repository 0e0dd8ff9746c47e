/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to the kernel about a network interface, shared by the ports. */
#ifndef WT_STACK_PORT_INTERFACE_H
#define WT_STACK_PORT_INTERFACE_H

#include <stdint.h>

#include "stack/port/port.h"

/* A port of that name with node verbs and pool, without descriptors; NULL with errno ENOMEM, or EINVAL for a bad name. */
struct wt_port *wt_port_new(const char *interface, const struct wt_port_ops *ops, struct wt_pool *pool);
/* Opens port->control and fills index, mac, mtu; brings the interface up. 0 or negative errno. */
int wt_interface_attach(struct wt_port *port);
/* Do frames of the MTU fit the frames of the pool, with a byte to spare? 0, or -EMSGSIZE with a sentence in err. */
int wt_interface_check_room(const struct wt_port *port, char *err, size_t err_len);
/* Sets the length of the interface's send queue. 0 or negative errno. */
int wt_interface_queue(const struct wt_port *port, int frames);
/* Its length now, in frames, or negative errno. */
int wt_interface_queue_now(const struct wt_port *port);
/* Frames the interface dropped on their way out (IFLA_STATS64 tx_dropped), or negative errno. */
int64_t wt_interface_tx_dropped(const struct wt_port *port);
/* Switches offloads off, or only the merging of received frames; those that were on, as a mask for wt_interface_restore(). 0 or
 * negative errno. */
int wt_interface_offloads_off(int control, const char *interface, bool only_merging, uint32_t *were_on);
void wt_interface_restore(int control, const char *interface, uint32_t were_on);
/*
 * A run that is killed restores nothing, and the next one would take what it left for the state to go back to. So what is to be switched on
 * again is noted on the interface itself, in its alias (ip -d link show), which goes with it and lies in its namespace. The mask to
 * restore: what was on now, and what a killed run has noted. An interface that has an alias of its user's gets no note.
 */
uint32_t wt_interface_note(const struct wt_port *port, uint32_t were_on);
void wt_interface_note_done(const struct wt_port *port); /* it is restored */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes the control socket when the emulator has ended, by kill -9 too: it lies in a folder in which the emulator, that is not root
 * any more, may remove nothing.
 */
#ifndef WT_EMU_MACHINE_SOCKET_CLEANUP_H
#define WT_EMU_MACHINE_SOCKET_CLEANUP_H

#include "emu/daemon/control.h"
#include "emu/daemon/options.h"

struct wt_socket_cleanup {
	int helper; /* 0: none */
};

/* If the emulator of these options will have a socket and be somebody else. 0 or negative errno with a sentence. */
int wt_socket_cleanup_prepare(struct wt_socket_cleanup *cleanup, const struct wt_options *options, char *err, size_t err_len);
/* The socket is there now. */
void wt_socket_cleanup_watch(const struct wt_socket_cleanup *cleanup, const struct wt_control *control);
/* It is gone when this returns. */
void wt_socket_cleanup_finish(struct wt_socket_cleanup *cleanup);

#endif

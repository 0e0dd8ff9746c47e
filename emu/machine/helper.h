/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process beside the emulator, for what has to be done at the emulator's end, however that comes, and takes rights that the emulator
 * has given up by then. It hears of that end by a socket: a byte, or that its other end was closed. To be started before the emulator has
 * its memory, of which it would share a copy. It is nobody's child, so that nobody has to wait for it.
 */
#ifndef WT_EMU_MACHINE_HELPER_H
#define WT_EMU_MACHINE_HELPER_H

#include <stdbool.h>

/* Runs work(arg, link) in the other process, which ends with it. Returns the emulator's end of the link, or a negative errno. */
int wt_helper_start(void (*work)(void *arg, int link), void *arg);
/* Waits for a byte. False: the other end was closed, the emulator's by its end. */
bool wt_helper_heard(int link);
/* Tells the helper of the end, waits for its own, and closes the link. Accepts 0, which is none. */
void wt_helper_finish(int link);

#endif
